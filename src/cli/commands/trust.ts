/** `mux-hooks trust`: shows the hooks of a checkout that would run, and records the user's trust in them (H31). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import type { CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { confirm } from "@/cli/render/confirm";
import { describeDifference, describeRequest } from "@/cli/render/trustRequest";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import {
  areEqual,
  isNothing,
  lastTrusted,
  loadHookSettings,
  recordTrust,
  revokeTrust,
  storedTrust,
  type TrustRequest,
  type TrustStore,
} from "@/node/services/hooks/index";
import { findTrustStore, hookLoadOptions, trustedAs } from "@/wiring";

export interface TrustOptions extends WorkspaceOption {
  readonly show?: boolean;
  readonly revoke?: boolean;
  readonly only?: boolean;
  readonly yes?: boolean;
}

const COVERED =
  "A change to these definitions is asked about again; until then they go on to run as trusted.\n" +
  "The files that a command names (programs, tests, make targets) are not covered: they run as they are.";

/** Variables that are set for programs started by an agent. Only a person may decide about trust. */
const AGENT_VARIABLES = ["MUX_HOOK_EVENT", "GAUNTLET_STOP_HOOK_ACTIVE"];

export async function trust(options: TrustOptions, context: CliContext): Promise<ExitCode> {
  const refusal = options.show === true ? undefined : refuse(options, context);
  if (refusal !== undefined) return printError(context, refusal);
  return await withWorkspace(options, context, (workspace) => decide(options, workspace, context));
}

function refuse(
  { yes = false, revoke = false }: TrustOptions,
  { env, stdin, stdout }: CliContext
): string | undefined {
  const found = AGENT_VARIABLES.find((name) => env[name] !== undefined && env[name] !== "");
  if (found !== undefined) {
    return `${found} is set, so a hook or an agent started this: run mux-hooks trust in a terminal of your own`;
  }
  if (yes || revoke || (stdin.isTTY === true && stdout.isTTY === true)) return undefined;
  return "this is not a terminal: look with --show, then run it in a terminal or with --yes";
}

async function decide(
  options: TrustOptions,
  { runtime, projectDir }: CliWorkspace,
  context: CliContext
): Promise<ExitCode> {
  const name = trustedAs(runtime, projectDir);
  const store = await findTrustStore(runtime, context);
  if (store === undefined) {
    return printError(
      context,
      "HOME is not an absolute path, so there is no record of trust: set HOME"
    );
  }
  if (options.revoke === true) return await revoke(store, name, context);

  let request: TrustRequest | undefined;
  const settings = await loadHookSettings(runtime, projectDir, {
    ...hookLoadOptions(runtime, context),
    trust: {
      decide: (found) => {
        request = { ...found, projectDir: name };
        return Promise.resolve({ trusted: true });
      },
    },
  });
  if (settings.loadError !== undefined) return printError(context, settings.loadError);
  const trusted = await lastTrusted(store, name);
  if (trusted.isErr()) return printError(context, trusted.error);
  const before = trusted.value;
  if (request === undefined || (isNothing(request.definitions) && before === undefined)) {
    print(context, `Nothing that would run came with ${name}, so there is nothing to trust.`);
    return EXIT.ok;
  }
  print(context, `${describeRequest(request, projectDir, context)}\n\n${COVERED}\n`);
  if (before !== undefined && !areEqual(before, request.definitions)) {
    print(context, `${describeDifference(before, request.definitions)}\n`);
  }
  if (options.show === true) {
    const state = await storedTrust({ ...store, env: context.env }).decide(request);
    const notice = state.trusted ? state.notice : state.message;
    print(context, notice === undefined ? "Trusted." : `Not trusted: ${notice}`);
    return EXIT.ok;
  }
  return await record(store, request, options, context);
}

async function record(
  store: TrustStore,
  request: TrustRequest,
  { yes = false, only = false }: TrustOptions,
  context: CliContext
): Promise<ExitCode> {
  if (!yes && !(await confirm("Let them run?", context))) {
    print(context, "Nothing was recorded.");
    return EXIT.failure;
  }
  const recorded = await recordTrust(store, request, new Date(), { only });
  if (recorded.isErr()) return printError(context, recorded.error);
  print(
    context,
    `Trusted, as recorded in ${store.path}; it counts from your next message. "mux-hooks trust --revoke" takes it back.`
  );
  return EXIT.ok;
}

async function revoke(store: TrustStore, name: string, context: CliContext): Promise<ExitCode> {
  const revoked = await revokeTrust(store, name);
  if (revoked.isErr()) return printError(context, revoked.error);
  print(
    context,
    revoked.value
      ? `${name} is no longer trusted. A turn that runs keeps its hooks: this counts from your next message.`
      : `${name} was not trusted.`
  );
  return EXIT.ok;
}

function print({ stdout }: CliContext, text: string): void {
  stdout.write(`${text}\n`);
}
