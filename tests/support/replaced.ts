/**
 * Properties of the runtime's own objects that a test replaces for a while.
 *
 * @module
 */

/** Runs something while some properties of an object have other values. */
export async function withReplaced<T extends object>(
  object: T,
  values: { readonly [name in keyof T]?: unknown },
  run: () => Promise<void>,
): Promise<void> {
  const names = Object.keys(values);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(object, name));
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  }
  try {
    await run();
  } finally {
    for (const [i, name] of names.entries()) {
      Reflect.deleteProperty(object, name);
      if (before[i]) Object.defineProperty(object, name, before[i]);
    }
  }
}
