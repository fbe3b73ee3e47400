/** Describes scripts that checks run and that changed since the user's turn began (G20d). */
import { posix } from "node:path";
import { clip, visible } from "@/common/text";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import {
  findScript,
  MAX_FILE_BYTES,
  namedScripts,
  parsed,
  readTexts,
  type ReadText,
} from "@/node/services/gauntlet/known/namedScripts";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { NO_TURN, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

const MAX_TEXT_CHARS = 200;
const MAX_NAMED = 5;

/** Returns none for a run by hand, and none if no `turn-start` recorded the turn. */
export async function describeChangedScripts(
  given: GauntletRunContext,
  jobs: readonly Job[]
): Promise<string[]> {
  const textNow = readTexts(given.options.runtime, given.options.projectDir);
  const textBefore = await readBefore(given, textNow);
  if (textBefore === undefined) return [];
  const [before, now] = [parsed(textBefore), parsed(textNow)];
  const texts = new Map<string, string>();
  for (const { id, gate, entryPoint } of jobs) {
    if (gate.kind !== "check") continue;
    const folder = gate.workingDirectory ?? entryPoint;
    for (const command of new Set([
      gate.command,
      gate.rerunCommand ?? gate.command,
      gate.full ?? gate.command,
    ])) {
      const scripts = await Promise.all(
        [before, now].map((read) => namedScripts(command, folder, read))
      );
      for (const [key, script] of new Map(scripts.flatMap((found) => [...found]))) {
        const [old, present] = [await findScript(script, before), await findScript(script, now)];
        if (texts.has(key) || old?.text === present?.text) continue;
        const path = present?.path ?? old?.path ?? "";
        const name = visible(`${path}:${script.name ?? ""}`.replace(/:$/, ""));
        texts.set(key, scriptChanged(visible(id), name, short(old?.text), short(present?.text)));
      }
    }
  }
  const all = [...texts.values()];
  const more = all.length > MAX_NAMED ? [moreScripts(all.length - MAX_NAMED)] : [];
  return [...all.slice(0, MAX_NAMED), ...more];
}

function short(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clip(visible(text), MAX_TEXT_CHARS);
}

/** Returns the files as of the turn's beginning: as `turn-start` recorded them, or else as in the commit of HEAD then. */
async function readBefore(
  { options, context }: GauntletRunContext,
  now: ReadText
): Promise<ReadText | undefined> {
  const { runtime, projectDir, stop } = options;
  if (stop === undefined) return undefined;
  const store = new TurnStore(runtime, context.gitDir);
  const { head, at } = (await store.read("turns", stop.session)) ?? NO_TURN;
  if (at === undefined) return undefined;
  const recorded = (await store.gatesOf(projectDir, stop.session))?.scripts ?? {};
  return async (path) => {
    const folder = recorded[posix.dirname(path)];
    const name = posix.basename(path);
    const text = folder !== undefined && Object.hasOwn(folder, name) ? folder[name] : undefined;
    if (folder !== undefined && text !== null) return text;
    const [stat] = await runtime.stat([posix.join(projectDir, path)]);
    const isOlder = stat !== undefined && "ctimeMs" in stat && stat.ctimeMs < Date.parse(at);
    if (head === undefined || isOlder) return await now(path);
    const args = ["cat-file", "blob", "--end-of-options", `${head}:./${path}`];
    const options = { cwd: projectDir, args, keepBytes: MAX_FILE_BYTES };
    return (await runGit(runtime, options)).unwrapOr(undefined);
  };
}

/**
 * @param before absent: it was not defined
 * @param now absent: it is not defined
 */
function scriptChanged(
  jobId: string,
  script: string,
  before: string | undefined,
  now: string | undefined
): string {
  const text = (one: string | undefined): string =>
    one === undefined ? "not defined" : `\`${one}\``;
  return `the script ${script} behind ${jobId} changed in this turn: ${text(before)} → ${text(now)}; if you did not want this, restore it`;
}

function moreScripts(count: number): string {
  return `and ${count} more ${count === 1 ? "script" : "scripts"}`;
}
