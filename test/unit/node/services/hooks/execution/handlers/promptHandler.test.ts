/** Prompt handlers with models whose answers are unclear, or that break the contract of the port (H43). */
import { err, ok } from "neverthrow";
import { describe, expect, test } from "vitest";
import type { HookModel, ModelQuestion } from "@/node/services/hooks/contract/types";
import { group, HookProject, stopWith } from "@test/helpers/hooks/hookProject";
import { runInFreshNode } from "@test/helpers/process/freshNode";

const prompt = (timeout = 30) => ({ type: "prompt", prompt: "Are we done?", timeout });
const NO = '{"ok": false, "reason": "Run the tests."}';
const YES = '{"ok": true}';

/** Returns the run of a prompt hook whose model gives this answer. */
async function judged(answer: string) {
  const { runs } = await stopWith([prompt()], {
    model: { ask: () => Promise.resolve(ok(answer)) },
  });
  return runs[0];
}

describe("the last object of an answer decides (H43):", () => {
  test.each([
    `I have looked at it.\n${NO}`,
    `${NO}\nI hope this helps!`,
    `Here:\n\`\`\`json\n${NO}\n\`\`\`\nThat is all.`,
    `<think>If it were ${YES}, then {it} would "stop".</think>${NO}`,
    `${YES} was my first thought. ${NO}`,
    `${NO} Sources: [1] {2}`,
  ])("%j blocks", async (answer) => {
    expect(await judged(answer)).toMatchObject({ outcome: "block", reason: "Run the tests." });
  });

  test.each([
    `<think>${NO}</think>\n{"ok":true}`,
    `All good.\n${YES}`,
    '{"ok": true, "reason": ""}',
  ])("%j does not block", async (answer) => {
    expect(await judged(answer)).toMatchObject({ outcome: "pass", warnings: [] });
  });
});

test.each([
  "",
  "Looks good to me.",
  '{"ok": "false"}',
  '{"ok": "true"}',
  '{"ok": 1, "reason": "R"}',
  '{"status": "pass"}',
  "[]",
  '{"ok": tr',
  `${YES} {"ok": fa`,
  `${YES} {"ok"`,
  `{"answer": ${YES}}`,
])("an answer that is not clear blocks: %j (H43)", async (answer) => {
  const run = await judged(answer);
  expect(run?.outcome).toBe("block");
  expect(run?.reason).toMatch(/^No clear answer: the model .* project:Stop\[0\] did not decide/);
});

test("an unclear answer costs linear time and shows no control characters (H20a)", async () => {
  const run = await judged(`\u001b[31m${'{"a":'.repeat(200_000)}`);
  expect(run?.reason).toMatch(/It began with: \{"a":\{/);
});

function thrower(): never {
  throw new Error("offline");
}

describe("a model that breaks its contract is the failure of its own hook (H23):", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["a text", () => Promise.resolve(YES), /neither \{ text \} nor \{ problem \}/],
    ["a text without a promise", () => YES, /neither \{ text \}/],
    ["undefined", () => Promise.resolve(undefined), /neither \{ text \}/],
    ["a result of another type", () => ok({ ok: true }), /neither \{ text \}/],
    ["another object", () => Promise.resolve({ text: 1 }), /neither \{ text \}/],
    ["a problem", () => ({ problem: "no credit\nat x" }), /did not answer: no credit$/],
    ["an error", () => Promise.resolve(err("no credit")), /did not answer: no credit$/],
    ["a rejection", () => Promise.reject(new Error("offline")), /failed: offline$/],
    ["an exception", thrower, /failed: offline$/],
  ])("%s", async (_, ask, problem) => {
    const model = { ask } as unknown as HookModel;
    const result = await stopWith([prompt(), "echo R >&2; exit 2"], { model });
    expect(result.runs.map(({ outcome }) => outcome)).toEqual(["failed", "block"]);
    expect(result.warnings).toEqual([expect.stringMatching(problem)]);
  });

  test("no answer at all, also if nothing else keeps the process alive (H21)", async () => {
    const project = await HookProject.create();
    const never = { type: "builtin", name: "never", timeout: 0.1 };
    await project.configure({ hooks: { Stop: [group([prompt(0.1), never])] } });
    const warnings = await runInFreshNode("silentModel", [project.dir]);
    const timedOut = expect.stringContaining("timed out after 0.1 s") as string;
    expect(warnings).toEqual([timedOut, timedOut]);
  });
});

test("accepts a plain object, and offers a schema that allows exactly the three fields (H43)", async () => {
  const questions: ModelQuestion[] = [];
  const result = await stopWith([prompt()], {
    model: {
      ask: (question) => {
        questions.push(question);
        return Promise.resolve({ text: NO });
      },
    },
  });
  expect(result.continueReason).toBe("Run the tests.");
  const fields = ["ok", "reason", "impossible"];
  expect(questions[0]?.answerSchema).toMatchObject({
    type: "object",
    required: fields,
    additionalProperties: false,
  });
});
