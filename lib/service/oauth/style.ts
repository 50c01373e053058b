/**
 * The look of the pages.
 *
 * @module
 */

import { LOOK } from "../../page_look.ts";

/** The style sheet of all pages. They allow it by its hash, and nothing else. */
export const STYLE = `${LOOK}
h2, legend { margin: 0 0 .5rem; padding: 0; font-size: .875rem; font-weight: 600; color: var(--soft); }
p:last-child { margin-bottom: 0; }
section, fieldset { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0; }
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .6rem; }
li { padding: .7rem .9rem; }
li + li { border-top: 1px solid var(--line); }
li strong, li span { display: block; }
li br, fieldset br { display: none; }
li strong { font-weight: 600; }
li span { color: var(--soft); font-size: .9rem; }
li span b { color: var(--ink); font-weight: 500; }
label {
  display: flex; align-items: center; gap: .75rem; padding: .65rem .9rem; cursor: pointer;
  border: 1px solid var(--line); border-radius: .6rem;
}
label + label { margin-top: .5rem; }
.who { padding: .65rem .9rem; border: 1px solid var(--line); border-radius: .6rem; }
label:hover { border-color: var(--edge); }
label:not(.field):has(:checked) { border-color: var(--accent); background: var(--tint); }
fieldset strong, fieldset small { display: block; }
fieldset strong { font-weight: 600; line-height: 1.35; }
fieldset small { color: var(--soft); font-size: .875rem; }
.field { display: block; padding: 0; border: 0; cursor: auto; }
.field + .field { margin-top: 1rem; }
.field span { display: block; margin: 0 0 .35rem; font-size: .9rem; font-weight: 600; }
.field small { display: block; margin: .35rem 0 0; color: var(--soft); font-size: .875rem; }
.field input {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: var(--ink);
  background: var(--card); border: 1px solid var(--edge); border-radius: .6rem;
}
.field input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
p.problem {
  padding: .65rem .9rem; border: 1px solid var(--wrong); border-radius: .6rem; color: var(--wrong);
}
input[type="radio"] { width: 1.1rem; height: 1.1rem; margin: 0; flex: none; accent-color: var(--accent); }
code { font: .9em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code.block {
  display: block; margin: 0 0 1rem; padding: .6rem .8rem;
  background: var(--tint); border-radius: .5rem; white-space: pre-wrap;
}
.buttons { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 0 0 1.25rem; }
button {
  min-height: 2.75rem; padding: .5rem 1rem; cursor: pointer;
  font: inherit; font-weight: 600; border-radius: .6rem; border: 1px solid var(--edge);
  background: transparent; color: var(--ink);
}
button:hover { background: var(--tint); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
.buttons.one { grid-template-columns: 1fr; }
a.main {
  display: flex; align-items: center; justify-content: center; min-height: 2.75rem;
  padding: .5rem 1rem; border-radius: .6rem; font-weight: 600; text-decoration: none;
  background: var(--accent); color: var(--on-accent);
}
a.main:hover { background: var(--accent-deep); }
a.main:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button.link { width: 100%; border-color: transparent; color: var(--accent); margin: 0 0 .75rem; }
button:focus-visible, label:not(.field):focus-within:has(:focus-visible) {
  outline: 3px solid var(--accent); outline-offset: 2px;
}
input[type="radio"]:focus-visible { outline: none; }
`;
