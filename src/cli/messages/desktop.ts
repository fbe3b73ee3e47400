/** Messages about packaged apps of Mux. */

export function notPackaged(path: string): string {
  return `${path} is not a packaged Mux, because resources/app.asar is missing`;
}

export const NO_APP = "no packaged Mux was found; name it with --app <path>";

export function severalApps(paths: readonly string[]): string {
  return `several packaged apps were found; select one with --app <path>: ${paths.join(", ")}`;
}

export function imageNotChangeable(path: string): string {
  return `${path} is an AppImage, whose files cannot be changed; unpack it with "${path} --appimage-extract", name squashfs-root with --app, and start the app with squashfs-root/AppRun`;
}

export function signedApp(path: string): string {
  return `${path} is signed, and a change would invalidate its signature; start its server instead: mux-hooks attach -- ${path} server`;
}

// The state of the hooks in an app

export function stateOf(path: string, state: string): string {
  return `${path}: ${state}`;
}

export const INSTALLED = "hooks are installed";

export function preloadMissing(preload: string): string {
  return `hooks are installed, but ${preload} no longer exists; run "mux-hooks desktop install" again`;
}

export const NOT_INSTALLED = 'no hooks are installed; run "mux-hooks desktop install"';

export const UPDATED =
  'the app was updated and runs without hooks; run "mux-hooks desktop install" again';

export const INCOMPLETE =
  'an earlier change was interrupted; run "mux-hooks desktop install" or "mux-hooks desktop uninstall"';

/** @param archive the name of the archive that Electron prefers */
export function foreignFolder(path: string, archive: string): string {
  return `${path} was not written by mux-hooks; the app loads it only if ${archive} is missing`;
}

// The app in the report of `doctor`

export function appTitle(version: string): string {
  return `Xum ${version}, the desktop app,`;
}

export const APP_ITSELF = "the app itself";
export const HOOKS_IN_SERVER = "hooks in its server, used in a browser";
export const WINDOW_NOT_CHANGEABLE = "hooks in its window: its signature does not allow changes";

export function inWindow(state: string): string {
  return `in its window: ${state}`;
}

// Changing an app

export const PLANNED_CHANGES = "This changes the installed app:";

export function renamesArchive(path: string, kept: string, unpacked: string): string {
  return `rename ${path} to ${kept}, and ${unpacked} likewise`;
}

export function addsFolder(path: string, mark: string): string {
  return `add ${path}: package.json, main.js and ${mark}`;
}

export const CONFIRM_CHANGE = "Change the app?";

export const INSTALL_DONE =
  'Installed. Restart the app. To remove the hooks, run "mux-hooks desktop uninstall".';

export function uninstallDone(path: string): string {
  return `Uninstalled: ${path} is restored. Restart the app.`;
}

export const ALREADY_ABSENT = "no hooks are installed";

export function foreignNotChanged(path: string): string {
  return `${path} exists and was not written by mux-hooks, so it was not changed`;
}

export function appNotChanged(path: string, why: string): string {
  return `${path} could not be changed: ${why}; "mux-hooks desktop status" shows its state`;
}

export function manifestNotObject(archive: string): string {
  return `package.json in ${archive} is not a JSON object`;
}
