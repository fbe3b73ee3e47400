/** Shows the gates of a project, and asks a person whether they may run (G24a). */
import { ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { whyNotForPerson } from "@/cli/gauntlet/personOnly";
import type { FoundGates } from "@/cli/gauntlet/trust/projectGates";
import { CONFIRM_GATES } from "@/cli/gauntlet/messages/trust";
import { confirm } from "@/cli/render/confirm";
import { describeDifference, describeRequest } from "@/cli/render/trustRequest";
import {
  NO_DEFINITIONS,
  trustGates,
  type Definitions,
  type GateFiles,
  type TrustStore,
} from "@/node/services/hooks/index";
import { gateItems } from "@/node/services/gauntlet/hook/trustedConfig";

interface TrustQuestion {
  readonly store: TrustStore;
  /** Of the project in the record. */
  readonly name: string;
  readonly found: FoundGates;
  /** The set that was trusted last. */
  readonly before?: GateFiles | undefined;
}

export function describeGates(
  { name, found, before }: Omit<TrustQuestion, "store">,
  context: CliContext
): string {
  const definitionsOf = (files: GateFiles): Definitions => ({
    ...NO_DEFINITIONS,
    builtins: { gauntlet: { dir: "", files } },
  });
  const definitions = definitionsOf(found.files);
  const items = gateItems(found.loaded);
  const request = { projectDir: name, items, definitions, purpose: "look" } as const;
  const list = describeRequest(request, name, context);
  return before === undefined
    ? list
    : `${list}\n\n${describeDifference(definitionsOf(before), definitions)}`;
}

/** Returns `refused` without a terminal as well, without a question. */
export async function askForTrust(
  question: TrustQuestion,
  context: CliContext
): Promise<Result<"trusted" | "refused", string>> {
  if (whyNotForPerson("trust", context) !== undefined) return ok("refused");
  context.stderr.write(`${describeGates(question, context)}\n`);
  if (!(await confirm(CONFIRM_GATES, context))) return ok("refused");
  const { store, name, found } = question;
  return (await trustGates(store, name, found.files, new Date())).map(() => "trusted");
}
