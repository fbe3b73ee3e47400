"use strict";
// Node 22 and newer keep compiled code between starts. By default they keep it in the folder for temporary files, where
// another user may have created that folder first.

module.exports = { enableCompileCache, privateFolder };

function enableCompileCache() {
  const { enableCompileCache: enable } = require("node:module");
  const folder = enable && privateFolder(process.env);
  if (folder) enable(folder);
}

/** Returns a folder that only this user can write to, and creates it. Returns undefined if there is none. */
function privateFolder(env) {
  const { lstatSync, mkdirSync, statSync } = require("node:fs");
  const { dirname, isAbsolute, join } = require("node:path");
  const caches = [env.XDG_CACHE_HOME, env.HOME && join(env.HOME, ".cache")];
  const root = caches.find((path) => path && isAbsolute(path));
  if (!root || !process.getuid) return undefined;
  const folder = join(root, "mux-stop-hooks", "compiled");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = found.uid === process.getuid() && (found.mode & 0o077) === 0;
    // A user who can write to a folder above can put another one in its place.
    const isSafe = [root, dirname(folder)].every((above) => isOurs(statSync(above)));
    return found.isDirectory() && isPrivate && isSafe ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether only this user and root can rename what is in the folder. */
function isOurs({ uid, gid, mode }) {
  const othersWrite = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid());
  return (uid === process.getuid() || uid === 0) && !othersWrite;
}
