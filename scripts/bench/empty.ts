// The program that does nothing: what `cli` is measured against.
