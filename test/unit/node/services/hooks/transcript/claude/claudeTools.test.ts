import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { JsonObject } from "@/common/json";
import { CLAUDE_TOOLS } from "@/node/services/hooks/transcript/claude/claudeTools";
import { convertCall } from "@/node/services/hooks/transcript/claude/answer";
import { tool } from "@test/helpers/hooks/muxChat";

interface Case {
  readonly mux: string;
  readonly input: JsonObject;
  readonly output: unknown;
  readonly name: string;
  readonly claude: JsonObject;
  readonly content: unknown;
  readonly structured: unknown;
  readonly isError?: boolean;
}

const DIFF = [
  "Index: /p/a.ts",
  "===================================================================",
  "--- /p/a.ts",
  "+++ /p/a.ts",
  "@@ -1,3 +1,2 @@",
  " one",
  "-two",
  "-three",
  "+2",
  "@@ -9 +8 @@",
  "-x",
  "+y",
  "\\ No newline at end of file",
].join("\n");

const PATCH = [
  { oldStart: 1, oldLines: 3, newStart: 1, newLines: 2, lines: [" one", "-two", "-three", "+2"] },
  {
    oldStart: 9,
    oldLines: 1,
    newStart: 8,
    newLines: 1,
    lines: ["-x", "+y", "\\ No newline at end of file"],
  },
];

const edited = (oldString: string, newString: string, replaceAll = false) => ({
  content: "The file /p/a.ts has been updated successfully.",
  structured: {
    filePath: "/p/a.ts",
    oldString,
    newString,
    originalFile: null,
    structuredPatch: PATCH,
    userModified: false,
    replaceAll,
  },
});

const editInput = (old_string: string, new_string: string, replace_all = false) => ({
  file_path: "/p/a.ts",
  old_string,
  new_string,
  replace_all,
});

const todo = { content: "Test", status: "pending" };
const question = { question: "Which?", header: "Which", options: [], multiSelect: false };
const hits = [{ title: "T", url: "https://e.org" }];

const CASES: readonly Case[] = [
  {
    mux: "bash",
    input: { script: "npm test", timeout_secs: 5, display_name: "Tests", run_in_background: false },
    output: { success: true, output: "ok\n", exitCode: 0, wall_duration_ms: 3 },
    name: "Bash",
    claude: { command: "npm test", timeout: 5_000, description: "Tests" },
    content: "ok\n",
    structured: { stdout: "ok\n", stderr: "", interrupted: false, isImage: false },
  },
  {
    mux: "bash",
    input: { script: "npm test", timeout_secs: 5, display_name: "T", model_intent: "Testing" },
    output: { success: false, output: "1 failed", exitCode: 1, error: "exited with 1" },
    name: "Bash",
    claude: { command: "npm test", timeout: 5_000, description: "Testing" },
    content: "Exit code 1\n1 failed",
    structured: "Error: Exit code 1\n1 failed",
    isError: true,
  },
  {
    mux: "bash",
    input: { command: "sleep 9", timeout_secs: 1, display_name: "Wait" },
    output: { success: false, exitCode: -998, error: "Command timed out after 1 s" },
    name: "Bash",
    claude: { command: "sleep 9", timeout: 1_000, description: "Wait" },
    content: "Command timed out after 1 s",
    structured: "Error: Command timed out after 1 s",
    isError: true,
  },
  {
    mux: "bash",
    input: { script: "npm start", timeout_secs: 9, display_name: "S", run_in_background: true },
    output: { success: true, output: "started", exitCode: 0, backgroundProcessId: "b1" },
    name: "Bash",
    claude: { command: "npm start", timeout: 9_000, description: "S", run_in_background: true },
    content: "Command running in background with ID: b1",
    structured: {
      stdout: "",
      stderr: "",
      interrupted: false,
      isImage: false,
      backgroundTaskId: "b1",
    },
  },
  {
    mux: "bash_output",
    input: { process_id: "b1", timeout_secs: 0, filter: null },
    output: { success: true, status: "running", output: "up", elapsed_ms: 2 },
    name: "BashOutput",
    claude: { bash_id: "b1" },
    content: "up",
    structured: { shellId: "b1", status: "running", exitCode: null, stdout: "up", stderr: "" },
  },
  {
    mux: "bash_background_terminate",
    input: { process_id: "b1" },
    output: { success: true, message: "Terminated" },
    name: "KillShell",
    claude: { shell_id: "b1" },
    content: "Terminated",
    structured: { message: "Terminated", shell_id: "b1" },
  },
  {
    mux: "file_read",
    input: { path: "src/a.ts", offset: null },
    output: { success: true, content: "1\tone\n2\ttwo\tlast", lines_read: 2, file_size: 12 },
    name: "Read",
    claude: { file_path: "/p/src/a.ts" },
    content: "1\tone\n2\ttwo\tlast",
    structured: {
      type: "text",
      file: {
        filePath: "/p/src/a.ts",
        content: "one\ntwo\tlast",
        numLines: 2,
        startLine: 1,
        totalLines: 2,
      },
    },
  },
  {
    mux: "file_read",
    input: { filePath: "~/a.ts", offset: 7, limit: 1 },
    output: { success: true, content: "7\tseven", lines_read: 1, file_size: 12 },
    name: "Read",
    claude: { file_path: "~/a.ts", offset: 7, limit: 1 },
    content: "7\tseven",
    structured: {
      type: "text",
      file: { filePath: "~/a.ts", content: "seven", numLines: 1, startLine: 7 },
    },
  },
  {
    mux: "file_edit_replace_string",
    input: { path: "/p/a.ts", old_string: "two", new_string: "2", replace_count: -1 },
    output: { success: true, diff: "[omitted]", ui_only: { file_edit: { diff: DIFF } } },
    name: "Edit",
    claude: editInput("two", "2", true),
    ...edited("two", "2", true),
  },
  {
    mux: "file_edit_replace_string",
    input: { file_path: "a.ts", old_string: "two", new_string: "2" },
    output: { success: false, error: "old_string not found", note: "Read the file" },
    name: "Edit",
    claude: editInput("two", "2"),
    content: "<tool_use_error>old_string not found\nRead the file</tool_use_error>",
    structured: "Error: <tool_use_error>old_string not found\nRead the file</tool_use_error>",
    isError: true,
  },
  {
    mux: "file_edit_replace_lines",
    input: { path: "a.ts", start_line: 2, end_line: 3, new_lines: ["2"] },
    output: { success: true, diff: DIFF },
    name: "Edit",
    claude: editInput("two\nthree\nx", "2"),
    ...edited("two\nthree\nx", "2"),
  },
  {
    mux: "file_edit_replace_lines",
    input: { path: "a.ts", start_line: 2, end_line: 3, new_lines: [], expected_lines: ["a", "b"] },
    output: { success: true, diff: DIFF },
    name: "Edit",
    claude: editInput("a\nb", ""),
    ...edited("a\nb", ""),
  },
  {
    mux: "file_edit_insert",
    input: { path: "a.ts", insert_after: "one\n", content: "1b\n" },
    output: { success: true, diff: DIFF },
    name: "Edit",
    claude: editInput("one\n", "one\n1b\n"),
    ...edited("one\n", "one\n1b\n"),
  },
  {
    mux: "file_edit_insert",
    input: { path: "a.ts", insert_before: "one\n", content: "0\n" },
    output: { success: true, diff: DIFF },
    name: "Edit",
    claude: editInput("one\n", "0\none\n"),
    ...edited("one\n", "0\none\n"),
  },
  {
    mux: "file_edit_insert",
    input: { path: "b.ts", content: "new\n", insert_before: null },
    output: { success: true, diff: "" },
    name: "Write",
    claude: { file_path: "/p/b.ts", content: "new\n" },
    content: "File created successfully at: /p/b.ts",
    structured: {
      type: "create",
      filePath: "/p/b.ts",
      content: "new\n",
      structuredPatch: [],
      originalFile: null,
    },
  },
  {
    mux: "todo_write",
    input: { todos: [todo] },
    output: { success: true, count: 1 },
    name: "TodoWrite",
    claude: { todos: [{ ...todo, activeForm: "Test" }] },
    content: expect.stringMatching(/^Todos have been modified successfully\./) as string,
    structured: { oldTodos: [], newTodos: [{ ...todo, activeForm: "Test" }] },
  },
  {
    mux: "task",
    input: { agentId: "explore", prompt: "Find it", title: "Find", run_in_background: false },
    output: { status: "completed", taskId: "t1", reportMarkdown: "Found", agentType: "explore" },
    name: "Agent",
    claude: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    content: [{ type: "text", text: "Found" }],
    structured: {
      status: "completed",
      agentId: "t1",
      agentType: "explore",
      prompt: "Find it",
      content: [{ type: "text", text: "Found" }],
    },
  },
  {
    mux: "task",
    input: { subagent_type: "exec", prompt: "Do it", title: "Do", run_in_background: true },
    output: { status: "queued", taskIds: ["t1", "t2"], note: "Use task_await" },
    name: "Agent",
    claude: {
      description: "Do",
      prompt: "Do it",
      subagent_type: "exec",
      run_in_background: true,
    },
    content: "Use task_await",
    structured: {
      status: "async_launched",
      isAsync: true,
      agentId: "t1",
      description: "Do",
      prompt: "Do it",
    },
  },
  {
    mux: "task",
    input: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    output: "Found",
    name: "Agent",
    claude: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    content: [{ type: "text", text: "Found" }],
    structured: {
      status: "completed",
      prompt: "Find it",
      content: [{ type: "text", text: "Found" }],
    },
  },
  {
    mux: "web_fetch",
    input: { url: "https://e.org" },
    output: { success: true, title: "T", content: "# é", url: "https://e.org/", length: 3 },
    name: "WebFetch",
    claude: { url: "https://e.org", prompt: "" },
    content: "# é",
    structured: { bytes: 4, result: "# é", url: "https://e.org/" },
  },
  {
    mux: "web_search",
    input: { query: "mux" },
    output: [{ type: "web_search_result", ...hits[0], encryptedContent: "…" }],
    name: "WebSearch",
    claude: { query: "mux" },
    content: `Web search results for query: "mux"\n\nLinks: ${JSON.stringify(hits)}`,
    structured: {
      query: "mux",
      results: [{ tool_use_id: expect.any(String) as string, content: hits }],
    },
  },
  {
    mux: "web_search",
    input: {},
    output: { action: { type: "search", query: "mux" }, sources: [{ url: "https://e.org" }] },
    name: "WebSearch",
    claude: { query: "mux" },
    content: expect.stringContaining("https://e.org") as string,
    structured: {
      query: "mux",
      results: [
        {
          tool_use_id: expect.any(String) as string,
          content: [{ title: "https://e.org", url: "https://e.org" }],
        },
      ],
    },
  },
  {
    mux: "ask_user_question",
    input: { questions: [question] },
    output: {
      summary: "This one",
      ui_only: { ask_user_question: { questions: [question], answers: { "Which?": "This" } } },
    },
    name: "AskUserQuestion",
    claude: { questions: [question] },
    content: "This one",
    structured: { questions: [question], answers: { "Which?": "This" } },
  },
  {
    mux: "ask_user_question",
    input: { questions: [question] },
    output: { questions: [question], answers: { "Which?": "This" } },
    name: "AskUserQuestion",
    claude: { questions: [question] },
    content: '{"Which?":"This"}',
    structured: { questions: [question], answers: { "Which?": "This" } },
  },
  {
    mux: "propose_plan",
    input: {},
    output: { success: true, planPath: "/plans/a.md", message: "Proposed" },
    name: "ExitPlanMode",
    claude: {},
    content: "Proposed",
    structured: { plan: null, isAgent: false, filePath: "/plans/a.md" },
  },
  {
    mux: "agent_skill_read",
    input: { name: "release" },
    output: { success: true, skill: { body: "…" } },
    name: "Skill",
    claude: { skill: "release" },
    content: "Launching skill: release",
    structured: { success: true, commandName: "release" },
  },
  {
    mux: "github_get_issue",
    input: { number: 3 },
    output: { content: [{ type: "text", text: "Title" }], isError: true },
    name: "github_get_issue",
    claude: { number: 3 },
    content: [{ type: "text", text: "Title" }],
    structured: 'Error: [{"type":"text","text":"Title"}]',
    isError: true,
  },
  {
    mux: "attach_file",
    input: { path: "a.png" },
    output: { type: "content", value: [{ type: "media", data: "aGk=", mediaType: "image/png" }] },
    name: "attach_file",
    claude: { path: "a.png" },
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }],
    structured: {
      type: "content",
      value: [{ type: "media", data: "aGk=", mediaType: "image/png" }],
    },
  },
  {
    mux: "todo_read",
    input: {},
    output: [todo],
    name: "todo_read",
    claude: {},
    content: JSON.stringify([todo]),
    structured: [todo],
  },
  {
    mux: "notes",
    input: {},
    output: "plain",
    name: "notes",
    claude: {},
    content: "plain",
    structured: "plain",
  },
];

const SCOPE = { cwd: "/p", todos: [] };

test.each(CASES)("$mux becomes $name: $output (H37)", (row) => {
  const { use, result } = convertCall(tool(row.mux, row.input, row.output), SCOPE);
  expect(use).toEqual({
    type: "tool_use",
    id: expect.any(String) as string,
    name: row.name,
    input: row.claude,
  });
  expect(result).toEqual({
    block: {
      type: "tool_result",
      tool_use_id: use.id,
      content: row.content,
      is_error: row.isError ?? false,
    },
    structured: row.structured,
  });
});

test("every row of the table has a case", () => {
  const tested = new Set(CASES.map(({ mux }) => mux));
  expect([...CLAUDE_TOOLS.keys()].filter((name) => !tested.has(name))).toEqual([]);
});

test("the documentation lists the table", async () => {
  const page = await readFile("docs/agents.md", "utf8");
  const tools = page.split(/^#+ /m).find((section) => section.startsWith("Tools\n")) ?? "";
  const listed = [...tools.matchAll(/^\| `(\w+)` +\| `(\w+)`(?:, `(\w+)`)? /gm)];
  expect(new Set(listed.map(([, mux]) => mux))).toEqual(new Set(CLAUDE_TOOLS.keys()));
  for (const [, mux, ...names] of listed) {
    const tested = CASES.filter((row) => row.mux === mux).map(({ name }) => name);
    expect(new Set(names.filter(Boolean))).toEqual(new Set(tested));
  }
});

test.each([true, false])("a result that the host removed is empty, failed: %j (H37)", (failed) => {
  const part = { ...tool("bash", { script: "x" }), state: "output-redacted", failed };
  const { result } = convertCall(part, SCOPE);
  expect(result?.block).toMatchObject({ is_error: failed });
});

test("inputs of the wrong type cause no exception", () => {
  for (const name of CLAUDE_TOOLS.keys()) {
    for (const wrong of [null, 3, "text", [], { path: 3, todos: 1, questions: null, script: [] }]) {
      for (const output of [null, 3, "text", [3], {}, { success: false, error: 3, diff: 4 }]) {
        expect(() => convertCall(tool(name, wrong, output), SCOPE)).not.toThrow();
      }
    }
  }
});
