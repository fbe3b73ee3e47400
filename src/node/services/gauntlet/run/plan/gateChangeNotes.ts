/**
 * Describes for the user, at a stop, the gates whose definition changed since the user's turn began, or else since the
 * last stop, and the scripts behind checks that changed in the turn (G20d).
 */
import { posix } from "node:path";
import { sha256 } from "@/common/hash";
import { clip, visible } from "@/common/safeText";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { digestOf } from "@/node/services/gauntlet/config/readConfigFiles";
import { recordedFiles } from "@/node/runtime/fileContents";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import * as gateChanges from "@/node/services/gauntlet/domain/changedGates";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import * as scripts from "@/node/services/gauntlet/shell/scriptsAndTasks";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { NO_TURN, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

const MAX_NOTICE_CHARS = 1_000;
const MAX_TEXT_CHARS = 200;
const MAX_NAMED = 5;

/**
 * Describes the gates whose definition changed since the user's turn began, or else since the last stop. Returns none
 * for a run by hand, and none if a user trusted the configuration and so has seen the changes.
 */
export async function describeChangedGates(
  given: GauntletRunContext,
  { definitions = {} }: ExecutionState
): Promise<string[]> {
  const { options, config } = given;
  if (options.stop === undefined || options.isTrusted === true) return [];
  const before = (await turnDefinitions(given, options.stop.session)) ?? definitions;
  const changed = gateChanges.changedGates(before, gateChanges.gateTexts(config.entryPoints));
  return changed.map((text) => clip(visible(text), MAX_NOTICE_CHARS));
}

/** Returns the definitions when the turn began, or undefined if `turn-start` recorded no usable configuration. */
async function turnDefinitions(
  { runtime, projectDir, config, context }: GauntletRunContext,
  session: string
): Promise<gateChanges.GateTexts | undefined> {
  const store = new TurnStore(runtime, context.gitDir);
  const recorded = (await store.gatesOf(projectDir, session))?.files;
  if (recorded === undefined) return undefined;
  const hashes = Object.entries(recorded).map(([path, text]) => [path, sha256(text)] as const);
  if (digestOf({ hashes: new Map(hashes) }) === config.digest)
    return gateChanges.gateTexts(config.entryPoints);
  const loaded = await loadGauntletConfig(recordedFiles(recorded, projectDir), projectDir);
  return loaded.kind === "valid" ? gateChanges.gateTexts(loaded.config.entryPoints) : undefined;
}

/**
 * Describes the scripts behind the checks of these jobs that changed since the user's turn began. Returns none for a
 * run by hand, and none if no `turn-start` recorded the turn.
 */
export async function describeChangedScripts(
  given: GauntletRunContext,
  jobs: readonly Job[]
): Promise<string[]> {
  const textNow = scripts.readTexts(given.runtime, given.projectDir);
  const textBefore = await readBefore(given, textNow);
  if (textBefore === undefined) return [];
  const [before, now] = [scripts.parsed(textBefore), scripts.parsed(textNow)];
  const shown = (text: string | undefined): string =>
    text === undefined ? "not defined" : `\`${clip(visible(text), MAX_TEXT_CHARS)}\``;
  const texts = new Map<string, string>();
  for (const { id, gate, entryPoint } of jobs) {
    if (gate.kind !== "check") continue;
    const { command, rerunCommand = command, full = command } = gate;
    const folder = gate.workingDirectory ?? entryPoint;
    for (const one of new Set([command, rerunCommand, full])) {
      const both = await Promise.all(
        [before, now].map((read) => scripts.namedScripts(one, folder, read))
      );
      for (const [key, script] of new Map(both.flatMap((found) => [...found]))) {
        const old = await scripts.findScript(script, before);
        const present = await scripts.findScript(script, now);
        if (texts.has(key) || old?.text === present?.text) continue;
        const path = present?.path ?? old?.path ?? "";
        const name = visible(`${path}:${script.name ?? ""}`.replace(/:$/, ""));
        texts.set(
          key,
          `the script ${name} behind ${visible(id)} changed in this turn: ${shown(old?.text)} → ${shown(present?.text)}; if you did not want this, restore it`
        );
      }
    }
  }
  const all = [...texts.values()];
  const rest = all.length - MAX_NAMED;
  return rest > 0
    ? [...all.slice(0, MAX_NAMED), `and ${rest} more ${rest === 1 ? "script" : "scripts"}`]
    : all;
}

/** Returns a reader of files as of the turn's beginning: as `turn-start` recorded them, or else from HEAD then. */
async function readBefore(
  { runtime, projectDir, options: { stop }, context }: GauntletRunContext,
  now: scripts.ReadText
): Promise<scripts.ReadText | undefined> {
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
    const call = { cwd: projectDir, args, keepBytes: scripts.MAX_FILE_BYTES };
    return (await runGit(runtime, call)).unwrapOr(undefined);
  };
}
