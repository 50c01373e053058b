/** What the message begins with when this machine cannot run the browser. */
export const NO_BROWSER = "Cannot run the browser here";
