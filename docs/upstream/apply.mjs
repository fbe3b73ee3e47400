/**
 * Adds the event points `turn.begin` and `turn.stop`, and a consumer that runs hooks, to a checkout of Mux:
 * `node apply.mjs <checkout>`. Each insertion names a place by an interface of Mux. Run it once, after the engine was copied.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = {
  "turnStops.ts": "src/node/services/events/turnStops.ts",
  "stopHooks.ts": "src/node/services/stopHooks.ts",
};

/** Registers the consumer. Absent with `--points`, for a consumer of your own. */
const CONSUMER = "src/node/services/coreServices.ts";
const IMPORT = 'import { turnStops } from "@/node/services/events/turnStops";\n';

/** `at` matches one place of the file; `$&` in the text is that place. */
const INSERTIONS = [
  {
    file: "src/node/services/events/eventSpine.ts",
    at: /import type \{ Runtime \}/,
    text: `import type { TurnBegin, TurnStop } from "@/node/services/events/turnStops";
$&`,
  },
  {
    file: "src/node/services/events/eventSpine.ts",
    at: /export interface ObserverEventMap \{/,
    text: `$&
  "turn.begin": TurnBegin;`,
  },
  {
    file: "src/node/services/events/eventSpine.ts",
    at: /export interface WaterfallPointMap \{/,
    text: `$&
  "turn.stop": TurnStop;`,
  },
  {
    file: "src/common/orpc/schemas/stream.ts",
    at: /StreamEndEventSchema = z\.object\(\{/,
    text: `$&
  // Whether a consumer of "turn.stop" continues the turn.
  continues: z.boolean().optional(),`,
  },
  { file: "src/node/services/aiService.ts", at: /import \{ eventSpine\b/, text: `${IMPORT}$&` },
  {
    file: "src/node/services/aiService.ts",
    at: /^ *this\.emit\("stream-end"/m,
    text: `      if (turnStops.holds(data, (end) => this.emit("stream-end", end))) return;
$&`,
  },
  {
    file: "src/node/services/aiService.ts",
    at: /async stopStream\([^)]*\)[^{]*\{/,
    text: `$&
    if (options?.soft !== true) turnStops.interrupt(workspaceId);`,
  },
  {
    file: "src/node/services/aiService.ts",
    at: /\bisStreaming\(workspaceId: string\): boolean \{/,
    text: `$&
    if (turnStops.isHeld(workspaceId)) return true;`,
  },
  {
    file: "src/node/services/agentSession.ts",
    at: /import \{ eventSpine \}/,
    text: `import { turnStops, type TurnSession } from "@/node/services/events/turnStops";
$&`,
  },
  {
    file: "src/node/services/agentSession.ts",
    at: /^ *dispose\(\): void \{/m,
    text: `  private turnSession(): TurnSession {
    return {
      ...{ workspaceId: this.workspaceId, config: this.config, aiService: this.aiService },
      isCompacting: () => this.activeCompactionRequest !== undefined,
      hasQueuedInput: () => !this.messageQueue.isEmpty(),
      queue: (message, options) =>
        void this.queueMessage(message, options, { synthetic: true, agentInitiated: true }),
      emitChatEvent: (event) => this.emitChatEvent(event as WorkspaceChatMessage),
    };
  }

$&`,
  },
  {
    file: "src/node/services/agentSession.ts",
    at: /^ *const isManualUserMessage\b.*$/m,
    text: `$&
    if (isManualUserMessage) turnStops.personSends(this.turnSession());`,
  },
  {
    file: "src/node/services/agentSession.ts",
    at: /^ *this\.compactionMonitor\.resetForNewStream\(\);/m,
    text: `    const turnOptions = { ...(options ?? WORKSPACE_DEFAULTS), model: modelString };
    turnStops.turnBegins(this.turnSession(), turnOptions);
$&`,
  },
  {
    file: "src/node/services/agentSession.ts",
    at: /^ *this\.emitQueuedMessageChanged\(\);(?=\s*\/\/ Signal)/m,
    text: `    if (internal?.synthetic !== true) turnStops.messageQueued(this.workspaceId);
$&`,
  },
  {
    file: "src/node/services/taskService.ts",
    at: /import \{ eventSpine \}/,
    text: `${IMPORT}$&`,
  },
  {
    file: "src/node/services/taskService.ts",
    at: /private async finalizeAgentTaskReport\([^)]*\)[^{]*\{/,
    text: `$&
    const [workspaceId, services] = [childWorkspaceId, this.workspaceService];
    const held = await turnStops.heldReport(workspaceId, this.config, rawReportArgs, services);
    if (held !== undefined) return held;`,
  },
  {
    file: CONSUMER,
    at: /import \{ log \}/,
    text: `import { registerStopHooks } from "@/node/services/stopHooks";
$&`,
  },
  {
    file: CONSUMER,
    at: /^ *return \{\s*historyService/m,
    text: `  registerStopHooks();
$&`,
  },
  {
    file: "src/cli/run.ts",
    at: /^ *latestUsageDelta\.delete\(payload\.messageId\);/m,
    text: `$&
      if (payload.continues === true && !budgetExceeded) {
        closeHumanLine();
        activeMessageId = null;
        return;
      }`,
  },
  {
    file: "src/node/acp/agent.ts",
    at: /^ *const usage =\s*event\.metadata\.usage != null/m,
    text: `      const prompt = this.turnCompletions.get(sessionId);
      if (event.continues === true && prompt !== undefined) {
        prompt.messageId = undefined;
        this.resetTurnInactivityTimeout(sessionId);
        return;
      }
$&`,
  },
];

/** Returns the number of lines that are neither empty nor comments. */
function codeLines(text) {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

const [checkout, ...options] = process.argv.slice(2);
if (checkout === undefined) throw new Error("Usage: node apply.mjs <checkout of Mux> [--points]");
const isAlone = options.includes("--points");
let added = 0;
for (const { file, at, text } of INSERTIONS) {
  if (isAlone && file === CONSUMER) continue;
  const path = join(checkout, file);
  const before = readFileSync(path, "utf8");
  const places = before.match(new RegExp(at.source, `${at.flags}g`))?.length ?? 0;
  if (places !== 1) throw new Error(`${file} has ${places} places for ${at}, but needs one`);
  const after = before.replace(at, text);
  added += codeLines(after) - codeLines(before);
  writeFileSync(path, after);
}
for (const [name, path] of Object.entries(FILES)) {
  const text = readFileSync(join(import.meta.dirname, name), "utf8");
  added += codeLines(text);
  writeFileSync(join(checkout, path), text);
}
console.log(`${added} lines of code added`);
