#!/usr/bin/env node
"use strict";
// One name for both commands: agent-gauntlet, and with the word `hooks` first mux-hooks.
// Uses only syntax that an old Node can parse, as the files that it loads.

if (process.argv[2] === "hooks") {
  process.argv.splice(2, 1);
  require("./mux-hooks.cjs");
} else {
  require("./agent-gauntlet.cjs");
}
