/**
 * What a host must have for each thing that we do in it. The one place that knows of versions: a member that is not
 * there turns its feature off, and nothing else looks for versions.
 */
import type { ModuleExports } from "@/host/loading/types";

export type Feature = "stop" | "subagent-stop" | "run" | "editor" | "trust" | "remote";

export interface Seam {
  readonly feature: Feature;
  /** From `dist/` on. */
  readonly file: string;
  /** The class or function that it exports. */
  readonly name: string;
  /** Methods of the class's prototype. */
  readonly methods: readonly string[];
  /** Without it the feature works all the same. */
  readonly optional?: boolean;
}

export const SEAMS: readonly Seam[] = [
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

/** What of a seam is not there, in words; nothing where all of it is. */
export function missingFrom({ file, name, methods }: Seam, exports: ModuleExports): string[] {
  const found = exports[name];
  if (typeof found !== "function") return [`${name} of ${file}`];
  const prototype = found.prototype as Record<string, unknown> | undefined;
  return methods
    .filter((method) => typeof prototype?.[method] !== "function")
    .map((method) => `${name}.${method} of ${file}`);
}
