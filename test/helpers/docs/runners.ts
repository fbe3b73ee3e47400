/**
 * Runs the blocks of a page. The first word of a block is its language, the next one its kind, and words with a `=` are
 * its options, such as a file or a claimed verdict. A block of an unknown kind is an error.
 */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "jsonc-parser";
import { expect } from "vitest";
import { loadHookSettings } from "@/node/services/hooks/index";
import { ChatHistory } from "@/node/services/session/chatHistory";
import { runConsole } from "@test/helpers/docs/console";
import { ExampleProject } from "@test/helpers/docs/exampleProject";
import * as gauntlet from "@test/helpers/docs/gauntlet";
import { REPOSITORY, type Fence, type Section } from "@test/helpers/docs/markdown";
import { gitEnv } from "@test/helpers/gitProject";
import { runLift } from "@test/helpers/docs/lift";
import { runSpread } from "@test/helpers/docs/spread";
import { runTypeScript } from "@test/helpers/docs/typescript";
import { runWorkflow } from "@test/helpers/docs/workflow";
import { execFileAsync } from "@test/helpers/process/processes";

type Runner = (example: ExampleProject, fence: Fence) => Promise<void>;

const RUNNERS: Readonly<Record<string, Runner>> = {
  /** A script hook, with its verdicts at the stops of one turn. */
  hook: async (example, fence) => {
    const isChild = fence.options.get("event") === "SubagentStop";
    await example.write(isChild ? ".mux/subagent_stop" : ".mux/stop", fence.text);
    await example.expectStops(fence);
  },
  /** A settings file, which must be valid without problems. With a verdict its hooks are run. */
  settings: async (example, fence) => {
    const { project } = example;
    await example.write(SETTINGS_FILES[fence.options.get("layer") ?? "project"]!, fence.text);
    expectValid("settings", fence);
    const { diagnostics } = await loadHookSettings(project.runtime, project.dir, project.load);
    expect(diagnostics, fence.place).toEqual([]);
    if (fence.options.has("verdict")) await example.expectStops(fence);
  },
  /** The output of a hook, with its verdict. */
  output: async (example, fence) => {
    expectValid("hook-output", fence);
    await example.write(".mux/stop", `#!/bin/sh\ncat <<'JSON'\n${fence.text}JSON\n`);
    await example.expectStops(fence);
  },
  /** The input of a hook, with exactly the fields of a real one. */
  input: async (example, fence) => {
    expectValid("hook-input", fence);
    const isChild = fence.options.get("event") === "SubagentStop";
    const path = isChild ? ".mux/subagent_stop" : ".mux/stop";
    await example.write(path, '#!/bin/sh\ncat > "$MUX_PROJECT_DIR/input.json"\n');
    const request = isChild
      ? { input: { parent_transcript_path: example.project.transcript } }
      : {};
    await example.expectStops(fence, request);
    const given = JSON.parse(await example.project.read("input.json")) as object;
    const shown = Object.keys(parse(fence.text) as object);
    expect(shown.toSorted(), fence.place).toEqual(Object.keys(given).toSorted());
  },
  /** The chat that the hooks of the section read. */
  transcript: async (example, fence) => {
    const { transcript } = example.project;
    await writeFile(transcript, fence.text);
    const history = (await ChatHistory.open(transcript))._unsafeUnwrap();
    expect(history.messages.length, fence.place).toBe(fence.text.trimEnd().split("\n").length);
    example.waitsForUse(fence);
  },
  /** A file of the project, or of `~`. */
  file: async (example, fence) => {
    await example.write(fence.options.get("file")!, fence.text);
    example.waitsForUse(fence);
  },
  /** The exact message to the agent. */
  agent: (example, fence) => {
    example.expectShown(fence, example.agentSaw);
    return Promise.resolve();
  },
  /** The messages to the user. */
  user: (example, fence) => {
    example.expectShown(fence, example.userSaw);
    return Promise.resolve();
  },
  /** The output of the program in the block before. */
  prints: (example, fence) => {
    example.expectShown(fence, example.printed);
    return Promise.resolve();
  },
  /** The commands that copy the engine into Mux, where the copy must compile. */
  lift: runLift,
  console: runConsole,
  /** A console that connects to other hosts. */
  spread: runSpread,
  /** A workflow of GitHub Actions, with the result of its last job. */
  workflow: runWorkflow,
  gauntlet: gauntlet.loadsStrictly,
  person: gauntlet.loadsAsOwn,
  claude: gauntlet.answersClaude,
  stop: gauntlet.stopsInClaude,
  review: async (example, fence) => {
    expectValid("review-result", fence);
    await gauntlet.marksReview(example, fence);
  },
  /** A program. Its types are checked separately, together with those of all others. */
  ts: async (example, fence) => {
    example.used();
    example.printed = await runTypeScript(example, fence);
  },
};

const SETTINGS_FILES: Readonly<Record<string, string>> = {
  user: "~/.mux/settings.json",
  project: ".mux/settings.json",
  local: ".mux/settings.local.json",
};

export async function runSection(section: Section): Promise<void> {
  const example = await ExampleProject.create();
  const given: string[] = [];
  for (const block of section.blocks) {
    if (block.type === "given") given.push(block.command);
    else {
      if (given.length > 0) await prepare(example, given.splice(0).join("\n"));
      await runnerOf(block)(example, block);
    }
  }
  example.expectAllUsed();
}

async function prepare(example: ExampleProject, commands: string): Promise<void> {
  const { HOME = "", PATH = "", XDG_FAKE_REVIEWERS = "" } = await gauntlet.exampleEnv(example);
  const env = gitEnv({ HOME, PATH, XDG_FAKE_REVIEWERS });
  await execFileAsync("bash", ["-ec", commands], { cwd: example.project.dir, env });
}

function runnerOf(fence: Fence): Runner {
  const named = fence.options.has("file") ? "file" : fence.language;
  const kind = fence.kind === "" ? named : fence.kind;
  const runner = Object.hasOwn(RUNNERS, kind) ? RUNNERS[kind] : undefined;
  if (runner !== undefined) return runner;
  const known = Object.keys(RUNNERS).join(", ");
  throw new Error(
    `${fence.place}: this block has no runner; name its kind after the language (${known})`
  );
}

function expectValid(
  schema: "settings" | "hook-input" | "hook-output" | "review-result",
  fence: Fence
): void {
  const path = join(REPOSITORY, "schemas", `${schema}.schema.json`);
  const ajv = new Ajv2020({ validateFormats: false, allowUnionTypes: true });
  const validate = ajv.compile(JSON.parse(readFileSync(path, "utf8")) as object);
  validate(parse(fence.text, undefined, { allowTrailingComma: true }));
  expect(validate.errors ?? [], fence.place).toEqual([]);
}
