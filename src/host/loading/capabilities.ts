/**
 * The members of a host that each feature needs. Only this file deals with versions of the host: a missing member turns
 * its feature off, and no other code checks versions.
 */
import { missingExport } from "@/host/messages";

export type Feature = "stop" | "subagent-stop" | "run" | "editor" | "trust" | "remote";

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

export const SEAMS: readonly Seam[] = [
  {
    // Mux itself offers the points of docs/upstream. Then nothing is patched.
    feature: "stop",
    file: "node/services/events/turnStops.js",
    name: "TurnStops",
    methods: ["spine"],
    optional: true,
  },
  {
    feature: "stop",
    file: "node/services/aiService.js",
    name: "AIService",
    methods: ["emit", "isStreaming", "stopStream", "getWorkspaceMetadata"],
  },
  {
    feature: "stop",
    file: "node/services/agentSession.js",
    name: "AgentSession",
    methods: ["queueMessage", "sendMessage", "streamWithHistory", "dispose"],
  },
  {
    feature: "subagent-stop",
    file: "node/services/taskService.js",
    name: "TaskService",
    methods: ["finalizeAgentTaskReport"],
  },
  {
    feature: "editor",
    file: "node/acp/agent.js",
    name: "MuxAgent",
    methods: ["handleStreamEvent"],
    optional: true,
  },
  {
    feature: "trust",
    file: "node/utils/projectTrust.js",
    name: "isProjectTrusted",
    methods: [],
    optional: true,
  },
  {
    feature: "remote",
    file: "node/runtime/runtimeHelpers.js",
    name: "createRuntimeForWorkspace",
    methods: [],
  },
];

/** Describes the missing parts of an integration point. Returns an empty list if it is complete. */
export function missingFrom({ file, name, methods }: Seam, exports: ModuleExports): string[] {
  const found = exports[name];
  if (typeof found !== "function") return [missingExport(name, file)];
  const prototype = found.prototype as Record<string, unknown> | undefined;
  return methods
    .filter((method) => typeof prototype?.[method] !== "function")
    .map((method) => `${name}.${method} of ${file}`);
}

/** The exports of a module of the host. */
export type ModuleExports = Record<string, unknown>;

/** A function that modifies a module of the host. @param distDir absolute: the folder of the host's build */
export type Patch = (exports: ModuleExports, distDir: string) => void;

type Method = (...args: never[]) => unknown;

/** Replaces a method of a class by a wrapper. Callers look methods up at each call, so all of them use the wrapper. */
export function wrapMethod<K extends string, T extends Record<K, Method>>(
  prototype: T,
  name: K,
  make: (original: T[K]) => T[K]
): void {
  const original = prototype[name];
  // The number of parameters shows what a version of the host supports.
  prototype[name] = Object.defineProperty(make(original), "length", { value: original.length });
}
