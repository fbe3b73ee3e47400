/** Projects with one check, in which `agent-gauntlet` runs in this process or in its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import type { JsonObject } from "@/common/json";
import { audienceOf } from "@/node/services/gauntlet/domain/stopAudience";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";
import { agentGauntletBin } from "@test/helpers/built";
import { stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { runGauntlet, trustNow } from "@test/helpers/gauntlet/trust";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";

/** Passes if `src/bad` does not exist, and records which process started it. */
const CHECK =
  "command: echo $PPID > ../.git/parent; test ! -e bad || { echo bad is there; exit 3; }\n";

/** Creates a project whose check passes. */
export async function goodProject(more = ""): Promise<GauntletProject> {
  const project = await GauntletProject.create(`${more}${CONFIG}`, { ok: CHECK });
  await project.write("src/new.txt", "x");
  return project;
}

/** Creates a project whose check fails. */
export async function badProject(more = ""): Promise<GauntletProject> {
  const project = await goodProject(more);
  await project.write("src/bad", "x");
  return project;
}

/** Writes the user's global configuration. */
export async function writeGlobalConfig(project: GauntletProject, text: string): Promise<void> {
  await project.write(".git/home/.config/agent-gauntlet/config.yml", text);
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessOptions {
  /** Arguments after `stop-hook`. */
  readonly args?: readonly string[];
  /** Whether stdin ends, as it does when a file is piped in; a hook's own stdin stays open. */
  readonly endsStdin?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

const homeOf = (project: GauntletProject): string => project.path(".git/home");

/** Runs a command of a person who has trusted the gates as they are, in this process. */
export async function agentGauntlet(
  project: GauntletProject,
  args: readonly string[],
  { env = {} }: Pick<ProcessOptions, "env"> = {}
): Promise<Ended> {
  await trustNow(project.dir, homeOf(project));
  const all = { ...PROJECT_ENV, ...env };
  return await runGauntlet(project.dir, homeOf(project), args, { env: all });
}

export interface HookResponse {
  readonly decision: "approve" | "block";
  readonly status: GauntletStatus;
  readonly message: string;
  readonly reason?: string;
  readonly stopReason?: string;
  readonly systemMessage?: string;
}

export interface Stopped extends Ended {
  readonly response: HookResponse;
}

function inputOf(project: GauntletProject, more: Readonly<Record<string, unknown>>): object {
  return {
    session_id: "abc123",
    transcript_path: project.path(".git/session.jsonl"),
    cwd: project.dir,
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
    ...more,
  };
}

function responseOf<Some extends Ended>(ended: Some): Some & Stopped {
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) as string });
  return { ...ended, response: JSON.parse(ended.stdout) as HookResponse };
}

/** Decides a stop of an agent in this process. */
export async function stop(
  project: GauntletProject,
  input: Readonly<Record<string, unknown>> = {},
  { cwd = project.dir, ...options }: Omit<ProcessOptions, "endsStdin"> & { cwd?: string } = {}
): Promise<Stopped> {
  const sent = JSON.parse(JSON.stringify(inputOf(project, input))) as JsonObject;
  const place = { cwd, home: homeOf(project), ...options };
  return responseOf(await stopInProcess(sent, place));
}

/** Runs the hook for a stop of an agent in its own process: its input is one line, and stdin stays open. */
export async function stopInOwnProcess(
  project: GauntletProject,
  input: Readonly<Record<string, unknown>> = {}
) {
  const stdin = `${JSON.stringify(inputOf(project, input))}\n`;
  return await sendToHook(project, stdin, { endsStdin: false });
}

/** Runs the hook in its own process, with any input on stdin. */
export async function sendToHook(
  project: GauntletProject,
  stdin: string,
  { args = [], endsStdin = true, env = {} }: ProcessOptions = {}
) {
  await trustNow(project.dir, homeOf(project));
  const child = spawn(process.execPath, [agentGauntletBin, "stop-hook", ...args], {
    cwd: project.dir,
    env: { ...PROJECT_ENV, HOME: homeOf(project), ...env },
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => (said[stream] += text));
  }
  child.stdin.write(stdin);
  if (endsStdin) child.stdin.end();
  child.once("exit", () => child.stdin.destroy());
  const [code] = (await once(child, "close")) as [number | null];
  return responseOf({ pid: child.pid, code, ...said });
}

export function expectApproved(stopped: Stopped, status: GauntletStatus, message: RegExp): void {
  const { systemMessage = "", ...line } = stopped.response;
  expect(line).toEqual({
    decision: "approve",
    status,
    message: expect.stringMatching(message) as string,
  });
  if (audienceOf(status).person !== "always") return;
  expect(systemMessage.replaceAll(/^Gauntlet: /gm, "")).toMatch(message);
}

export const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

/** Writes a state as another tool or a user would. */
export async function writeState(
  project: GauntletProject,
  state: Readonly<Record<string, unknown>>
): Promise<void> {
  await project.write("gauntlet_logs/.execution_state", JSON.stringify(state));
}

/** Returns whether a gate has run, by the file that the check writes. */
export async function hasRun(project: GauntletProject): Promise<boolean> {
  return await project.read(".git/parent").then(
    () => true,
    () => false
  );
}
