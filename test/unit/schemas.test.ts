/** The JSON Schemas that are shipped say what the parsers do (H6). */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { completeInput, serializeInput } from "@/node/services/hooks/hookInput";
import { hookInputSchema } from "@/node/services/hooks/hookInputSchema";
import { publishedSchemas } from "@/node/services/hooks/publishedSchemas";
import { parseSettings } from "@/node/services/hooks/settingsFile";
import type { StopHookInput } from "@/node/services/hooks/types";

const schemas = Object.entries(publishedSchemas());

function validator(name: string): (value: unknown) => boolean {
  const text = publishedSchemas()[name] ?? "";
  const ajv = new Ajv2020({ strict: true, formats: { uri: true } });
  const validate = ajv.compile(JSON.parse(text) as object);
  return (value) => validate(value);
}

test.each(schemas)("%s is checked in as it would be made now (make schemas)", (name, text) => {
  const path = fileURLToPath(new URL(`../../schemas/${name}`, import.meta.url));
  expect(readFileSync(path, "utf8")).toBe(text);
});

describe("settings", () => {
  const isValid = validator("settings.schema.json");
  const stop = (handler: unknown) => ({ hooks: { Stop: [{ hooks: [handler] }] } });

  test.each<[string, unknown, boolean]>([
    ["nothing", {}, true],
    ["what other tools write", { $schema: "x", model: "m", hooks: { PreToolUse: [] } }, true],
    ["a command", stop({ type: "command", command: "make lint", timeout: 1.5 }), true],
    ["keys of its own", stop({ type: "command", command: "x", _comment: "y" }), true],
    ["a program", stop({ type: "command", command: "node", args: ["a.js"] }), true],
    ["a URL", stop({ type: "http", url: "https://a.example/", headers: { a: "${B}" } }), true],
    ["a prompt", stop({ type: "prompt", prompt: "Done?", model: "m" }), true],
    ["a built-in", stop({ type: "builtin", name: "gauntlet", enabled: false }), true],
    ["everything else", { disableAllHooks: true, stopHooks: { maxContinuations: 50 } }, true],
    ["no command", stop({ type: "command" }), false],
    ["no type", stop({ command: "x" }), false],
    ["a limit of nothing", stop({ type: "command", command: "x", timeout: 0 }), false],
    ["arguments in one string", stop({ type: "command", command: "x", args: "a b" }), false],
    ["a handler without its group", { hooks: { Stop: [{ type: "command" }] } }, false],
    ["51 continuations", { stopHooks: { maxContinuations: 51 } }, false],
    ["a switch that is none", { disableAllHooks: "yes" }, false],
  ])("with %s", (_, settings, valid) => {
    expect(isValid(settings)).toBe(valid);
    const { diagnostics } = parseSettings("s.json", JSON.stringify(settings))._unsafeUnwrap();
    expect(diagnostics.length === 0).toBe(valid);
  });
});

describe("what a hook is given", () => {
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

  test("always has its own fields", () => {
    expect(isValid(input)).toBe(false);
    expect(isValid({ ...completeInput(input), hook_event_name: "stop" })).toBe(false);
  });
});

describe("what a hook prints", () => {
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
