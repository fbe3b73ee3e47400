/** Fields of http and prompt handlers, and failClosed and loop_limit, are part of what the user trusts (H31). */
import { expect, test } from "vitest";
import { sameDefinitions, type Definitions } from "@/node/services/hooks/settings/hookDefinitions";
import { projectWith, watchedTrust, type Hook } from "@test/helpers/hooks/hookProject";

/** Returns what a user would be asked to trust. */
async function requestFor(handler: Hook): Promise<{ definitions: Definitions; items: string[] }> {
  const project = await projectWith([handler]);
  const trust = watchedTrust({ trusted: false, message: "only looking" });
  await project.stop({ load: { ...project.load, trust } });
  const { definitions, items } = trust.asked.at(-1)!;
  return { definitions, items: items.map(({ text }) => text) };
}

const URL = "https://a.example/";
const http = { type: "http", url: URL, headers: { a: "$A" }, allowedEnvVars: ["A"] };
const prompt = { type: "prompt", prompt: "P", model: "m" };
const command = { command: "c", failClosed: true, loop_limit: 2 };

test.each<[string, object, object]>([
  ["the URL", http, { url: "https://b.example/" }],
  ["a header", http, { headers: { a: "b" } }],
  ["allowedEnvVars", http, { allowedEnvVars: ["A", "B"] }],
  ["the prompt", prompt, { prompt: "Q" }],
  ["the model", prompt, { model: "n" }],
  ["failClosed", command, { failClosed: false }],
  ["loop_limit", command, { loop_limit: 3 }],
])("a change of %s needs new trust (H31)", async (_, handler, change) => {
  const before = await requestFor({ ...handler });
  const after = await requestFor({ ...handler, ...change });
  expect(sameDefinitions(before.definitions, before.definitions)).toBe(true);
  expect(sameDefinitions(before.definitions, after.definitions)).toBe(false);
});

test.each<[Hook, string]>([
  [http, `POST ${URL} with the variables A`],
  [{ ...http, allowedEnvVars: [] }, `POST ${URL}`],
  [prompt, "prompt to the model m: P"],
  [{ ...prompt, model: undefined }, "prompt: P"],
])("the user is shown what the hook %j sends (H31)", async (handler, shown) => {
  expect((await requestFor(handler)).items).toEqual([`Stop: ${shown}`]);
});
