/** Connects the objects of a running host to the controller for the hooks of one workspace. */
import { Spawner } from "@/node/runtime/process/spawner/Spawner";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { log } from "@/host/log";
import { join } from "node:path";
import { definedOnly } from "@/common/definedOnly";
import { backgroundAgents } from "@/host/session/backgroundAgents";
import { openRemoteWorkspace } from "@/host/session/remoteWorkspace";
import type { HostControllerOptions } from "@/host/session/options";
import { hostHookModel } from "@/host/session/hostModel";
import { HostProgress } from "@/host/session/Progress";
import { isTrustedByHost } from "@/host/session/trust";
import { knowsTrust } from "@/host/session/trustFlag";
import type { HostSendOptions, HostStreamEnd } from "@/host/muxTypes";
import { endsWithQuestion } from "@/host/session/endsWithQuestion";
import {
  continuationMessage,
  continuationsInTurn,
  findUserRoot,
  type FrozenTurn,
  modelFields,
  parseRows,
  StopHookController,
  type StopVerdict,
  type TrustPolicy,
} from "@/node/services/hooks/index";
import { finalText, type MessagePart } from "@/common/chatMessage";
import { createRuntime, findPersonFiles, hookLoadOptions } from "@/wiring";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Uses the bundles beside this one. */
const spawner = new Spawner({ dir: __dirname, log });

const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);

export type { HostControllerOptions } from "@/host/session/options";

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
        permission_mode: isPlanning(options) ? "plan" : "default",
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

function isPlanning({ agentId, mode }: HostSendOptions): boolean {
  return (agentId ?? mode) === "plan";
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
