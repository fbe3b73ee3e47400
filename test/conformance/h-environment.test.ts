/** Environment variables that are withheld from hooks (H14, H31). */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { group, HookProject } from "@test/helpers/hooks/hookProject";

const MODEL_KEYS = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"],
  ...["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "XAI_API_KEY", "OPENROUTER_API_KEY"],
  "DEEPSEEK_API_KEY",
];
const HOST_ONLY = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_ENDPOINT", "BASH_ENV"];
const OWN = ["MY_TOKEN", "OTELLO"];

/** Runs `env` as a project hook and as a user hook, and returns the names that each of them received. */
async function seen(settings: { user?: object; project?: object } = {}) {
  const names = [...MODEL_KEYS, ...HOST_ONLY, ...OWN];
  const project = await HookProject.create({
    env: Object.fromEntries(names.map((name) => [name, "/dev/null"])),
  });
  await mkdir(join(project.home, ".mux"));
  const print = (file: string) => ({ Stop: [group([`env > ${file}`])] });
  await writeFile(
    join(project.home, ".mux", "settings.json"),
    JSON.stringify({ ...settings.user, hooks: print("by-user") })
  );
  await project.configure({ ...settings.project, hooks: print("by-project") });
  expect((await project.stop()).warnings).toBeUndefined();
  const has = async (file: string) => {
    const env = await project.read(file);
    return names.filter((name) => env.includes(`${name}=/dev/null\n`));
  };
  return { project: await has("by-project"), user: await has("by-user") };
}

test("case 127: hides model keys from project hooks, and host variables from all hooks", async () => {
  expect(await seen()).toEqual({ project: OWN, user: [...MODEL_KEYS, ...OWN] });
});

test("case 127: passes a variable if the user's settings allow it, but not if the project's settings do", async () => {
  const pass = ["XAI_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"];
  const passed = await seen({ user: { hookEnv: { pass } } });
  expect(passed.project).toEqual([...pass, ...OWN]);
  expect(passed.user).toEqual([...MODEL_KEYS, pass[1], ...OWN]);
  expect(await seen({ project: { hookEnv: { pass } } })).toEqual(await seen());
});

test("case 127: the record of a run contains no values of its environment", async () => {
  const project = await HookProject.create({ env: { MY_TOKEN: "secret-in-env" } });
  await project.configure({ hooks: { Stop: [group(['test -n "$MY_TOKEN" && exit 3'])] } });
  const { warnings } = await project.stop();
  const records = await readFile(join(project.session, "hook-runs.jsonl"), "utf8");
  expect(warnings).toEqual([expect.stringContaining("exit code 3")]);
  expect(records).toContain("MY_TOKEN");
  expect(records).not.toContain("secret-in-env");
});
