#!/usr/bin/env node
"use strict";
// The name that the commands of hooks had before.

process.argv.splice(2, 0, "hooks");
require("./agent-gauntlet.cjs");
