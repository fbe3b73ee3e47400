// Builds dist/ if it is older than the sources. `npm install` and `npm pack` in a clone run it (`prepare`), as do
// `make build` and the tests, so that none of them builds what another one has built.
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const repository = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(repository, "dist", ".stamp");
const lock = join(repository, ".cache", "build.lock");
const CONFIGURATION = [
  "package-lock.json",
  "tsconfig.json",
  "tsdown.config.ts",
  "scripts/licenses.mjs",
];
const MAX_BUILD_MS = 90_000;

export function isBuilt() {
  const sources = readdirSync(join(repository, "src"), { recursive: true, withFileTypes: true });
  const files = sources.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const configuration = CONFIGURATION.map((name) => join(repository, name));
  // A folder counts as well, because a file may have been removed from it.
  return [...files, ...configuration].every((file) => timeOf(file) <= timeOf(stamp));
}

/** If several processes build, one of them does, and the others wait. */
export async function build() {
  mkdirSync(join(repository, ".cache"), { recursive: true });
  requireNode();
  while (!isBuilt()) {
    if (!takeLock()) {
      await delay(100);
      continue;
    }
    // Another process takes over a lock that is old.
    const beat = setInterval(() => {
      if (existsSync(lock)) utimesSync(lock, new Date(), new Date());
    }, MAX_BUILD_MS / 9);
    try {
      await runBundler();
    } finally {
      clearInterval(beat);
      rmSync(lock, { recursive: true, force: true });
    }
    // The time of a source may be in the future.
    return;
  }
}

/** Throws if this Node is older than `engines` of package.json. The tools fail with less clear messages. */
function requireNode() {
  const { engines } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const [major, minor] = engines.node.match(/\d+/g).map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new Error(`Node ${major}.${minor} or newer is needed; this is ${process.versions.node}`);
}

async function runBundler() {
  const tsdown = join(repository, "node_modules", ".bin", "tsdown");
  if (!existsSync(tsdown)) {
    throw new Error("dist/ cannot be built without the development dependencies; run npm ci first");
  }
  const started = new Date();
  await promisify(execFile)(tsdown, ["--logLevel", "error"], { cwd: repository });
  writeFileSync(stamp, "");
  // A file that was changed during the build is newer.
  utimesSync(stamp, started, started);
}

/** Removes a lock whose process was killed while it built. */
function takeLock() {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() - timeOf(lock) > MAX_BUILD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/** Returns the time of the last change, or 0 if there is no such file. */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    console.error(`mux-stop-hooks: ${error.message}`);
    process.exitCode = 1;
  }
}
