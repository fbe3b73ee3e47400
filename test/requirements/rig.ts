/** Projects with one check, in which `agent-gauntlet` runs as a separate process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "vitest";
import { audienceOf } from "@/node/services/gauntlet/domain/audience";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { repository } from "@test/helpers/built";
import { trustNow } from "@test/helpers/gauntlet/trust";
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
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  /** Arguments after `stop-hook`. */
  readonly args?: readonly string[];
  readonly stdin?: string;
  /** Whether stdin ends, as it does when a file is piped in; a hook's own stdin stays open. */
  readonly endsStdin?: boolean;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether a person has not trusted the gates as they are (G24a). */
  readonly untrusted?: boolean;
}

export async function agentGauntlet(
  project: GauntletProject,
  args: readonly string[],
  {
    stdin = "",
    endsStdin = true,
    cwd = project.dir,
    env = {},
    untrusted,
  }: Omit<CommandOptions, "args"> = {}
): Promise<Ended> {
  if (untrusted !== true) await trustNow(cwd, env.HOME ?? project.path(".git/home"));
  const bin = join(repository, "bin", "agent-gauntlet.cjs");
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...PROJECT_ENV, HOME: project.path(".git/home"), ...env },
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => (said[stream] += text));
  }
  child.stdin.write(stdin);
  if (endsStdin) child.stdin.end();
  child.once("exit", () => child.stdin.destroy());
  const [code] = (await once(child, "close")) as [number | null];
  return { pid: child.pid, code, ...said };
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

/** Runs the hook for a stop of an agent: its input is one line, and stdin stays open. */
export async function stop(
  project: GauntletProject,
  input: Readonly<Record<string, unknown>> = {},
  options: Omit<CommandOptions, "stdin"> = {}
): Promise<Stopped> {
  const sent = {
    session_id: "abc123",
    transcript_path: project.path(".git/session.jsonl"),
    cwd: project.dir,
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
    ...input,
  };
  const stdin = `${JSON.stringify(sent)}\n`;
  return await sendToHook(project, stdin, { endsStdin: false, ...options });
}

/** Runs the hook with any input on stdin. */
export async function sendToHook(
  project: GauntletProject,
  stdin: string,
  options: Omit<CommandOptions, "stdin"> = {}
): Promise<Stopped> {
  const { args = [], ...rest } = options;
  const ended = await agentGauntlet(project, ["stop-hook", ...args], { stdin, ...rest });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) as string });
  return { ...ended, response: JSON.parse(ended.stdout) as HookResponse };
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
