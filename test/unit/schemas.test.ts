/** Checks that the published JSON Schemas match the parsers (H6). */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { completeInput, serializeInput } from "@/node/services/hooks/contract/makeInput";
import {
  hookInputSchema,
  publishedSchemas as ofHooks,
} from "@/node/services/hooks/contract/inputOutputSchemas";
import { recordedFiles } from "@/node/runtime/fileContents";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { publishedSchemas as ofGauntlet } from "@/node/services/gauntlet/publishedSchemas";
import { parseSettings } from "@/node/services/hooks/settings/parseSettings";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { ReviewProject } from "@test/helpers/gauntlet/reviewProject";

const published: Record<string, string> = { ...ofHooks(), ...ofGauntlet() };
const schemas = Object.entries(published);

function validator(name: string): (value: unknown) => boolean {
  const text = published[name] ?? "";
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { uri: true } });
  const validate = ajv.compile(JSON.parse(text) as object);
  return (value) => validate(value);
}

test.each(schemas)("%s is up to date (make schemas)", (name, text) => {
  const path = fileURLToPath(new URL(`../../schemas/${name}`, import.meta.url));
  expect(readFileSync(path, "utf8")).toBe(text);
});

describe("settings", () => {
  const isValid = validator("settings.schema.json");
  const stop = (handler: unknown) => ({ hooks: { Stop: [{ hooks: [handler] }] } });

  test.each<[string, unknown, boolean]>([
    ["no settings", {}, true],
    ["fields of other tools", { $schema: "x", model: "m", hooks: { PreToolUse: [] } }, true],
    ["a command", stop({ type: "command", command: "make lint", timeout: 1.5 }), true],
    ["unknown keys", stop({ type: "command", command: "x", _comment: "y" }), true],
    ["a program", stop({ type: "command", command: "node", args: ["a.js"] }), true],
    ["a URL", stop({ type: "http", url: "https://a.example/", headers: { a: "${B}" } }), true],
    ["a prompt", stop({ type: "prompt", prompt: "Done?", model: "m" }), true],
    ["a built-in", stop({ type: "builtin", name: "gauntlet", enabled: false }), true],
    ["all other settings", { disableAllHooks: true, stopHooks: { maxContinuations: 50 } }, true],
    ["no command", stop({ type: "command" }), false],
    ["no type", stop({ command: "x" }), false],
    ["a limit of 0", stop({ type: "command", command: "x", timeout: 0 }), false],
    ["arguments in one string", stop({ type: "command", command: "x", args: "a b" }), false],
    ["a handler without its group", { hooks: { Stop: [{ type: "command" }] } }, false],
    ["51 continuations", { stopHooks: { maxContinuations: 51 } }, false],
    ["a switch that is not a boolean", { disableAllHooks: "yes" }, false],
  ])("with %s", (_, settings, valid) => {
    expect(isValid(settings)).toBe(valid);
    const { diagnostics } = parseSettings("s.json", JSON.stringify(settings))._unsafeUnwrap();
    expect(diagnostics.length === 0).toBe(valid);
  });
});

describe("the configuration of gates (G4)", () => {
  const isValid = validator("gauntlet-config.schema.json");
  const isCheck = validator("gauntlet-check.schema.json");
  const load = async (files: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const texts = Object.entries(files).map(
      ([path, value]) => [`.gauntlet/${path}`, JSON.stringify(value)] as const
    );
    const loaded = await loadGauntletConfig(
      recordedFiles(Object.fromEntries(texts), "/project"),
      "/project"
    );
    return loaded.kind === "valid" && loaded.problems.length === 0;
  };

  test.each<[string, unknown, boolean]>([
    ["three lines", { checks: { test: "npm test", lint: "npx eslint {files}" } }, true],
    ["a definition", { checks: { test: { command: "x", timeout: 9, full: "y" } } }, false],
    ["a limited one", { checks: { a: { command: "x {files}", full: "y", files: ["*"] } } }, true],
    ["entry points", { entry_points: [{ path: ".", checks: [{ a: { command: "x" } }] }] }, true],
    ["nothing", {}, false],
    ["no path", { entry_points: [{ checks: [] }] }, false],
    ["an unknown key", { checks: { a: "x" }, chekcs: 1 }, false],
    ["an unknown key of a check", { checks: { a: { command: "x", time: 1 } } }, false],
    ["a number as a command", { checks: { a: 3 } }, false],
    ["another history", { checks: { a: { command: "x", reads: "all" } } }, false],
  ])("with %s", async (name, config, valid) => {
    // The schema does not know which commands use a key.
    expect(isValid(config)).toBe(name === "a definition" ? true : valid);
    expect(await load({ "config.yml": config })).toBe(valid);
  });

  test.each<[unknown, boolean]>([
    [{ command: "make lint", reads: "history", env: { A: 1 } }, true],
    [{ comand: "make lint" }, false],
    [{ command: "make lint", retries: 9 }, false],
  ])("a file of a check %j", async (check, valid) => {
    expect(isCheck(check)).toBe(valid);
    const config = { entry_points: [{ path: ".", checks: ["lint"] }] };
    expect(await load({ "config.yml": config, "checks/lint.yml": check })).toBe(valid);
  });
});

describe("input of hooks", () => {
  const isValid = validator("hook-input.schema.json");
  const input: StopHookInput = {
    session_id: "w",
    transcript_path: "/t/chat.jsonl",
    cwd: "/p",
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
  };
  const child = {
    hook_event_name: "SubagentStop",
    agent_id: "c",
    agent_type: "explore",
    agent_transcript_path: "/t/c.jsonl",
    parent_session_id: "w",
    parent_transcript_path: "/t/chat.jsonl",
  } as const;

  test.each([
    ["on Stop", input],
    ["on SubagentStop", { ...input, ...child }],
  ])("%s", (_, given) => {
    const line = serializeInput(completeInput(given));
    expect(isValid(JSON.parse(line))).toBe(true);
    const fields = Object.keys(JSON.parse(line) as object);
    expect(fields.filter((field) => !(field in hookInputSchema.shape))).toEqual([]);
  });

  test("requires all fields", () => {
    expect(isValid(input)).toBe(false);
    expect(isValid({ ...completeInput(input), hook_event_name: "stop" })).toBe(false);
  });
});

describe("output of hooks", () => {
  const isValid = validator("hook-output.schema.json");

  test.each<[unknown, boolean]>([
    [{}, true],
    [{ decision: "block", reason: "Run the tests." }, true],
    [{ decision: "approve", status: "passed" }, true],
    [{ continue: false, stopReason: "Done.", suppressOutput: true, systemMessage: "s" }, true],
    [{ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "c", more: 1 } }, true],
    [{ decision: "deny" }, false],
    [{ continue: "false" }, false],
    [{ reason: 42 }, false],
    [{ hookSpecificOutput: "x" }, false],
    [[], false],
  ])("%j is valid: %s", (output, valid) => {
    expect(isValid(output)).toBe(valid);
  });
});

describe("result of a review", () => {
  const isValid = validator("review-result.schema.json");

  test("is valid as a run writes it, and as an agent has marked it", async () => {
    const project = await ReviewProject.create({
      reviewers: ["one", "two"],
      frontMatter: "num_reviews: 2",
    });
    await project.answers(0, [
      { issue: "it is wrong" },
      { issue: "somewhere", line: null },
      { issue: "about there", line: "1-3", id: "none" },
    ]);
    await project.project.write("src/a.txt", "wrong\n");
    await project.run();
    expect(isValid(await project.review(1))).toBe(true);
    await project.edit(1, (all) => {
      for (const v of all) Object.assign(v, { status: "fixed", result: "done" });
    });
    expect(isValid(await project.review(1))).toBe(true);
    for (const name of ["one", "two"]) await project.does(1, "exit 3", name);
    await project.project.write("src/a.txt", "right\n");
    await project.run();
    const failed = await project.review(2, 1, "two");
    expect(failed).toMatchObject({ status: "error" });
    expect(isValid(failed)).toBe(true);
    const prior = await project.review(2, 2, "two");
    expect(prior).toMatchObject({ status: "skipped_prior_pass", passIteration: 1 });
    expect(isValid(prior)).toBe(true);
  });

  const open = { file: "a", line: 1, issue: "x", priority: "high", status: "new" };

  test.each<[string, object]>([
    ["an unknown status", { status: "done" }],
    ["no violations", { violations: undefined }],
    ["a violation with an unknown status", { violations: [{ ...open, status: "open" }] }],
    ["a violation without an issue", { violations: [{ ...open, issue: undefined }] }],
  ])("with %s is not valid", (_, change) => {
    const valid = {
      ...{ adapter: "one", timestamp: "2026-01-25T16:00:00Z", status: "pass" },
      ...{ rawOutput: "", violations: [open] },
    };
    expect(isValid(valid)).toBe(true);
    expect(isValid(JSON.parse(JSON.stringify({ ...valid, ...change })))).toBe(false);
  });
});
