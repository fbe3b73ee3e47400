/**
 * `mux-stop-hooks hooks desktop`: adds the hooks to a packaged Mux app after a confirmation, shows whether it has them,
 * or removes them. Does not change a signed app.
 */
import { resolve } from "node:path";
import {
  refuseWithoutTerminal,
  EXIT,
  printError,
  printLine,
  type CliContext,
  type ExitCode,
} from "@/cli/context";
import { chooseDesktopApp, type DesktopApp } from "@/cli/mux/desktop/findDesktopApp";
import * as shim from "@/cli/mux/desktop/installShim";
import { findPreload } from "@/cli/mux/hostProgram";
import { confirm } from "@/cli/render/confirm";
import { shownCommand } from "@/common/ownCommandName";

export async function desktop(
  action: "install" | "status" | "uninstall",
  { app: named, yes = false }: { readonly app?: string; readonly yes?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const path = named === undefined ? undefined : resolve(context.cwd, named);
  const found = await chooseDesktopApp(path, context);
  if (found.isErr()) return printError(context, found.error);
  const app = found.value;
  if (action === "install") return await install(app, yes, context);
  if (action === "uninstall") return await uninstall(app, context);
  const state = await shim.shimState(app);
  context.stdout.write(`${app.executable}: ${shim.describeShim(state, app)}\n`);
  return state.kind === "installed" && state.isPreloadThere ? EXIT.ok : EXIT.failure;
}

async function install(app: DesktopApp, yes: boolean, context: CliContext): Promise<ExitCode> {
  const { executable, isSigned } = app;
  if (isSigned) {
    return printError(
      context,
      `${executable} is signed, and a change would invalidate its signature; start its server instead with "${shownCommand()} hooks attach -- ${executable} server"`
    );
  }
  const preload = findPreload();
  if (preload.isErr()) return printError(context, preload.error);
  const state = await shim.shimState(app);
  if (state.kind === "installed" && state.preload === preload.value) {
    return printLine(context, `${executable}: ${shim.describeShim(state, app)}`);
  }
  const changes = shim.plannedChanges(app).map((change) => `  - ${change}\n`);
  context.stdout.write(`This changes the installed app:\n${changes.join("")}`);
  const refusal = yes ? undefined : refuseWithoutTerminal(context);
  if (refusal !== undefined) return printError(context, refusal);
  if (!yes && !(await confirm("Change the app?", context))) return EXIT.failure;
  const installed = await shim.installShim(app, preload.value);
  if (installed.isErr()) return printError(context, installed.error);
  return printLine(
    context,
    `Installed. Restart the app. To remove the hooks, run "${shownCommand()} hooks desktop uninstall".`
  );
}

async function uninstall(app: DesktopApp, context: CliContext): Promise<ExitCode> {
  const { executable } = app;
  if ((await shim.shimState(app)).kind === "absent") {
    return printLine(context, `${executable}: no hooks are installed`);
  }
  const removed = await shim.uninstallShim(app);
  if (removed.isErr()) return printError(context, removed.error);
  return printLine(context, `Uninstalled: ${executable} is restored. Restart the app.`);
}
