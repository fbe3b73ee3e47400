/** A project with its own home and session, to run real hooks in. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runSessionStop, type SessionStopOptions } from "@/node/services/hooks/stopHookExecutor";
import type { HookRun, StopHookInput, StopHooksResult } from "@/node/services/hooks/contract/types";
import type * as trust from "@/node/services/hooks/trust/trustPolicy";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";

/** A shell command line, or a handler with its fields. The default `type` is `command`. */
export type Hook = string | Record<string, unknown>;

export interface StopRequest extends SessionStopOptions {
  runtime?: HookRuntime;
  /** Differences from {@link HookProject.input}; undefined removes a field. */
  input?: { [K in keyof StopHookInput]?: StopHookInput[K] | undefined };
}

export interface ProjectOptions {
  /** The name of the project folder, for paths that need quoting in a shell. */
  name?: string;
  /** An existing folder to use in place of a new one. */
  at?: string;
  /** Variables to add to the environment of the workspace. */
  env?: NodeJS.ProcessEnv;
}

export class HookProject {
  readonly home: string;
  readonly session: string;

  protected constructor(
    root: string,
    readonly dir: string,
    readonly runtime: HookRuntime
  ) {
    this.home = join(root, "home");
    this.session = join(root, "session");
  }

  static async create({
    name = "project",
    at,
    env = {},
  }: ProjectOptions = {}): Promise<HookProject> {
    const root = await tempDir();
    const runtime = createTestRuntime({
      env: { ...process.env, HOME: join(root, "home"), ...env },
    });
    const project = new HookProject(root, at ?? join(root, name), runtime);
    await project.prepare("");
    return project;
  }

  /** Creates the folders, and the transcript with this text. */
  protected async prepare(chat: string): Promise<void> {
    for (const folder of [this.path(), this.home, this.session]) {
      await mkdir(folder, { recursive: true });
    }
    await writeFile(this.transcript, chat);
  }

  get transcript(): string {
    return join(this.session, "chat.jsonl");
  }

  /** Options that load settings only from this home, not from that of the user who runs the tests. */
  get load(): NonNullable<SessionStopOptions["load"]> {
    return { home: this.home, env: {} };
  }

  get input(): StopHookInput {
    const more = { session_id: "workspace-1", last_assistant_message: "All done." };
    return stopInput(this.dir, this.transcript, more);
  }

  path(...names: string[]): string {
    return join(this.dir, ...names);
  }

  async read(...names: string[]): Promise<string> {
    return await readFile(this.path(...names), "utf8");
  }

  async write(name: string, text: string, mode = 0o644): Promise<string> {
    return await putFile(this.path(name), text, mode);
  }

  /** Writes `.mux/settings.json`. */
  async configure(settings: unknown): Promise<this> {
    await this.write(".mux/settings.json", JSON.stringify(settings, undefined, 2));
    return this;
  }

  /** Writes `~/.mux/settings.json`. */
  async configureUser(settings: unknown): Promise<void> {
    await this.write("../home/.mux/settings.json", JSON.stringify(settings, undefined, 2));
  }

  /** Runs the configured Stop hooks, as a host would. */
  async stop({ runtime = this.runtime, input, ...options }: StopRequest = {}): Promise<RanStop> {
    const whole: StopHookInput = { ...this.input, ...input };
    const result = await runSessionStop(runtime, this.dir, whole, { load: this.load, ...options });
    return { ...result, runs: result.runs ?? [] };
  }

  /** Runs the configured SubagentStop hooks for an agent type. */
  async subagentStop(agentType: string, request: StopRequest = {}): Promise<RanStop> {
    const input: StopRequest["input"] = {
      hook_event_name: "SubagentStop",
      session_id: "task-1",
      agent_id: "task-1",
      agent_type: agentType,
      agent_transcript_path: this.transcript,
      parent_session_id: "workspace-1",
      ...request.input,
    };
    return await this.stop({ ...request, input });
  }
}

export interface RanStop extends StopHooksResult {
  runs: HookRun[];
}

/** Returns the input of a stop in the folder `cwd`. */
export function stopInput(
  cwd: string,
  transcript_path: string,
  more: Partial<StopHookInput> = {}
): StopHookInput {
  return {
    ...{ session_id: "s", transcript_path, cwd, permission_mode: "default" },
    ...{ hook_event_name: "Stop", stop_hook_active: false },
    ...more,
  };
}

/** Returns one group of hooks. */
export function group(hooks: readonly Hook[], matcher?: string): unknown {
  const handlers = hooks.map((hook) =>
    typeof hook === "string" ? { type: "command", command: hook } : { type: "command", ...hook }
  );
  return { ...(matcher === undefined ? {} : { matcher }), hooks: handlers };
}

/** Creates a project with these Stop hooks. */
export async function projectWith(
  hooks: readonly Hook[],
  { settings = {}, ...options }: ProjectOptions & { settings?: object } = {}
): Promise<HookProject> {
  const project = await HookProject.create(options);
  return await project.configure({ hooks: { Stop: [group(hooks)] }, ...settings });
}

/** Creates a project, and the folder of Mux in its home. */
export async function createProject(root = true): Promise<HookProject> {
  const project = await HookProject.create();
  if (root) await mkdir(join(project.home, ".mux"));
  return project;
}

/** Runs Stop hooks in a new project. */
export async function stopWith(hooks: readonly Hook[], request?: StopRequest): Promise<RanStop> {
  return await (await projectWith(hooks)).stop(request);
}

/** Trusts no project. */
export const UNTRUSTED: trust.TrustPolicy = {
  decide: () => Promise.resolve({ trusted: false, message: "no" }),
};

/** Returns a policy that always decides the same, and keeps what it is asked. */
export function watchedTrust(decision: trust.TrustDecision = { trusted: true }) {
  const asked: trust.TrustRequest[] = [];
  const decide: trust.TrustPolicy["decide"] = (request) => {
    asked.push(request);
    return Promise.resolve(decision);
  };
  return { asked, decide };
}

/** Returns a shell line that prints these texts and exits with this code. */
export function says(stdout: unknown, { stderr = "", exit = 0 } = {}): string {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  return `printf %s ${shellWord(text)}; printf %s ${shellWord(stderr)} >&2; exit ${exit}`;
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a shell line that runs a program by this Node. */
export const node = (...args: string[]): string =>
  [process.execPath, ...args].map(shellWord).join(" ");

/** Returns a shell line that blocks a stop with this reason. */
export const block = (reason: string) => says({ decision: "block", reason });

/** Returns what the controller then answers. */
export const sent = (reason: string) => ({
  action: "continue",
  message: `[Stop hook requested continuation]\n${reason}`,
});
