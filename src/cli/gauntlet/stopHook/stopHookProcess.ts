/**
 * Runs `agent-gauntlet stop-hook` as a process. Decides the cases that need no configuration: an agent may stop if a
 * gate itself started the hook, without valid input, after an abort, without a project, in a continuation without
 * `--verify`, and on any error (G24). Else, or if the git folder may have records of an earlier failure, loads
 * `decideStopHook.ts`. Every stop loads its imports, so they use no modules of Node but `node:fs` and those that are
 * loaded anyway.
 */
import { readFileSync, statSync } from "node:fs";
import { posix, resolve } from "node:path";
import type { ExitCode } from "@/cli/context";
import { projectHint, recognizeHost } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, StopInput } from "@/cli/gauntlet/hosts/types";
import { giveEarly, log, type HookAnswer, type Outputs } from "@/cli/gauntlet/stopHook/writeAnswer";
import { parseStopOptions, type StopOptions } from "@/cli/gauntlet/stopHook/options";
import { descriptorOutput, readStdin } from "@/cli/gauntlet/stopHook/readStdin";
import { terminalOutput } from "@/cli/escapedOutput";
import { describeError, errorCode, tryOr } from "@/common/errors";
import type { JsonObject } from "@/common/json";
import type { FileStat } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { isInsideGate, RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { firstRule } from "@/node/services/gauntlet/hook/stopDecision";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** A stop that needs a decision by `decideAtOnce`, because it has no early answer. */
export interface OpenStop {
  readonly host: AgentHost;
  readonly input: StopInput;
  readonly options: StopOptions;
  /** Absolute. */
  readonly cwd: string;
  /** The path in the host's project variable. */
  readonly projectHint?: string;
}

/**
 * Ends the process, even if its standard input stays open (G23). On any error, the agent may stop.
 *
 * @param load returns the part that is loaded only for a stop without an early answer
 */
export async function runProcess(
  load: () => { decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode> }
): Promise<void> {
  const { env } = process;
  const outputs = {
    stdout: terminalOutput(descriptorOutput(1)),
    stderr: terminalOutput(descriptorOutput(2)),
  };
  const options = parseStopOptions(process.argv.slice(3));
  let host = callingHost({}, env, options);
  const fail = (thrown: unknown): void => {
    const result = createResult("error", { errorMessage: describeError(thrown) });
    process.exit(giveEarly(outputs, host, { result }));
  };
  process.on("uncaughtException", fail);
  // Keeps Node's deprecation warnings off standard error.
  process.noDeprecation = true;
  try {
    log(outputs.stderr, options.warnings);
    const early = await earlyStop(options, env);
    host = early.host;
    if ("answer" in early) process.exit(giveEarly(outputs, host, early.answer));
    process.exit(await load().decideAtOnce(early, outputs));
  } catch (thrown) {
    fail(thrown);
  }
}

/** Returns the host with the early answer, or else the stop to decide. */
async function earlyStop(
  options: StopOptions,
  env: Readonly<NodeJS.ProcessEnv>
): Promise<{ host: AgentHost; answer: HookAnswer } | OpenStop> {
  const marker = env[RECURSION_MARKER] ?? "";
  const isNested = marker !== "" && (await isInsideGate(marker, readText));
  const fields = isNested ? {} : await readStdin();
  const host = callingHost(fields ?? {}, env, options);
  if (isNested) return { host, answer: { result: createResult("stop_hook_active") } };
  if (fields === undefined) return { host, answer: { result: createResult("invalid_input") } };
  const input = host.readInput(fields);
  if (input.isAborted === true) {
    const errorMessage = "the agent was interrupted or has failed, so this stop was not checked";
    return { host, answer: { result: createResult("stop_hook_disabled", { errorMessage }) } };
  }
  const isAbsolute = input.cwd?.startsWith("/") === true;
  const cwd = resolve(isAbsolute ? "/" : process.cwd(), input.cwd ?? "");
  const hint = projectHint(host, env);
  const projectDir = await findProject(cwd, hint);
  const stop: OpenStop = { host, input, options, cwd, projectHint: hint };
  const isActive = input.stopHookActive === true && !options.verify;
  const facts = { isNested, isActive, hasProject: projectDir !== undefined };
  const rule = firstRule(facts);
  const folders = projectDir === undefined ? [cwd, hint ?? cwd] : [projectDir];
  const hasRecords = rule?.records.some((name) => folders.some((at) => mayHaveRecords(at, name)));
  if (rule === undefined || hasRecords === true) return stop;
  return { host, answer: { result: createResult(rule.status) } };
}

/** Returns the host that called, with the answer that `--answer` selects. */
function callingHost(
  input: JsonObject,
  env: Readonly<NodeJS.ProcessEnv>,
  { host: named, answer }: Pick<StopOptions, "host" | "answer">
): AgentHost {
  const host = recognizeHost(input, env, named);
  return answer === undefined ? host : { ...host, answer };
}

async function findProject(cwd: string, hint: string | undefined): Promise<string | undefined> {
  const found = await findGauntletProject({ stat }, cwd);
  if (found !== undefined || hint === undefined) return found;
  return await findGauntletProject({ stat }, hint);
}

function stat(paths: readonly string[]): Promise<Pick<FileStat, "kind">[]> {
  return Promise.resolve(paths.map((path) => ({ kind: kindOf(path) })));
}

function readText(path: string): Promise<string | undefined> {
  return Promise.resolve(tryOr(() => readFileSync(path, "utf8"), undefined));
}

function kindOf(path: string): FileStat["kind"] {
  try {
    const stats = statSync(path);
    if (stats.isFile()) return "file";
    return stats.isDirectory() ? "directory" : "other";
  } catch (thrown) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(thrown) ?? "") ? "missing" : "failed";
  }
}

/** Returns whether the git folder may have these records. In a linked worktree, `.git` is a file with its path. */
function mayHaveRecords(folder: string, records: string): boolean {
  const git = kindOf(posix.join(folder, ".git"));
  if (git === "directory")
    return kindOf(posix.join(folder, ".git/agent-gauntlet", records)) !== "missing";
  if (git !== "missing") return true;
  const parent = posix.dirname(folder);
  return parent !== folder && mayHaveRecords(parent, records);
}
