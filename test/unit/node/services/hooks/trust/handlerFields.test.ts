/** Fields of http and prompt handlers, and failClosed and loop_limit, are part of what the user trusts (H31). */
import { expect, test } from "vitest";
import { areEqual, type Definitions } from "@/node/services/hooks/settings/definitionSnapshot";
import type { TrustPolicy } from "@/node/services/hooks/trust/trustPolicy";
import type { TrustItem } from "@/node/services/hooks/contract/types";
import { group, HookProject, type Hook } from "@test/helpers/hooks/hookProject";

/** Returns what a user would be asked to trust. */
async function requestFor(handler: Hook): Promise<{ definitions: Definitions; items: string[] }> {
  const project = await HookProject.create();
  await project.configure({ hooks: { Stop: [group([handler])] } });
  let seen: { definitions: Definitions; items: readonly TrustItem[] } | undefined;
  const trust: TrustPolicy = {
    decide: (request) => {
      seen = request;
      return Promise.resolve({ trusted: false, message: "only looking" });
    },
  };
  await project.stop({ load: { ...project.load, trust } });
  return { definitions: seen!.definitions, items: seen!.items.map(({ text }) => text) };
}

const http = {
  type: "http",
  url: "https://a.example/",
  headers: { a: "$A" },
  allowedEnvVars: ["A"],
};
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
  expect(areEqual(before.definitions, before.definitions)).toBe(true);
  expect(areEqual(before.definitions, after.definitions)).toBe(false);
});

test("the user is shown where a hook sends data, with which variables, and what it asks (H31)", async () => {
  expect((await requestFor(http)).items).toEqual([
    "Stop: POST https://a.example/ with the variables A",
  ]);
  expect((await requestFor({ ...http, allowedEnvVars: [] })).items).toEqual([
    "Stop: POST https://a.example/",
  ]);
  expect((await requestFor(prompt)).items).toEqual(["Stop: prompt to the model m: P"]);
  expect((await requestFor({ ...prompt, model: undefined })).items).toEqual(["Stop: prompt: P"]);
});
