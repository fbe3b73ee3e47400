/** How the product differs from the requirements, and those that a test outside of this folder covers. */

/** A requirement without an entry works as it is written. */
export interface Row {
  /** What differs, and the rule or the reason. */
  readonly differs?: string;
  /** Why there is no such feature. */
  readonly notBuilt?: string;
  /** The test, if it is not in this folder or has another title: a path from this folder, and the title. */
  readonly test?: readonly [file: string, title: string];
}

const hooks = "../unit/node/services/hooks";
const session = "../integration/agentSession.stop.test.ts";

/** The sections of the page in order, with the requirements by their titles. */
export const SECTIONS: Record<string, Record<string, Row>> = {
  "Stop Hook Protocol Compliance": {
    "Missing or invalid JSON": {
      differs: "stdin is read up to the end of one JSON object, not to its first newline (G22)",
    },
  },
  "Infinite Loop Prevention": {
    "stop_hook_active is true": {
      differs:
        "in the host and with `--verify`, the gates run at every stop, whichever hook requested the continuation (G27)",
    },
  },
  "Gauntlet Project Detection": {
    "No gauntlet config exists": {
      differs:
        "the configuration is searched from `cwd` upward (G24), and the outcome is a line of JSON on stdout (G23)",
    },
    "Gauntlet config exists": {
      differs:
        "the gates run as a person trusted them; without trust nothing runs, and the status is `stop_hook_disabled` (G24a)",
    },
  },
  "Gauntlet Execution": {},
  "Unified Status Type": {},
  "Run Executor Function": {},
  "Status-Based Decision Making": {},
  "Block Decision Output": {
    "Output format": {
      differs: "`stopReason` comes last, with the same text as `reason` (G23)",
    },
  },
  "Execution State Tracking": {
    "State file cleared on clean": {
      differs:
        "a run that passes cleans the logs itself and keeps the state, so that the next run knows what has passed (G18)",
    },
  },
  "Automatic Log Cleaning on Context Change": {
    "Branch changed triggers auto-clean": {
      differs:
        "unresolved gates of the running turn, baselines and the starting commit are kept, also by `clean` (G18a, G20a)",
    },
    "No auto-clean when context unchanged": {
      differs: "work on top of the base itself does not count as merged (G18)",
    },
  },
  "Global Configuration": {},
  "Stop Hook Run Interval": {
    "Interval not elapsed - skip run": {
      differs:
        "stdout is not empty: every outcome is a line of JSON (G23); with `--verify` only an interval that a user has set counts (G27)",
    },
  },
  "Stop Hook Lock Pre-Check": {
    "Lock file exists - allow stop": {
      differs:
        "a lock that is proven stale does not count, because it would allow every stop forever (G17); with `--verify` and in the host, the stop waits for the other run, because its result would be unknown (G40)",
    },
  },
  "Enhanced Stop Reason Instructions": {
    "Stop reason includes console log path": {
      differs: "`stopReason` is the same text as `reason`, and `continue` is never printed (G23)",
    },
    "Stop reason includes violation handling": {
      differs: "only if a review failed, because there is no JSON file to edit otherwise (G26)",
    },
  },
  "Structured JSON Response for All Outcomes": {
    "Response structure": {
      differs: "there is also `systemMessage`, if the outcome concerns the user (G25a)",
    },
  },
  "Status Codes for Approval Scenarios": {
    "Status precedence order": {
      differs: "a function returns its status, without output to search or an exit code (G1, G2)",
    },
    "Gauntlet passed (exit code 0)": {
      differs: "the status comes from the run itself, not from an exit code (G2)",
    },
    "No applicable gates": {
      differs:
        "the status comes from the run itself, not from its output (G2); if no file changed at all, it is `no_changes`, which never counts as a pass (G3)",
    },
    "Termination condition - passed (non-zero exit)": {
      differs: "`termination_passed` is `passed`: a function has no output to search (G1, G2)",
    },
    "Termination condition - passed with warnings (non-zero exit)": {
      differs: "`termination_warnings` is `passed_with_warnings` (G1, G2)",
    },
    "Termination condition - retry limit exceeded (non-zero exit)": {
      differs:
        "`termination_retry_limit` is `retry_limit_exceeded` (G1, G2); a message of the user also resets the count, and runs by hand use no attempt (G19)",
    },
    "Run interval not elapsed": {
      differs:
        "only a passed run starts the interval; a state without a status also starts it, at its time (G20a)",
    },
    "Lock file exists": { differs: "a lock whose owner no longer runs does not count (G17)" },
    "Infrastructure error": {
      differs:
        "there is no gauntlet process that can fail to start; failures of git and the log folder, and the time limit, remain; a check that takes three times its usual time has failed (G1, G27c)",
    },
  },
  "Block Status for Failed Gates": {},
  Decisions: {
    "Check branch AND commit-merged conditions": {
      differs:
        "work that was already on the base when it was recorded does not count as merged (G18)",
      test: ["state.test.ts", "Commit merged triggers auto-clean"],
    },
    "Time interval in global config only": {
      differs: "an environment variable overrides the file (G6)",
    },
    "Lock pre-check in stop-hook before spawning subprocess": {
      differs: "there is no subprocess; the pre-check avoids the calls of git and the run (G1)",
    },
    "State is written before the lock is removed": {
      test: [
        "../integration/gauntlet/crash.test.ts",
        "a run can be killed at any moment, and the next one continues",
      ],
    },
    "Include full instructions in stopReason": {
      differs:
        "the hint to run `agent-gauntlet run` is left out, because the gates run again at the next stop (G26)",
      test: ["response.test.ts", "Stop reason includes violation handling"],
    },
  },
  "Design of the command": {
    "Installed for one user, with 300 seconds and no matcher": {
      differs:
        "the command has `--verify`, which checks a stop although `stop_hook_active` is true, and a `statusMessage` with the names of the gates (G29); the plain command follows the requirement (G27)",
    },
    "`init` offers to install the hook": {
      differs:
        "one screen with all agents and the checks of the project, none without a terminal (G29); the commands are in `src/cli/gauntlet/`, not in `src/commands/`",
      test: ["../e2e/init/terminal.test.ts", "shows one screen, and installs what is selected"],
    },
    "Input ends with a complete object, even if stdin stays open": {
      differs: "the first newline does not end it, because an object may span several lines (G22)",
    },
    "Logs the steps of a stop on stderr": {
      differs:
        "in one piece at the end, because some hosts pass standard error on to the agent; those get no log (G23)",
    },
    "Empty stdout if the agent may stop": {
      differs: "every outcome is one line of JSON, including an approval (G23)",
      test: ["response.test.ts", "Response structure"],
    },
    "`continue: false` and `stopReason` if it may not stop": {
      differs:
        "`continue` is never printed, because `false` would end the agent and override the block; `stopReason` repeats `reason` (G23)",
      test: ["response.test.ts", "Output format"],
    },
    "Three retries, and then the agent may stop": {
      differs:
        "an unchanged tree uses up two: its third failed stop lets the agent stop (G19, G38)",
    },
    "Output is searched for termination conditions and infrastructure errors": {
      notBuilt: "a function returns its status, so no output is searched (G1, G2)",
    },
    "The gauntlet's own repository runs it from source": {
      notBuilt: "no process is started, so there is no mode for developers (G1)",
    },
  },
  "Stop and SubagentStop hooks": {
    "`runStopHooks` in `stopHookExecutor.ts`": {
      differs:
        "each message names the hook, the cause and the position (H12); without settings, the gauntlet of a project runs (H29)",
      test: [`${hooks}/stopHookExecutor.test.ts`, "Exit 0 (no JSON) → shouldStop: true"],
    },
    "Settings of user, project and local in `settingsLoader.ts`": {
      differs:
        "in the commands and in Mux, a pasted example runs only after `mux-stop-hooks hooks trust` (H31); a hook that changes during a turn runs as it was when the turn began (H7)",
      test: [`${hooks}/settingsLoader.test.ts`, "Merge user + project + local settings"],
    },
    "`AgentSession.runStopHooks` at the end of a stream": {
      differs:
        "it gets the turn that ended, and a controller counts the continuations, so that other hosts count them as well (H25)",
      test: [session, "Agent continues when hook exits 2 (with correct message)"],
    },
    "`runSubagentStopHooks` in `tools/task.ts`": {
      differs:
        "it runs before the report is ready, not when the parent waits for it: also an agent in the background is checked (H28a)",
      test: [
        "../integration/task.test.ts",
        "returns an error if a sub-agent fails after its hooks sent it back",
      ],
    },
    "Use cases": {
      differs:
        "`.mux/stop` and `.mux/subagent_stop` run without settings (H8); the examples search Mux's own transcript, which has `toolName`, not `tool_name`, except in the claude dialect (H9)",
      test: [
        "../integration/useCases.test.ts",
        "sends the agent back until tests have passed, and ignores the hook's own message",
      ],
    },
    "Stop hook can make agent continue working": {
      test: [session, "Agent continues when hook returns decision: block"],
    },
    "SubagentStop hook can make subagent continue": {
      test: ["../integration/useCases.test.ts", "sends back a sub-agent that has used no tool"],
    },
    "Loop prevention works (no infinite continuation)": {
      differs: "`stopHooks.maxContinuations` changes the limit of 3 (H4)",
      test: [session, "Max continuation limit (3) prevents infinite loops"],
    },
    "User can always interrupt regardless of hooks": {
      test: [session, "User interrupt bypasses stop hook"],
    },
    "Works on both local and SSH workspaces": {
      test: ["../integration/ssh/hooks.test.ts", "list and test work in a remote project"],
    },
  },
};

/** The lists of tests in the requirements, with the files that contain them under the same titles. */
export const NAMED_TESTS: Record<string, readonly string[]> = {
  [`${hooks}/stopHookExecutor.test.ts`]: [
    "Exit 0 (no JSON) → shouldStop: true",
    "Exit 0 + decision: block with reason → shouldStop: false, continueReason set",
    "Exit 0 + continue: false → shouldStop: true (takes precedence)",
    "Exit 2 → shouldStop: false, stderr as continueReason",
    "Exit 1 → shouldStop: true, warning logged",
    "Timeout → shouldStop: true, warning logged",
    "Invalid JSON → treated as plain text, shouldStop: true",
  ],
  [`${hooks}/settingsLoader.test.ts`]: [
    "Load Stop hooks from settings",
    "Load SubagentStop hooks from settings",
    "Merge user + project + local settings",
  ],
  [session]: [
    "Agent stops when no hook configured",
    "Agent stops when hook exits 0",
    "Agent continues when hook exits 2 (with correct message)",
    "Agent continues when hook returns decision: block",
    "Loop prevention: stopHookActive passed correctly",
    "Max continuation limit (3) prevents infinite loops",
    "User interrupt bypasses stop hook",
  ],
};
