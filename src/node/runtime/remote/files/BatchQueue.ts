/**
 * Collects the file operations that are requested at once, and runs them on another machine in as few shell sessions as
 * possible. If a reply is missing, late, too long or incomplete, the operations fail with the reason.
 */
import { finished } from "node:stream/promises";
import { deferred, type Deferred } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { KIB, MIB } from "@/common/limits";
import { clip, visible } from "@/common/safeText";
import { randomHex } from "@/common/randomName";
import type { FileStat } from "@/node/runtime/HookRuntime";
import type { RemoteSession, RemoteShell } from "@/node/runtime/remote/RemoteShell";
import { failureOfConnection } from "@/node/runtime/remote/fileFailures";
import * as protocol from "@/node/runtime/remote/files/fileProtocol";

/** The pending operations of one machine. They share one session if they can: a round trip costs more than the work. */
export class BatchQueue {
  #steps: FileOp[] = [];
  #looks = new Map<string, Deferred<FileStat>>();
  #isPlanned = false;
  #flavour: protocol.StatFlavour | undefined;

  constructor(private readonly shell: RemoteShell) {}

  add(step: FileOp): void {
    this.#steps.push(step);
    this.#plan();
  }

  /** Requests the stat of a path. A path requested several times at once is only read once. */
  look(path: string): Promise<FileStat> {
    const request = this.#looks.get(path) ?? deferred();
    this.#looks.set(path, request);
    this.#plan();
    return request.promise;
  }

  /** Defers the batch until pending promises have run, so that requests triggered by a reply join it. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      process.nextTick(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const steps = [...lookSteps(this.#looks, this.shell.label), ...this.#steps];
    this.#steps = [];
    this.#looks = new Map();
    this.#isPlanned = false;
    await Promise.all(
      sessionsOf(steps).map(async (session) => {
        this.#flavour = await runSteps(this.shell, session, this.#flavour);
      })
    );
  }
}

function lookSteps(looks: ReadonlyMap<string, Deferred<FileStat>>, label: string): FileOp[] {
  const all = [...looks.keys()];
  return Array.from({ length: Math.ceil(all.length / protocol.PATHS_PER_STEP) }, (_, group) => {
    const paths = all.slice(group * protocol.PATHS_PER_STEP, (group + 1) * protocol.PATHS_PER_STEP);
    const resolveAll = (found: readonly FileStat[]): void => {
      for (const [index, path] of paths.entries()) {
        const stat = found[index];
        if (stat !== undefined) looks.get(path)?.resolve(stat);
      }
    };
    return {
      script: protocol.step("look", ...paths),
      answerBytes: 0,
      read: (answers) => {
        const found = protocol.readStats(answers, paths, label);
        if (found !== undefined) resolveAll(found);
        return found !== undefined;
      },
      lose: (loss: ConnectionLoss) => {
        resolveAll(
          paths.map((path) => ({
            kind: "failed",
            failure: failureOfConnection({ path, label }, loss),
          }))
        );
      },
    };
  });
}

/**
 * Groups steps into sessions. The steps of a session share its standard input, so each session has at most one upload.
 * The script of a session with an upload is short, because it is read byte by byte.
 */
function sessionsOf(steps: readonly FileOp[]): FileOp[][] {
  const sizeOf = ({ script }: FileOp): number => Buffer.byteLength(script);
  const sessions: FileOp[][] = [];
  const uploads: FileOp[][] = [];
  let room = 0;
  for (const each of steps) {
    if (each.stdin !== undefined) {
      uploads.push([each]);
      continue;
    }
    const size = sizeOf(each);
    if (size > room) {
      sessions.push([]);
      room = SCRIPT_BYTES;
    }
    sessions.at(-1)?.push(each);
    room -= size;
  }
  const [first, ...rest] = uploads;
  const [only = []] = sessions;
  if (first === undefined || sessions.length > 1) return [...sessions, ...uploads];
  const together = [...only, ...first];
  const bytes = together.reduce((sum, each) => sum + sizeOf(each), 0);
  return bytes < UPLOAD_SCRIPT_BYTES ? [together, ...rest] : [...sessions, ...uploads];
}

/** The maximum script of a session: a shell takes disproportionately long to read a longer one. */
const SCRIPT_BYTES = 512 * KIB;

/** One operation on the other machine. */
interface FileOp {
  readonly script: string;
  /** The bytes it reads from standard input. At most one step of a session has any. */
  readonly stdin?: Uint8Array;
  /** How many bytes it may reply, in addition to those that every step may. */
  readonly answerBytes: number;
  /** Reads its replies; returns false if the output ends early. */
  readonly read: (answers: protocol.FileReplies) => boolean;
  readonly lose: (loss: ConnectionLoss) => void;
}

/** Why the other machine did not reply. */
interface ConnectionLoss {
  readonly code?: string;
  readonly message: string;
}

/** The maximum of the steps that precede an upload. */
const UPLOAD_SCRIPT_BYTES = 10 * KIB;

/** Runs all steps in one session, in order. Returns the flavor of the other machine's `stat`, if known. */
async function runSteps(
  shell: RemoteShell,
  steps: readonly FileOp[],
  flavour: protocol.StatFlavour | undefined
): Promise<protocol.StatFlavour | undefined> {
  const token: protocol.Token = [randomHex(8), randomHex(8)];
  const calls = steps.map(({ script }) => script);
  const script = protocol.wholeScript(token, flavour, calls);
  const upload = steps.find(({ stdin }) => stdin !== undefined)?.stdin;
  const { line, input } = protocol.scriptInput(token, script, upload);
  const replyBytes = steps.reduce((sum, { answerBytes }) => sum + answerBytes, 0);
  const { output, loss } = await shell.open(line).then(
    async (session) => {
      session.stdin.on("error", () => undefined).end(input);
      return await listen(session, token, {
        maxBytes: replyBytes + ANSWER_BYTES,
        limitMs:
          PATIENCE_MS + (input.length + Math.min(replyBytes, ANSWER_BYTES)) / MIN_BYTES_PER_MS,
      });
    },
    (thrown: unknown) => ({ output: Buffer.alloc(0), loss: { message: describeError(thrown) } })
  );
  const answers = new protocol.FileReplies(output, token);
  const first = answers.next()?.mark; // Text before it is not part of the replies: a login shell's banner.
  let isLost = first === undefined;
  for (const step of steps) {
    isLost ||= !step.read(answers);
    if (isLost) step.lose(loss);
  }
  return first === "c" || first === "f" ? first : flavour;
}

/** Reads the output up to the last mark, and does not wait for the end of the session. `loss`: why it ends early. */
async function listen(
  session: RemoteSession,
  token: protocol.Token,
  { maxBytes, limitMs }: { readonly maxBytes: number; readonly limitMs: number }
): Promise<{ readonly output: Buffer; readonly loss: ConnectionLoss }> {
  const last = Buffer.from(`\n${token.join("")} end\n`);
  const chunks: Buffer[] = [];
  let tail = Buffer.alloc(0);
  let bytes = 0;
  let words = "";
  session.stderr
    .on("error", () => undefined)
    .on("data", (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-WORDS_CHARS);
    });
  let late: NodeJS.Timeout | undefined;
  const lost = new Promise<ConnectionLoss>((resolve) => {
    const giveUp = (message: string): void => {
      session.kill();
      resolve({ message });
    };
    late = setTimeout(() => {
      giveUp(`the machine did not reply within ${Math.round(limitMs / 1000)} s`);
    }, limitMs);
    session.stdout
      .on("error", () => undefined)
      .on("data", (chunk: Buffer) => {
        if (bytes > maxBytes) return;
        chunks.push(chunk);
        bytes += chunk.length;
        tail = Buffer.concat([tail, chunk]).subarray(-200);
        if (tail.includes(last))
          resolve({ message: "the reply of the machine does not match the request" });
        else if (bytes > maxBytes) giveUp("the reply of the machine is too long");
      });
    void session.ended.then(async (end) => {
      await finished(session.stdout).catch(() => undefined);
      if (end.kind === "broken") {
        resolve(end);
        return;
      }
      const printed = clip(visible(words.trim()), 500);
      const detail = printed === "" ? "" : `; it printed: ${printed}`;
      const message = `the shell on the machine ended with exit code ${end.code} before its reply was complete${detail}`;
      resolve({ message });
    });
  });
  const loss = await lost;
  clearTimeout(late);
  return { output: Buffer.concat(chunks), loss };
}

/** The maximum output apart from file contents: names, marks, a banner. */
const ANSWER_BYTES = 64 * MIB;
/** How long work that is quick on any machine may take, and how slow a connection may be. */
const PATIENCE_MS = 60_000;
const MIN_BYTES_PER_MS = 16;
const WORDS_CHARS = 2_000;
