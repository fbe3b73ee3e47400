/** Messages about Mux on this machine: how it is found and started, and whether hooks run in it. */

export const NOT_BUILT =
  'mux-stop-hooks (the package of mux-hooks) is not built; run "make build" in its folder';

// Examining it

/** The features of a host, by the key of the feature. */
export const FEATURES = {
  stop: "Stop hooks",
  "subagent-stop": "SubagentStop hooks",
  run: "waiting for the hooks in `mux run`",
  editor: "waiting for the hooks in `mux acp`, before it replies to the editor",
  trust: "the check whether Mux trusts the project",
  remote: "hooks in remote workspaces",
} as const;

// The report of `doctor`

/** @param lack the inactive integration points, each after a semicolon, or an empty text */
export function attachedHost({ pid, startedAt, host, plugin }: AttachedHost, lack: string): string {
  return `process ${pid} since ${startedAt}: version ${host.version}, with mux-stop-hooks ${plugin}${lack}`;
}

interface AttachedHost {
  readonly pid: number;
  readonly startedAt: string;
  readonly plugin: string;
  readonly host: { readonly version: string };
}

/** @param by the program, or the host and its file */
