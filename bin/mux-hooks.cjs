#!/usr/bin/env node
"use strict";
// Uses only syntax that an old Node can parse, so that it prints a message rather than a stack trace.

const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    "mux-hooks needs Node 20.19 or newer; this is " + process.versions.node + "\n"
  );
  process.exitCode = 1;
} else if (/^(-V|--version)$/.test(process.argv[2])) {
  const { readFileSync } = require("node:fs");
  const manifest = readFileSync(__dirname + "/../package.json", "utf8");
  process.stdout.write(JSON.parse(manifest).version + "\n");
} else {
  require("./compileCache.cjs").enableCompileCache();
  try {
    void require("../dist/cli/muxHooks.cjs").runProcess();
  } catch (error) {
    const built = require("node:fs").existsSync(__dirname + "/../dist/cli/muxHooks.cjs");
    process.stderr.write(built ? error.stack + "\n" : "mux-hooks is not built; run make build\n");
    process.exitCode = 1;
  }
}
