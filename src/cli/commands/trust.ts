/** `mux-hooks trust`: shows what came with a checkout and would run, and records that it may (H31). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import type { Workspace } from "@/cli/project";
import { complain } from "@/cli/render/complain";
import { alignColumns, shortPath } from "@/cli/render/format";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import {
  loadHookSettings,
  recordTrust,
  revokeTrust,
  storedTrust,
  type TrustRequest,
} from "@/node/services/hooks/index";
import { findTrustStore, hookLoadOptions, trustedAs } from "@/wiring";

export interface TrustOptions extends WorkspaceOption {
  readonly show?: boolean;
  readonly revoke?: boolean;
}

const COVERED =
  "A change to these commands, or to a file of the project that they name, asks again.\n" +
  "What the commands start in turn (make targets, package scripts) is not covered.";

/** Typing the command is the consent: nothing more is asked. */
export async function trust(options: TrustOptions, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, (workspace) => decide(options, workspace, context));
}

async function decide(
  options: TrustOptions,
  { runtime, projectDir }: Workspace,
  context: CliContext
): Promise<ExitCode> {
  const name = trustedAs(runtime, projectDir);
  const store = await findTrustStore(runtime, context);
  const say = (text: string): void => {
    context.stdout.write(`${text}\n`);
  };

  if (options.revoke === true) {
    const revoked = await revokeTrust(store, name);
    if (revoked.isErr()) return complain(context, revoked.error);
    say(revoked.value ? `${name} is no longer trusted.` : `${name} was not trusted.`);
    return EXIT.ok;
  }

  let request: TrustRequest | undefined;
  const settings = await loadHookSettings(runtime, projectDir, {
    ...hookLoadOptions(runtime, context),
    trust: {
      decide: (asked) => {
        request = { ...asked, projectDir: name };
        return Promise.resolve({ trusted: true });
      },
    },
  });
  if (settings.unknown !== undefined) return complain(context, settings.unknown);
  if (request === undefined) {
    say(`Nothing that would run came with ${name}, so there is nothing to trust.`);
    return EXIT.ok;
  }
  say(`${describeRequest(request, projectDir, context)}\n\n${COVERED}\n`);

  if (options.show === true) {
    const state = await storedTrust({ ...store, env: context.env }).decide(request);
    say(state.trusted ? "Trusted." : `Not trusted: ${state.message}`);
    return EXIT.ok;
  }
  const recorded = await recordTrust(store, request, new Date());
  if (recorded.isErr()) return complain(context, recorded.error);
  say(`Trusted, as recorded in ${store.path}. "mux-hooks trust --revoke" takes it back.`);
  return EXIT.ok;
}

function describeRequest(
  { projectDir: name, items }: TrustRequest,
  projectDir: string,
  { home }: CliContext
): string {
  if (items.length === 0) {
    return `${name} has settings for hooks (such as disableAllHooks), and no hook of its own.`;
  }
  const rows = items.map(({ text, origin }) => [`  ${text}`, shortPath(origin, projectDir, home)]);
  return [`What ${name} would run:`, ...alignColumns(rows)].join("\n");
}
