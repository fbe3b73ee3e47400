/** A home and a checkout to load settings from, without running hooks. */
import { hookTitle } from "@/node/services/hooks/contract/hookFacts";
import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { formatDiagnostic } from "@/common/diagnostics";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { loadHookSettings, type LoadOptions } from "@/node/services/hooks/settingsLoader";
import type { HookEventName, HookSettings } from "@/node/services/hooks/contract/types";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";

/** The paths of settings files, within the home or the checkout. */
const PLACES = {
  user: "home/.mux/settings.json",
  project: "project/.mux/settings.json",
  local: "project/.mux/settings.local.json",
  claudeUser: "home/.claude/settings.json",
  claudeProject: "project/.claude/settings.json",
  claudeLocal: "project/.claude/settings.local.json",
} as const;

type Place = keyof typeof PLACES;

export class SettingsProject {
  readonly dir: string;
  readonly home: string;
  readonly runtime = createTestRuntime();
  #writes = 0;

  private constructor(readonly root: string) {
    this.dir = join(root, "project");
    this.home = join(root, "home");
  }

  /** Creates a project with these settings. */
  static async create(settings: Partial<Record<Place, unknown>> = {}): Promise<SettingsProject> {
    const project = new SettingsProject(await tempDir());
    await mkdir(project.dir);
    await mkdir(project.home);
    for (const [place, value] of Object.entries(settings)) {
      await project.set(place as Place, value);
    }
    return project;
  }

  path(place: Place): string {
    return join(this.root, PLACES[place]);
  }

  /** Writes settings, given as an object or as the text of the file. */
  async set(place: Place, settings: unknown): Promise<string> {
    const text = typeof settings === "string" ? settings : JSON.stringify(settings, undefined, 2);
    return await this.write(PLACES[place], text);
  }

  /** Writes a file under the root with an old modification time, later than that of the file written before. */
  async write(name: string, data: string | Uint8Array, mode = 0o644): Promise<string> {
    const path = await putFile(join(this.root, name), data, mode);
    const seconds = 1_700_000_000 + this.#writes++;
    await utimes(path, seconds, seconds);
    return path;
  }

  async load({
    runtime = this.runtime,
    ...options
  }: LoadOptions & { runtime?: HookRuntime } = {}): Promise<HookSettings> {
    return await loadHookSettings(runtime, this.dir, { env: {}, home: this.home, ...options });
  }
}

/** Returns settings with one group of hooks. A string is a command line. */
export function hooks(...handlers: unknown[]): { hooks: { Stop: unknown[] } } {
  return { hooks: { Stop: [{ hooks: handlers.map(handler) }] } };
}

/** Returns settings with one group of hooks for sub-agents of a type. */
export function subagentHooks(matcher: string | undefined, ...handlers: unknown[]) {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: handlers.map(handler) };
  return { hooks: { SubagentStop: [group] } };
}

export function command(line: string, fields: Record<string, unknown> = {}) {
  return { type: "command", command: line, ...fields };
}

function handler(from: unknown): unknown {
  return typeof from === "string" ? command(from) : from;
}

/** Returns `name title` of every hook that may run, in order. */
export function listHooks(settings: HookSettings, event: HookEventName = "Stop"): string[] {
  return settings.hooks
    .filter((hook) => hook.event === event)
    .map((hook) => `${hook.name} ${hookTitle(hook.handler)}`);
}

/** Returns `severity file:line:column: key: message` of each problem, with paths relative to the root. */
export function listProblems(project: SettingsProject, { diagnostics }: HookSettings): string[] {
  return diagnostics.map((diagnostic) =>
    `${diagnostic.severity} ${formatDiagnostic(diagnostic)}`.replaceAll(`${project.root}/`, "")
  );
}
