/** Runs Stop and SubagentStop hooks: a consumer of `turn.begin` and `turn.stop`. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ChatCards, HostProgress } from "@/host/session/ChatCards";
import { MuxRemoteShell } from "@/host/session/MuxRemoteShell";
import { BaseLocalRuntime } from "@/node/runtime/local/BaseLocalRuntime";
import { runProgram } from "@/node/runtime/process/runProgram";
import { RemoteRuntime, resolveRemotePath } from "@/node/runtime/remote/RemoteRuntime";
import { createRuntimeContextForWorkspace } from "@/node/runtime/runtimeHelpers";
import { eventSpine } from "@/node/services/events/eventSpine";
import type { TurnSession, TurnStop } from "@/node/services/events/turnStops";
import * as hooks from "@/node/services/hooks/index";
import { log } from "@/node/services/log";
import { isProjectTrusted } from "@/node/utils/projectTrust";

type Workspace = Awaited<ReturnType<typeof open>>;

const cards = new ChatCards((text) => log.warn(text));
const workspaces = new Map<string, Promise<Workspace>>();

/** Registers the consumer, unless there is another one. */
export function registerStopHooks(): void {
  if (eventSpine.hasMiddleware("turn.stop")) return;
  eventSpine.subscribe("turn.begin", async ({ session, origin }) => {
    const workspace = await workspaceOf(session);
    if (origin === "user") workspace.begun = workspace.controller.beginTurn();
    if (origin === "host") workspace.controller.beginHostTurn();
  });
  eventSpine.use("turn.stop", async (stop, next) => {
    await next();
    const verdict = await decide(stop);
    if (verdict?.action === "continue") stop.continuation ??= verdict.message;
  });
  eventSpine.subscribe("session.end", async ({ workspaceId }) => {
    const opened = workspaces.get(workspaceId);
    workspaces.delete(workspaceId);
    await (await opened)?.controller.dispose();
  });
}

async function decide(stop: TurnStop): Promise<hooks.StopVerdict | undefined> {
  const { session, end, options, report, signal } = stop;
  const { controller, cancel, dir, parentId, begun } = await workspaceOf(session);
  // The stop of a sub-agent is its report.
  if ((parentId !== undefined) !== (stop.event === "SubagentStop")) return undefined;
  await begun;
  if (signal.aborted) return undefined;
  if (end !== undefined) cards.useMessage(session, end.messageId);
  signal.addEventListener("abort", cancel, { once: true });
  const transcript = chatOf(session, session.workspaceId);
  const ofSubagent = parentId !== undefined && {
    ...{ agent_id: session.workspaceId, agent_type: options.agentId, parent_session_id: parentId },
    agent_transcript_path: transcript,
    parent_transcript_path: chatOf(session, parentId),
  };
  return await controller.turnEnded({
    finish: "stop",
    hasQueuedInput: () => session.hasQueuedInput(),
    input: {
      ...{ session_id: session.workspaceId, transcript_path: transcript, cwd: dir, ...ofSubagent },
      permission_mode: options.agentId === "plan" ? "plan" : "default",
      last_assistant_message: report ?? textOf(end),
    },
  });
}

function workspaceOf(session: TurnSession): Promise<Workspace> {
  const known = workspaces.get(session.workspaceId);
  if (known !== undefined) return known;
  const opened = open(session);
  workspaces.set(session.workspaceId, opened);
  opened.catch(() => workspaces.delete(session.workspaceId));
  return opened;
}

async function open(session: TurnSession) {
  const found = await session.aiService.getWorkspaceMetadata(session.workspaceId);
  if (!found.success) throw new Error(found.error);
  const { projectPath, parentWorkspaceId: parentId, runtimeConfig } = found.data;
  const { runtime: there, workspacePath } = createRuntimeContextForWorkspace(found.data);
  const here = new BaseLocalRuntime({ env: process.env, run: runProgram });
  const label = runtimeConfig.type;
  const isHere = label === "local" || label === "worktree";
  const far = isHere
    ? undefined
    : new RemoteRuntime(new MuxRemoteShell(label, there as never), here);
  const located = await (far && resolveRemotePath(far, workspacePath));
  if (located?.isErr() === true) throw new Error(located.error);
  const dir = located?.unwrapOr(workspacePath) ?? workspacePath;
  const turn = (await workspaces.get(parentId ?? ""))?.controller.turn;
  const place = { env: process.env, home: homedir() };
  const runtime = far ?? here;
  const own = hooks.userTrust(runtime, place, { recordsFirst: true });
  const message = `the hooks of ${projectPath} do not run, because the project is not trusted`;
  const isTrusted = (): boolean => isProjectTrusted(session.config, projectPath);
  const trust: hooks.TrustPolicy = {
    decide: async (asked) => (isTrusted() ? await own.decide(asked) : { trusted: false, message }),
  };
  const progress = new HostProgress({ session, cards });
  const controller = new hooks.StopHookController({
    ...{ runtime, projectDir: dir, load: { ...place, trust }, turn },
    event: parentId === undefined ? "Stop" : "SubagentStop",
    onEvent: (event) => progress.onEvent(event),
  });
  const cancel = (): void => {
    progress.cancelled();
    controller.cancel();
  };
  const rows = await readFile(chatOf(session, session.workspaceId), "utf8").catch(() => "");
  controller.restore(hooks.continuationsInTurn(hooks.parseRows(rows)));
  // `parentId` is set for a sub-agent.
  return { controller, cancel, parentId, dir, begun: undefined as Promise<unknown> | undefined };
}

function chatOf({ config }: TurnSession, workspaceId: string): string {
  return join(config.getSessionDir(workspaceId), "chat.jsonl");
}

/** Returns the text after the last tool call. */
function textOf({ parts }: Pick<NonNullable<TurnStop["end"]>, "parts"> = { parts: [] }): string {
  const from = parts.findLastIndex(({ type }) => type !== "text") + 1;
  return parts
    .slice(from)
    .map((part) => ("text" in part ? part.text : ""))
    .join("");
}
