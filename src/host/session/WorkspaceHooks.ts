/**
 * Runs the hooks of one workspace of Mux through `StopHookController`: opens its runtime and its settings, applies the
 * trust that Mux and the user record (H31), and converts the end of a turn or the report of a sub-agent to the input of
 * the hooks, with a copy of a transcript that is incomplete. Also restores the count of continuations after a restart
 * (H27), hands out findings of background hooks, and lists the running sub-agents that Mux's configuration names.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { finalText } from "@/common/chatMessage";
import { definedOnly } from "@/common/definedOnly";
import { tryOr } from "@/common/errors";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { log } from "@/host/hostLog";
import type * as mux from "@/host/muxTypes";
import { type ChatCards, HostProgress } from "@/host/session/ChatCards";
import { hostHookModel } from "@/host/session/askHostModel";
import { openRemoteWorkspace } from "@/host/session/MuxRemoteShell";
import { isTrustedByHost, knowsTrust } from "@/host/session/muxProjectTrust";
import type { Checkout } from "@/host/workspace/liveWorkspaces";
import type { CandidatePlace } from "@/host/workspace/mayHaveHooks";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";
import * as hooks from "@/node/services/hooks/index";
import { createRuntime, findPersonFiles, hookLoadOptions } from "@/wiring";

/** The process that starts the programs of the hooks. Its bundles are beside this one. */
const spawner = new Spawner({ dir: __dirname, log });

const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);

/** The maximum size of a transcript that is read, to limit memory. */
const MAX_TRANSCRIPT_BYTES = 64 * MIB;

export class WorkspaceHooks {
  /** Opens a workspace. Continues the count of continuations of the last turn in the transcript (H27). */
  static async open(options: WorkspaceHooksOptions): Promise<WorkspaceHooks> {
    const { place, checkout } = options;
    const workspace = await openWorkspace(options);
    const { runtime, dir } = workspace;
    const loading = await hostLoadOptions(runtime, options);
    const { projectPath } = checkout.metadata;
    const person = await findPersonFiles(runtime, place, dir, projectPath);
    const host = new WorkspaceHooks(options, workspace, { ...loading, person });
    const end = { maxBytes: MAX_TRANSCRIPT_BYTES, tail: true };
    const text = await readText(runtime.host, host.#transcriptPath, end);
    host.#controller.restore(hooks.continuationsInTurn(hooks.parseRows(text ?? "")));
    return host;
  }

  readonly #controller: hooks.StopHookController;
  readonly #progress: HostProgress;
  /** The model of the turn that ends, as the host names it. Prompt hooks ask it by default. */
  #model: string | undefined;

  private constructor(
    private readonly options: WorkspaceHooksOptions,
    private readonly workspace: OpenWorkspace,
    loading: Pick<hooks.StopHookControllerOptions, "builtins" | "load" | "person">
  ) {
    const { session, event, turn } = options;
    this.#progress = new HostProgress(options);
    this.#controller = new hooks.StopHookController({
      ...loading,
      ...{ runtime: workspace.runtime, projectDir: workspace.dir, event, turn, host: "Mux" },
      model: hostHookModel(session, () => this.#model),
      onEvent: (hookEvent) => {
        this.#progress.onEvent(hookEvent);
      },
    });
  }

  get #transcriptPath(): string {
    const { session } = this.options;
    return join(session.config.getSessionDir(session.workspaceId), "chat.jsonl");
  }

  /** The plan of the running turn, which its sub-agents keep (H7). */
  get turn(): hooks.FrozenTurn | undefined {
    return this.#controller.turn;
  }

  /**
   * Starts a turn.
   *
   * @param isConfigured whether there was anything to load at the start of the turn
   * @param plan the plan of the turn in which another agent requested this one
   * @returns whether a stop has hooks to run or problems to report
   */
  async beginTurn(isConfigured: boolean, plan?: hooks.FrozenTurn): Promise<boolean> {
    const known = isConfigured ? undefined : "nothing configured";
    return (await this.#controller.beginTurn(known, plan)) === undefined;
  }

  beginHostTurn(): void {
    this.#controller.beginHostTurn();
  }

  async turnEnded(
    { parts = [], metadata }: mux.HostStreamEnd,
    options: mux.HostSendOptions,
    hasQueuedInput: () => boolean
  ): Promise<hooks.StopVerdict> {
    const { session } = this.options;
    this.#useModelOf(options);
    return await this.#controller.turnEnded({
      finish: "stop",
      hasQueuedInput,
      input: {
        session_id: session.workspaceId,
        transcript_path: this.#transcriptPath,
        cwd: this.workspace.dir,
        permission_mode: (options.agentId ?? options.mode) === "plan" ? "plan" : "default",
        last_assistant_message: finalText(parts),
        // The host may use another model or level than the one that the message requested.
        ...hooks.modelFields({ ...options, ...definedOnly({ ...metadata }) }),
        background_tasks: backgroundAgents(session.config, session.workspaceId),
      },
    });
  }

  /** Runs the hooks for a sub-agent's report (H28a). @param isOutdated returns whether it is obsolete, regardless of hooks */
  async reportReady(
    report: mux.Report,
    options: mux.HostSendOptions,
    isOutdated: () => boolean,
    signal: AbortSignal
  ): Promise<hooks.StopVerdict> {
    const { session, checkout } = this.options;
    const { metadata } = checkout;
    const chat = this.#transcriptPath;
    const transcript = report.isEarly ? await writeRunningTranscript(dirname(chat)) : chat;
    const agent = options.agentId ?? options.mode ?? metadata.agentId;
    const parentId = metadata.parentWorkspaceId ?? "";
    const cancel = (): void => {
      this.cancel();
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      if (signal.aborted) return { action: "end", reason: "interrupted" };
      this.#useModelOf(options);
      return await this.#controller.turnEnded({
        finish: "stop",
        hasQueuedInput: isOutdated,
        input: {
          session_id: report.childId,
          transcript_path: transcript,
          cwd: this.workspace.dir,
          permission_mode: agent === "plan" ? "plan" : "default",
          last_assistant_message: report.text,
          agent_id: report.childId,
          agent_type: report.agentType ?? metadata.agentType ?? agent ?? "",
          agent_transcript_path: transcript,
          parent_session_id: parentId,
          parent_transcript_path: join(session.config.getSessionDir(parentId), "chat.jsonl"),
          ...hooks.modelFields({ model: options.model, thinkingLevel: options.thinkingLevel }),
        },
      });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #useModelOf({ model }: mux.HostSendOptions): void {
    this.#model = typeof model === "string" ? model : undefined;
  }

  /** Returns the context and the findings of background hooks, with the heading of feedback (H11, H18, H41). */
  takeFindings(): string | undefined {
    const continueReason = this.#controller.takeBackgroundContext();
    if (continueReason === undefined) return undefined;
    const feedback = { continueKind: "feedback", continueReason } as const;
    return hooks.continuationMessage(this.options.event, feedback);
  }

  cancel(): void {
    this.#progress.cancelled();
    this.#controller.cancel();
  }

  async dispose(): Promise<void> {
    await this.#controller.dispose();
    await this.workspace.dispose();
  }
}

interface OpenWorkspace {
  readonly runtime: HookRuntime;
  readonly dir: string;
  dispose(): Promise<void>;
}

/** Opens the runtime of a workspace. Rejects if it is on another machine that cannot be reached. */
async function openWorkspace(options: WorkspaceHooksOptions): Promise<OpenWorkspace> {
  const { session, checkout, place } = options;
  const here = createRuntime(place.env, { run: runInSpawner });
  if (!checkout.remote) {
    return { runtime: here, dir: checkout.dir, dispose: () => Promise.resolve() };
  }
  const { runtime, dir } = await openRemoteWorkspace(session.workspaceId, checkout, here.host);
  return { runtime, dir, dispose: () => runtime.dispose() };
}

/**
 * Returns the load options. If the host has a trust flag, it decides whether hooks of a project run, and the first
 * definitions seen are recorded without a prompt. Otherwise the trust recorded by `mux-stop-hooks hooks trust` decides
 * (H31).
 */
async function hostLoadOptions(runtime: HookRuntime, { checkout, place }: WorkspaceHooksOptions) {
  const { projectPath } = checkout.metadata;
  const recordsFirst = knowsTrust();
  // Trust in a project includes its worktrees and its copies on other machines, which are often created and removed.
  const load = hookLoadOptions(runtime, place, {
    ...(recordsFirst ? { recordsFirst } : { findProject: () => Promise.resolve(projectPath) }),
    localProject: checkout.remote && !runtime.label.startsWith("ssh://") ? projectPath : undefined,
    namesVariable: true,
  });
  const { builtins, trust: own } = load;
  if (!recordsFirst) return { builtins, load };
  const root = await hooks.findUserRoot(runtime.host, place);
  const message = `the hooks of this project do not run, because ${projectPath} is not trusted in Mux; trust it in the settings of Mux or with "mux trust" (this is not "mux-stop-hooks hooks trust")`;
  const trust: hooks.TrustPolicy = {
    decide: async (request) =>
      root !== undefined && isTrustedByHost(root, checkout.metadata)
        ? await own.decide(request)
        : { trusted: false, message },
  };
  return { builtins, load: { ...load, trust } };
}

/** A workspace of the host, and the event whose hooks run for it. */
export interface WorkspaceHooksOptions {
  readonly session: mux.HostAgentSession;
  readonly checkout: Checkout;
  readonly event: hooks.HookEventName;
  /** For a sub-agent: the plan of its parent's turn. */
  readonly turn?: hooks.FrozenTurn | undefined;
  readonly place: CandidatePlace;
  readonly cards: ChatCards;
}

const RUNNING = new Set<unknown>(["queued", "starting", "running", "awaiting_report"]);
const MAX_AGENTS = 100;

/** Returns the running sub-agents of a workspace that the host's configuration names, for `background_tasks` (H13). */
export function backgroundAgents(
  config: mux.HostConfig,
  workspaceId: string
): ReturnType<typeof agentOf> {
  // A configuration that cannot be read names none.
  return tryOr(() => {
    const projects: unknown = config.loadConfigOrDefault?.().projects;
    const entries = projects instanceof Map ? [...(projects.values() as Iterable<unknown>)] : [];
    return entries
      .flatMap((project) =>
        isJsonObject(project) && Array.isArray(project.workspaces)
          ? (project.workspaces as unknown[])
          : []
      )
      .flatMap((workspace) => agentOf(workspace, workspaceId))
      .slice(0, MAX_AGENTS);
  }, []);
}

function agentOf(workspace: unknown, parentId: string) {
  if (!isJsonObject(workspace) || workspace.parentWorkspaceId !== parentId) return [];
  const { id, name, title, agentType, agentId } = workspace;
  const firstText = (...values: unknown[]): string =>
    values.find((value) => typeof value === "string") ?? "";
  const isArchived = firstText(workspace.archivedAt) > firstText(workspace.unarchivedAt);
  // An archived agent keeps its status. One that works again after its report has a second status.
  const isRunning =
    RUNNING.has(workspace.taskExecutionStatus) ||
    (RUNNING.has(workspace.taskStatus) && !isArchived);
  if (typeof id !== "string" || !isRunning) return [];
  return [
    {
      ...({ id, type: "subagent", status: "running" } as const),
      description: firstText(title, name),
      agent_type: firstText(agentType, agentId),
    },
  ];
}

/**
 * Writes a copy of a session's `chat.jsonl` that includes the message that is still being written. The copy is removed
 * with the session's folder.
 *
 * @returns the path of the copy, or of `chat.jsonl` if there is no message to add
 */
async function writeRunningTranscript(sessionDir: string): Promise<string> {
  const chat = join(sessionDir, "chat.jsonl");
  const copy = join(sessionDir, "chat.subagent-stop.jsonl");
  try {
    const partial = join(sessionDir, "partial.json");
    const sizes = await Promise.all([stat(chat), stat(partial)]);
    if (sizes.some(({ size }) => size > MAX_TRANSCRIPT_BYTES)) return chat;
    const [rows, running] = await Promise.all([readFile(chat, "utf8"), readFile(partial, "utf8")]);
    const message = parseJson(running).unwrapOr(undefined);
    if (!isJsonObject(message)) return chat;
    // The host reserves the position of the message with an empty row.
    const isReserved = (row: string) => hooks.parseRows(row).some(({ id }) => id === message.id);
    const before = rows.split("\n").filter((row) => row !== "" && !isReserved(row));
    await writeFile(copy, [...before, JSON.stringify(message), ""].join("\n"), { mode: 0o600 });
    return copy;
  } catch {
    // The message was completed in between and is in the transcript itself.
    return chat;
  }
}
