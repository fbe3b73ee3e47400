/** What has to be known and in place before the hooks of a stop run, over the life of a session. */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { unlessAborted } from "@/common/abort";
import type { FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import type { StopContext } from "@/node/services/hooks/execution/handlers/types";
import {
  claudeInput,
  completeInput,
  type CompleteHookInput,
} from "@/node/services/hooks/contract/input";
import { isLost } from "@/node/runtime/connectionErrors";
import { projectClaudeTranscripts } from "@/node/services/hooks/transcript/claudeTranscript";
import { TranscriptMirror, type Mirrored } from "@/node/services/hooks/transcript/TranscriptMirror";
import type { ConfiguredHook, StopHookInput } from "@/node/services/hooks/contract/types";

/** Where a stop is, and what it is about. */
export interface StopPlace {
  /** Absolute. */
  readonly projectDir: string;
  readonly input: StopHookInput;
  /** Whether the transcripts that `input` names lie where hooks run, and not on this machine. */
  readonly hasCopies: boolean;
}

export type StopRequest = StopPlace &
  Omit<StopContext, "runtime" | "input" | "programInput" | "claudeInput" | "cwd" | "keepBeside">;

export interface PreparedStop {
  readonly context: StopContext;
  /** For the user. */
  readonly warnings: readonly string[];
}

/** In which layouts programs are given their input. */
interface Dialects {
  readonly mux: boolean;
  readonly claude: boolean;
}

/** What programs are given, once it is where they run. */
interface DeliveredInput {
  readonly cwd: Result<string, FileFailure>;
  readonly mux: CompleteHookInput;
  readonly claude?: CompleteHookInput;
  readonly failure?: FileFailure;
}

/** What was begun before it was known what is needed. */
interface Prefetch {
  /** Of the stop that it was begun for. */
  readonly input: StopHookInput;
  readonly dialects: Dialects;
  readonly delivered: Promise<DeliveredInput>;
}

/** Asks for the first operations before it returns. */
type Deliver = (signal?: AbortSignal) => Promise<DeliveredInput>;

export class InputPreparer {
  /** Where hooks run on another machine than this one. */
  readonly #mirror: TranscriptMirror | undefined;
  /** What the last stop needed; absent where it ran no program. */
  #lastNeeds: Dialects | undefined;
  #prefetched: Prefetch | undefined;

  constructor(private readonly runtime: HookRuntime) {
    this.#mirror = runtime.isRemote ? new TranscriptMirror(runtime) : undefined;
  }

  /**
   * Gets ready what the last stop needed, before it is known what this one does. What it resolves to asks for that
   * before it returns, so that it goes with whatever else is asked for in the same tick. Nothing is done on one machine,
   * where it costs no round trip.
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

  /** An error is the connection's, in words: then nothing can be run. */
  async prepare(
    hooks: readonly ConfiguredHook[],
    request: StopRequest,
    signal?: AbortSignal
  ): Promise<Result<PreparedStop, string>> {
    const { projectDir, hasCopies, input: given, ...rest } = request;
    const input = completeInput(given);
    const dialects = dialectsOf(hooks);
    this.#lastNeeds = dialects;
    const delivered =
      dialects === undefined
        ? { cwd: ok(projectDir), mux: input }
        : await unlessAborted(
            this.#deliver({ projectDir, hasCopies, input: given }, dialects, signal),
            signal
          );
    // Who interrupts waits for no machine: what is run now ends before it begins (H22).
    const { cwd, mux, claude, failure } = delivered ?? { cwd: ok(projectDir), mux: input };
    const lost = [failure, cwd.isErr() ? cwd.error : undefined].find(
      (found) => found !== undefined && isLost(found)
    );
    if (lost !== undefined) {
      return err(`no hook ran, since the workspace is out of reach: ${lost.message}`);
    }
    const context: StopContext = {
      ...rest,
      runtime: this.runtime,
      projectDir,
      cwd: cwd.unwrapOr(projectDir),
      input,
      programInput: mux,
      ...(claude === undefined ? {} : { claudeInput: claude }),
      keepBeside: () => this.#keepBeside(input, hasCopies),
    };
    return ok({ context, warnings: failure === undefined ? [] : [this.#describe(failure)] });
  }

  /** Takes away what lies on the workspace's machine, all of it or the transcripts alone. Never rejects. */
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
      return await inPlace(this.runtime, place, dialects);
    }
    const begun = this.#prefetched;
    this.#prefetched = undefined;
    if (begun?.input === place.input && covers(begun.dialects, dialects))
      return await begun.delivered;
    const deliver = await this.#look(this.#mirror, place, dialects);
    return await deliver(signal);
  }

  async #look(mirror: TranscriptMirror, place: StopPlace, dialects: Dialects): Promise<Deliver> {
    const mux = completeInput(place.input);
    const claude = dialects.claude ? await claudeFor(this.runtime.host, mux) : undefined;
    const given = [...(dialects.mux ? [mux] : []), ...(claude === undefined ? [] : [claude])];
    const send = await mirror.look(
      given.flatMap(transcriptsOf).filter((path) => posix.isAbsolute(path))
    );
    return async (signal) => {
      const [mirrored, cwd] = await Promise.all([send(signal), existingCwd(this.runtime, place)]);
      const { failure } = mirrored;
      return {
        cwd,
        mux: withCopies(mux, mirrored),
        ...(claude === undefined ? {} : { claude: withCopies(claude, mirrored) }),
        ...(failure === undefined ? {} : { failure }),
      };
    };
  }

  /** A path on the workspace's machine, in the folder where what an agent is to read may be kept. */
  async #keepBeside(input: CompleteHookInput, hasCopies: boolean): Promise<string> {
    if (this.#mirror === undefined || hasCopies) return input.transcript_path;
    const folder = await this.#mirror.folder();
    return folder.map((dir) => posix.join(dir, "chat.jsonl")).unwrapOr("");
  }

  #describe({ message }: FileFailure): string {
    return `the transcript could not be copied to ${this.runtime.label}, so hooks there are given its path on this machine: ${message}`;
  }
}

/** Of the hooks that are programs; absent where there are none. */
function dialectsOf(hooks: readonly ConfiguredHook[]): Dialects | undefined {
  const programs = hooks.filter(({ handler }) => handler.type === "command");
  if (programs.length === 0) return undefined;
  return {
    mux: programs.some(({ handler }) => handler.dialect !== "claude"),
    claude: programs.some(({ handler }) => handler.dialect === "claude"),
  };
}

function covers(begun: Dialects, needed: Dialects): boolean {
  return (begun.mux || !needed.mux) && (begun.claude || !needed.claude);
}

/** The transcripts lie where the hooks run. */
async function inPlace(
  runtime: HookRuntime,
  place: StopPlace,
  { claude: wantsClaude }: Dialects
): Promise<DeliveredInput> {
  const mux = completeInput(place.input);
  const [cwd, claude] = await Promise.all([
    existingCwd(runtime, place),
    wantsClaude ? claudeFor(runtime, mux) : undefined,
  ]);
  return { cwd, mux, ...(claude === undefined ? {} : { claude }) };
}

async function claudeFor(
  files: Parameters<typeof projectClaudeTranscripts>[0],
  input: CompleteHookInput
): Promise<CompleteHookInput> {
  return claudeInput(input, await projectClaudeTranscripts(files, input));
}

const TRANSCRIPTS = [
  "transcript_path",
  "agent_transcript_path",
  "parent_transcript_path",
] as const satisfies readonly (keyof StopHookInput)[];

function transcriptsOf(input: CompleteHookInput): string[] {
  return TRANSCRIPTS.flatMap((key) => input[key] ?? []);
}

function withCopies(input: CompleteHookInput, { copies }: Mirrored): CompleteHookInput {
  const moved = TRANSCRIPTS.flatMap((key) => {
    const path = input[key];
    return path === undefined ? [] : [[key, copies.get(path) ?? path]];
  });
  return { ...input, ...(Object.fromEntries(moved) as Partial<CompleteHookInput>) };
}

/** The agent may have removed the folder it worked in. */
async function existingCwd(
  runtime: HookRuntime,
  { projectDir, input }: StopPlace
): Promise<Result<string, FileFailure>> {
  if (input.cwd === projectDir) return ok(projectDir);
  const [stat] = await runtime.stat([input.cwd]);
  if (stat?.kind === "failed") return err(stat.failure);
  return ok(stat?.kind === "directory" ? input.cwd : projectDir);
}
