/** Hooks that expect Claude Code's transcript and do not select its dialect (H46). */
import { expect, test } from "vitest";
import { command, hooks, listProblems, SettingsProject } from "@test/helpers/hooks/settingsProject";

const NOTICE = "this hook seems to read the transcript in the format of Claude Code";

const SHELL = `#!/bin/sh
transcript=$(jq -r .transcript_path)
jq -rs 'map(select(.type == "assistant")) | last | .message.content[0].text' "$transcript"
`;
const PYTHON = `import json, sys
for line in open(json.load(sys.stdin)["transcript_path"]):
    row = json.loads(line)
    if row["type"] == 'assistant': print(row["message"]["content"])
`;
const NODE = `const { transcript_path } = JSON.parse(fs.readFileSync(0));
const rows = fs.readFileSync(transcript_path, "utf8").split("\\n").map(JSON.parse);
rows.filter((row) => row.type === 'assistant').flatMap((row) => row.message.content);
`;
const GREP = `grep -q '"type":"tool_use"' "$(jq -r .transcript_path)"`;

async function problemsOf(handler: unknown, script = ""): Promise<string[]> {
  const project = await SettingsProject.create({ project: hooks(handler) });
  await project.write("project/.mux/check", script, 0o755);
  return listProblems(project, await project.load());
}

test.each([
  ["a shell script", "./.mux/check", SHELL],
  ["a Python script", 'python3 "$CLAUDE_PROJECT_DIR"/.mux/check', PYTHON],
  ["a Node script behind an assignment", "A=1 node .mux/check --all", NODE],
  ["a command line", GREP, ""],
])("hints at the dialect for %s (H46)", async (_, line, script) => {
  const [problem, ...others] = await problemsOf(line, script);
  expect(others).toEqual([]);
  expect(problem).toContain("notice project/.mux/settings.json:6:11: this hook seems");
  expect(problem).toContain('add "dialect": "claude"');
});

test.each([
  ["selects a dialect", command("./.mux/check", { dialect: "claude" }), SHELL],
  ["keeps the one of Mux", command("./.mux/check", { dialect: "mux" }), SHELL],
  ["also reads the format of Mux", "./.mux/check", `${SHELL}\njq '.parts'`],
  ["reads no transcript", "./.mux/check", "echo .message.content"],
  ["only passes the transcript on", "./.mux/check", 'wc -l < "$(jq -r .transcript_path)"'],
  ["is not in the searched part", "./.mux/check", " ".repeat(70_000) + SHELL],
])("gives no hint for a hook that %s", async (_, handler, script) => {
  expect(await problemsOf(handler, script)).toEqual([]);
});

test("hints at a script hook, which has no place for a dialect, and notices that it has changed", async () => {
  const project = await SettingsProject.create();
  await project.write("project/.mux/stop", "#!/bin/sh\n", 0o755);
  expect(listProblems(project, await project.load())).toEqual([]);
  await project.write("project/.mux/stop", SHELL, 0o755);
  const [problem] = listProblems(project, await project.load());
  expect(problem).toContain(`notice project/.mux/stop:1:1: ${NOTICE}`);
  expect(problem).toContain("configure it in settings.json as a command");
});
