/** Whether Codex trusts the hooks of the gauntlet. It skips hooks of which it has no record (G29). */
import { err, ok, type Result } from "neverthrow";
import { good, info, problem, type Finding } from "@/cli/gauntlet/doctor/report";
import { AppServer } from "@/cli/gauntlet/hosts/codex/appServer";
import type { HookHost, InstalledHook } from "@/cli/gauntlet/hosts/types";
import { Installation } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { CLONE_PROGRAMS, findPrograms, PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { isJsonObject, type JsonObject } from "@/common/json";
import { ownCommand } from "@/common/ownCommand";
import { pathOutside } from "@/cli/ownCommands";
import { findOnPath } from "@/node/runtime/process/findOnPath";
import { converse } from "@/node/runtime/process/converse";
import { runsGauntlet } from "@/node/services/hooks/index";

/** Time for all requests together. The program itself starts in less than a second. */
const LIMIT_S = 20;

const NO_HOOK =
  "codex app-server lists no hook that init wrote (probably because Codex does not trust this folder)";

/** A hook as `hooks/list` returns it. */
interface ListedHook {
  readonly key: string;
  readonly hash: string;
  readonly command: string;
  readonly isTrusted: boolean;
}

export async function examineCodexTrust(
  hooks: readonly InstalledHook[],
  place: InitPlace
): Promise<Finding[]> {
  if (hooks.length === 0) return [];
  const unknown = "whether Codex trusts the hook is not known";
  const review = 'start "codex" in this project and review the hooks';
  const file = await findOnPath("codex", pathOutside(place.projectDir, place));
  if (file === undefined) return [info(`${unknown}: "codex" is not on PATH`)];
  const listed = await talk(place, file, LIMIT_S, async (server) => {
    const begun = await server.initialize();
    return begun.isErr() ? err(begun.error) : await listHooks(server, place.projectDir);
  });
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
  const next = `${review}, or run "${ownCommand()} init --hook codex --trust-codex"`;
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
      `Codex skips the hook, because the trust could not be recorded: "codex" is not on PATH; install it, then run "${ownCommand()} init --hook codex --trust-codex" again`
    );
  }
  const commands = await ownCommands(codex, place);
  const recorded = await talk(place, file, limitS, (server) =>
    recordTrust(server, place.projectDir, commands)
  );
  return recorded.mapErr(
    (why) =>
      `Codex may skip the hook, because the trust could not be recorded: ${why}; start "codex" in this project and review the hooks there`
  );
}

async function talk<T>(
  { env, projectDir }: InitPlace,
  file: string,
  limitS: number,
  act: (server: AppServer) => Promise<Result<T, string>>
): Promise<Result<T, string>> {
  const program = { file, args: ["app-server"], cwd: projectDir, env };
  let server: AppServer | undefined;
  const talked = await converse(program, limitS * 1_000, async (channel) => {
    server = new AppServer(channel);
    return await act(server);
  });
  if (talked.kind === "done") return talked.value;
  return err(
    talked.kind === "notStarted"
      ? talked.message
      : `codex app-server did not answer ${server?.method ?? "initialize"} within ${limitS} s`
  );
}

/** Returns the commands in the files of Codex that `init` wrote, and that start a program that it would write here. */
async function ownCommands(codex: HookHost, place: InitPlace): Promise<ReadonlySet<string>> {
  const { personal, inHome } = await findPrograms(place, false);
  const programs = [personal, inHome.unwrapOr(personal), PROGRAM_NAME, ...CLONE_PROGRAMS];
  const { hooks } = await Installation.read(codex, place);
  return new Set(
    hooks
      .filter(({ states, program = "" }) => !states.has("foreign") && programs.includes(program))
      .map(({ handler }) => handler.command)
  );
}

async function recordTrust(
  server: AppServer,
  projectDir: string,
  commands: ReadonlySet<string>
): Promise<Result<number, string>> {
  const begun = await server.initialize();
  if (begun.isErr()) return err(begun.error);
  const list = async (): Promise<Result<readonly ListedHook[], string>> =>
    (await listHooks(server, projectDir)).map((hooks) =>
      hooks.filter(({ command }) => commands.has(command))
    );
  const before = await list();
  if (before.isErr()) return err(before.error);
  if (before.value.length === 0) return err(NO_HOOK);
  const untrusted = before.value.filter(({ isTrusted }) => !isTrusted);
  if (untrusted.length === 0) return ok(before.value.length);
  const value = Object.fromEntries(untrusted.map(({ key, hash }) => [key, { trusted_hash: hash }]));
  const written = await server.request("config/batchWrite", {
    edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }],
  });
  if (written.isErr()) return err(written.error);
  const after = await list();
  return after.andThen((hooks) =>
    hooks.every(({ isTrusted }) => isTrusted)
      ? ok(hooks.length)
      : err("codex app-server accepted the change, but reports the hooks as untrusted")
  );
}

async function listHooks(
  server: AppServer,
  projectDir: string
): Promise<Result<readonly ListedHook[], string>> {
  return (await server.request("hooks/list", { cwds: [projectDir] })).map(readHooks);
}

function readHooks({ data }: JsonObject): ListedHook[] {
  const entries = Array.isArray(data) ? (data as unknown[]) : [];
  const hooks = entries.flatMap((entry) =>
    isJsonObject(entry) && Array.isArray(entry.hooks) ? (entry.hooks as unknown[]) : []
  );
  return hooks.flatMap((hook) => {
    if (!isJsonObject(hook)) return [];
    const { key, currentHash: hash, command, trustStatus } = hook;
    if (typeof key !== "string" || typeof hash !== "string" || typeof command !== "string") {
      return [];
    }
    return [{ key, hash, command, isTrusted: trustStatus === "trusted" }];
  });
}
