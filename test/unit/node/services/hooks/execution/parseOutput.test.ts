import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";
import { readObject, text } from "@/node/services/hooks/execution/parseOutput";
import { interpretExit, type HookVerdict } from "@/node/services/hooks/execution/verdict";

function captured(...chunks: Uint8Array[]): CapturedOutput {
  const capture = new OutputCapture();
  for (const chunk of chunks) capture.push(chunk);
  return capture.read();
}

const said = (output: string): CapturedOutput => captured(Buffer.from(output));

function judge(code: number, stdout: CapturedOutput, stderr = said("")): HookVerdict {
  return interpretExit(
    { end: { kind: "exited", code }, stdout, stderr, durationMs: 1 },
    { event: "Stop", name: "project:Stop[0]", timeoutMs: 10_000, origin: undefined }
  );
}

/** Returns whether the output blocks on exit 0, as the contract defines it in its simplest form. */
function saysBlock(output: string): boolean {
  try {
    const value = JSON.parse(output.replace(/^\uFEFF/, "")) as Record<string, unknown> | null;
    if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
    const { decision, reason } = value;
    return decision === "block" && typeof reason === "string" && reason.trim() !== "";
  } catch {
    return false;
  }
}

describe("any output of a hook", () => {
  test("gives a verdict for any bytes and any exit code, and random bytes never block on exit 0", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 3 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 0, max: 255 }),
        (stdout, stderr, code) => {
          const verdict = judge(code, captured(...stdout), captured(stderr));
          if (code === 0) expect(verdict.outcome).toBe("pass");
          if (code === 2) expect(verdict).toMatchObject({ outcome: "block" });
          if (verdict.outcome === "block") expect(verdict.reason?.trim()).toBeTruthy();
        }
      )
    );
  });

  test("blocks on exit 0 only if a JSON object does", () => {
    const field = fc.oneof(
      fc.constantFrom("block", "approve", "", " ", "deny", null, true, 42, "R", "\u001b[31m"),
      fc.json().map((json) => JSON.parse(json) as unknown)
    );
    const object = fc.record(
      { decision: field, reason: field, note: field, systemMessage: field, suppressOutput: field },
      { requiredKeys: [] }
    );
    const around = fc.constantFrom("", "\n", "\uFEFF", " \r\n", "{}", "text");
    fc.assert(
      fc.property(
        object,
        around,
        fc.constantFrom("", "\n", "\r\n", "{}", "!"),
        (value, lead, tail) => {
          const output = `${lead}${JSON.stringify(value)}${tail}`;
          const printable =
            text(typeof value.reason === "string" ? value.reason : "") !== undefined;
          expect(judge(0, said(output)).outcome === "block").toBe(saysBlock(output) && printable);
        }
      ),
      { numRuns: 500 }
    );
  });

  test("cannot change the prototype of objects", () => {
    judge(0, said('{"__proto__":{"decision":"block","reason":"R"},"constructor":{"prototype":1}}'));
    expect(({} as Record<string, unknown>).decision).toBeUndefined();
    expect(judge(0, said('{"__proto__":{"decision":"block","reason":"R"}}')).outcome).toBe("pass");
  });

  test("is text or ignored if it is nested too deeply for recursion, and never throws", () => {
    const deep = "[".repeat(200_000);
    expect(judge(0, said(deep)).outcome).toBe("pass");
    const whole = `{"reason":${deep}${"]".repeat(200_000)},"decision":"block"}`;
    expect(judge(0, said(whole)).outcome).toBe("pass");
  });
});

describe("readObject", () => {
  test("treats null as absent (H19)", () => {
    const keys = ["decision", "reason", "continue", "systemMessage", "hookSpecificOutput"];
    const nothing = readObject(Object.fromEntries(keys.map((key) => [key, null])), "Stop");
    expect(nothing).toMatchObject({ endsTurn: false, decides: false, warnings: [] });
  });
});
