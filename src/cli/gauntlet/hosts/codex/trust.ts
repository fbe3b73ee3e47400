/**
 * Reads and records, by the program `codex app-server`, whether Codex trusts the hooks of the gauntlet: it skips hooks
 * without a record (G29). For `doctor`, and for `init --trust-codex`.
 */
import { err, ok, safeTry, type Result } from "neverthrow";
import { good, info, problem, type Finding } from "@/cli/gauntlet/doctor/finding";
import type { HookHost, InstalledHook } from "@/cli/gauntlet/hosts/types";
import { InstalledHooks } from "@/cli/gauntlet/init/hooks/InstalledHooks";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { CLONE_PROGRAMS, findPrograms, PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { clip, visible } from "@/common/safeText";
import { shownCommand } from "@/common/ownCommandName";
import { pathOutside } from "@/cli/findOwnCommand";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { exchangeLines } from "@/node/runtime/process/exchangeLines";
import { runsGauntlet } from "@/node/services/hooks/index";

/** Time for all requests together. The program itself starts in less than a second. */
const LIMIT_S = 20;
const SHOWN_CHARS = 300;

/** Returns one finding about the trust in the hooks, or none if there is no hook. */
export async function examineCodexTrust(
  hooks: readonly InstalledHook[],
  place: InitPlace
): Promise<Finding[]> {
  if (hooks.length === 0) return [];
  const unknown = "whether Codex trusts the hook is not known";
  const review = 'start "codex" in this project and review the hooks';
  const file = await findOnPath("codex", pathOutside(place.projectDir, place));
  if (file === undefined) return [info(`${unknown}: "codex" is not on PATH`)];
  const listed = await withCodex(place, file, LIMIT_S, (send) => listHooks(send, place));
  if (listed.isErr()) return [problem(`${unknown}: ${listed.error}`, `${review} there`)];
  const own = listed.value.filter(({ command }) =>
    ["stop-hook", "turn-start"].some((name) => runsGauntlet({ type: "command", command }, name))
  );
  // The text of a command in TOML is not decoded.
  const expected = hooks.filter(({ layer }) => layer.file.isToml !== true);
  const isListed = ({ handler }: InstalledHook): boolean =>
    own.some(({ command }) => command === handler.command);
  if (own.length === 0 || !expected.every(isListed)) {
    const text =
      "codex app-server does not list the hook (probably because Codex does not trust this folder)";
    return [problem(text, `${review} there`)];
  }
  if (own.every(({ isTrusted }) => isTrusted)) return [good("Codex trusts the hook")];
  const next = `${review}, or run "${shownCommand()} init --hook codex --trust-codex"`;
  return [problem("Codex does not trust the hook, and skips it", next)];
}

/** Records that the user trusts the hooks. Returns the number of hooks that Codex now trusts, or why it does not. */
export async function trustInCodex(
  codex: HookHost,
  place: InitPlace,
  limitS = LIMIT_S
): Promise<Result<number, string>> {
  const file = await findOnPath("codex", pathOutside(place.projectDir, place));
  if (file === undefined) {
    return err(
      `Codex skips the hook, because the trust could not be recorded: "codex" is not on PATH; install it, then run "${shownCommand()} init --hook codex --trust-codex" again`
    );
  }
  // The commands that `init` wrote, and that start a program that it would write here.
  const { personal, inHome } = await findPrograms(place, false);
  const programs = [personal, inHome.unwrapOr(personal), PROGRAM_NAME, ...CLONE_PROGRAMS];
  const commands = (await InstalledHooks.read(codex, place)).hooks
    .filter(({ written, program = "" }) => written !== undefined && programs.includes(program))
    .map(({ handler }) => handler.command);
  const done = await withCodex(place, file, limitS, (send) => recordTrust(send, place, commands));
  return done.mapErr(
    (why) =>
      `Codex may skip the hook, because the trust could not be recorded: ${why}; start "codex" in this project and review the hooks there`
  );
}

/** Sends a request of JSON-RPC, one message per line. Returns its result, or why there is none. */
type Send = (method: string, params: JsonObject) => Promise<Result<JsonObject, string>>;

/** Starts `codex app-server`, and returns the result of `act`, or why there is none within the time limit. */
async function withCodex<T>(
  { env, projectDir }: InitPlace,
  file: string,
  limitS: number,
  act: (send: Send) => Promise<Result<T, string>>
): Promise<Result<T, string>> {
  const program = { file, args: ["app-server"], cwd: projectDir, env };
  let method = "initialize";
  let id = 0;
  const outcome = await exchangeLines(program, limitS * 1_000, async (channel) => {
    const send: Send = async (name, params) => {
      method = name;
      channel.send(JSON.stringify({ id: ++id, method, params }));
      for (;;) {
        const line = await channel.receive();
        if (line === undefined) {
          const { code, signal } = await channel.exited;
          const how = signal ?? `exit code ${code}`;
          return err(`codex app-server ended before it answered ${method} (${how})`);
        }
        const answer = parseJson(line).unwrapOr(undefined);
        // Notifications have no ID. A request of the server may have the same one.
        if (!isJsonObject(answer) || answer.id !== id || "method" in answer) continue;
        if (isJsonObject(answer.result)) return ok(answer.result);
        const { error } = answer;
        const message = isJsonObject(error) ? String(error.message) : "no result";
        const shown = visible(clip(message, SHOWN_CHARS));
        return err(`codex app-server rejected ${method}: ${shown}`);
      }
    };
    const clientInfo = { name: "agent-gauntlet", title: "agent-gauntlet", version: "1" };
    const capabilities = { experimentalApi: true };
    const begun = await send(method, { clientInfo, capabilities });
    channel.send(JSON.stringify({ method: "initialized" }));
    return begun.isErr() ? err(begun.error) : await act(send);
  });
  if (outcome.kind === "done") return outcome.value;
  return err(
    outcome.kind === "notStarted"
      ? outcome.message
      : `codex app-server did not answer ${method} within ${limitS} s`
  );
}

/** Trusts the hooks with these commands. Returns the number of hooks that are trusted now. */
async function recordTrust(
  send: Send,
  place: InitPlace,
  commands: readonly string[]
): Promise<Result<number, string>> {
  const list = async () =>
    (await listHooks(send, place)).map((hooks) =>
      hooks.filter(({ command }) => commands.includes(command))
    );
  return await safeTry(async function* () {
    const before = yield* await list();
    if (before.length === 0) {
      return err(
        "codex app-server lists no hook that init wrote (probably because Codex does not trust this folder)"
      );
    }
    const untrusted = before.filter(({ isTrusted }) => !isTrusted);
    if (untrusted.length === 0) return ok(before.length);
    const value = Object.fromEntries(
      untrusted.map(({ key, hash }) => [key, { trusted_hash: hash }])
    );
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    yield* await send("config/batchWrite", { edits });
    const after = yield* await list();
    return after.every(({ isTrusted }) => isTrusted)
      ? ok(after.length)
      : err("codex app-server accepted the change, but reports the hooks as untrusted");
  });
}

/** Returns the hooks that `hooks/list` returns. */
async function listHooks(send: Send, { projectDir }: InitPlace) {
  const listsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return (await send("hooks/list", { cwds: [projectDir] })).map(({ data }) =>
    listsOf(data)
      .flatMap((entry) => (isJsonObject(entry) ? listsOf(entry.hooks) : []))
      .filter(isJsonObject)
      .flatMap(({ key, currentHash: hash, command, trustStatus }) =>
        typeof key === "string" && typeof hash === "string" && typeof command === "string"
          ? [{ key, hash, command, isTrusted: trustStatus === "trusted" }]
          : []
      )
  );
}
