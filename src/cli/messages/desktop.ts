/** Messages about desktop apps of Mux. */
import { ownCommand } from "@/common/ownCommand";

export function notPackaged(path: string): string {
  return `${path} is not a Mux desktop app: it has no resources/app.asar`;
}

export const NO_APP = "no Mux desktop app was found; give its path with --app <path>";

export function severalApps(paths: readonly string[]): string {
  return `several Mux desktop apps were found; select one with --app <path>: ${paths.join(", ")}`;
}

export function imageNotChangeable(path: string): string {
  return `${path} is an AppImage, whose files cannot be changed; unpack it with "${path} --appimage-extract", name squashfs-root with --app, and start the app with squashfs-root/AppRun`;
}

export function signedApp(path: string): string {
  return `${path} is signed, and a change would invalidate its signature; start its server instead with "${ownCommand()} hooks attach -- ${path} server"`;
}

// The state of the hooks in an app

export function stateOf(path: string, state: string): string {
  return `${path}: ${state}`;
}

export const INSTALLED = "hooks are installed";

export function preloadMissing(preload: string): string {
  return `hooks are installed, but ${preload} no longer exists; run "${ownCommand()} hooks desktop install" again`;
}

export function shimNotInstalled(): string {
  return `no hooks are installed; run "${ownCommand()} hooks desktop install"`;
}

export function appUpdated(): string {
  return `the app was updated and runs without hooks; run "${ownCommand()} hooks desktop install" again`;
}

export function shimIncomplete(): string {
  return `an earlier change was interrupted; run "${ownCommand()} hooks desktop install" to complete it, or "${ownCommand()} hooks desktop uninstall" to undo it`;
}

export function foreignFolder(path: string): string {
  return `no hooks are installed: ${path} exists but was not written by mux-hooks; if you do not need it, remove it before you install the hooks`;
}

// The app in the report of `doctor`

export function appTitle(version: string): string {
  return `Mux desktop app ${version} (Xum)`;
}

export const APP_ITSELF = "the app itself";
export const HOOKS_IN_SERVER = "hooks in the server of the app, which you use in a browser";
export const WINDOW_NOT_CHANGEABLE =
  "no hooks in the window of the app: the app is signed, so it cannot be changed";

export function inWindow(state: string): string {
  return `the window of the app: ${state}`;
}

// Changing an app

export const PLANNED_CHANGES = "This changes the installed app:";

export function renamesArchive(path: string, kept: string): string {
  return `rename ${path} to ${kept}`;
}

export function addsLink(path: string, target: string): string {
  return `add ${path}, a link to ${target} if there is such a folder`;
}

export function addsFolder(path: string, mark: string): string {
  return `add ${path}: package.json, main.js and ${mark}`;
}

export const CONFIRM_CHANGE = "Change the app?";

export function installDone(): string {
  return `Installed. Restart the app. To remove the hooks, run "${ownCommand()} hooks desktop uninstall".`;
}

export function uninstallDone(path: string): string {
  return `Uninstalled: ${path} is restored. Restart the app.`;
}

export const ALREADY_ABSENT = "no hooks are installed";

export function foreignNotChanged(path: string): string {
  return `${path} exists and was not written by mux-hooks, so nothing was changed; if you do not need it, remove it and try again`;
}

export function appNotChanged(path: string, why: string): string {
  return `${path} could not be changed: ${why}; "${ownCommand()} hooks desktop status" shows its state`;
}

export function manifestNotObject(archive: string): string {
  return `package.json in ${archive} is not a JSON object`;
}
