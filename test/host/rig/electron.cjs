// Emulates Electron with Node: sets its version, resolves paths within an archive, and provides the members of
// `require("electron")` that the shim uses. Without ELECTRON_RUN_AS_NODE it loads the app from `resources`, and searches
// in Electron's order.
const { mkdtempSync, existsSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const Module = require("node:module");
const { extractAll } = require(process.env.EMULATED_ASAR);

Object.defineProperty(process.versions, "electron", { value: "41.0.0", enumerable: true });
const resources = join(dirname(process.env.EMULATED_APP), "resources");
const unpacked = new Map();

// Electron itself has no preload options.
process.execArgv.splice(0, 2);

function outside(path) {
  const [, archive, rest] = /^(.*app\.asar)(?=\/|$)(.*)$/.exec(path) ?? [];
  if (archive === undefined || !existsSync(archive)) return path;
  if (!unpacked.has(archive)) {
    const folder = mkdtempSync(join(tmpdir(), "emulated-asar-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    extractAll(archive, folder);
    unpacked.set(archive, folder);
  }
  return unpacked.get(archive) + rest;
}

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (request === "electron") return request;
  return resolve.call(this, outside(request), ...rest);
};
const load = Module._load;
let appPath;
const app = { setAppPath: (path) => (appPath = path), getAppPath: () => appPath };
Module._load = function (request, ...rest) {
  return request === "electron" ? { app } : load.call(this, request, ...rest);
};

if (process.env.ELECTRON_RUN_AS_NODE === undefined) {
  const found = ["app.asar", "app"].map((name) => join(resources, name)).find(existsSync);
  const manifest = require(join(found, "package.json"));
  appPath = found;
  // A packaged app has no script among its arguments; the one that Node needs is this file.
  process.argv.splice(1, 1);
  Object.defineProperty(process, "mainModule", { value: module });
  Module._load(join(found, manifest.main), null, true);
}
