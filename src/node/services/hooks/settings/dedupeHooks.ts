/** Joins the hooks of all layers into one list without duplicates (H3, H8). */
import type { Diagnostic } from "@/common/diagnostics";
import { MAX_DIAGNOSTICS } from "@/common/limits";
import { canonicalJson, identityOf, isSwitchedOff } from "@/node/services/hooks/contract/hookFacts";
import { invokedPrograms, resolveWord } from "@/node/services/hooks/shell/invokedPrograms";
import { HANDLER_KEYS, type HandlerKey } from "@/node/services/hooks/contract/settingsKeys";
import type { ConfiguredHook, HookHandler } from "@/node/services/hooks/contract/types";

/** A hook before it is joined. */
export interface HookEntry {
  readonly hook: ConfiguredHook;
  /** Whether a file is itself the hook. */
  readonly isScript: boolean;
  /** Why the hook cannot run. */
  readonly obstacle?: string | undefined;
}

/** Returns the fields of which this entry of a repeated hook counts (H3). */
function fieldsOf(entry: HandlerKey["repeated"]): string[] {
  const keys = Object.values(HANDLER_KEYS).flatMap((type) => Object.entries<HandlerKey>(type));
  return keys.flatMap(([name, { repeated }]) => (repeated === entry ? [name] : []));
}

const SWITCHES = new Set(["if", ...fieldsOf("switch")]);
const FIELDS_OF_USER = new Set(fieldsOf("user"));

/** Joins `entries` in layer order. A repeated hook keeps its first position and gets the fields of its last entry. */
export function joinHooks(entries: readonly HookEntry[], projectDir: string) {
  const joined: HookEntry[] = [];
  const places = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  /** Positions in `joined` of copies, which may be changed. */
  const copied = new Set<number>();
  const isNamed = scriptFinder(entries, projectDir);
  for (const entry of entries) {
    const { hook } = entry;
    if (isNamed(entry)) continue;
    const key = identityOf(hook);
    const place = places.get(key);
    const first = place === undefined ? undefined : joined[place];
    if (place === undefined || first === undefined) {
      // A handler that is off in one layer must not absorb one that another layer enables.
      if (!isSwitchedOff(hook.handler)) places.set(key, joined.length);
      joined.push(entry);
      continue;
    }
    const handler = copied.has(place) ? first.hook.handler : { ...first.hook.handler };
    copied.add(place);
    const keepsSwitches = first.hook.layer === "user" && hook.fromProject;
    const isChanged = applyRepetition(handler, hook.handler, keepsSwitches);
    const timeoutSource =
      hook.handler.timeout === undefined ? first.hook.timeoutSource : hook.source;
    joined[place] = { ...first, hook: { ...first.hook, handler, timeoutSource } };
    if (isChanged && hook.source !== undefined && diagnostics.length < MAX_DIAGNOSTICS) {
      const { name, source } = first.hook;
      const repeated = source === undefined ? name : `${name} (${source.file}:${source.line})`;
      const message = `this repeats ${repeated}; the hook runs once, with the fields of this entry`;
      diagnostics.push({ severity: "notice", ...hook.source, keyPath: "", message });
    }
  }
  return { entries: joined, diagnostics };
}

/**
 * Overwrites fields with those of a repetition, and returns whether that changed one. Reads each field of the
 * repetition once, so that the time for thousands of them is linear in their length (H20a). A project may tune a hook
 * that the user also has, but not drop it.
 */
function applyRepetition(to: Record<string, unknown>, from: HookHandler, keepsSwitches: boolean) {
  const fields = Object.entries(from).filter(
    ([key]) => !SWITCHES.has(key) && !(keepsSwitches && FIELDS_OF_USER.has(key))
  );
  const switches = keepsSwitches ? [] : [...SWITCHES].map((key) => [key, from[key]] as const);
  let isChanged = false;
  for (const [key, value] of [...fields, ...switches]) {
    isChanged ||= canonicalJson(to[key]) !== canonicalJson(value);
    if (value === undefined) Reflect.deleteProperty(to, key);
    else to[key] = value;
  }
  return isChanged;
}

/** Returns a function that finds scripts that a handler also runs. Each runs once, as configured in the handler. */
function scriptFinder(
  entries: readonly HookEntry[],
  projectDir: string
): (entry: HookEntry) => boolean {
  const runners = entries.filter(({ isScript }) => !isScript);
  if (runners.length === entries.length) return () => false;
  const named = namedFiles(runners, projectDir);
  // A project cannot drop a user's script, as with any other hook of the user.
  const namedByUser = namedFiles(
    runners.filter(({ hook }) => !hook.fromProject),
    projectDir
  );
  return ({ hook, isScript }) => {
    if (!isScript) return false;
    return (hook.fromProject ? named : namedByUser).has(`${hook.event} ${hook.source?.file ?? ""}`);
  };
}

/** Returns `<event> <path>` of every program that a handler starts. */
function namedFiles(entries: readonly HookEntry[], projectDir: string): Set<string> {
  const named = new Set<string>();
  for (const { hook } of entries) {
    if (hook.handler.type !== "command" || isSwitchedOff(hook.handler)) continue;
    for (const { program } of invokedPrograms(hook.handler)) {
      named.add(`${hook.event} ${resolveWord(program, projectDir)}`);
    }
  }
  return named;
}
