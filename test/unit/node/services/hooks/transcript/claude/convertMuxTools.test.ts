import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { JsonObject } from "@/common/json";
import { CLAUDE_TOOLS } from "@/node/services/hooks/transcript/claude/convertMuxTools";
import { convertCall } from "@/node/services/hooks/transcript/claude/convertMuxAnswer";
import { tool } from "@test/helpers/hooks/muxChat";

interface Case {
  /** The names of the tool in Mux and in Claude Code. */
  readonly tools: readonly [mux: string, claude: string];
  readonly input: JsonObject;
  readonly output: unknown;
  /** By default the input and the output of Mux. */
  readonly claude?: JsonObject;
  readonly content: unknown;
  readonly structured?: unknown;
  readonly isError?: boolean;
}

const DIFF = `Index: /p/a.ts
===================================================================
--- /p/a.ts
+++ /p/a.ts
@@ -1,3 +1,2 @@
 one
-two
-three
+2
@@ -9 +8 @@
-x
+y
\\ No newline at end of file`;

const hunk = (oldStart: number, oldLines: number, newStart: number, ...lines: string[]) => ({
  ...{ oldStart, oldLines, newStart, lines },
  newLines: lines.filter((line) => /^[ +]/.test(line)).length,
});
const PATCH = [
  hunk(1, 3, 1, " one", "-two", "-three", "+2"),
  hunk(9, 1, 8, "-x", "+y", "\\ No newline at end of file"),
];

const editInput = (old_string: string, new_string: string, replace_all = false) => ({
  ...{ file_path: "/p/a.ts", old_string, new_string, replace_all },
});

/** The call and the result of an edit of /p/a.ts. */
const edited = (oldString: string, newString: string, replaceAll = false) => ({
  claude: editInput(oldString, newString, replaceAll),
  content: "The file /p/a.ts has been updated successfully.",
  structured: {
    ...{ filePath: "/p/a.ts", oldString, newString, replaceAll },
    ...{ originalFile: null, structuredPatch: PATCH, userModified: false },
  },
});

/** The result of a command that has ended, or runs in the background. */
const ran = (stdout: string, more = {}) => ({
  content: stdout,
  structured: { stdout, stderr: "", interrupted: false, isImage: false, ...more },
});

const failed = (content: string) => ({ content, structured: `Error: ${content}`, isError: true });

const FOUND = [{ type: "text", text: "Found" }];
/** The result of an agent that has reported that it found something. */
const reported = (more = {}) => ({
  content: FOUND,
  structured: { status: "completed", prompt: "Find it", content: FOUND, ...more },
});

const searched = (content: unknown, ...hits: object[]) => ({
  content,
  structured: {
    query: "mux",
    results: [{ tool_use_id: expect.any(String) as string, content: hits }],
  },
});

const todo = { content: "Test", status: "pending" };
const question = { question: "Which?", header: "Which", options: [], multiSelect: false };
const answered = { questions: [question], answers: { "Which?": "This" } };
const hit = { title: "T", url: "https://e.org" };
const media = { type: "content", value: [{ type: "media", data: "aGk=", mediaType: "image/png" }] };

const CASES: readonly Case[] = [
  {
    tools: ["bash", "Bash"],
    input: { script: "npm test", timeout_secs: 5, display_name: "Tests", run_in_background: false },
    output: { success: true, output: "ok\n", exitCode: 0, wall_duration_ms: 3 },
    claude: { command: "npm test", timeout: 5_000, description: "Tests" },
    ...ran("ok\n"),
  },
  {
    tools: ["bash", "Bash"],
    input: { script: "npm test", timeout_secs: 5, display_name: "T", model_intent: "Testing" },
    output: { success: false, output: "1 failed", exitCode: 1, error: "exited with 1" },
    claude: { command: "npm test", timeout: 5_000, description: "Testing" },
    ...failed("Exit code 1\n1 failed"),
  },
  {
    tools: ["bash", "Bash"],
    input: { command: "sleep 9", timeout_secs: 1, display_name: "Wait" },
    output: { success: false, exitCode: -998, error: "Command timed out after 1 s" },
    claude: { command: "sleep 9", timeout: 1_000, description: "Wait" },
    ...failed("Command timed out after 1 s"),
  },
  {
    tools: ["bash", "Bash"],
    input: { script: "npm start", timeout_secs: 9, display_name: "S", run_in_background: true },
    output: { success: true, output: "started", exitCode: 0, backgroundProcessId: "b1" },
    claude: { command: "npm start", timeout: 9_000, description: "S", run_in_background: true },
    ...ran("", { backgroundTaskId: "b1" }),
    content: "Command running in background with ID: b1",
  },
  {
    tools: ["bash_output", "BashOutput"],
    input: { process_id: "b1", timeout_secs: 0, filter: null },
    output: { success: true, status: "running", output: "up", elapsed_ms: 2 },
    claude: { bash_id: "b1" },
    content: "up",
    structured: { shellId: "b1", status: "running", exitCode: null, stdout: "up", stderr: "" },
  },
  {
    tools: ["bash_background_terminate", "KillShell"],
    input: { process_id: "b1" },
    output: { success: true, message: "Terminated" },
    claude: { shell_id: "b1" },
    content: "Terminated",
    structured: { message: "Terminated", shell_id: "b1" },
  },
  {
    tools: ["file_read", "Read"],
    input: { path: "src/a.ts", offset: null },
    output: { success: true, content: "1\tone\n2\ttwo\tlast", lines_read: 2, file_size: 12 },
    claude: { file_path: "/p/src/a.ts" },
    content: "1\tone\n2\ttwo\tlast",
    structured: {
      type: "text",
      file: {
        ...{ filePath: "/p/src/a.ts", content: "one\ntwo\tlast" },
        ...{ numLines: 2, startLine: 1, totalLines: 2 },
      },
    },
  },
  {
    tools: ["file_read", "Read"],
    input: { filePath: "~/a.ts", offset: 7, limit: 1 },
    output: { success: true, content: "7\tseven", lines_read: 1, file_size: 12 },
    claude: { file_path: "~/a.ts", offset: 7, limit: 1 },
    content: "7\tseven",
    structured: {
      type: "text",
      file: { filePath: "~/a.ts", content: "seven", numLines: 1, startLine: 7 },
    },
  },
  {
    tools: ["file_edit_replace_string", "Edit"],
    input: { path: "/p/a.ts", old_string: "two", new_string: "2", replace_count: -1 },
    output: { success: true, diff: "[omitted]", ui_only: { file_edit: { diff: DIFF } } },
    ...edited("two", "2", true),
  },
  {
    tools: ["file_edit_replace_string", "Edit"],
    input: { file_path: "a.ts", old_string: "two", new_string: "2" },
    output: { success: false, error: "old_string not found", note: "Read the file" },
    claude: editInput("two", "2"),
    ...failed("<tool_use_error>old_string not found\nRead the file</tool_use_error>"),
  },
  {
    tools: ["file_edit_replace_lines", "Edit"],
    input: { path: "a.ts", start_line: 2, end_line: 3, new_lines: ["2"] },
    output: { success: true, diff: DIFF },
    ...edited("two\nthree\nx", "2"),
  },
  {
    tools: ["file_edit_replace_lines", "Edit"],
    input: { path: "a.ts", start_line: 2, end_line: 3, new_lines: [], expected_lines: ["a", "b"] },
    output: { success: true, diff: DIFF },
    ...edited("a\nb", ""),
  },
  {
    tools: ["file_edit_insert", "Edit"],
    input: { path: "a.ts", insert_after: "one\n", content: "1b\n" },
    output: { success: true, diff: DIFF },
    ...edited("one\n", "one\n1b\n"),
  },
  {
    tools: ["file_edit_insert", "Edit"],
    input: { path: "a.ts", insert_before: "one\n", content: "0\n" },
    output: { success: true, diff: DIFF },
    ...edited("one\n", "0\none\n"),
  },
  {
    tools: ["file_edit_insert", "Write"],
    input: { path: "b.ts", content: "new\n", insert_before: null },
    output: { success: true, diff: "" },
    claude: { file_path: "/p/b.ts", content: "new\n" },
    content: "File created successfully at: /p/b.ts",
    structured: {
      ...{ type: "create", filePath: "/p/b.ts", content: "new\n" },
      ...{ structuredPatch: [], originalFile: null },
    },
  },
  {
    tools: ["todo_write", "TodoWrite"],
    input: { todos: [todo] },
    output: { success: true, count: 1 },
    claude: { todos: [{ ...todo, activeForm: "Test" }] },
    content: expect.stringMatching(/^Todos have been modified successfully\./) as string,
    structured: { oldTodos: [], newTodos: [{ ...todo, activeForm: "Test" }] },
  },
  {
    tools: ["task", "Agent"],
    input: { agentId: "explore", prompt: "Find it", title: "Find", run_in_background: false },
    output: { status: "completed", taskId: "t1", reportMarkdown: "Found", agentType: "explore" },
    claude: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    ...reported({ agentId: "t1", agentType: "explore" }),
  },
  {
    tools: ["task", "Agent"],
    input: { subagent_type: "exec", prompt: "Do it", title: "Do", run_in_background: true },
    output: { status: "queued", taskIds: ["t1", "t2"], note: "Use task_await" },
    claude: {
      ...{ description: "Do", prompt: "Do it", subagent_type: "exec", run_in_background: true },
    },
    content: "Use task_await",
    structured: {
      ...{ status: "async_launched", isAsync: true, agentId: "t1" },
      ...{ description: "Do", prompt: "Do it" },
    },
  },
  {
    tools: ["task", "Agent"],
    input: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    output: "Found",
    claude: { description: "Find", prompt: "Find it", subagent_type: "explore" },
    ...reported(),
  },
  {
    tools: ["web_fetch", "WebFetch"],
    input: { url: "https://e.org" },
    output: { success: true, title: "T", content: "# é", url: "https://e.org/", length: 3 },
    claude: { url: "https://e.org", prompt: "" },
    content: "# é",
    structured: { bytes: 4, result: "# é", url: "https://e.org/" },
  },
  {
    tools: ["web_search", "WebSearch"],
    input: { query: "mux" },
    output: [{ type: "web_search_result", ...hit, encryptedContent: "…" }],
    claude: { query: "mux" },
    ...searched(`Web search results for query: "mux"\n\nLinks: ${JSON.stringify([hit])}`, hit),
  },
  {
    tools: ["web_search", "WebSearch"],
    input: {},
    output: { action: { type: "search", query: "mux" }, sources: [{ url: hit.url }] },
    claude: { query: "mux" },
    ...searched(expect.stringContaining(hit.url), { title: hit.url, url: hit.url }),
  },
  {
    tools: ["ask_user_question", "AskUserQuestion"],
    input: { questions: [question] },
    output: { summary: "This one", ui_only: { ask_user_question: answered } },
    content: "This one",
    structured: answered,
  },
  {
    tools: ["ask_user_question", "AskUserQuestion"],
    input: { questions: [question] },
    output: answered,
    content: '{"Which?":"This"}',
    structured: answered,
  },
  {
    tools: ["propose_plan", "ExitPlanMode"],
    input: {},
    output: { success: true, planPath: "/plans/a.md", message: "Proposed" },
    content: "Proposed",
    structured: { plan: null, isAgent: false, filePath: "/plans/a.md" },
  },
  {
    tools: ["agent_skill_read", "Skill"],
    input: { name: "release" },
    output: { success: true, skill: { body: "…" } },
    claude: { skill: "release" },
    content: "Launching skill: release",
    structured: { success: true, commandName: "release" },
  },
  {
    tools: ["github_get_issue", "github_get_issue"],
    input: { number: 3 },
    output: { content: [{ type: "text", text: "Title" }], isError: true },
    content: [{ type: "text", text: "Title" }],
    structured: 'Error: [{"type":"text","text":"Title"}]',
    isError: true,
  },
  {
    tools: ["attach_file", "attach_file"],
    input: { path: "a.png" },
    output: media,
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }],
  },
  { tools: ["todo_read", "todo_read"], input: {}, output: [todo], content: JSON.stringify([todo]) },
  { tools: ["notes", "notes"], input: {}, output: "plain", content: "plain" },
];

const SCOPE = { cwd: "/p", todos: [] };

test.each(CASES)("$tools.0 becomes $tools.1: $output (H37)", (row) => {
  const { tools, input, output, claude = input, content, structured = output } = row;
  const { use, result } = convertCall(tool(tools[0], input, output), SCOPE);
  const { id } = use;
  expect(use).toEqual({ type: "tool_use", id, name: tools[1], input: claude });
  const block = { type: "tool_result", tool_use_id: id, content, is_error: row.isError ?? false };
  expect([typeof id, result]).toEqual(["string", { block, structured }]);
});

test("every row of the table has a case", () => {
  const tested = new Set(CASES.map(({ tools: [mux] }) => mux));
  expect([...CLAUDE_TOOLS.keys()].filter((name) => !tested.has(name))).toEqual([]);
});

test("the documentation lists the table", async () => {
  const page = await readFile("docs/agents.md", "utf8");
  const tools = page.split(/^#+ /m).find((section) => section.startsWith("Tools\n")) ?? "";
  const listed = [...tools.matchAll(/^\| `(\w+)` +\| `(\w+)`(?:, `(\w+)`)? /gm)];
  expect(new Set(listed.map(([, mux]) => mux))).toEqual(new Set(CLAUDE_TOOLS.keys()));
  for (const [, mux, ...names] of listed) {
    const tested = CASES.filter(({ tools }) => tools[0] === mux).map(({ tools }) => tools[1]);
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
