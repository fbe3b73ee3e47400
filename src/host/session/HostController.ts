/** Connects the objects of a running host to the controller for the hooks of one workspace. */
import { join } from "node:path";
import { finalText, type MessagePart } from "@/common/chatMessage";
import { definedOnly } from "@/common/definedOnly";
import { isJsonObject } from "@/common/json";
import { log } from "@/host/messages";
import type { HostAgentSession, HostSendOptions, HostStreamEnd } from "@/host/muxTypes";
import type { ChatCards } from "@/host/session/ChatCards";
import { HostProgress } from "@/host/session/Progress";
import { backgroundAgents } from "@/host/session/backgroundAgents";
import { hostHookModel } from "@/host/session/hostModel";
import { openRemoteWorkspace } from "@/host/session/remoteWorkspace";
import { isTrustedByHost, knowsTrust } from "@/host/session/trust";
import type { Checkout } from "@/host/workspace/Workspaces";
import type { CandidatePlace } from "@/host/workspace/quickConfigCheck";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";
import {
  continuationMessage,
  continuationsInTurn,
  findUserRoot,
  type FrozenTurn,
  type HookEventName,
  modelFields,
  parseRows,
  StopHookController,
  type StopVerdict,
  type TrustPolicy,
} from "@/node/services/hooks/index";
import { createRuntime, findPersonFiles, hookLoadOptions } from "@/wiring";

/** Uses the bundles beside this one. */
const spawner = new Spawner({ dir: __dirname, log });

const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);

const MAX_TRANSCRIPT_BYTES = 64 * 1024 * 1024;

export class HostController {
  /** Opens a workspace. Continues the count of continuations of the last turn in the transcript (H27). */
  static async open(options: HostControllerOptions): Promise<HostController> {
    const workspace = await openWorkspace(options);
    const { runtime, dir } = workspace;
    const { load, builtins } = await hostLoadOptions(runtime, options);
    const progress = new HostProgress(options);
    const turnModel: TurnModel = { model: undefined };
    const controller = new StopHookController({
      runtime,
      projectDir: dir,
      event: options.event,
      builtins,
      load,
      host: "Mux",
      model: hostHookModel(options.session, () => turnModel.model),
      person: await findPersonFiles(
        runtime,
        options.place,
        dir,
        options.checkout.metadata.projectPath
      ),
      turn: options.turn,
      onEvent: (event) => {
        progress.onEvent(event);
      },
    });
    const host = new HostController(options, workspace, controller, turnModel, progress);
    const rows = await runtime.host.readFile(host.transcriptPath, {
      maxBytes: MAX_TRANSCRIPT_BYTES,
      tail: true,
    });
    const text = new TextDecoder().decode(rows.unwrapOr(new Uint8Array()));
    controller.restore(continuationsInTurn(parseRows(text)));
    return host;
  }

  private constructor(
    private readonly options: HostControllerOptions,
    private readonly workspace: OpenWorkspace,
    readonly controller: StopHookController,
    private readonly turnModel: TurnModel,
    private readonly progress: HostProgress
  ) {}

  get transcriptPath(): string {
    const { session } = this.options;
    return join(session.config.getSessionDir(session.workspaceId), "chat.jsonl");
  }

  /** The path of the checkout on the workspace's machine. */
  get dir(): string {
    return this.workspace.dir;
  }

  /** The plan of the running turn, which its sub-agents keep (H7). */
  get turn(): FrozenTurn | undefined {
    return this.controller.turn;
  }

  /**
   * Starts a turn.
   *
   * @param isConfigured whether there was anything to load at the start of the turn
   * @param plan the plan of the turn in which another agent requested this one
   * @returns whether a stop has hooks to run or problems to report
   */
  async beginTurn(isConfigured: boolean, plan?: FrozenTurn): Promise<boolean> {
    const known = isConfigured ? undefined : "nothing configured";
    const found = await this.controller.beginTurn(known, plan);
    return found === undefined;
  }

  beginHostTurn(): void {
    this.controller.beginHostTurn();
  }

  async turnEnded(
    { parts = [], metadata }: HostStreamEnd,
    options: HostSendOptions,
    hasQueuedInput: () => boolean
  ): Promise<StopVerdict> {
    const { session } = this.options;
    this.usesModelOf(options);
    const written = parts as readonly MessagePart[];
    return await this.controller.turnEnded({
      finish: endsWithQuestion(written) ? "question" : "stop",
      hasQueuedInput,
      input: {
        session_id: session.workspaceId,
        transcript_path: this.transcriptPath,
        cwd: this.dir,
        permission_mode: (options.agentId ?? options.mode) === "plan" ? "plan" : "default",
        last_assistant_message: finalText(written),
        // The host may use another model or level than the one that the message requested.
        ...modelFields({ ...options, ...definedOnly({ ...metadata }) }),
        background_tasks: backgroundAgents(session.config, session.workspaceId),
      },
    });
  }

  /** Sets the model that prompt hooks ask by default: that of the turn that ends. */
  usesModelOf({ model }: HostSendOptions): void {
    this.turnModel.model = typeof model === "string" ? model : undefined;
  }

  /** Returns the context and the findings of background hooks, with the heading of feedback (H11, H18, H41). */
  takeFindings(): string | undefined {
    const continueReason = this.controller.takeBackgroundContext();
    if (continueReason === undefined) return undefined;
    return continuationMessage(this.options.event, { continueKind: "feedback", continueReason });
  }

  cancel(): void {
    this.progress.cancelled();
    this.controller.cancel();
  }

  async dispose(): Promise<void> {
    await this.controller.dispose();
    await this.workspace.dispose();
  }
}

interface TurnModel {
  /** As the host names it. */
  model: string | undefined;
}

interface OpenWorkspace {
  readonly runtime: HookRuntime;
  readonly dir: string;
  dispose(): Promise<void>;
}

/** Opens the runtime of a workspace. Rejects if it is on another machine that cannot be reached. */
async function openWorkspace(options: HostControllerOptions): Promise<OpenWorkspace> {
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
 * definitions seen are recorded without a prompt. Otherwise the trust recorded by `mux-stop-hooks hooks trust` decides (H31).
 */
async function hostLoadOptions(runtime: HookRuntime, { checkout, place }: HostControllerOptions) {
  const { projectPath } = checkout.metadata;
  const recordsFirst = knowsTrust();
  // Trust in a project includes its worktrees and its copies on other machines, which are often created and removed.
  const load = hookLoadOptions(
    runtime,
    place,
    recordsFirst
      ? { recordsFirst, namesVariable: true }
      : { findProject: () => Promise.resolve(projectPath), namesVariable: true }
  );
  const { builtins, trust: own } = load;
  if (!recordsFirst) return { builtins, load };
  const root = await findUserRoot(runtime.host, place);
  const message = `the hooks of this project do not run, because ${projectPath} is not trusted in Mux; trust it in the settings of Mux or with "mux trust" (this is not "mux-stop-hooks hooks trust")`;
  const trust: TrustPolicy = {
    decide: async (request) =>
      root !== undefined && isTrustedByHost(root, checkout.metadata)
        ? await own.decide(request)
        : { trusted: false, message },
  };
  return { builtins, load: { ...load, trust } };
}

/** A workspace of the host, and the event whose hooks run for it. */
export interface HostControllerOptions {
  readonly session: HostAgentSession;
  readonly checkout: Checkout;
  readonly event: HookEventName;
  /** For a sub-agent: the plan of its parent's turn. */
  readonly turn?: FrozenTurn;
  readonly place: CandidatePlace;
  readonly cards: ChatCards;
}

/** The tools whose calls wait for the user. */
const QUESTION = "ask_user_question";
const PLAN = "propose_plan";

export function endsWithQuestion(parts: readonly MessagePart[]): boolean {
  const at = parts.findLastIndex((part) => part.type === "dynamic-tool");
  const last = parts[at];
  if (last?.type !== "dynamic-tool") return false;
  // Older hosts let the agent write closing text after its plan. A call that failed made no plan.
  if (last.toolName === PLAN) return !(isJsonObject(last.output) && last.output.success === false);
  // Visible text after a question means that the user has answered it.
  const says = (part: MessagePart): boolean => part.type === "text" && part.text.trim() !== "";
  return last.toolName === QUESTION && !parts.slice(at + 1).some(says);
}
