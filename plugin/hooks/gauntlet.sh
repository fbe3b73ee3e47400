#!/bin/sh
# Runs the agent-gauntlet of the project, else the one on PATH. Never downloads anything.

for folder in . "${CLAUDE_PROJECT_DIR:-.}"; do
  program=$folder/node_modules/.bin/agent-gauntlet
  if [ -x "$program" ]; then exec "$program" "$@"; fi
done
if command -v agent-gauntlet >/dev/null 2>&1; then exec agent-gauntlet "$@"; fi

# The user is notified at the stop, and only if there are checks that do not run.
if [ "$1" != stop-hook ]; then exit 0; fi
folder=$(pwd -P)
while [ ! -f "$folder/.gauntlet/config.yml" ]; do
  if [ -z "$folder" ]; then exit 0; fi
  folder=${folder%/*}
done
printf '%s\n' '{"systemMessage":"Gauntlet: the changes were not verified, because agent-gauntlet is not installed; add the package mux-stop-hooks to the project, or run \"npm link\" in a clone of it"}'
