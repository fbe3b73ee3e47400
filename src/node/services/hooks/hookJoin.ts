/** The hooks of all layers as one list, equal ones once (H3, H8). */
import type { Diagnostic } from "@/common/diagnostics";
import { canonicalJson, identityOf } from "@/node/services/hooks/hookIdentity";
import { programCalls } from "@/node/services/hooks/programCalls";
import { resolveWord } from "@/node/services/hooks/projectWords";
import type { HookHandler } from "@/node/services/hooks/settingsSchema";
import type { ConfiguredHook } from "@/node/services/hooks/types";

/** A hook on its way into the list. */
export interface HookEntry {
  readonly hook: Omit<ConfiguredHook, "fingerprint">;
  readonly script?: Script;
}

/** Set where a file is itself the hook. */
export interface Script {
  /** SHA-256 of the file. */
  readonly bytes: string;
  /** Why it cannot be run. */
  readonly obstacle?: string;
}

export interface JoinedHooks {
  readonly entries: readonly HookEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Fields that decide whether a hook has a say at all. */
const SWITCHES = new Set(["enabled", "if", "async", "asyncRewake"]);

/** Whether the settings keep a handler from ever running. */
export function isSwitchedOff(handler: HookHandler): boolean {
  return handler.enabled === false || handler.if !== undefined;
}

/** `entries` stand in layer order; one run stands at its first place, with the fields of the last. */
export function joinHooks(entries: readonly HookEntry[], projectDir: string): JoinedHooks {
  const joined: HookEntry[] = [];
  const places = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  const isNamed = scriptFinder(entries, projectDir);
  for (const entry of entries) {
    const { hook } = entry;
    if (isNamed(entry)) continue;
    const key = identityOf(hook);
    const place = places.get(key);
    const first = place === undefined ? undefined : joined[place];
    if (place === undefined || first === undefined) {
      // What is off in one layer is still there for another one to ask for.
      if (!isSwitchedOff(hook.handler)) places.set(key, joined.length);
      joined.push(entry);
    } else {
      const handler = overlay(first.hook, hook);
      diagnostics.push(...noteChange(first.hook, hook, handler));
      joined[place] = { ...first, hook: { ...first.hook, handler } };
    }
  }
  return { entries: joined, diagnostics };
}

/** A project may tune a hook that the user has as well, but not drop it. */
function overlay(first: HookEntry["hook"], later: HookEntry["hook"]): HookHandler {
  const isUsers = first.layer === "user" && later.fromProject;
  const switches = isUsers ? first.handler : later.handler;
  const fields = Object.entries({ ...first.handler, ...later.handler });
  return Object.fromEntries([
    ...fields.filter(([key]) => !SWITCHES.has(key)),
    ...Object.entries(switches).filter(([key]) => SWITCHES.has(key)),
  ]) as HookHandler;
}

function noteChange(
  { name, source: firstSource, handler: before }: HookEntry["hook"],
  { source }: HookEntry["hook"],
  after: HookHandler
): Diagnostic[] {
  if (source === undefined || canonicalJson(before) === canonicalJson(after)) return [];
  const first =
    firstSource === undefined ? name : `${name} (${firstSource.file}:${firstSource.line})`;
  const message = `this repeats ${first}, which runs once, with the fields that are given here`;
  return [{ severity: "notice", ...source, keyPath: "", message }];
}

/** Finds scripts that a handler of the settings runs as well: each runs once, as it is configured there. */
function scriptFinder(
  entries: readonly HookEntry[],
  projectDir: string
): (entry: HookEntry) => boolean {
  const scripts = entries.filter(({ script }) => script !== undefined);
  if (scripts.length === 0) return () => false;
  const runners = entries.filter(({ script }) => script === undefined);
  const named = namedFiles(runners, projectDir);
  // As with any other hook of the user, a project does not take it away.
  const namedByUser = namedFiles(
    runners.filter(({ hook }) => !hook.fromProject),
    projectDir
  );
  return ({ hook, script }) => {
    if (script === undefined) return false;
    return (hook.fromProject ? named : namedByUser).has(`${hook.event} ${hook.source?.file ?? ""}`);
  };
}

/** `<event> <path>` of every program that a handler starts. */
function namedFiles(entries: readonly HookEntry[], projectDir: string): Set<string> {
  const named = new Set<string>();
  for (const { hook } of entries) {
    if (hook.handler.type !== "command" || isSwitchedOff(hook.handler)) continue;
    for (const { program } of programCalls(hook.handler)) {
      named.add(`${hook.event} ${resolveWord(program, projectDir)}`);
    }
  }
  return named;
}
