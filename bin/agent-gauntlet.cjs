#!/usr/bin/env node
"use strict";
// Uses only syntax that an old Node can parse, so that it prints a message rather than a stack trace.

const [major, minor] = process.versions.node.split(".").map(Number);
if (process.argv[2] === "help" && process.argv[3] === "hooks") {
  process.argv.splice(2, 2, "hooks", "--help");
}
const isHooks = process.argv[2] === "hooks";
if (isHooks) process.argv.splice(2, 1);
const command = process.argv[2];
const wantsHelp = /^(-h|--help)$/.test(process.argv[3]);
// An agent that wants to stop always gets a response (G23).
const isHook = !isHooks && command === "stop-hook" && !wantsHelp;
// A turn begins even if its record fails (G27a).
const isTurnStart = !isHooks && command === "turn-start" && !wantsHelp;

if (major < 20 || (major === 20 && minor < 19)) {
  giveUp("mux-stop-hooks needs Node 20.19 or newer; this is " + process.versions.node);
} else if (/^(-V|--version)$/.test(command)) {
  const { readFileSync } = require("node:fs");
  const manifest = readFileSync(__dirname + "/../package.json", "utf8");
  process.stdout.write(JSON.parse(manifest).version + "\n");
} else {
  try {
    start();
  } catch (error) {
    const built = require("node:fs").existsSync(__dirname + "/../dist/cli/agentGauntlet.cjs");
    giveUp(built ? error.stack : "mux-stop-hooks is not built; run make build");
  }
}

function start() {
  if (isHook) {
    // Loads little, and the rest only if it is needed.
    void require("../dist/cli/stopHookProcess.cjs").runProcess(() => load("stopDecision"));
  } else if (isTurnStart) {
    void require("../dist/cli/turnStartProcess.cjs").runProcess();
  } else {
    const isDefaultRun = !isHooks && command === "run" && process.argv.length === 3;
    load(isHooks ? "muxHooks" : isDefaultRun ? "plainRunProcess" : "agentGauntlet").runProcess();
  }
}

function load(bundle) {
  require("./compileCache.cjs").enableCompileCache();
  return require("../dist/cli/" + bundle + ".cjs");
}

function giveUp(why) {
  if (isTurnStart) return;
  if (!isHook) {
    process.stderr.write(why + "\n");
    process.exitCode = 1;
    return;
  }
  const message = why.split("\n")[0] + "; the changes were not verified";
  const shown = "Gauntlet: " + message;
  const words = process.argv.join(" ");
  const form = (/ --answer[ =](\w+)/.exec(words) || / --host[ =](\w+)/.exec(words) || [])[1];
  // These show the user the standard error of a hook that fails (G27b).
  if (/^(copilot|exit2|kimi|kiro)$/.test(form)) {
    process.stderr.write(shown + "\n");
    process.exitCode = form === "copilot" ? 2 : 1;
    return;
  }
  // These reject or ignore the fields of Claude Code.
  const own = new Map([
    ["codex", { systemMessage: shown }],
    ["droid", { systemMessage: shown }],
    ["vscode", { systemMessage: shown }],
    ["cursor", {}],
    ["goose", { decision: "allow" }],
  ]);
  const usual = { decision: "approve", status: "error", message: message, systemMessage: shown };
  const answer = own.get(form) || usual;
  process.stdout.write(JSON.stringify(answer) + "\n");
  process.stderr.write("[gauntlet] " + message + "\n");
}
