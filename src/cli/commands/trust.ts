/** `mux-hooks trust`: shows what came with a checkout and would run, and records that it may (H31). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption } from "@/cli/project";
import { complain } from "@/cli/render/complain";
import { alignColumns, shortPath } from "@/cli/render/format";
import {
  loadHookSettings,
  recordTrust,
  revokeTrust,
  storedTrust,
  type TrustRequest,
} from "@/node/services/hooks/index";
import { createRuntime, findTrustStore, hookLoadOptions } from "@/wiring";

export interface TrustOptions extends ProjectOption {
  readonly show?: boolean;
  readonly revoke?: boolean;
}

const COVERED =
  "A change to these commands, or to a file of the project that they name, asks again.\n" +
  "What the commands start in turn (make targets, package scripts) is not covered.";

/** Typing the command is the consent: nothing more is asked. */
export async function trust(options: TrustOptions, context: CliContext): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return complain(context, project.error);
  const projectDir = project.value;
  const runtime = createRuntime(context.env);
  const store = await findTrustStore(runtime, context);
  const say = (text: string): void => {
    context.stdout.write(`${text}\n`);
  };

  if (options.revoke === true) {
    const revoked = await revokeTrust(store, projectDir);
    if (revoked.isErr()) return complain(context, revoked.error);
    say(revoked.value ? `${projectDir} is no longer trusted.` : `${projectDir} was not trusted.`);
    return EXIT.ok;
  }

  let request: TrustRequest | undefined;
  await loadHookSettings(runtime, projectDir, {
    ...hookLoadOptions(runtime, context),
    trust: {
      decide: (asked) => {
        request = asked;
        return Promise.resolve({ trusted: true });
      },
    },
  });
  if (request === undefined) {
    say(`Nothing that would run came with ${projectDir}, so there is nothing to trust.`);
    return EXIT.ok;
  }
  say(`${describeRequest(request, context)}\n\n${COVERED}\n`);

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

function describeRequest({ projectDir, items }: TrustRequest, { home }: CliContext): string {
  if (items.length === 0) {
    return `${projectDir} has settings for hooks (such as disableAllHooks), and no hook of its own.`;
  }
  const rows = items.map(({ text, origin }) => [`  ${text}`, shortPath(origin, projectDir, home)]);
  return [`What ${projectDir} would run:`, ...alignColumns(rows)].join("\n");
}
