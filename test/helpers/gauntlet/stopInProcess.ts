/** A stop as `agent-gauntlet stop-hook` decides it after it has read the input, inside the test's own process. */
import { resolve } from "node:path";
import { projectHint, recognizeHost } from "@/cli/gauntlet/hosts/index";
import { decide } from "@/cli/gauntlet/stopHook/decideStopHook";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import type { JsonObject } from "@/common/json";
import { ended, testContext } from "@test/helpers/cliContext";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { parseAnswer, type StopHookOptions } from "@test/helpers/gauntlet/stopHookCommand";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { tempDir } from "@test/helpers/tempDir";

interface StopPlace {
  readonly cwd: string;
  readonly home: string;
  /** Arguments after `stop-hook`. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Whether a person has not trusted the gates as they are (G24a). */
  readonly untrusted?: boolean;
}

let stops = 0;

export async function stopInProcess(
  fields: JsonObject,
  { cwd, home, args = [], env: more = {}, untrusted = false }: StopPlace
) {
  const env = { ...PROJECT_ENV, HOME: home, ...more };
  const options = parseStopOptions(args);
  const recognized = recognizeHost(fields, env, options.host);
  const host = { ...recognized, answer: options.answer ?? recognized.answer };
  const read = host.readInput(fields);
  const folder = resolve(cwd, read.cwd ?? "");
  const hint = projectHint(host, env);
  if (!untrusted) for (const dir of [folder, hint ?? folder]) await trustNow(dir, home);
  const context = testContext({ cwd, home }, { env });
  // Two stops with the same input in one process would be one stop, for which two hooks are installed (G40).
  const input = { ...read, lastMessage: read.lastMessage ?? `Done, ${stops++}.` };
  return await ended(
    context,
    decide({ host, input, options, cwd: folder, projectHint: hint }, context)
  );
}

/** Returns the answer to an input. */
export async function stop(
  cwd: string,
  input = "{}",
  { args, env = {} }: Pick<StopHookOptions, "args" | "env"> = {}
) {
  const home = env.HOME ?? (await tempDir());
  return parseAnswer(
    await stopInProcess(JSON.parse(input) as JsonObject, { cwd, home, args, env })
  );
}
