/**
 * Lists the integration points (seams) of the hooks: the classes and methods of Mux that each feature needs, and those
 * without which it also works. The feature `run` has its own list, in patchMuxRun.ts. Also finds the members that a
 * version of Mux does not have, and replaces a method by a wrapper (`wrapMethod`).
 */
import { missingExport } from "@/host/hostLog";

export type Feature = "stop" | "subagent-stop" | "run" | "editor" | "trust" | "remote";

/** An integration point: a class or function of a module of the host. */
export interface Seam {
  readonly feature: Feature;
  /** The module's path, relative to `dist/`. */
  readonly file: string;
  /** The exported class or function. */
  readonly name: string;
  /** The required methods of the class's prototype. */
  readonly methods: readonly string[];
  /** The feature also works without it. */
  readonly optional?: boolean;
}

/** Creates an entry of {@link SEAMS}. @param more marks a seam without which its feature also works */
function seam(
  feature: Feature,
  [file, name]: readonly [string, string],
  methods: readonly string[] = [],
  more: Pick<Seam, "optional"> = {}
): Seam {
  return { feature, file, name, methods, ...more };
}
const OPTIONAL = { optional: true } as const;

export const SEAMS: readonly Seam[] = [
  // A Mux that has the events of docs/upstream itself. Then nothing is patched.
  seam("stop", ["node/services/events/turnStops.js", "TurnStops"], ["spine"], OPTIONAL),
  seam(
    "stop",
    ["node/services/aiService.js", "AIService"],
    ["emit", "isStreaming", "stopStream", "getWorkspaceMetadata"]
  ),
  seam(
    "stop",
    ["node/services/agentSession.js", "AgentSession"],
    ["queueMessage", "sendMessage", "streamWithHistory", "dispose"]
  ),
  seam(
    "subagent-stop",
    ["node/services/taskService.js", "TaskService"],
    ["finalizeAgentTaskReport"]
  ),
  seam("editor", ["node/acp/agent.js", "MuxAgent"], ["handleStreamEvent"], OPTIONAL),
  seam("trust", ["node/utils/projectTrust.js", "isProjectTrusted"], [], OPTIONAL),
  seam("remote", ["node/runtime/runtimeHelpers.js", "createRuntimeForWorkspace"]),
];

/** Describes the missing parts of an integration point. Returns an empty list if it is complete. */
export function missingFrom(seam: Seam, exports: ModuleExports): string[] {
  const found = exports[seam.name];
  if (typeof found !== "function") return describeMissing(seam);
  const prototype = found.prototype as Record<string, unknown> | undefined;
  const isMissing = (method: string): boolean => typeof prototype?.[method] !== "function";
  return describeMissing(seam, seam.methods.filter(isMissing));
}

/** Describes missing methods of an integration point. @param methods by default the whole export is missing */
export function describeMissing({ name, file }: Seam, methods?: readonly string[]): string[] {
  return methods?.map((method) => `${name}.${method} of ${file}`) ?? [missingExport(name, file)];
}

/** The exports of a module of the host. */
export type ModuleExports = Record<string, unknown>;

/** A function that modifies a module of the host. @param distDir absolute: the folder of the host's build */
export type Patch = (exports: ModuleExports, distDir: string) => void;

/**
 * Replaces a method of a class by a wrapper. Callers look methods up at each call, so all of them use the wrapper.
 *
 * @param wrapper gets the object, a function that calls the original method of it, and the arguments of the call
 */
export function wrapMethod<K extends string, T extends Record<K, (...args: never[]) => unknown>>(
  prototype: T,
  name: K,
  wrapper: (
    self: T,
    call: (...args: Parameters<T[K]>) => ReturnType<T[K]>,
    ...args: Parameters<T[K]>
  ) => ReturnType<T[K]>
): void {
  const original = prototype[name];
  const wrapped = function (this: T, ...args: Parameters<T[K]>) {
    const call = (...passed: Parameters<T[K]>) =>
      Reflect.apply(original, this, passed) as ReturnType<T[K]>;
    return wrapper(this, call, ...args);
  } as unknown as T[K];
  // The number of parameters shows what a version of the host supports.
  prototype[name] = Object.defineProperty(wrapped, "length", { value: original.length });
}
