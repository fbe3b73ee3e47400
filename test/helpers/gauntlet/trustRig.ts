/** Stops of a project with trust, as the commands of agent hosts decide them (G24a). */
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, HostAnswer } from "@/cli/gauntlet/hosts/types";
import { decide } from "@/cli/gauntlet/stopHook/decideStopHook";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { recordTurnStart, type TurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { testContext } from "@test/helpers/cliContext";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { restoring } from "@test/helpers/restoring";
import { folderWith, tempDir } from "@test/helpers/tempDir";

export const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** Records that it ran. */
export const STRICT = "command: echo strict >> ../.git/ran; test ! -e bad\n";
export const LAX = "command: echo lax >> ../.git/ran\n";
export const CHECK = ".gauntlet/checks/ok.yml";

/** Returns a project and the home of a person whose installation has used trust before. Each call resets those of the last one. */
export const newPerson = restoring(createPerson);

async function createPerson(isTrusted: boolean) {
  const project = await GauntletProject.create(CONFIG, { ok: STRICT });
  const home = await tempDir();
  const other = await folderWith({ ".gauntlet/config.yml": `base_branch: main\n${CONFIG}` });
  for (const dir of isTrusted ? [other, project.dir] : [other]) await trustNow(dir, home);
  return { project, home };
}

/** Lists the definitions of the check that ran. */
export async function ranIn(project: GauntletProject): Promise<string[]> {
  const text = await project.read(".git/ran").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

interface RigStop {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly turnId?: string;
  readonly projectHint?: string;
}

interface Answer {
  readonly decision?: string;
  readonly reason?: string;
  readonly followup_message?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly decision?: string; readonly reason?: string };
}

/** Returns what the agent and the person read in an answer. */
export function toldBy({ stdout, stderr, exitCode }: HostAnswer) {
  const answer = (stdout.startsWith("{") ? JSON.parse(stdout) : {}) as Answer;
  const followup = answer.followup_message;
  const { decision, reason } = { ...answer, ...answer.hookSpecificOutput };
  // The other lines are a log.
  const lines = stderr.split("\n").filter((line) => !line.startsWith("[gauntlet]"));
  const shown = lines.join("\n").trim();
  const isExit2 = exitCode === 2 && !shown.startsWith("Gauntlet: ");
  return {
    blocks: decision === "block" || followup !== undefined || isExit2,
    reason: reason ?? followup ?? (isExit2 ? shown : ""),
    forPerson: [answer.systemMessage, ...(isExit2 ? [] : [shown])].join("\n"),
  };
}

/** A project of one person with an agent, whose host is the one of the test. */
export class TrustRig {
  #stops = 0;

  private constructor(
    readonly project: GauntletProject,
    readonly home: string,
    private readonly host: AgentHost
  ) {}

  static async create(host = AGENT_HOSTS[0]!, { isTrusted = true } = {}): Promise<TrustRig> {
    const { project, home } = await newPerson(isTrusted);
    return await TrustRig.in(project, home, host);
  }

  /** Begins a turn in a project. */
  static async in(project: GauntletProject, home: string, host: AgentHost): Promise<TrustRig> {
    const rig = new TrustRig(project, home, host);
    await rig.message();
    return rig;
  }

  /** The person sends a message. Returns the text for the person. */
  async message(more: Partial<TurnStart> = {}): Promise<string | undefined> {
    return await recordTurnStart({
      runtime: new LocalFiles(),
      cwd: this.project.dir,
      sessionId: "s",
      now: () => new Date(),
      ...more,
    });
  }

  async stop({ cwd = this.project.dir, env = {}, turnId, projectHint }: RigStop = {}) {
    const context = testContext(
      { cwd, home: this.home },
      { env: { ...PROJECT_ENV, HOME: this.home, ...env } }
    );
    const options = { verify: true, limitS: 300, warnings: [] };
    // Two stops with the same input would be one stop, for which two hooks are installed (G40).
    const lastMessage = `Done, ${this.#stops++}.`;
    const input = { stopHookActive: false, sessionId: "s", cwd, lastMessage, turnId };
    const code = await decide({ host: this.host, input, options, cwd, projectHint }, context);
    return toldBy({ stdout: context.stdout.text, stderr: context.stderr.text, exitCode: code });
  }

  /** Whether the host shows its user a message, with a block or without. */
  shows(status: "failed" | "passed"): boolean {
    return TrustRig.shows(this.host, status);
  }

  static shows({ answer }: AgentHost, status: "failed" | "passed"): boolean {
    const decision = { result: createResult(status), reason: "reason", personMessage: "<shown>" };
    return JSON.stringify(answer(decision)).includes("<shown>");
  }

  async ran(): Promise<string[]> {
    return await ranIn(this.project);
  }

  /** A change of the agent. */
  async edit(path: string, text: string): Promise<void> {
    await this.project.write(path, text);
  }
}
