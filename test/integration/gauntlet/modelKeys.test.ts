/** Keys of models in the environment of checks (G11). */
import { expect, test } from "vitest";
import { MODEL_KEYS } from "@/common/modelKeyVariables";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { gateItems } from "@/node/services/gauntlet/hook/ConfigToTrust";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

const KEPT = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"];
const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";

async function seenBy(check: string): Promise<string[]> {
  const project = await GauntletProject.create(CONFIG, { ok: check });
  await project.write("src/new.txt", "x");
  const env = Object.fromEntries([...MODEL_KEYS, ...KEPT].map((name) => [name, "secret"]));
  const runtime = new LocalRuntime({ env: { ...PROJECT_ENV, ...env } });
  expect((await project.run({ runtime })).status).toBe("passed");
  const seen = (await project.read("gauntlet_logs/seen")).split("\n");
  return seen.flatMap((line) => /^(\w+)=secret$/.exec(line)?.[1] ?? []).toSorted();
}

const PRINT = "command: env > ../gauntlet_logs/seen\n";

test("are withheld by exact names, and other secrets are not (G11)", async () => {
  expect(await seenBy(PRINT)).toEqual(KEPT.toSorted());
});

test("reach a check whose definition names them (G11)", async () => {
  const keys = await seenBy(`${PRINT}pass_env: [OPENAI_API_KEY]\n`);
  expect(keys).toEqual([...KEPT, "OPENAI_API_KEY"].toSorted());
});

test("that a check gets and sets, and reviewers, are shown before the user trusts them (G24a)", async () => {
  const review = "    reviews: [cq: {builtin: code-quality, cli_preference: [claude], model: m}]\n";
  const check = `${PRINT}pass_env: [XAI_API_KEY]\nenv: {BASH_ENV: ./x.sh}\nworking_directory: lib\n`;
  const project = await GauntletProject.create(CONFIG + review, { ok: check });
  const items = gateItems(await loadGauntletConfig(project.runtime, project.dir));
  expect(items.map(({ text }) => text)).toEqual([
    "gauntlet check ok: env > ../gauntlet_logs/seen",
    "gauntlet check ok runs in lib",
    "gauntlet check ok sets BASH_ENV=./x.sh",
    "gauntlet check ok gets XAI_API_KEY",
    "gauntlet review cq by claude with the model m: built-in prompt code-quality",
  ]);
});
