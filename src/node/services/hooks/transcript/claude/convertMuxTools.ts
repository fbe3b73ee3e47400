/**
 * The table that converts calls of Mux's tools to the tools of Claude Code (H37): name, input and result. A tool
 * without a row keeps its own.
 *
 * Sources. Mux: `src/common/utils/tools/toolDefinitions.ts` of coder/mux, whose entry has the name of the row, and the
 * result schema that a row names. Claude Code: `sdk-tools.d.ts` of @anthropic-ai/claude-agent-sdk 0.3.330, with the
 * types that a row names. The texts of results are those in published transcripts of Claude Code 2.1.
 */
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";
import * as tools from "@/node/services/hooks/transcript/claude/toolCallParts";

type Convert = (input: JsonObject, scope: tools.ToolScope) => tools.ClaudeCall;

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  // Mux: BashToolResultSchema; `command` and `description` are aliases that Mux accepts. Claude Code: BashInput and
  // BashOutput.
  bash,
  // Mux: BashOutputToolResultSchema. Claude Code: the tool BashOutput, until 2.1.
  bash_output: (input) => ({
    name: "BashOutput",
    input: tools.definedEntries({ bash_id: input.process_id, filter: input.filter }),
    result: (output) => ({
      content: tools.textIn(output, "output"),
      structured: tools.definedEntries({
        shellId: input.process_id,
        status: output.status,
        exitCode: output.exitCode ?? null,
        stdout: tools.textIn(output, "output"),
        stderr: "",
      }),
    }),
  }),
  // Mux: BashBackgroundTerminateResultSchema. Claude Code: the tool KillShell, until 2.1.
  bash_background_terminate: (input) => ({
    name: "KillShell",
    input: { shell_id: input.process_id },
    result: (output) => ({
      content: tools.textIn(output, "message"),
      structured: { message: tools.textIn(output, "message"), shell_id: input.process_id },
    }),
  }),
  // Mux: FileReadToolResultSchema; its content has line numbers. Claude Code: FileReadInput, FileReadOutput.
  file_read: fileRead,
  // Mux: FileEditReplaceStringToolResultSchema. Claude Code: FileEditInput, FileEditOutput.
  file_edit_replace_string: (input, scope) =>
    edit(
      {
        file_path: tools.absolutePath(input, scope),
        old_string: tools.textIn(input, "old_string"),
        new_string: tools.textIn(input, "new_string"),
      },
      input.replace_count === -1
    ),
  // Mux: FileEditReplaceLinesToolResult in `types/tools.ts`. Claude Code: FileEditInput, FileEditOutput.
  file_edit_replace_lines: (input, scope) =>
    edit({
      file_path: tools.absolutePath(input, scope),
      ...tools.editOfLines(input, scope.output),
    }),
  // Mux: FileEditInsertToolResultSchema; without an anchor it creates the file. `before` and `after` are the anchors of
  // releases before 0.15. Claude Code: FileEditInput and FileEditOutput, or FileWriteInput and FileWriteOutput.
  file_edit_insert: (input, scope) => {
    const path = tools.absolutePath(input, scope);
    const inserted = tools.insertion(input);
    return inserted === undefined
      ? write(path, tools.textIn(input, "content"))
      : edit({ file_path: path, ...inserted });
  },
  // Mux: TodoWriteToolResult in `types/tools.ts`, without an active form: `content` has the tense of the status. Claude
  // Code: TodoWriteInput, TodoWriteOutput.
  todo_write: (input, { todos: oldTodos }) => {
    const todos = tools.objectsIn(input, "todos").map(({ content, status }) => ({
      content,
      status,
      activeForm: content,
    }));
    return {
      name: "TodoWrite",
      input: { todos },
      todos,
      result: () => ({ content: TODOS_WRITTEN, structured: { oldTodos, newTodos: todos } }),
    };
  },
  // Mux: TaskToolArgsSchema, TaskToolResultSchema. Claude Code: AgentInput and AgentOutput; the tool was named Task
  // until 2.1.
  task,
  // Mux: WebFetchToolResultSchema. Claude Code: WebFetchInput, WebFetchOutput; Mux has no prompt.
  web_fetch: (input) => ({
    name: "WebFetch",
    input: { url: input.url, prompt: "" },
    result: (output) => {
      const result = tools.textIn(output, "content");
      const bytes = Buffer.byteLength(result);
      return { content: result, structured: { bytes, result, url: output.url ?? input.url } };
    },
  }),
  // Mux: the provider's own tool, in `tools.ts`; results as in @ai-sdk/anthropic and @ai-sdk/openai. Claude Code:
  // WebSearchInput, WebSearchOutput.
  web_search: webSearch,
  // Mux: AskUserQuestionToolArgsSchema, AskUserQuestionToolResultSchema. Claude Code: AskUserQuestionInput and Output.
  ask_user_question: (input) => ({
    name: "AskUserQuestion",
    input: tools.definedEntries({ questions: input.questions, answers: input.answers }),
    result: (output) => {
      const shown = isJsonObject(output.ui_only) ? output.ui_only.ask_user_question : undefined;
      const { answers = {} } = isJsonObject(shown) ? shown : output;
      return {
        content: tools.textIn(output, "summary") || JSON.stringify(answers),
        structured: { questions: input.questions, answers },
      };
    },
  }),
  // Mux: ProposePlanToolResult and LegacyProposePlanToolArgs in `types/tools.ts`. Claude Code: ExitPlanModeOutput.
  propose_plan: (input) => ({
    name: "ExitPlanMode",
    input: tools.definedEntries({ plan: input.plan }),
    result: (output) => ({
      content: tools.textIn(output, "message"),
      structured: tools.definedEntries({
        plan: output.plan ?? input.plan ?? null,
        isAgent: false,
        filePath: output.planPath,
      }),
    }),
  }),
  // Mux: AgentSkillReadToolResultSchema. Claude Code: the tool Skill, with its result as in published transcripts.
  agent_skill_read: (input) => ({
    name: "Skill",
    input: { skill: input.name },
    result: () => ({
      content: `Launching skill: ${tools.textIn(input, "name")}`,
      structured: { success: true, commandName: input.name },
    }),
  }),
};

export const CLAUDE_TOOLS: ReadonlyMap<string, Convert> = new Map(Object.entries(CONVERSIONS));

const TODOS_WRITTEN =
  "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable";

function bash(input: JsonObject): tools.ClaudeCall {
  const seconds = input.timeout_secs;
  return {
    name: "Bash",
    input: tools.definedEntries({
      command: input.script ?? input.command ?? "",
      timeout: typeof seconds === "number" ? seconds * 1000 : undefined,
      description: input.model_intent ?? input.display_name ?? input.description,
      run_in_background: input.run_in_background === true ? true : undefined,
    }),
    result: (output) => {
      const id =
        typeof output.backgroundProcessId === "string" ? output.backgroundProcessId : undefined;
      const stdout = id === undefined ? tools.textIn(output, "output") : "";
      return {
        content: id === undefined ? stdout : `Command running in background with ID: ${id}`,
        structured: tools.definedEntries({
          stdout,
          stderr: "",
          interrupted: false,
          isImage: false,
          backgroundTaskId: id,
        }),
      };
    },
    failure: (output) => {
      const code = output.exitCode;
      // Codes below 0 are Mux's own, for a time limit or an interrupt, which Claude Code describes with a sentence.
      return typeof code === "number" && code > 0
        ? `Exit code ${code}\n${tools.textIn(output, "output") || tools.textIn(output, "error")}`
        : undefined;
    },
  };
}

/** Returns the message about a file tool that failed, with the marks that Claude Code puts around it. */
function fileFailure({ error, note }: JsonObject): string {
  const text = [error, note].filter((line) => typeof line === "string").join("\n");
  return `<tool_use_error>${text}</tool_use_error>`;
}

function fileRead(input: JsonObject, scope: tools.ToolScope): tools.ClaudeCall {
  const filePath = tools.absolutePath(input, scope);
  const { offset, limit } = input;
  return {
    name: "Read",
    input: tools.definedEntries({ file_path: filePath, offset, limit }),
    failure: fileFailure,
    result: (output) => {
      const content = tools.textIn(output, "content");
      const lines = content === "" ? [] : content.split("\n");
      const startLine = typeof offset === "number" ? offset : 1;
      const isWhole = startLine === 1 && typeof limit !== "number";
      return {
        content,
        structured: {
          type: "text",
          file: tools.definedEntries({
            filePath,
            content: lines.map((line) => line.slice(line.indexOf("\t") + 1)).join("\n"),
            numLines: lines.length,
            startLine,
            totalLines: isWhole ? lines.length : undefined,
          }),
        },
      };
    },
  };
}

function edit(
  input: { file_path: string; old_string: string; new_string: string },
  replaceAll = false
): tools.ClaudeCall {
  const { file_path: filePath, old_string: oldString, new_string: newString } = input;
  return {
    name: "Edit",
    input: { ...input, replace_all: replaceAll },
    failure: fileFailure,
    result: (output) => ({
      content: `The file ${filePath} has been updated successfully.`,
      structured: {
        filePath,
        oldString,
        newString,
        originalFile: null,
        structuredPatch: tools.patchOf(output),
        userModified: false,
        replaceAll,
      },
    }),
  };
}

function write(filePath: string, content: string): tools.ClaudeCall {
  return {
    name: "Write",
    input: { file_path: filePath, content },
    failure: fileFailure,
    result: () => ({
      content: `File created successfully at: ${filePath}`,
      structured: { type: "create", filePath, content, structuredPatch: [], originalFile: null },
    }),
  };
}

function task(input: JsonObject): tools.ClaudeCall {
  const { prompt } = input;
  const description = input.title ?? input.description ?? "";
  return {
    name: "Agent",
    input: tools.definedEntries({
      description,
      prompt,
      subagent_type: input.agentId ?? input.subagent_type,
      run_in_background: input.run_in_background === true ? true : undefined,
    }),
    result: (output, raw) => {
      const texts = [output, ...tools.objectsIn(output, "reports")].map(
        (report) => report.reportMarkdown
      );
      // In opencode the result is the report itself.
      const reports = [raw, ...texts].flatMap((text) =>
        typeof text === "string" ? [{ type: "text", text }] : []
      );
      const [first] = Array.isArray(output.taskIds) ? (output.taskIds as unknown[]) : [];
      const agentId = output.taskId ?? first;
      const { agentType } = output;
      const isDone = output.status === "completed" || typeof raw === "string";
      return {
        content: isDone ? reports : tools.textIn(output, "note"),
        structured: tools.definedEntries(
          isDone
            ? { status: "completed", agentId, agentType, prompt, content: reports }
            : { status: "async_launched", isAsync: true, agentId, description, prompt }
        ),
      };
    },
  };
}

function webSearch(input: JsonObject, { id, output }: tools.ToolScope): tools.ClaudeCall {
  const found = isJsonObject(output) ? output : { results: output };
  const action = objectOf(found.action);
  const query = input.query ?? action.query ?? "";
  const hits = [...tools.objectsIn(found, "results"), ...tools.objectsIn(found, "sources")].flatMap(
    ({ url, title }) => (typeof url === "string" ? [{ title: title ?? url, url }] : [])
  );
  return {
    name: "WebSearch",
    input: { query },
    result: () => ({
      content: `Web search results for query: ${JSON.stringify(query)}\n\nLinks: ${JSON.stringify(hits)}`,
      structured: { query, results: [{ tool_use_id: id, content: hits }] },
    }),
  };
}
