/**
 * Defines for each reviewer its call, the environment variables that it gets, and how its output is read (G12). A
 * reviewer is a known program, such as claude or codex, called with permissions only to read, or a command of the user.
 */
import { posix } from "node:path";
import type { Command } from "@/node/runtime/HookRuntime";
import { REVIEWER_PROGRAMS } from "@/node/services/gauntlet/domain/configSchemas";
import { promptInFile } from "@/node/services/gauntlet/messages/reviewPromptTexts";
import * as cliOutput from "@/node/services/gauntlet/reviews/answers/cliOutput";
import { nonceIn } from "@/node/services/gauntlet/reviews/buildPrompt";

/** A program or a command that reads a change and reports what is wrong with it. */
export interface Reviewer {
  /** The name in configurations and file names. */
  readonly name: string;
  /** The program that has to be on PATH. Absent for a shell command, which counts as available. */
  readonly program?: string;
  /** The variables of this reviewer, in addition to the common ones; `NAME_*` matches all names with that prefix. */
  readonly passEnv: readonly string[];
  /** Returns the file that the call refers to. It is private, and removed after the answer. */
  fileFor?(prompt: string): { readonly name: string; readonly text: string };
  /** Returns the call, which needs no terminal and may change nothing. The prompt is never an argument. */
  call(request: ReviewerRequest): ReviewerCall;
  /** Extracts the model's text from the program's output. Returns output in another format verbatim. */
  unwrapOutput(stdout: string): string;
}

export interface ReviewerRequest {
  readonly prompt: string;
  readonly model?: string;
  /** The working directory on the workspace's machine, absolute. */
  readonly cwd: string;
  /** The path of the file of `fileFor`, absolute; empty if there is no such file. */
  readonly file: string;
}

interface ReviewerCall {
  readonly command: Command;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A known program, with the properties that differ from those of the others. */
interface Program extends Pick<Reviewer, "passEnv" | "fileFor"> {
  readonly name: keyof typeof REVIEWER_PROGRAMS;
  readonly args: readonly string[];
  /** Arguments after the one for the model. */
  readonly lastArgs?: (request: ReviewerRequest) => readonly string[];
  /** Whether the prompt is not on stdin, but in the file of `fileFor`. */
  readonly isPromptInFile?: boolean;
  readonly env?: ReviewerCall["env"];
  readonly unwrap?: cliOutput.Unwrap;
}

const READ_ONLY = { "*": "deny", read: "allow", grep: "allow", glob: "allow", list: "allow" };

const PROGRAMS: readonly Program[] = [
  /**
   * Claude Code. Reads the prompt from stdin, and prints one JSON object to stdout with the text in `result`.
   *
   * Only its reading tools are available, and without a terminal it denies everything that needs permission. It loads
   * neither the project's settings, whose hooks and memory the change itself may have edited, nor any MCP servers. Plan
   * mode is not used: it makes the model write a plan.
   *
   * Source: https://code.claude.com/docs/en/cli-reference and /headless, as of 2026-11.
   */
  {
    name: "claude",
    passEnv: ["ANTHROPIC_*", "CLAUDE_*"],
    args: [
      "-p",
      "--output-format=json",
      "--permission-mode=default",
      "--tools=Read,Grep,Glob",
      "--setting-sources=user",
      "--strict-mcp-config",
      "--no-session-persistence",
    ],
    unwrap: cliOutput.unwrapResult,
  },
  /**
   * Codex. Reads the prompt from stdin (`-`), and prints its progress to stderr and only the last message to stdout.
   *
   * Its sandbox does not let commands write, and `exec` has no approvals, so it requests no permission. The project's
   * AGENTS.md is ignored, because the change itself may have edited it.
   *
   * Source: https://developers.openai.com/codex/noninteractive and /cli/reference, as of 2026-11.
   */
  {
    name: "codex",
    passEnv: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*"],
    args: [
      "exec",
      "--sandbox=read-only",
      "--skip-git-repo-check",
      "--color=never",
      "--config=project_doc_max_bytes=0",
    ],
    lastArgs: () => ["-"],
  },
  /**
   * Gemini CLI. Reads the prompt from stdin, and prints one JSON object to stdout with the text in `response`.
   *
   * No approval mode is read-only without a terminal: the model may enter plan mode and leave it again by itself, for a
   * mode in which everything is approved (`exit-plan-mode.ts`). So a policy of the administrator's rank denies every tool
   * that does not read. Without `GEMINI_CLI_TRUST_WORKSPACE` it would not start in a folder that the user has not
   * trusted; the gauntlet runs the project's commands as well.
   *
   * Source: https://geminicli.com/docs/cli/headless, /reference/policy-engine, /cli/trusted-folders, and the repository
   * google-gemini/gemini-cli of 2026-08, as of 2026-11.
   */
  {
    name: "gemini",
    passEnv: ["GEMINI_*", "GOOGLE_*"],
    // A policy that overrides all others: tools that it does not allow are denied.
    fileFor: () => ({
      name: "read-only.toml",
      text: `[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search"]
decision = "allow"
priority = 950
`,
    }),
    args: ["--output-format=json", "--approval-mode=default"],
    // Relative, because a comma in the project's path would split it into two paths, and missing files are ignored.
    lastArgs: ({ cwd, file }) => [`--admin-policy=${posix.relative(cwd, file)}`],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    unwrap: cliOutput.unwrapResponse,
  },
  /**
   * GitHub Copilot CLI. Reads the prompt from stdin if there is no `-p`. With `-s`, prints only the answer to stdout.
   *
   * Only its reading tools are available. Writing and the shell are denied as well, which overrides every permission, and
   * the variable that would allow everything is turned off. The project's instructions are ignored, because the change
   * itself may have edited them.
   *
   * Source: https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-programmatic-reference, …/how-tos/
   * copilot-cli/use-copilot-cli/allowing-tools, and github/copilot-cli#1046 for stdin, as of 2026-11.
   */
  {
    name: "github-copilot",
    passEnv: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"],
    args: [
      "-s",
      "--no-ask-user",
      "--no-custom-instructions",
      "--available-tools=view,grep,glob",
      "--deny-tool=write",
      "--deny-tool=shell",
    ],
    env: { COPILOT_ALLOW_ALL: "false", COPILOT_AUTO_UPDATE: "false" },
  },
  /**
   * Cursor's CLI, `agent`. Its support for a prompt on stdin depends on the version and is not documented, so the prompt
   * is in a file that the argument names. Prints one JSON object to stdout with the text in `result`.
   *
   * Ask mode reads and answers, and edits nothing. Without `--trust` it would not start in a workspace that the user has
   * not trusted; the gauntlet runs the project's commands as well.
   *
   * Source: https://cursor.com/docs/cli/using, /cli/reference/parameters and /cli/reference/output-format, as of 2026-11.
   */
  {
    name: "cursor",
    passEnv: ["CURSOR_*"],
    fileFor: (prompt) => ({ name: "prompt.md", text: prompt }),
    args: ["--print", "--output-format=json", "--mode=ask", "--trust"],
    lastArgs: ({ file }) => [promptInFile(file)],
    isPromptInFile: true,
    unwrap: cliOutput.unwrapResult,
  },
  /**
   * opencode. Reads the prompt from stdin, and prints events to stdout: one JSON object per line, with the text in those
   * of type `text`.
   *
   * It uses the agent `plan`, whose edits are denied, and permissions that deny everything but reading. Without a
   * terminal, it rejects any request for permission.
   *
   * Source: https://opencode.ai/docs/cli, /agents and /permissions, and `cli/cmd/run.ts` of anomalyco/opencode, as of
   * 2026-11.
   */
  {
    name: "opencode",
    // The required keys depend on the provider that it is set up for.
    passEnv: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
    args: ["run", "--format=json", "--agent=plan"],
    env: {
      OPENCODE_PERMISSION: JSON.stringify(READ_ONLY),
    },
    unwrap: cliOutput.unwrapTextParts,
  },
  /**
   * Qwen Code. Reads the prompt from stdin, and prints a JSON array to stdout, whose last element has the text in
   * `result`.
   *
   * Only its reading tools are available, and without a terminal it denies everything that needs permission. Safe mode
   * turns off hooks, extensions, MCP servers and the project's QWEN.md, because the change itself may have edited them.
   *
   * Source: https://qwenlm.github.io/qwen-code-docs/en/users/features/headless, and `--help` of 0.24.4, as of 2026-11.
   */
  {
    name: "qwen",
    passEnv: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*"],
    args: [
      "--output-format=json",
      "--approval-mode=default",
      "--core-tools=read_file,grep_search,glob,list_directory",
      "--safe-mode",
    ],
    unwrap: cliOutput.unwrapResult,
  },
];

const KNOWN: ReadonlyMap<string, Reviewer> = new Map(
  PROGRAMS.map((known) => [known.name, programReviewer(known)])
);

export const REVIEWER_NAMES: readonly string[] = [...KNOWN.keys()];

/** Returns the user's own command with this name, otherwise the known program with it. */
export function reviewerFor(
  name: string,
  commands: Readonly<Record<string, string>>
): Reviewer | undefined {
  const script = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return script === undefined ? KNOWN.get(name) : commandReviewer(name, script);
}

function programReviewer(known: Program): Reviewer {
  const { name, passEnv, fileFor, args, isPromptInFile, env } = known;
  const program = REVIEWER_PROGRAMS[name];
  return {
    ...{ name, program, passEnv, fileFor },
    call: (request) => {
      const { model, prompt } = request;
      // One argument, so that a name cannot be parsed as an option.
      const flag = model === undefined ? [] : [`--model=${model}`];
      const all = [...args, ...flag, ...(known.lastArgs?.(request) ?? [])];
      const stdin = isPromptInFile === true ? undefined : prompt;
      return { command: { file: program, args: all }, stdin, env };
    },
    unwrapOutput: (stdout) => known.unwrap?.(stdout) ?? stdout,
  };
}

/**
 * Creates a reviewer from a shell command of the user (`cli.commands`): the prompt on stdin, JSON on stdout, alone or
 * in the format of a known program. A review's `model` is in `GAUNTLET_REVIEW_MODEL`, and the nonce of its answer in
 * `GAUNTLET_REVIEW_NONCE`.
 *
 * The programs that it runs are unknown, so it gets the variables of the known model providers, and any variables that
 * the user names `GAUNTLET_REVIEW_…`.
 */
function commandReviewer(name: string, script: string): Reviewer {
  return {
    name,
    passEnv: [
      ...["GAUNTLET_REVIEW_*", "ANTHROPIC_*", "CLAUDE_*", "OPENAI_*"],
      ...["GEMINI_*", "GOOGLE_*", "OPENROUTER_*", "OLLAMA_*"],
    ],
    call: ({ prompt, model }) => ({
      command: { script },
      stdin: prompt,
      env: {
        GAUNTLET_REVIEW_NONCE: nonceIn(prompt),
        ...(model === undefined ? {} : { GAUNTLET_REVIEW_MODEL: model }),
      },
    }),
    unwrapOutput: cliOutput.unwrapAny,
  };
}
