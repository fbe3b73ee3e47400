#!/usr/bin/env node
"use strict";
// Installed hooks call the same program as agent-gauntlet, so it is that file.

require("./agent-gauntlet.cjs");
