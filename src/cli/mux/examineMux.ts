/**
 * Examines the Mux of this machine, and the hooks of a project in it, for `doctor` and `hooks doctor`: whether Mux or
 * the user's record trusts them, and whether a Mux without hooks is running.
 */
import type { CliPlace } from "@/cli/context";
import { examineHost, examineRunning } from "@/cli/mux/muxFeatures";
import { findRunningHosts, type RunningHosts } from "@/cli/mux/runningHosts";
import { pathOutside } from "@/cli/findOwnCommand";
import { terminalText, plural } from "@/common/safeText";
import type { HostStatus } from "@/host/HostStatusFile";
import { shownCommand } from "@/common/ownCommandName";
import { join } from "node:path";
import type { HostBuild } from "@/cli/mux/inspectBuild";
import { planList, type EventList } from "@/cli/render/hookList";
import { mainCheckout } from "@/host/workspace/mayHaveHooks";
import { hasTrustFlag, isTrustedByHost } from "@/host/session/muxProjectTrust";
import { shortPath } from "@/cli/render/formatText";
import * as hooks from "@/node/services/hooks/index";
import { createRuntime, hookLoadOptions } from "@/wiring";

/** Examines Mux and the project. @param named the value of `--mux` */
export async function examineMux(
  projectDir: string,
  named: string | undefined,
  { cwd, env, home }: CliPlace
) {
  // A clone may have programs named `mux`, `node` or `ps`, which must not run before the user trusts it (H31).
  const outside = { cwd, env: { ...env, PATH: pathOutside(projectDir, { env, home }) }, home };
  const running = await findRunningHosts(outside);
  const installed = await examineHost(named, outside);
  const [attached] = running.attached;
  const isInstalled = installed.place !== "" || named !== undefined;
  const host = isInstalled || attached === undefined ? installed : examineRunning(attached);
  const project = await examineProject(projectDir, host.build, { env, home });
  return {
    host,
    /** Whether a Mux is on this machine, or was named. */
    isFound: isInstalled || attached !== undefined,
    /** A line for each running host with hooks. */
    running: running.attached.map(describeRunning),
    project,
    problems: [...host.problems, ...project.problems, ...problemsOf(running)],
  };
}

function describeRunning({ pid, startedAt, host, plugin, seams }: HostStatus): string {
  const off = Object.entries(seams).filter(([, state]) => state !== "attached");
  const inactive = off.map(([name, state]) => `; ${name}: ${state}`).join("");
  return terminalText(
    `process ${pid} since ${startedAt}: version ${host.version}, with mux-stop-hooks ${plugin}${inactive}`
  );
}

/** Reports a running Mux without hooks, because Mux refuses to start a second server. */
function problemsOf({ attached, lock }: RunningHosts): string[] {
  if (lock === undefined || attached.some(({ pid }) => pid === lock.pid)) return [];
  const name = lock.command === "" ? "" : ` (${lock.command})`;
  const problem = `a Mux without hooks is running as process ${lock.pid}${name} and holds the server lock; quit it (the desktop app too) before you start one with hooks`;
  return [terminalText(problem)];
}

async function examineProject(
  projectDir: string,
  build: HostBuild | undefined,
  context: Omit<CliPlace, "cwd">
) {
  const runtime = createRuntime(context.env);
  const root = await hooks.findUserRoot(runtime.host, context);
  // Whether the host records which projects are trusted, and its record counts.
  const hostDecides = build !== undefined && (build.knowsTrust ?? hasTrustFlag(build.distDir));
  const load = hookLoadOptions(runtime, context, { recordsFirst: hostDecides });
  const requests: hooks.TrustRequest[] = [];
  const decide = async (request: hooks.TrustRequest): Promise<hooks.TrustDecision> => {
    if (!hooks.isNothing(request.definitions)) requests.push(request);
    // The host stores its trust in a worktree under its main checkout.
    const projectPath = mainCheckout(projectDir)[0] ?? projectDir;
    const isTrusted =
      !hostDecides || (root !== undefined && isTrustedByHost(root, { name: "", projectPath }));
    if (isTrusted) return await load.trust.decide(request);
    const { name } = build;
    return {
      trusted: false,
      message: `${projectPath} is not trusted in ${name}, so its hooks do not run; trust it in ${name} (in the project's settings, or with "${name.toLowerCase()} trust" in newer versions)`,
    };
  };
  const options = { ...load, trust: { decide } };
  const settings = await hooks.loadHookSettings(runtime, projectDir, options);
  const lists = hooks.HOOK_EVENTS.map((event) => planList(settings, event, load.builtins));
  const record = settings.trust.trusted ? settings.trust.record : undefined;
  const where = record && `, with the record of ${record.project} in ${record.path}`;
  const own = `mux-stop-hooks${where ?? ""}`;
  const truster = hostDecides ? `${build.name}, in ${join(root ?? "", "config.json")}` : own;
  return {
    projectDir,
    settings,
    lists,
    /** Who trusts the project; absent if it is not trusted or if nothing in it requires trust. */
    trust:
      requests.length > 0 && settings.trust.trusted
        ? `The project is trusted by ${truster}.`
        : undefined,
    problems: problemsIn(settings, lists),
    /** About hooks of Claude Code that are not imported. */
    hint: await hooks.describeImportHint(runtime, projectDir, context, (path) =>
      shortPath(path, projectDir, context.home)
    ),
  };
}

function problemsIn(settings: hooks.HookSettings, lists: readonly EventList[]): string[] {
  const { trust, disableAllHooks, diagnostics } = settings;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const isEmpty = lists.every(({ runs }) => runs.length === 0);
  return [
    ...[trust.trusted ? trust.notice : trust.message].filter((text) => text !== undefined),
    ...(errors === 0
      ? []
      : [`${plural(errors, "error")} in the settings; run "${shownCommand()} hooks validate"`]),
    ...(isEmpty && trust.trusted
      ? [
          disableAllHooks
            ? "all hooks are turned off by disableAllHooks"
            : "no hooks are configured; add one to .mux/settings.json, or an executable .mux/stop",
        ]
      : []),
  ];
}
