/** Trusts the gates of a test's project as they are, as a person did long ago (G24a). */
import type { InitCall } from "@test/helpers/gauntlet/initProject";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { main } from "@/cli/gauntlet/program";
import { readGates } from "@/cli/gauntlet/trust/gateTrust";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { trustGates } from "@/node/services/hooks/index";
import { createRuntime, findTrustStore } from "@/wiring";
import { ended, testContext, type Called } from "@test/helpers/cliContext";
import { QUIET_GIT } from "@test/helpers/gauntlet/gauntletProject";

export async function trustNow(cwd: string, home: string): Promise<void> {
  const runtime = createRuntime({});
  const store = await findTrustStore(runtime, { env: { HOME: home }, home });
  const dir = await findGauntletProject(runtime, cwd);
  if (store === undefined || dir === undefined) return;
  const { files } = await readGates(runtime, dir);
  (await trustGates(store, dir, files, new Date(0)))._unsafeUnwrap();
}

/** Makes the record of trust begin to cover gates in a minute, so that every start record is older. */
export async function beginTrustLater(home: string): Promise<void> {
  const path = join(home, ".mux/hook-trust.json");
  const gatesSince = new Date(Date.now() + 60_000).toISOString();
  const record = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...record, gatesSince }));
}

/** Runs a command of a person who is not in a terminal. */
export async function runGauntlet(
  cwd: string,
  home: string,
  args: readonly string[],
  { env = {}, typed, prepare }: Pick<InitCall, "env" | "typed" | "prepare"> = {}
): Promise<Called> {
  const context = testContext(
    { cwd, home },
    { env: { ...QUIET_GIT, ...env }, tty: typed !== undefined }
  );
  prepare?.(context);
  context.stdin.end(typed ?? "");
  return await ended(context, main(args, context));
}
