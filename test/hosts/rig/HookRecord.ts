/** Records what a host sends to its hooks, and what they answer. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "@test/helpers/hooks/hookProject";
import type { HookCommands } from "@test/hosts/rig/hostDriver";

export interface RecordedCall {
  readonly hook: "stop" | "turnStart";
  readonly input: Record<string, unknown>;
  /** The standard output. */
  readonly answer: string;
  readonly seconds: number;
  /** The environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Reads standard input to its end, runs the hook with it, and passes its answer on. */
const SCRIPT = `
call="$1/$(date +%s%N).$2"
cat > "$call.input"
env -0 > "$call.env"
sh -c "$3" < "$call.input" > "$call.answer"
code=$?
date +%s%N > "$call.end"
cat "$call.answer"
exit $code
`;

/** Returns commands that run the given ones and record their calls in a folder. */
export async function recording(folder: string, commands: HookCommands): Promise<HookCommands> {
  await mkdir(folder, { recursive: true });
  const script = join(folder, "record.sh");
  await writeFile(script, SCRIPT);
  const recorded = (hook: RecordedCall["hook"]): string =>
    ["sh", script, folder, hook, commands[hook]].map(shellWord).join(" ");
  return { stop: recorded("stop"), turnStart: recorded("turnStart") };
}

/** Returns all calls in their order. */
export async function readRecord(folder: string): Promise<RecordedCall[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".answer")).sort();
  return await Promise.all(
    names.map(async (name) => {
      const [time = "", hook] = name.split(".");
      const read = (kind: string) =>
        readFile(join(folder, `${time}.${hook ?? ""}.${kind}`), "utf8");
      const lines = (await read("env")).split("\0").filter((line) => line !== "");
      return {
        hook: hook as RecordedCall["hook"],
        input: JSON.parse(await read("input")) as Record<string, unknown>,
        answer: await read("answer"),
        seconds: (Number(await read("end")) - Number(time)) / 1e9,
        env: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string])),
      };
    })
  );
}
