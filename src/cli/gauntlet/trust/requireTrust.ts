/**
 * Requires trust in the gates that `run`, `check`, `review` or `known record` runs (G24a): records it for gates that ran
 * before this rule existed, else prompts a person. Without it, the gates that were trusted last are run instead, if there
 * are any. None is required in CI, unless an agent started the command, and with `MUX_HOOKS_TRUST=always`.
 */
import * as messages from "@/cli/gauntlet/messages/gateTrust";
import { err, ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { agentVariable } from "@/cli/gauntlet/personOnly";
import type { Project } from "@/cli/gauntlet/project";
import * as gateTrust from "@/cli/gauntlet/trust/gateTrust";
import { workspaceFlag } from "@/common/ownCommandName";
import { visible } from "@/common/safeText";
import { isCi } from "@/common/isCi";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
// Not from the index of the engine: a run loads as little as possible.
import { trustGates } from "@/node/services/hooks/trust/trustDecisions";
import { skipsTrust } from "@/node/services/hooks/trust/trustVariable";
import { findTrustStore, trustedAs } from "@/node/services/hooks/trust/userTrust";

/**
 * Returns the configuration to run, with a notice for standard error, or why no gate may run. Without `config`, the
 * configuration in the files runs. Prompts a person at a terminal.
 */
export async function requireTrust(
  { runtime, dir }: Project,
  context: CliContext
): Promise<Result<{ readonly config?: GauntletConfig; readonly notice?: string }, string>> {
  const { env } = context;
  if (skipsTrust(env) || (isCi(env) && agentVariable(context) === undefined)) return ok({});
  const found = await gateTrust.readGates(runtime, dir);
  // The run reports the problem, and starts nothing.
  if (found.loaded.kind !== "valid") return ok({});
  const name = trustedAs(runtime, dir);
  const flag = workspaceFlag(runtime, dir);
  const command = messages.trustCommand(visible(dir), flag);
  const refuse = (why: string) =>
    err(`${why}, so nothing was run; run ${command} to see and allow its commands`);
  const store = await findTrustStore(runtime, context);
  if (store === undefined) return refuse(messages.NO_RECORD);
  const trust = await gateTrust.readTrust(store, runtime, dir);
  if (trust.isErr()) return refuse(trust.error);
  const { sets, isRefused } = trust.value;
  if (isRefused) return refuse(messages.NEVER_TRUSTED);
  if (sets.some(({ files }) => gateTrust.areSame(files, found.files))) return ok({});
  const newest = sets.at(-1);
  const now = new Date();
  if (newest === undefined && (await gateTrust.ranBefore(runtime, dir, trust.value, now))) {
    const recorded = await trustGates(store, name, found.files, now);
    return recorded.map(() => ({ notice: messages.trustedByEarlierUse(visible(dir), flag) }));
  }
  const { askForTrust } = await import("@/cli/gauntlet/commands/trust");
  const answer = await askForTrust({ store, name, found, before: newest?.files }, context);
  // The gates that were shown, also if the files have changed meanwhile.
  const { config } = found.loaded;
  if (answer.isErr() || answer.value === "trusted") return answer.map(() => ({ config }));
  if (newest === undefined) return refuse(messages.NOT_TRUSTED);
  const loaded = await gateTrust.loadRecorded(newest.files, dir);
  if (loaded.kind !== "valid") return refuse(messages.NOT_TRUSTED);
  const notice = messages.changedSinceTrusted(".gauntlet", visible(dir), flag);
  return ok({ config: loaded.config, notice });
}
