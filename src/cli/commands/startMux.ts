/**
 * `mux-stop-hooks hooks attach -- mux server …`: starts Mux from a Node script, a desktop app, an AppImage or a
 * launcher, with a preload that loads the hooks. Warns if the command starts no Mux, or if an editor would use a server
 * without hooks. Returns its exit code, or `unverifiedExit` for a 0 without Mux or after an unverified last stop.
 */
import { constants, tmpdir } from "node:os";
import { resolve, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { EXIT, printError, type CliContext } from "@/cli/context";
import * as desktop from "@/cli/mux/desktop/findDesktopApp";
import { findHostBuild } from "@/cli/mux/inspectBuild";
import { findHostProgram, findPreload, type HostProgram } from "@/cli/mux/hostProgram";
import { findRunningHosts } from "@/cli/mux/runningHosts";
import { shownCommand } from "@/common/ownCommandName";
import { UNVERIFIED_EXIT } from "@/host/run/patchMuxRun";
import { mountAppImage, runInForeground } from "@/node/runtime/process/runInForeground";
import type { Program } from "@/node/runtime/process/spawnGroup";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { SEEN_VARIABLE } from "@/host/loading/hidePreload";

/** A program to start, and the step after its end. */
interface AttachStart {
  readonly program: Program;
  /** Cleans up. Returns false if the program never started Mux. */
  readonly finish?: () => Promise<boolean>;
}

/** Starts the host. @returns its exit code, or 128 plus the number of the signal that ended it */
export async function attach(
  command: string,
  args: readonly string[],
  /** The exit code of `mux run` if its last stop was not verified. */
  { unverifiedExit = 0 }: { readonly unverifiedExit?: number },
  context: CliContext
): Promise<number> {
  const found = await findHostProgram(command, context);
  if (found.isErr()) return printError(context, found.error);
  if (args.includes("acp")) await checkServer(context);
  const start = await prepare(found.value, args, context);
  if (start.isErr()) return printError(context, start.error);
  const { program, finish } = start.value;
  const own = unverifiedExit === 0 ? {} : { [UNVERIFIED_EXIT]: String(unverifiedExit) };
  const ended = await runInForeground({ ...program, env: { ...program.env, ...own } });
  const hasStarted = (await finish?.()) ?? true;
  if (ended.isErr()) return printError(context, ended.error);
  const { code, signal } = ended.value;
  if (signal !== null) return 128 + constants.signals[signal];
  return code === 0 && !hasStarted ? unverifiedExit : (code ?? EXIT.failure);
}

/** Warns of a server without hooks, which would run the turns of this editor. */
async function checkServer(context: CliContext): Promise<void> {
  const { attached, lock } = await findRunningHosts(context);
  if (lock === undefined || attached.some(({ pid }) => pid === lock.pid)) return;
  printError(
    context,
    `the Mux server that runs as process ${lock.pid} has no hooks, so none run for your editor either; quit it, and start it with "${shownCommand()} hooks attach -- mux server"`
  );
}

async function prepare(
  host: HostProgram,
  args: readonly string[],
  context: CliContext
): Promise<Result<AttachStart, string>> {
  const found = findPreload();
  if (found.isErr()) return err(found.error);
  const preload = found.value;
  const { cwd, env } = context;
  switch (host.kind) {
    case "desktop":
      return ok({ program: asServer(host.app, preload, args, context) });
    case "appimage": {
      const mounted = await mountAppImage(host.file, env);
      if (mounted.isErr()) return err(mounted.error);
      const image = mounted.value;
      const app = await desktop.findDesktopApp(image.folder);
      if (app === undefined) {
        await image.unmount();
        return err(desktop.notPackaged(host.file));
      }
      const finish = async (): Promise<boolean> => {
        await image.unmount();
        return true;
      };
      return ok({ program: asServer(app, preload, args, context), finish });
    }
    case "launcher":
      return ok(await launch({ file: host.file, args, cwd, env }, preload, context));
    case "node": {
      const { node, flags, entry } = host;
      const started = entry === undefined ? args : [entry, ...args];
      const script = started.find((arg) => !arg.startsWith("-"));
      if (script !== undefined && (await findHostBuild(resolve(cwd, script))) !== undefined) {
        const words = [...flags, "--require", preload, ...started];
        return ok({ program: { file: node, args: words, cwd, env } });
      }
      const program = { file: node, args: [...flags, ...started], cwd, env };
      return ok(await launch(program, preload, context));
    }
  }
}

/** Passes the preload through `NODE_OPTIONS`. In Mux, the preload removes itself from the environment. */
async function launch(program: Program, preload: string, context: CliContext) {
  const watch = await watchHost(context);
  const options = [program.env.NODE_OPTIONS, `--require ${JSON.stringify(preload)}`];
  const NODE_OPTIONS = options.filter(Boolean).join(" ");
  const started = { ...program, env: { ...program.env, ...watch.env, NODE_OPTIONS } };
  return { program: started, finish: watch.finish };
}

/** Returns a program that runs the app's executable as Node, so that it opens no window. */
function asServer(
  app: desktop.DesktopApp,
  preload: string,
  args: readonly string[],
  { cwd, env }: CliContext
): Program {
  return {
    file: app.executable,
    args: ["--require", preload, join(app.archive, desktop.ENTRY), ...args],
    cwd,
    env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
  };
}

/** When to warn that a launcher has not started Mux. */
const LIMIT_MS = 60_000;

/**
 * Warns if a launcher does not start Mux, because then no hooks run. The preload creates a file when Mux starts.
 * `finish` returns whether it did.
 */
async function watchHost(context: CliContext) {
  const folder = await mkdtemp(join(tmpdir(), "mux-hooks-attach-"));
  const file = join(folder, "seen");
  let hasWarned = false;
  const warnUnlessSeen = (text: string): boolean => {
    const isSeen = existsSync(file);
    if (!isSeen && !hasWarned) printError(context, text);
    hasWarned = !isSeen;
    return isSeen;
  };
  const timer = setTimeout(() => {
    warnUnlessSeen("Mux has not started yet, so no hooks run");
  }, LIMIT_MS).unref();
  const finish = async (): Promise<boolean> => {
    clearTimeout(timer);
    const isSeen = warnUnlessSeen(
      "the command ended without starting Mux, so no hooks ran; attach to the command that starts Mux"
    );
    await rm(folder, { recursive: true, force: true });
    return isSeen;
  };
  return { env: { [SEEN_VARIABLE]: file }, finish };
}
