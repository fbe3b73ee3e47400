/** Prompt handlers with models whose answers are unclear, or that break the contract of the port (H43). */
import { err, ok } from "neverthrow";
import { describe, expect, test } from "vitest";
import type { HookModel, ModelQuestion } from "@/node/services/hooks/contract/types";
import { projectWith, stopWith } from "@test/helpers/hooks/hookProject";
import { runInFreshNode } from "@test/helpers/process/freshNode";

const prompt = (timeout = 30) => ({ type: "prompt", prompt: "Are we done?", timeout });
const NO = '{"ok": false, "reason": "Run the tests."}';
const YES = '{"ok": true}';

/** Returns the runs of prompt hooks of one stop, whose models answer one after the other. */
async function judged(answers: readonly string[]) {
  const hooks = answers.map((_, i) => ({ ...prompt(), prompt: `Are we done? (${i})` }));
  const ask: HookModel["ask"] = ({ prompt: question }) => {
    const [, i = ""] = /Are we done\? \((\d+)\)/.exec(question) ?? [];
    return Promise.resolve(ok(answers[Number(i)]!));
  };
  return (await stopWith(hooks, { model: { ask } })).runs;
}

const BLOCKS = [
  `I have looked at it.\n${NO}`,
  `${NO}\nI hope this helps!`,
  `Here:\n\`\`\`json\n${NO}\n\`\`\`\nThat is all.`,
  `<think>If it were ${YES}, then {it} would "stop".</think>${NO}`,
  `${YES} was my first thought. ${NO}`,
  `${NO} Sources: [1] {2}`,
];
const PASSES = [
  `<think>${NO}</think>\n{"ok":true}`,
  `All good.\n${YES}`,
  '{"ok": true, "reason": ""}',
];

test("the last object of an answer decides (H43)", async () => {
  const runs = await judged([...BLOCKS, ...PASSES]);
  expect(runs).toMatchObject([
    ...BLOCKS.map(() => ({ outcome: "block", reason: "Run the tests." })),
    ...PASSES.map(() => ({ outcome: "pass", warnings: [] })),
  ]);
});

test("a block without a reason has one, and a condition that is impossible is a warning (H43)", async () => {
  const runs = await judged([
    '{"ok": false}',
    '{"ok": false, "reason": 1}',
    '{"ok": false, "reason": "There is no test.", "impossible": true}',
  ]);
  const impossible = expect.stringMatching(
    /so the hook does not block: There is no test\.$/
  ) as string;
  const own = expect.stringMatching(/^The model that checked the prompt of the hook/) as string;
  expect(runs).toMatchObject([
    { outcome: "block", reason: own },
    { outcome: "block", reason: own },
    { outcome: "pass", warnings: [impossible] },
  ]);
});

test("an answer that is not clear blocks (H43)", async () => {
  const answers = [
    ...["", "Looks good to me.", '{"ok": "false"}', '{"ok": "true"}', '{"ok": 1, "reason": "R"}'],
    ...['{"status": "pass"}', "[]", '{"ok": tr', `${YES} {"ok": fa`, `${YES} {"ok"`],
    `{"answer": ${YES}}`,
  ];
  const runs = await judged(answers);
  expect(runs.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    answers.map((_, i) => {
      const reason = `^No clear answer: the model .* project:Stop\\[${i}\\] did not decide`;
      return ["block", expect.stringMatching(reason) as string];
    })
  );
});

test("an unclear answer costs linear time and shows no control characters (H20a)", async () => {
  const [run] = await judged([`\u001b[31m${'{"a":'.repeat(200_000)}`]);
  expect(run?.reason).toMatch(/It began with: \{"a":\{/);
});

function thrower(): never {
  throw new Error("offline");
}

describe("a model that breaks its contract is the failure of its own hook (H23):", () => {
  test("the other hooks run", async () => {
    const broken: [() => unknown, RegExp][] = [
      [() => Promise.resolve(YES), /neither \{ text \} nor \{ problem \}/],
      [() => YES, /neither \{ text \}/],
      [() => Promise.resolve(undefined), /neither \{ text \}/],
      [() => ok({ ok: true }), /neither \{ text \}/],
      [() => Promise.resolve({ text: 1 }), /neither \{ text \}/],
      [() => ({ problem: "no credit\nat x" }), /did not answer: no credit$/],
      [() => Promise.resolve(err("no credit")), /did not answer: no credit$/],
      [() => Promise.reject(new Error("offline")), /failed: offline$/],
      [thrower, /failed: offline$/],
    ];
    const hooks = broken.map((_, i) => ({ ...prompt(), prompt: `${i}?` }));
    let asked = 0;
    const model = { ask: () => broken[asked++]![0]() } as unknown as HookModel;
    const result = await stopWith([...hooks, "echo R >&2; exit 2"], { model });
    expect(result.runs.map(({ outcome }) => outcome)).toEqual([
      ...broken.map(() => "failed"),
      "block",
    ]);
    // They are asked in any order.
    const { warnings = [] } = result;
    const found = broken.filter(([, problem]) => warnings.some((text) => problem.test(text)));
    expect([found.length, warnings.length]).toEqual([broken.length, broken.length]);
  });

  test("no answer at all, also if nothing else keeps the process alive (H21)", async () => {
    const never = { type: "builtin", name: "never", timeout: 0.1 };
    const { dir } = await projectWith([prompt(0.1), never]);
    const warnings = await runInFreshNode("silentModel", [dir]);
    const timedOut = expect.stringContaining("timed out after 0.1 s") as string;
    expect(warnings).toEqual([timedOut, timedOut]);
  });
});

test("accepts a plain object, and offers a schema that allows exactly the three fields (H43)", async () => {
  const questions: ModelQuestion[] = [];
  const ask: HookModel["ask"] = (question) => {
    questions.push(question);
    return Promise.resolve({ text: NO });
  };
  const result = await stopWith([prompt()], { model: { ask } });
  expect(result.continueReason).toBe("Run the tests.");
  const fields = ["ok", "reason", "impossible"];
  expect(questions[0]?.answerSchema).toMatchObject({
    type: "object",
    required: fields,
    additionalProperties: false,
  });
});
