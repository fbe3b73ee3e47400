/** The agents that the gauntlet can be a Stop hook of, and where their settings have it (G29). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { readSettingsText } from "@/cli/gauntlet/init/settingsText";
import type { JsonObject } from "@/common/json";
import type { Runtime } from "@/node/runtime/Runtime";
import {
  claudePaths,
  findLocalSettings,
  loadHookSettings,
  parseSettings,
  runsGauntlet,
  type HookHandler,
} from "@/node/services/hooks/index";

export type HookHostName = "claude" | "mux";

export interface InitPlace {
  readonly runtime: Runtime;
  /** Absolute. */
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly home: string;
}

export interface HookHost {
  readonly name: HookHostName;
  /** As in `Install Mux stop hook?`. */
  readonly title: string;
  readonly handler: JsonObject;
  /** `file:line` of a gauntlet that is installed, by whatever path, in a file of the person's or the project's. */
  readonly findInstalled: (place: InitPlace) => Promise<string | undefined>;
  /** The file that a hook for this person and project belongs in, or why it cannot be there. */
  readonly findFile: (place: InitPlace) => Promise<Result<string, string>>;
}

const TIMEOUT_S = 300;

export const HOOK_HOSTS: readonly HookHost[] = [
  {
    name: "claude",
    title: "Claude Code",
    handler: { type: "command", command: "agent-gauntlet stop-hook", timeout: TIMEOUT_S },
    findInstalled: findInClaude,
    findFile: ({ home, projectDir }) => Promise.resolve(ok(claudePaths(home, projectDir).local)),
  },
  {
    name: "mux",
    title: "Mux",
    handler: { type: "builtin", name: "gauntlet", timeout: TIMEOUT_S },
    findInstalled: findInMux,
    findFile: findMuxFile,
  },
];

async function findInClaude({ runtime, home, projectDir }: InitPlace): Promise<string | undefined> {
  for (const path of Object.values(claudePaths(home, projectDir))) {
    const text = await readSettingsText(runtime, path);
    const settings = parseSettings(path, text.unwrapOr(undefined) ?? "");
    const hooks = settings.isOk() ? settings.value.hooks : [];
    const found = hooks.find(
      ({ event, handler }) =>
        event === "Stop" && handler.type === "command" && runsGauntlet(handler)
    );
    if (found !== undefined) return `${path}:${found.line}`;
  }
  return undefined;
}

async function findInMux({
  runtime,
  projectDir,
  env,
  home,
}: InitPlace): Promise<string | undefined> {
  // Without the built-in layer: only what stands in a file is installed.
  const { hooks, skipped } = await loadHookSettings(runtime, projectDir, { env, home });
  const configured = [...hooks, ...skipped.map(({ hook }) => hook)];
  const found = configured.find(({ event, handler }) => event === "Stop" && isGauntlet(handler));
  return found?.source && `${found.source.file}:${found.source.line}`;
}

function isGauntlet(handler: HookHandler): boolean {
  if (handler.type === "builtin") return handler.name === "gauntlet";
  return handler.type === "command" && runsGauntlet(handler);
}

async function findMuxFile({ runtime, projectDir }: InitPlace): Promise<Result<string, string>> {
  const path = await findLocalSettings(runtime, projectDir);
  if (path.startsWith(`${projectDir}/`)) return ok(path);
  // A file of its own would take that one's place in this worktree.
  const main = posix.dirname(posix.dirname(path));
  return err(`this worktree goes by ${path}; run agent-gauntlet init --hook mux in ${main}`);
}
