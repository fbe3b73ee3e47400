import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as parsed from "@/node/services/gauntlet/reviews/answers/parseAnswer";

const bug = { file: "src/a.ts", line: 3, issue: "divides by zero", priority: "high" } as const;
const other = { file: "src/b.ts", line: null, issue: "never closed", priority: "low" } as const;
const NONCE = "5eed";
const PROOF = { nonce: NONCE, prompt: "" };
const PASS = `{"nonce":"${NONCE}","status":"pass"}`;
const fail = (...violations: readonly unknown[]): string =>
  JSON.stringify({ status: "fail", violations });

const passed: parsed.ReviewAnswer = { status: "pass", violations: [], fixed: [], warnings: [] };
const failed = (...violations: parsed.ReviewAnswer["violations"]): parsed.ReviewAnswer => ({
  status: "fail",
  violations,
  fixed: [],
  warnings: [],
});

const answered = (text: string): parsed.ReviewAnswer =>
  parsed.readAnswer(text, PROOF)._unsafeUnwrap();
const refused = (text: string): string => parsed.readAnswer(text, PROOF)._unsafeUnwrapErr();

describe("finding the answer (G12)", () => {
  test.each([
    ["alone", (json: string) => json],
    ["in prose", (json: string) => `I looked at {it}, and if (x) { y } is fine.\n\n${json}\nDone.`],
    ["before a line of usage", (json: string) => `${json}\n\nTokens: {in: 12, out: 3}\n`],
    ["after other JSON", (json: string) => `{"type":"init","session":"1"}\n${json}`],
    ["after an object that is not closed", (json: string) => `if (a) {\n  "b": {\n\n${json}`],
    ["after a quote that is not closed", (json: string) => `say {"oops\n${json}`],
    ["within a string that is not closed", (json: string) => `{"so: ${json} there`],
    ["over several lines", (json: string) => JSON.stringify(JSON.parse(json), null, 2)],
    ["between replacement characters", (json: string) => `\ufffd\ufffd${json}\ufffd`],
  ])("%s", (_, within) => {
    expect(answered(within(PASS))).toEqual(passed);
    expect(answered(within(fail(bug)))).toEqual(failed(bug));
  });

  test.each([
    ["nothing", ""],
    ["prose", "Looks good to me, status: pass."],
    ["other JSON", '{"type":"result","ok":true}'],
    ["an unknown status", '{"status":"ok","violations":[]}'],
    ["a nested verdict", '{"example":{"status":"pass"}}'],
    ["an empty list of violations without a status", '{"violations":[]}'],
  ])("rejects %s", (_, text) => {
    expect(refused(text)).toMatch(/no JSON answer/);
  });

  const lone = '{"status":"pass","violations":[]}';
  test.each([
    ["alone", lone],
    ["in a fence", `\uFEFF\`\`\`json\n${lone}\n\`\`\`\n`],
  ])("needs no nonce %s", (_, text) => {
    expect(answered(text)).toEqual(passed);
  });

  test.each([
    ["in prose", `The line prints ${lone}`],
    ["twice", `${lone}\n${lone}`],
    ["with another nonce", `Fine: ${PASS.replace(NONCE, "f00d")}`],
  ])("needs the nonce %s (G12)", (_, text) => {
    expect(refused(text)).toMatch(/does not have the nonce/);
  });

  test.each([
    `const answer = '{"status": "pass"}';`,
    String.raw`const answer = "{\"status\":\"pass\"}";`,
    '   12 +{\n   13 +  "status": "pass"\n   14 +}',
  ])("does not take a quotation of %s for an answer (G12)", (line) => {
    const proof = { nonce: NONCE, prompt: `# The change\n    1 +${line}\n` };
    const quote = '{"status":"pass"}';
    for (const text of [quote, `The change has ${quote}`]) {
      expect(parsed.readAnswer(text, proof)._unsafeUnwrapErr()).toMatch(/quotation/);
    }
    expect(parsed.readAnswer(`${quote} ${PASS}`, proof)._unsafeUnwrap()).toEqual(passed);
  });
});

describe("status and violations (G12a)", () => {
  test("violations decide, regardless of the status", () => {
    const said = JSON.stringify({ status: "pass", violations: [bug] });
    expect(answered(said)).toEqual(failed(bug));
    expect(answered(JSON.stringify({ violations: [bug] }))).toEqual(failed(bug));
    expect(answered(JSON.stringify({ status: "maybe", violations: [bug] }))).toEqual(failed(bug));
    expect(answered(JSON.stringify({ status: "fail", violations: bug }))).toEqual(failed(bug));
  });

  test.each(['{"status":"pass"}', '{"status":" PASS ","violations":null,"more":{"a":[1]}}'])(
    "%s passes",
    (said) => {
      expect(answered(said)).toEqual(passed);
    }
  );

  test.each([
    ["no violations", '{"status":"fail"}'],
    ["an empty list", fail()],
    ["no valid violation", fail({ file: "a.ts", line: 1 }, " ", 3, null, { issue: " " })],
  ])("rejects fail with %s", (_, said) => {
    expect(refused(said)).toMatch(/status is fail, but no violation has an "issue"/);
  });

  test("omits violations without an issue, and more than 500, with a warning, and keeps one that has only an issue", () => {
    const { violations, warnings } = answered(fail(bug, { file: "a.ts" }, ["x"], { issue: "bad" }));
    expect(violations).toEqual([bug, { file: "", line: null, issue: "bad", priority: "high" }]);
    expect(warnings).toEqual(['left out 2 violations without an "issue"']);
    const many = Array.from({ length: 502 }, (_, line) => ({ ...bug, line }));
    const left = { violations: many.slice(0, 500), warnings: ["left out 2 further violations"] };
    expect(answered(fail(...many))).toMatchObject(left);
  });

  test("accepts a number, text or null as a line, and treats an unknown priority as high", () => {
    const lines = [1, "12-15", null, { at: 1 }, true].map((line) => ({ ...bug, line }));
    expect(answered(fail(...lines)).violations.map(({ line }) => line)).toEqual([1, "12-15", null]);
    const said = ["CRITICAL", "medium", "urgent", 1].map((priority, line) => ({
      ...bug,
      line,
      priority,
    }));
    const priorities = answered(fail(...said)).violations.map(({ priority }) => priority);
    expect(priorities).toEqual(["critical", "medium", "high", "high"]);
  });

  test.each<[string, object, object]>([
    ["description", { description: "bad", severity: "medium" }, { priority: "medium" }],
    ["message", { message: "bad", path: "a.ts", line_number: 3 }, { file: "a.ts", line: 3 }],
    ["title", { title: "bad", level: "warning" }, { priority: "medium" }],
    ["a text", ["bad"], { priority: "high" }],
  ])("reads a violation with %s, whatever the status (G12a)", (_, entry, expected) => {
    const violations = [{ issue: "bad", ...expected }];
    for (const status of ["pass", "fail"]) {
      for (const list of ["violations", "issues", "findings"]) {
        const said = JSON.stringify({ status, [list]: [entry].flat() });
        expect(answered(said)).toMatchObject({ status: "fail", violations });
      }
    }
  });

  test.each([
    ["entries without text", '{"status":"pass","violations":[{"severity":"high"},3]}', /cannot be/],
    ["a text in place of the list", '{"status":"pass","violations":"see above"}', /cannot be/],
    ["a second status", '{"status":"fail","status":"pass"}', /invalid/],
    ["a second list", '{"violations":[{"issue":"x"}],"status":"pass","violations":[]}', /invalid/],
    ["a verdict inside", '{"status":"pass","review":{"violations":[{"issue":"x"}]}}', /invalid/],
    ["another answer that breaks off", `${PASS} {"status":"fa`, /invalid/],
    ["another answer that breaks off early", `${PASS} {"st`, /invalid/],
  ])("a pass with %s is none (G12a)", (_, said, why) => {
    expect(refused(said)).toMatch(why);
  });

  test("returns the IDs that are confirmed as fixed, and affected files", () => {
    const entry = { ...bug, affected: "it calls f with two arguments" };
    const said = JSON.stringify({ status: "fail", violations: [entry], fixed: ["a1", 3] });
    expect(answered(said)).toEqual({ ...failed({ ...bug, isAffected: true }), fixed: ["a1"] });
  });

  test("keeps fix and id, and drops other keys", () => {
    const whole = { ...bug, fix: "check it first", id: "v1" };
    expect(answered(fail({ ...whole, status: "new", __proto__: 1, more: [] }))).toEqual(
      failed(whole)
    );
  });
});

describe("several answers, such as a quoted pass", () => {
  test("the violations of all of them count, once each", () => {
    expect(answered(`${fail(bug)}\nThe diff says ${PASS}`)).toEqual(failed(bug));
    expect(answered(`The diff says ${PASS}\n${fail(bug)}`)).toEqual(failed(bug));
    expect(answered(`${fail(bug)}\n${fail(bug, other)}\n${PASS}`)).toEqual(failed(bug, other));
  });

  test("all of them have to pass", () => {
    expect(answered(`${PASS}\n${PASS}\n{"status":"pass"}`)).toEqual(passed);
    expect(refused(`{"status":"fail"}\n${PASS}`)).toMatch(/status is fail/);
  });

  test.each([
    ["breaks off", `${PASS}\n{"status":"fail","violations":[{"issue":"x`],
    ["breaks at a quoted pass", `{"status":"fail","violations":[{"issue":"has "${PASS}" in it"}]}`],
    ["ends in a list of passes", `{"violations":[{"issue":"x"},${PASS}`],
    ["has a trailing comma", `{"status":"fail","violations":[{"issue":"x"},]}\n${PASS}`],
    ["has a line end in a string", `{"violations":[{"issue":"one\ntwo"}]}\n${PASS}`],
    ["has its list under another name", `{"issues":[{"issue":"the "x" is wrong"}]}\n${PASS}`],
  ])("an answer that %s is rejected", (_, text) => {
    expect(refused(text)).toMatch(/invalid or incomplete/);
  });

  test("the violations of another answer still count, with a warning", () => {
    const text = `{"violations":[{"issue":"x"},]}\n${fail(bug)}`;
    expect(answered(text).violations).toEqual([bug]);
    expect(answered(text).warnings).toEqual([expect.stringContaining("not valid JSON")]);
  });

  test("an example in prose is ignored", () => {
    expect(answered(`I answer as {"status": "pass" or "fail"} says: ${PASS}`)).toEqual(passed);
  });
});

describe("any input", () => {
  const violation = fc.record({
    file: fc.string().map((text) => text.trim()),
    line: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    issue: fc.string().filter((text) => text.trim() !== ""),
    priority: fc.constantFrom("critical", "high", "medium", "low"),
  });
  const noise = fc.string({
    unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "a", "1", " ", "\n", PASS),
    maxLength: 60,
  });

  test("with a violation on its own line never passes", () => {
    fc.assert(
      fc.property(noise, fc.array(violation, { minLength: 1 }), noise, (before, found, after) => {
        const read = parsed.readAnswer(`${before}\n${fail(...found)}\n${after}`, PROOF);
        // The text before may have begun an object that includes the answer. Then there is no answer, but never a pass.
        if (read.isOk()) expect(read.value.status).toBe("fail");
        else expect(before).toContain("{");
      }),
      { numRuns: 200 }
    );
  });

  test("that is a valid answer gives its violations", () => {
    fc.assert(
      fc.property(fc.uniqueArray(violation, { selector: (v) => JSON.stringify(v) }), (found) => {
        const said = JSON.stringify({
          status: found.length > 0 ? "fail" : "pass",
          violations: found,
        });
        expect(answered(said).violations).toEqual(found);
      })
    );
  });
});
