/** `mux-stop-hooks hooks desktop install | status | uninstall`: adds hooks to a packaged app. */
import { ownCommand } from "@/common/ownCommand";
import { resolve } from "node:path";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { chooseDesktopApp, type DesktopApp, findDesktopApps } from "@/cli/mux/desktop/DesktopApp";
import { describeShim } from "@/cli/mux/desktop/describeShim";
import { installShim, plannedChanges, shimState, uninstallShim } from "@/cli/mux/desktop/shim";
import { findPreload } from "@/cli/mux/preloadFile";
import { programsOnPath } from "@/cli/mux/programsOnPath";
import { printError } from "@/cli/render/printError";
import { confirm } from "@/cli/render/confirm";
import * as messages from "@/cli/messages/shared";
import { NOT_BUILT } from "@/cli/messages/host";
import { CONFIRM_IN_TERMINAL } from "@/cli/messages/shared";

export type DesktopAction = "install" | "status" | "uninstall";

export interface DesktopOptions {
  readonly app?: string;
  readonly yes?: boolean;
}

export async function desktop(
  action: DesktopAction,
  options: DesktopOptions,
  context: CliContext
): Promise<ExitCode> {
  const path = options.app === undefined ? undefined : resolve(context.cwd, options.app);
  const found = await chooseDesktopApp(path, async () =>
    findDesktopApps(context.home, await programsOnPath(context))
  );
  if (found.isErr()) return printError(context, found.error);
  const app = found.value;
  if (action === "install") return await install(app, options, context);
  if (action === "uninstall") return await uninstall(app, context);
  const state = await shimState(app);
  context.stdout.write(`${messages.stateOf(app.executable, describeShim(state, app))}\n`);
  return state.kind === "installed" && state.isPreloadThere ? EXIT.ok : EXIT.failure;
}

async function install(
  app: DesktopApp,
  { yes = false }: DesktopOptions,
  context: CliContext
): Promise<ExitCode> {
  if (app.isSigned) {
    return printError(
      context,
      `${app.executable} is signed, and a change would invalidate its signature; start its server instead with "${ownCommand()} hooks attach -- ${app.executable} server"`
    );
  }
  const preload = findPreload();
  if (preload === undefined) return printError(context, NOT_BUILT);
  const state = await shimState(app);
  if (state.kind === "installed" && state.preload === preload) {
    context.stdout.write(`${messages.stateOf(app.executable, describeShim(state, app))}\n`);
    return EXIT.ok;
  }
  const changes = plannedChanges(app).map((change) => `  - ${change}`);
  context.stdout.write(`${["This changes the installed app:", ...changes].join("\n")}\n`);
  if (!yes && !isTerminal(context)) {
    return printError(context, CONFIRM_IN_TERMINAL);
  }
  if (!yes && !(await confirm("Change the app?", context))) return EXIT.failure;
  const installed = await installShim(app, preload);
  if (installed.isErr()) return printError(context, installed.error);
  context.stdout.write(
    `Installed. Restart the app. To remove the hooks, run "${ownCommand()} hooks desktop uninstall".\n`
  );
  return EXIT.ok;
}

function isTerminal({ stdin, stdout }: CliContext): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

async function uninstall(app: DesktopApp, context: CliContext): Promise<ExitCode> {
  const { kind } = await shimState(app);
  if (kind === "absent") {
    context.stdout.write(`${messages.stateOf(app.executable, "no hooks are installed")}\n`);
    return EXIT.ok;
  }
  const removed = await uninstallShim(app);
  if (removed.isErr()) return printError(context, removed.error);
  context.stdout.write(`Uninstalled: ${app.executable} is restored. Restart the app.\n`);
  return EXIT.ok;
}
