/** What a person is asked to trust, and a digest that changes when it does (H31). Reads files, runs nothing. */
import { posix } from "node:path";
import { KIB, MIB } from "@/common/limits";
import { hashFile, isFile, MOST_HASHED_BYTES } from "@/node/services/hooks/fileHash";
import { canonicalJson, identityOf, sha256 } from "@/node/services/hooks/hookIdentity";
import { isSwitchedOff } from "@/node/services/hooks/hookJoin";
import { namedPaths } from "@/node/services/hooks/projectWords";
import type { CheckoutParts } from "@/node/services/hooks/checkoutParts";
import type { MachineView } from "@/node/services/hooks/settingsCache";
import type { CommandHandler } from "@/node/services/hooks/settingsSchema";
import type { TrustRequest } from "@/node/services/hooks/trustPolicy";
import type { ConfiguredHook, TrustItem } from "@/node/services/hooks/types";

const LONGEST_COMMAND_CHARS = 64 * KIB;
const MOST_PATHS = 2_000;
const MOST_BYTES = 64 * MIB;

/** What would run. */
interface Subject {
  readonly hooks: readonly ConfiguredHook[];
  readonly parts: CheckoutParts;
}

/** The request for everything of a checkout that would run. */
export function requestTrust(
  { hooks, parts }: Subject,
  view: MachineView,
  projectDir: string
): TrustRequest {
  const running = hooks.filter((hook) => hook.fromProject && !isSwitchedOff(hook.handler));
  let digest: Promise<string> | undefined;
  return {
    projectDir,
    items: [
      ...running.map(describeItem),
      ...[...parts.values()].flatMap((part) => part?.items.map(describePartItem) ?? []),
    ],
    digest: () => (digest ??= makeDigest({ hooks: running, parts }, view, projectDir)),
  };
}

/** Rejects where there is more to read than a checkout has any business to name. */
async function makeDigest(
  { hooks, parts }: Subject,
  view: MachineView,
  projectDir: string
): Promise<string> {
  const commands = [...parts].flatMap(([name, part]) =>
    (part?.commands ?? []).flatMap((command) =>
      pathsNamed(name, { type: "command", command }, projectDir)
    )
  );
  const paths = [...hooks.flatMap((hook) => pathsOf(hook, projectDir)), ...commands];
  const files = await hashNamedFiles(paths, view, projectDir);
  // Another checkout of the same project, such as a worktree, has the same digest.
  const here = JSON.stringify(projectDir).slice(1, -1);
  const runs = hooks.map((hook) => [identityOf(hook).replaceAll(here, ""), sentTo(hook)]).sort();
  const configured = [...parts].flatMap(([name, part]) =>
    part === undefined ? [] : [[name, [...part.files].sort()]]
  );
  return sha256(canonicalJson({ runs, files, configured }));
}

/** `[path, hash]` of every file of the project that a command names, its scripts among them. */
async function hashNamedFiles(
  named: readonly string[],
  view: MachineView,
  projectDir: string
): Promise<(readonly [string, string])[]> {
  const paths = [...new Set(named)].sort();
  if (paths.length > MOST_PATHS) throw new Error("the commands name too many files to check");
  const stats = await view.stats.stat(paths);
  const files = paths.flatMap((path, i) => {
    const stat = stats[i];
    return isFile(stat) ? { path, stat } : [];
  });
  const bytes = files.reduce((sum, { stat }) => sum + Math.min(stat.size, MOST_HASHED_BYTES), 0);
  if (bytes > MOST_BYTES)
    throw new Error("the files that the commands name are too large to check");
  return await Promise.all(
    files.map(
      async ({ path, stat }) =>
        [posix.relative(projectDir, path), await hashFile(view, path, stat)] as const
    )
  );
}

function pathsOf({ name, handler }: ConfiguredHook, projectDir: string): string[] {
  return handler.type === "command" ? pathsNamed(name, handler, projectDir) : [];
}

function pathsNamed(name: string, handler: CommandHandler, projectDir: string): string[] {
  const length = [handler.command, ...(handler.args ?? [])].join(" ").length;
  if (length > LONGEST_COMMAND_CHARS)
    throw new Error(`the command of ${name} is too long to check`);
  const paths = namedPaths(handler, projectDir);
  if (paths === undefined) throw new Error(`the command of ${name} names too many files to check`);
  return paths;
}

/** What of the machine's environment an http hook may carry away, and where to. */
function sentTo({ handler }: ConfiguredHook): unknown {
  return handler.type === "http" ? [handler.headers, handler.allowedEnvVars] : [];
}

function describeItem({ event, matcher, handler, source }: ConfiguredHook): TrustItem {
  const scope = event === "SubagentStop" && matcher !== undefined ? `${event} ${matcher}` : event;
  return {
    text: visible(`${scope}: ${describeRun(handler)}`),
    origin: source === undefined ? "" : `${source.file}:${source.line}`,
  };
}

function describePartItem({ text, origin }: TrustItem): TrustItem {
  return { text: visible(text), origin };
}

function describeRun(handler: ConfiguredHook["handler"]): string {
  switch (handler.type) {
    case "command":
      return [...(handler.shell === undefined ? [] : [handler.shell]), ...wordsOf(handler)].join(
        " "
      );
    case "http":
      return `POST ${handler.url}`;
    case "prompt":
      return `prompt: ${handler.prompt}`;
    case "builtin":
      return `built-in ${handler.name}`;
  }
}

function wordsOf({ command, args }: { command: string; args?: string[] | undefined }): string[] {
  return args === undefined ? [command] : [command, ...args.map((arg) => JSON.stringify(arg))];
}

/** Characters that a terminal does not show, or that turn what it shows around, as escapes. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  );
}
