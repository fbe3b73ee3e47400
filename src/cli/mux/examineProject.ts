/** Examines a project for `doctor`: which hooks would run at a stop, with the trust that the host itself records. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";
import { join } from "node:path";
import type { CliPlace } from "@/cli/context";
import type { HostBuild } from "@/cli/mux/hostBuild";
import { planList, type EventList } from "@/cli/render/hookList";
import { mainCheckout } from "@/host/workspace/quickConfigCheck";
import { hasTrustFlag, isTrustedByHost } from "@/host/session/trust";
import { shortPath } from "@/cli/render/format";
import {
  describeImportHint,
  findUserRoot,
  HOOK_EVENTS,
  isNothing,
  loadHookSettings,
  type HookSettings,
  type TrustRequest,
  type TrustDecision,
} from "@/node/services/hooks/index";
import { createRuntime, hookLoadOptions } from "@/wiring";

export async function examineProject(
  projectDir: string,
  build: HostBuild | undefined,
  context: Omit<CliPlace, "cwd">
) {
  const runtime = createRuntime(context.env);
  const root = await findUserRoot(runtime.host, context);
  const isHosts = build !== undefined && (build.knowsTrust ?? hasTrustFlag(build.distDir));
  const load = hookLoadOptions(runtime, context, { recordsFirst: isHosts });
  const requests: TrustRequest[] = [];
  const decide = async (request: TrustRequest): Promise<TrustDecision> => {
    if (!isNothing(request.definitions)) requests.push(request);
    const state = isHosts ? trustOfHost(projectDir, root, build) : undefined;
    if (state?.trusted === false) return state;
    return await load.trust.decide(request);
  };
  const settings = await loadHookSettings(runtime, projectDir, { ...load, trust: { decide } });
  const lists = HOOK_EVENTS.map((event) => planList(settings, event, load.builtins));
  const record = settings.trust.trusted ? settings.trust.record : undefined;
  const own =
    record === undefined
      ? "mux-hooks"
      : `mux-hooks, with the record of ${record.project} in ${record.path}`;
  const truster = isHosts ? `${build.name}, in ${join(root ?? "", "config.json")}` : own;
  return {
    projectDir,
    settings,
    lists,
    /** Who trusts the project; absent if it is not trusted or if nothing in it requires trust. */
    trust:
      requests.length > 0 && settings.trust.trusted
        ? `The project is trusted by ${truster}.`
        : undefined,
    problems: problemsOf(settings, lists),
    /** About hooks of Claude Code that are not imported. */
    hint: await describeImportHint(runtime, projectDir, context, (path) =>
      shortPath(path, projectDir, context.home)
    ),
  };
}

/** Reads the host's trust in the project. The host stores that of a worktree under its main checkout. */
function trustOfHost(
  projectDir: string,
  root: string | undefined,
  { name }: HostBuild
): TrustDecision {
  const projectPath = mainCheckout(projectDir)[0] ?? projectDir;
  if (root !== undefined && isTrustedByHost(root, { name: "", projectPath }))
    return { trusted: true };
  return {
    trusted: false,
    message: `${projectPath} is not trusted in ${name}, so its hooks do not run; trust it in ${name} (in the project's settings, or with "${name.toLowerCase()} trust" in newer versions)`,
  };
}

function problemsOf(settings: HookSettings, lists: readonly EventList[]): string[] {
  const { trust, disableAllHooks, diagnostics } = settings;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const isNothing = lists.every(({ runs }) => runs.length === 0);
  return [
    ...[trust.trusted ? trust.notice : trust.message].filter((text) => text !== undefined),
    ...(errors === 0
      ? []
      : [`${plural(errors, "error")} in the settings; run "${ownCommand()} hooks validate"`]),
    ...(isNothing && trust.trusted
      ? [
          disableAllHooks
            ? "all hooks are turned off by disableAllHooks"
            : "no hooks are configured; add one to .mux/settings.json, or an executable .mux/stop",
        ]
      : []),
  ];
}
