/** Records in Codex that the user trusts the hooks of the gauntlet. Codex skips hooks without this record (G29). */
import { err, ok, type Result } from "neverthrow";
import { codexHost } from "@/cli/gauntlet/hosts/codex/index";
import { AppServer } from "@/cli/gauntlet/hosts/codex/appServer";
import { Installation } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  findHookProgram,
  PROGRAM_NAME,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import { programForHome } from "@/cli/gauntlet/init/hooks/ownCopy";
import { isInstallable } from "@/cli/gauntlet/init/hooks/installable";
import { isJsonObject, type JsonObject } from "@/common/json";
import { pathOutside } from "@/cli/ownCommands";
import { findOnPath } from "@/node/runtime/process/findOnPath";
import { converse } from "@/node/runtime/process/converse";
import * as messages from "@/cli/gauntlet/messages/hooks";

/** Time for all requests together. The program itself starts in less than a second. */
const LIMIT_S = 20;

/** A hook as `hooks/list` returns it. */
export interface ListedHook {
  readonly key: string;
  readonly hash: string;
  readonly command: string;
  readonly isTrusted: boolean;
}

/** Returns the number of hooks that Codex now trusts, or why it does not. */
export async function trustInCodex(
  place: InitPlace,
  limitS = LIMIT_S
): Promise<Result<number, string>> {
  const file = await findOnPath("codex", pathOutside(place.projectDir, place));
  if (file === undefined) return err(messages.codexMissing());
  const commands = await ownCommands(place);
  const recorded = await talk(place, file, limitS, (server) =>
    recordTrust(server, place.projectDir, commands)
  );
  return recorded.mapErr(messages.codexTrustFailed);
}

/** Returns all hooks that Codex lists for the project, or why there is no list. `file` is the program of Codex. */
export async function listCodexHooks(
  place: InitPlace,
  file: string,
  limitS = LIMIT_S
): Promise<Result<readonly ListedHook[], string>> {
  return await talk(place, file, limitS, async (server) => {
    const begun = await server.initialize();
    return begun.isErr() ? err(begun.error) : await listHooks(server, place.projectDir);
  });
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
      : messages.codexTimedOut(server?.method ?? "initialize", limitS)
  );
}

/** Returns the commands in the files of Codex that `init` wrote, and that start a program that it would write here. */
async function ownCommands(place: InitPlace): Promise<ReadonlySet<string>> {
  if (!isInstallable(codexHost)) return new Set();
  const { install } = codexHost;
  const inHome = { ...place, program: await programForHome(place) };
  const programs = [
    await findHookProgram(place),
    await findHookProgram(inHome),
    PROGRAM_NAME,
    ...CLONE_PROGRAMS,
  ];
  const { hooks } = await Installation.read(install, place);
  return new Set(
    hooks
      .filter(({ written }) => written !== undefined && programs.includes(written.program))
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
  if (before.value.length === 0) return err(messages.CODEX_NO_HOOK);
  const untrusted = before.value.filter(({ isTrusted }) => !isTrusted);
  if (untrusted.length === 0) return ok(before.value.length);
  const value = Object.fromEntries(untrusted.map(({ key, hash }) => [key, { trusted_hash: hash }]));
  const written = await server.request("config/batchWrite", {
    edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }],
  });
  if (written.isErr()) return err(written.error);
  const after = await list();
  return after.andThen((hooks) =>
    hooks.every(({ isTrusted }) => isTrusted) ? ok(hooks.length) : err(messages.CODEX_NOT_RECORDED)
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
