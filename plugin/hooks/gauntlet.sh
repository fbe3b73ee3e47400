#!/bin/sh
# Runs the agent-gauntlet beside this plugin, else the one on PATH. Never runs a program of the project, which may be a
# clone that nobody has looked at, and never downloads anything.

own=${0%/*}/../../bin/agent-gauntlet.cjs
if [ -f "${own%/bin/*}/dist/cli/stopHookProcess.cjs" ]; then exec node "$own" "$@"; fi
program=$(command -v agent-gauntlet)
case $program in
"${CLAUDE_PROJECT_DIR:-$PWD}"/*node_modules/.bin/* | "$PWD"/*node_modules/.bin/*) ;;
/*) exec "$program" "$@" ;;
esac

# The user is notified at the stop, and only if there are checks that do not run.
if [ "$1" != stop-hook ]; then exit 0; fi
folder=$(pwd -P)
while [ ! -f "$folder/.gauntlet/config.yml" ]; do
  if [ -z "$folder" ]; then exit 0; fi
  folder=${folder%/*}
done
printf '%s\n' '{"systemMessage":"Gauntlet: the changes were not verified, because agent-gauntlet is not on the PATH of Claude Code; run \"npm link\" in a clone of mux-stop-hooks, and restart Claude Code"}'
