/**
 * Prepares the input of a stop's hooks in the dialects of Mux and Claude Code and their working directory, and puts the
 * transcripts that the input names on the machine of the hooks (H9, H34). To save a round trip, it can begin before the
 * hooks are known. Returns an error if the connection is lost.
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { unlessAborted } from "@/common/abortable";
import type { FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import type { StopContext } from "@/node/services/hooks/execution/handlers/handlerRun";
import {
  claudeInput,
  type CompleteHookInput,
  completeInput,
} from "@/node/services/hooks/contract/makeInput";
import { isLost } from "@/node/runtime/lostConnection";
import {
  projectClaudeTranscripts,
  type TranscriptPlace,
} from "@/node/services/hooks/transcript/writeClaudeTranscripts";
import { type Mirrored, TranscriptCopies } from "@/node/services/hooks/transcript/TranscriptCopies";
import type { ConfiguredHook, StopHookInput } from "@/node/services/hooks/contract/types";
import { workspaceUnreachable } from "@/node/services/hooks/messages/shared";

/** The project and the input of a stop. */
export interface StopPlace {
  /** Absolute. */
  readonly projectDir: string;
  readonly input: StopHookInput;
  /** Whether the transcripts that `input` names are already on the machine that hooks run on, and not on this one. */
  readonly hasCopies: boolean;
}

type Prepared = "programInput" | "claudeInput" | "claudeInputOnHost" | "cwd" | "keepBeside";
export type StopRequest = StopPlace & Omit<StopContext, Prepared | "runtime" | "input">;

/** The dialects in which programs get their input. */
interface Dialects {
  readonly mux: boolean;
  readonly claude: boolean;
}

/** The input of programs, once its files are on the machine that they run on. */
interface DeliveredInput {
  readonly cwd: Result<string, FileFailure>;
  readonly mux: CompleteHookInput;
  readonly claude?: CompleteHookInput;
  readonly failure?: FileFailure;
}

/** A delivery that was started before the needs of the stop were known. */
interface Prefetch {
  /** The input of the stop that it was started for. */
  readonly input: StopHookInput;
  readonly dialects: Dialects;
  readonly delivered: Promise<DeliveredInput>;
}

/** A function that delivers the input. It requests the first operations before it returns its promise. */
type Deliver = (signal?: AbortSignal) => Promise<DeliveredInput>;

/** Prepares the inputs of one session. Its copies of transcripts last from one stop to the next. */
export class InputPreparer {
  /** Set if hooks run on another machine than this one. */
  readonly #mirror: TranscriptCopies | undefined;
  /** The dialects of the last stop; absent if it ran no program. */
  #lastNeeds: Dialects | undefined;
  #prefetched: Prefetch | undefined;
  /** Transcripts on this machine. Its name `local` is also the label of a local runtime. */
  readonly #here: TranscriptPlace;

  constructor(private readonly runtime: HookRuntime) {
    this.#here = { files: runtime.host, machine: "local" };
    this.#mirror = runtime.isRemote ? new TranscriptCopies(runtime) : undefined;
  }

  /**
   * Prepares the input in the dialects that the last stop needed, before those of this stop are known. The returned
   * function sends its first requests before it returns, so that they share a round trip with other requests of the
   * same tick. Does nothing if hooks run on this machine, where the input costs no round trip.
   */
  async prefetch(place: StopPlace): Promise<(signal?: AbortSignal) => void> {
    const dialects = this.#lastNeeds;
    this.#prefetched = undefined;
    if (this.#mirror === undefined || place.hasCopies || dialects === undefined) {
      return () => undefined;
    }
    const deliver = await this.#look(this.#mirror, place, dialects);
    return (signal) => {
      this.#prefetched = { input: place.input, dialects, delivered: deliver(signal) };
    };
  }

  /**
   * Prepares the hooks of a stop, with warnings for the user. An error is the message of a lost connection; no hook can
   * run then.
   */
  async prepare(
    hooks: readonly ConfiguredHook[],
    request: StopRequest,
    signal?: AbortSignal
  ): Promise<Result<{ context: StopContext; warnings: readonly string[] }, string>> {
    const { projectDir, hasCopies, input: given, ...rest } = request;
    const input = completeInput(given);
    const dialects = dialectsOf(hooks);
    this.#lastNeeds = dialects;
    const delivered =
      dialects && (await unlessAborted(this.#deliver(request, dialects, signal), signal));
    // An interrupt does not wait for another machine: hooks that are run now end before they start (H22).
    const { cwd, mux, claude, failure } = delivered ?? { cwd: ok(projectDir), mux: input };
    const lost = [failure, cwd.isErr() ? cwd.error : undefined].find(
      (found) => found !== undefined && isLost(found)
    );
    if (lost !== undefined) return err(workspaceUnreachable(lost.message));
    // Handlers of these types run in this process.
    const isOnHost = ({ handler: { dialect, type } }: ConfiguredHook): boolean =>
      dialect === "claude" && (type === "http" || type === "prompt");
    const claudeInputOnHost = hooks.some(isOnHost)
      ? await claudeFor(hasCopies ? placeOf(this.runtime, request) : this.#here, input)
      : undefined;
    const context: StopContext = {
      ...rest,
      claudeInputOnHost,
      runtime: this.runtime,
      projectDir,
      cwd: cwd.unwrapOr(projectDir),
      input,
      programInput: mux,
      claudeInput: claude,
      keepBeside: () => this.#keepBeside(input, hasCopies),
    };
    const warning = `the transcript could not be copied to ${this.runtime.label}, so hooks that read it there will not find it: ${failure?.message ?? ""}`;
    return ok({ context, warnings: failure === undefined ? [] : [warning] });
  }

  /** Removes the files on the workspace's machine: all of them, or only the transcripts. Never rejects. */
  async dispose(options?: { readonly all: boolean }): Promise<void> {
    await this.#prefetched?.delivered;
    await this.#mirror?.dispose(options);
  }

  async #deliver(
    place: StopPlace,
    dialects: Dialects,
    signal: AbortSignal | undefined
  ): Promise<DeliveredInput> {
    if (this.#mirror === undefined || place.hasCopies) {
      // The transcripts are already on the machine that the hooks run on.
      const mux = completeInput(place.input);
      const [cwd, claude] = await Promise.all([
        existingCwd(this.runtime, place),
        dialects.claude ? claudeFor(placeOf(this.runtime, place), mux) : undefined,
      ]);
      return { cwd, mux, claude };
    }
    const begun = this.#prefetched;
    this.#prefetched = undefined;
    const covers = (key: keyof Dialects): boolean =>
      begun?.dialects[key] === true || !dialects[key];
    if (begun?.input === place.input && covers("mux") && covers("claude")) {
      return await begun.delivered;
    }
    const deliver = await this.#look(this.#mirror, place, dialects);
    return await deliver(signal);
  }

  async #look(mirror: TranscriptCopies, place: StopPlace, dialects: Dialects): Promise<Deliver> {
    const mux = completeInput(place.input);
    const claude = dialects.claude ? await claudeFor(this.#here, mux) : undefined;
    const given = [...(dialects.mux ? [mux] : []), ...(claude === undefined ? [] : [claude])];
    const paths = given.flatMap((input) => TRANSCRIPTS.flatMap((key) => input[key] ?? []));
    const send = await mirror.look(paths.filter((path) => posix.isAbsolute(path)));
    return async (signal) => {
      const [mirrored, cwd] = await Promise.all([send(signal), existingCwd(this.runtime, place)]);
      return {
        cwd,
        mux: withCopies(mux, mirrored),
        claude: claude && withCopies(claude, mirrored),
        failure: mirrored.failure,
      };
    };
  }

  /** Returns the file on the workspace's machine beside which long texts for the agent are written; empty if none. */
  async #keepBeside(input: CompleteHookInput, hasCopies: boolean): Promise<string> {
    if (this.#mirror === undefined || hasCopies) return input.transcript_path;
    const folder = await this.#mirror.folder();
    return folder.map((dir) => posix.join(dir, "chat.jsonl")).unwrapOr("");
  }
}

/** Returns the dialects of the hooks that are programs, or undefined if there are none. */
function dialectsOf(hooks: readonly ConfiguredHook[]): Dialects | undefined {
  const programs = hooks.filter(({ handler }) => handler.type === "command");
  if (programs.length === 0) return undefined;
  return {
    mux: programs.some(({ handler }) => handler.dialect !== "claude"),
    claude: programs.some(({ handler }) => handler.dialect === "claude"),
  };
}

function placeOf(runtime: HookRuntime, { projectDir }: StopPlace): TranscriptPlace {
  const { label: machine, isRemote } = runtime;
  return { files: runtime, machine, projectDir: isRemote ? undefined : projectDir };
}

async function claudeFor(
  place: TranscriptPlace,
  input: CompleteHookInput
): Promise<CompleteHookInput> {
  return claudeInput(input, await projectClaudeTranscripts(place, input));
}

const TRANSCRIPTS = [
  "transcript_path",
  "agent_transcript_path",
  "parent_transcript_path",
] as const satisfies readonly (keyof StopHookInput)[];

function withCopies(input: CompleteHookInput, { copies }: Mirrored): CompleteHookInput {
  const moved = TRANSCRIPTS.flatMap((key) => {
    const path = input[key];
    return path === undefined ? [] : [[key, copies.get(path) ?? path]];
  });
  return { ...input, ...(Object.fromEntries(moved) as Partial<CompleteHookInput>) };
}

/** Returns the working directory, or the project root if the agent has removed that folder. */
async function existingCwd(
  runtime: HookRuntime,
  { projectDir, input }: StopPlace
): Promise<Result<string, FileFailure>> {
  if (input.cwd === projectDir) return ok(projectDir);
  const [stat] = await runtime.stat([input.cwd]);
  if (stat?.kind === "failed") return err(stat.failure);
  return ok(stat?.kind === "directory" ? input.cwd : projectDir);
}
