/**
 * `mux-stop-hooks hooks trust`: shows the hooks of a checkout and their changes since the last trust, and records trust
 * in them after a confirmation, or revokes it (H31). Unless it only shows them, it refuses if a variable
 * shows that an agent, a hook or a gate started it.
 */
import { trusted as describeTrust } from "@/cli/messages/shared";
import { shownCommand, workspaceFlag } from "@/common/ownCommandName";
import * as cli from "@/cli/context";
import { whyNotForAgents } from "@/cli/gauntlet/personOnly";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { confirm } from "@/cli/render/confirm";
import { describeDifference, describeRequest } from "@/cli/render/unifiedDiff";
import * as engine from "@/node/services/hooks/index";
import * as wiring from "@/wiring";

const COVERED =
  "If these definitions change, you have to trust the change; until then the hooks run with the definitions that you trusted before.\n" +
  "The files that a command names (programs, tests, make targets) are not covered: their current content runs.";

interface TrustOptions extends WorkspaceOption {
  readonly show?: boolean;
  readonly revoke?: boolean;
  readonly only?: boolean;
  readonly yes?: boolean;
}

export async function trust(options: TrustOptions, context: cli.CliContext): Promise<cli.ExitCode> {
  const { show = false, yes = false, revoke = false } = options;
  // Only the user may decide about trust.
  const refusal = show ? undefined : whyNotForAgents("hooks trust", context);
  if (refusal !== undefined) return cli.printError(context, refusal);
  if (!show && !yes && !revoke && !cli.isAtTerminal(context)) {
    return cli.printError(
      context,
      "there is no terminal for the confirmation; list the hooks with --show, then run the command in a terminal, or with --yes"
    );
  }
  return await withWorkspace(options, context, (workspace) => decide(options, workspace, context));
}

async function decide(
  options: TrustOptions,
  { runtime, projectDir }: CliWorkspace,
  context: cli.CliContext
): Promise<cli.ExitCode> {
  const name = wiring.trustedAs(runtime, projectDir);
  const store = await wiring.findTrustStore(runtime, context);
  if (store === undefined) {
    return cli.printError(
      context,
      "HOME is not an absolute path, so the record of trusted projects cannot be found; set HOME to an absolute path"
    );
  }
  const main = await wiring.findTrustedMain(runtime, projectDir);
  if (options.revoke === true) return await revoke(store, name, main, context);

  const { settings, request: found } = await wiring.loadWithRequest(runtime, projectDir, context);
  const request = found && { ...found, projectDir: name };
  if (settings.loadError !== undefined) return cli.printError(context, settings.loadError);
  const trusted = await engine.lastTrusted(store, name, main);
  if (trusted.isErr()) return cli.printError(context, trusted.error);
  const before = trusted.value;
  if (request === undefined || (engine.isNothing(request.definitions) && before === undefined)) {
    const none = `${name} has no hooks that would run, so there is nothing to trust.`;
    return cli.printLine(context, none);
  }
  cli.printLine(context, `${describeRequest(request, projectDir, context)}\n\n${COVERED}\n`);
  if (before !== undefined && !engine.sameDefinitions(before, request.definitions)) {
    cli.printLine(context, `${describeDifference(before, request.definitions)}\n`);
  }
  if (options.show === true) {
    const shown = { ...request, projectDir };
    const state = await wiring.hookLoadOptions(runtime, context).trust.decide(shown);
    const notice = state.trusted ? state.notice : state.message;
    const recorded = state.trusted ? describeTrust(state.record) : "";
    return cli.printLine(context, notice === undefined ? recorded : `Not trusted: ${notice}`);
  }
  const { yes = false, only = false } = options;
  if (!yes && !(await confirm("Trust these hooks?", context))) {
    cli.printLine(context, "Nothing was recorded; the trust of the project is unchanged.");
    return cli.EXIT.failure;
  }
  const recorded = await engine.recordTrust(store, request, new Date(), { only });
  if (recorded.isErr()) return cli.printError(context, recorded.error);
  return cli.printLine(
    context,
    `Trusted from your next message on, as recorded in ${store.path}. To revoke it, run "${shownCommand()} hooks trust --revoke${workspaceFlag(runtime, projectDir)}".`
  );
}

async function revoke(
  store: engine.TrustStore,
  name: string,
  main: string | undefined,
  context: cli.CliContext
): Promise<cli.ExitCode> {
  const revoked = await engine.revokeTrust(store, name);
  if (revoked.isErr()) return cli.printError(context, revoked.error);
  const inherited = await engine.lastTrusted(store, name, main);
  if (main !== undefined && inherited.unwrapOr(undefined) !== undefined) {
    return cli.printError(
      context,
      `${name} is a worktree of ${main} and has its trust; run "${shownCommand()} hooks trust --revoke" in ${main} to revoke it for both`
    );
  }
  return cli.printLine(
    context,
    revoked.value
      ? `From your next message on, ${name} is no longer trusted. A turn that is running keeps its hooks.`
      : `${name} is not trusted, so there is nothing to revoke.`
  );
}
