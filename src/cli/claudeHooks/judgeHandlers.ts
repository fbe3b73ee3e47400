/**
 * Determines for each hook of Claude Code whether it runs here, runs with a warning, or never runs, and why, for `hooks
 * import` (H46). Reads the scripts of hooks to find features of Claude Code that have no effect here.
 */
import { posix } from "node:path";
import type { FoundFile, ClaudeHandler } from "@/cli/claudeHooks/findClaudeHooks";
import { MAX_SEARCHED_SCRIPT_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { findOnPath } from "@/node/runtime/process/startFailure";
import * as hooks from "@/node/services/hooks/index";

/** A hook of Claude Code with the verdict: it runs here, runs with a warning, or never runs. */
export interface JudgedHandler extends ClaudeHandler {
  readonly verdict: "runs" | "warned" | "never";
  /** The verdict and its reasons in words. */
  readonly text: string;
}

export interface JudgedFile extends FoundFile {
  readonly handlers: readonly JudgedHandler[];
}

interface JudgePlace {
  readonly projectDir: string;
  /** Absolute. */
  readonly home: string;
  readonly searchPath: string | undefined;
  readonly files: Pick<Files, "readFile">;
  readonly builtins: hooks.BuiltinHooks;
  /** The folder of the plugin that a command belongs to. */
  readonly root?: string | undefined;
}

/** Returns the files with a verdict on each of their handlers. */
export async function judgeHandlers(
  files: readonly FoundFile[],
  place: JudgePlace
): Promise<JudgedFile[]> {
  const hasClaude = (await findOnPath("claude", place.searchPath)) !== undefined;
  // Handlers that never run here, with the folders of their scripts. A Stop hook beside them may use their files.
  const companions = files.flatMap(({ handlers, plugin }) =>
    handlers
      .filter(({ event }) => !isSupported(event))
      .map((handler) => ({
        event: handler.event,
        // The engine has no handler for an event that it does not know, but the title is the command.
        folders: foldersOf(handler.handler ?? { type: "command", command: handler.title }, {
          ...place,
          root: plugin?.root,
        }),
      }))
  );
  const judgeOne = async (file: FoundFile, handler: ClaudeHandler): Promise<JudgedHandler> => {
    if (!isSupported(handler.event)) {
      const text = `never runs here: mux-stop-hooks has no event ${handler.event} for hooks`;
      return { ...handler, verdict: "never", text };
    }
    const { line, column } = handler;
    const url = handler.handler?.url;
    const known = file.known.find(
      (each) => each.line === line && each.column === column && each.handler.url === url
    );
    const reason =
      file.off ??
      known?.off ??
      file.obstacle ??
      findObstacle(handler, handler.event, hasClaude, place);
    if (reason !== undefined)
      return { ...handler, verdict: "never", text: `cannot run: ${reason}` };
    const within = { ...place, root: file.plugin?.root };
    const own = foldersOf(handler.handler, within);
    const events = companions
      .filter(({ folders }) => folders.some((folder) => own.includes(folder)))
      .map(({ event }) => event);
    const unknown = await unknownParts(handler.handler, within);
    const notes = [
      events.length > 0 &&
        `may depend on what the hooks of ${[...new Set(events)].join(" and ")} write, which never run here`,
      unknown.length > 0 &&
        `${unknown.join(" and ")} ${unknown.length === 1 ? "has" : "have"} no effect here`,
    ].filter((note) => note !== false);
    return notes.length === 0
      ? { ...handler, verdict: "runs", text: "runs" }
      : { ...handler, verdict: "warned", text: `runs, but ${notes.join("; ")}` };
  };
  return await Promise.all(
    files.map(async (file) => ({
      ...file,
      handlers: await Promise.all(file.handlers.map((handler) => judgeOne(file, handler))),
    }))
  );
}

/** Parts of Claude Code's contract that do not exist here. The guide has a table of them. */
const UNKNOWN = /\bterminalSequence\b|\$\{user_config\.[\w.-]+\}|\bCLAUDE_PLUGIN_OPTION_\w+/g;

/** Returns the parts of {@link UNKNOWN} that a handler or one of its scripts contains. */
async function unknownParts(
  handler: hooks.HookHandler | undefined,
  place: JudgePlace
): Promise<string[]> {
  const scripts = pathsOf(handler, place).map(
    async (path) => await readText(place.files, path, { maxBytes: MAX_SEARCHED_SCRIPT_BYTES })
  );
  const texts = [JSON.stringify(handler), ...(await Promise.all(scripts))];
  return [...new Set(texts.join("\n").match(UNKNOWN))];
}

export function isSupported(event: string): event is hooks.HookEventName {
  return hooks.HOOK_EVENTS.some((name) => name === event);
}

/** Returns why the engine would skip the handler, or why it could not work. */
function findObstacle(
  { handler, problem = "" }: ClaudeHandler,
  event: hooks.HookEventName,
  hasClaude: boolean,
  { builtins }: JudgePlace
): string | undefined {
  if (handler === undefined) return problem;
  const rest = { name: "", layer: "user", fromProject: false, matcher: "*" } as const;
  const settings = { ...hooks.NO_SETTINGS, hooks: [{ ...rest, event, handler }] };
  const subject = { event, agentType: "", hasModel: true };
  const [skip] = hooks.planHooks(settings, subject, builtins).skipped;
  if (skip !== undefined) return skip.reason;
  const startsClaude =
    handler.type === "command" &&
    hooks.invokedPrograms(handler).some(({ program }) => posix.basename(program) === "claude");
  return !hasClaude && startsClaude
    ? 'it starts "claude", and there is no such program on PATH; install Claude Code or remove the hook'
    : undefined;
}

/** Returns the folders of the scripts that a command starts, but not those of the system's programs. */
function foldersOf(handler: hooks.HookHandler | undefined, place: JudgePlace): string[] {
  return pathsOf(handler, place)
    .map((path) => posix.dirname(path))
    .filter((folder) => folder !== place.projectDir && folder !== place.home);
}

/** Returns the paths of the scripts that a command starts, if they are in the project, the home or the plugin. */
function pathsOf(
  handler: hooks.HookHandler | undefined,
  { projectDir, home, root }: JudgePlace
): string[] {
  if (handler?.type !== "command") return [];
  const { command, args } = handler;
  const fill = (text: string): string =>
    root === undefined ? text : text.replaceAll(ROOT, () => root);
  const filled = { ...handler, command: fill(command), args: args?.map(fill) };
  const tops = [projectDir, home, ...(root === undefined ? [] : [root])];
  return hooks
    .scriptsOf(filled, projectDir, home)
    .filter((path) => tops.some((top) => path.startsWith(`${top}/`)));
}

const ROOT = /\$(?:CLAUDE_PLUGIN_ROOT\b|\{CLAUDE_PLUGIN_ROOT\})/g;
