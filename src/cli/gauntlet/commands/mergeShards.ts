/**
 * `mux-stop-hooks merge`: merges the results of all shards, from files or standard input, into one verdict, and prints
 * it. It needs no project and writes no state, because state belongs to whole runs. `pre-push` uses `readInput` too.
 */
import { posix } from "node:path";
import { type CliContext, EXIT, type ExitCode, type Input } from "@/cli/context";
import { MIB } from "@/common/limits";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { Files } from "@/node/runtime/HookRuntime";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { eventLines } from "@/node/services/gauntlet/report/eventLines";
import * as shards from "@/node/services/gauntlet/run/shards/mergeResults";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";

/** Runs `merge`. @param names files with one result each; `-` for standard input with one per line */
export async function merge(
  names: readonly string[],
  { json }: { readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const { stdout, stderr, env } = context;
  const files = new LocalRuntime({ env });
  const inputs: shards.PartInput[] = [];
  for (const name of names) {
    if (name === "-") inputs.push(...(await fromLines(context)));
    else inputs.push(await fromFile(files, name, context));
  }
  const result = shards.mergeResults(inputs);
  const events = [
    ...result.warnings.map((text) => ({ type: "notice", level: "warning", text }) as const),
    ...result.gates.map((gate) => ({ type: "gate-end", result: gate }) as const),
    { type: "run-end", result } as const,
  ];
  for (const line of events.flatMap(eventLines)) stderr.write(`${line}\n`);
  if (json === true) stdout.write(`${JSON.stringify(result)}\n`);
  return isSuccessStatus(result.status) ? EXIT.ok : EXIT.failure;
}

/** The maximum size of a result. One with hundreds of gates has some 100 KiB. */
const MAX_BYTES = 16 * MIB;
const TOO_LONG = `is longer than ${MAX_BYTES / MIB} MiB, the maximum size of a result`;

async function fromFile(
  files: Pick<Files, "readFile">,
  name: string,
  { cwd }: CliContext
): Promise<shards.PartInput> {
  const read = await files.readFile(posix.resolve(cwd, name), { maxBytes: MAX_BYTES + 1 });
  if (read.isErr()) return { source: name, problem: `cannot be read: ${read.error.message}` };
  const bytes = read.value;
  if (bytes.length > MAX_BYTES) return { source: name, problem: TOO_LONG };
  return asInput(name, Buffer.from(bytes).toString("utf8"));
}

async function fromLines({ stdin }: CliContext): Promise<shards.PartInput[]> {
  const source = "standard input";
  const read = await readInput(stdin, MAX_BYTES);
  if (read.isErr()) return [{ source, problem: `cannot be read: ${read.error}` }];
  if (read.value === undefined) return [{ source, problem: TOO_LONG }];
  const lines = read.value.split("\n").map((text, i) => ({ source: `line ${i + 1}`, text }));
  return lines
    .filter(({ text }) => text.trim() !== "")
    .map((line) => asInput(line.source, line.text));
}

function asInput(source: string, text: string): shards.PartInput {
  return shards.parseShardResult(text).match<shards.PartInput>(
    (result) => ({ source, result }),
    (problem) => ({ source, problem })
  );
}

/** Reads an input as UTF-8 text. Returns undefined if it is longer than `maxBytes`. */
export async function readInput(
  input: Input,
  maxBytes: number
): Promise<Result<string | undefined, string>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of input) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > maxBytes) return ok(undefined);
      chunks.push(bytes);
    }
    return ok(Buffer.concat(chunks).toString("utf8"));
  } catch (thrown) {
    return err(describeError(thrown));
  }
}
