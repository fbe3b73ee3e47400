import { finished } from "node:stream/promises";
import { describeError } from "@/common/errors";
import { KIB, MIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import { randomHex } from "@/common/uniqueName";
import { FileReplies, END_BYTES, isComplete } from "@/node/runtime/remote/files/parseReplies";
import {
  scriptInput,
  wholeScript,
  type StatFlavour,
  type Token,
} from "@/node/runtime/remote/files/fileOps";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";

/** One operation on the other machine. */
export interface FileOp {
  readonly script: string;
  /** The bytes it reads from standard input. At most one step of a session has any. */
  readonly stdin?: Uint8Array;
  /** How many bytes it may reply, in addition to those that every step may. */
  readonly answerBytes: number;
  /** Reads its replies; returns false if the output ends early. */
  readonly read: (answers: FileReplies) => boolean;
  readonly lose: (loss: ConnectionLoss) => void;
}

/** Why the other machine did not reply. */
export interface ConnectionLoss {
  readonly code?: string;
  readonly message: string;
}

/** The maximum of the steps that precede an upload. */
export const UPLOAD_SCRIPT_BYTES = 10 * KIB;

/** Runs all steps in one session, in order. Returns the flavor of the other machine's `stat`, if known. */
export async function runSteps(
  shell: RemoteShell,
  steps: readonly FileOp[],
  flavour: StatFlavour | undefined
): Promise<StatFlavour | undefined> {
  const token: Token = [randomHex(8), randomHex(8)];
  const script = wholeScript(
    token,
    flavour,
    steps.map((each) => each.script)
  );
  const { output, loss } = await converse(shell, token, script, steps);
  const answers = new FileReplies(output, token);
  const said = answers.next()?.mark; // Text before it is not part of the replies: a login shell's banner.
  let isLost = said === undefined;
  for (const step of steps) {
    isLost ||= !step.read(answers);
    if (isLost) step.lose(loss);
  }
  return said === "c" || said === "f" ? said : flavour;
}

async function converse(
  shell: RemoteShell,
  token: Token,
  script: string,
  steps: readonly FileOp[]
): Promise<Exchange> {
  const upload = steps.find(({ stdin }) => stdin !== undefined)?.stdin;
  const { line, input } = scriptInput(token, script, upload);
  const replyBytes = steps.reduce((sum, { answerBytes }) => sum + answerBytes, 0);
  try {
    const session = await shell.open(line);
    session.stdin.on("error", () => undefined).end(input);
    return await listen(session, token, {
      maxBytes: replyBytes + ANSWER_BYTES,
      limitMs: PATIENCE_MS + (input.length + Math.min(replyBytes, ANSWER_BYTES)) / MIN_BYTES_PER_MS,
    });
  } catch (thrown) {
    return { output: Buffer.alloc(0), loss: { message: describeError(thrown) } };
  }
}

interface Exchange {
  readonly output: Buffer;
  /** Why the output ends early, if it does. */
  readonly loss: ConnectionLoss;
}

/** Reads the output up to the last mark. Does not wait for the end of the session. */
async function listen(
  session: RemoteSession,
  token: Token,
  { maxBytes, limitMs }: { readonly maxBytes: number; readonly limitMs: number }
): Promise<Exchange> {
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
        tail = Buffer.concat([tail, chunk]).subarray(-END_BYTES);
        if (isComplete(tail, token))
          resolve({ message: "the reply of the machine does not match the request" });
        else if (bytes > maxBytes) giveUp("the reply of the machine is too long");
      });
    void session.ended.then(async (end) => {
      await finished(session.stdout).catch(() => undefined);
      resolve(lossOf(end, words));
    });
  });
  const loss = await lost;
  clearTimeout(late);
  return { output: Buffer.concat(chunks), loss };
}

function lossOf(end: SessionEnd, words: string): ConnectionLoss {
  if (end.kind === "broken") return end;
  return { message: replyIncomplete(end.code, clip(visible(words.trim()), 500)) };
}

/** The maximum output apart from file contents: names, marks, a banner. */
const ANSWER_BYTES = 64 * MIB;
/** How long work that is quick on any machine may take, and how slow a connection may be. */
const PATIENCE_MS = 60_000;
const MIN_BYTES_PER_MS = 16;
const WORDS_CHARS = 2_000;

/** The shell for file operations ended early. @param output the end of its standard error */
function replyIncomplete(exitCode: number, output: string): string {
  const printed = output === "" ? "" : `; it printed: ${output}`;
  return `the shell on the machine ended with exit code ${exitCode} before its reply was complete${printed}`;
}
