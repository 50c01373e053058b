/** The start of the message if this machine cannot run the browser. */
export const NO_BROWSER = "Cannot run the browser here";
