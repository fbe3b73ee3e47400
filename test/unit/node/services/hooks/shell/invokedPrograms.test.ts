import { describe, expect, test } from "vitest";
import * as invoked from "@/node/services/hooks/shell/invokedPrograms";

describe("simpleCommands", () => {
  test.each<[string, string[]]>([
    ["a  b\tc", ["a", "b", "c"]],
    [`'a b' "c d"e f\\ g`, ["a b", "c de", "f g"]],
    [`"a\\"b" 'c\\d' ''`, ['a"b', "c\\d", ""]],
    ["a # b", ["a"]],
    ["a#b", ["a#b"]],
    ["a \\\n b", ["a", "b"]],
    ["x 'never ends", ["x", "never ends"]],
    ["x\\", ["x"]],
    ["", []],
  ])("splits %j into words", (line, words) => {
    expect(invoked.simpleCommands(line).flat()).toEqual(words);
  });

  test("separates commands, and omits the targets of redirections", () => {
    expect(invoked.simpleCommands("a b && 3>f c > d 2>&1 | e >| f; (f) & g $(h i) `j`\nk")).toEqual(
      [["a", "b"], ["c"], ["e"], ["f"], ["g", "$"], ["h", "i"], ["j"], ["k"]]
    );
  });
});

test.each<[string, string[]]>([
  ["A=1 B+=2 prog x", ["prog"]],
  ["if ! prog; then other; fi", ["prog", "other", "fi"]],
  ["env -i -u B A=1 nice -n 5 timeout -k 1s -s KILL 30 prog", ["prog"]],
  ["exec prog", ["prog"]],
  ["bash script.sh x", ["script.sh"]],
  ["bash -l +e -euo pipefail --rcfile f -c 'one; two x'", ["one", "two"]],
  [". ./lib.sh", ["./lib.sh"]],
  ["A=1", []],
  ["bash -c", []],
])("invokedPrograms returns the programs of %j", (command, programs) => {
  const calls = invoked.invokedPrograms({ type: "command", command });
  expect(calls.map(({ program }) => program)).toEqual(programs);
});

describe("a command that is the gauntlet (H30)", () => {
  test.each([
    "agent-gauntlet stop-hook",
    "npx agent-gauntlet stop-hook",
    "npx -y -p agent-gauntlet agent-gauntlet stop-hook",
    "bun x agent-gauntlet stop-hook",
    "bunx --bun agent-gauntlet@0.6.1 stop-hook",
    "pnpm --filter web dlx agent-gauntlet stop-hook",
    "npm exec --yes -- agent-gauntlet stop-hook",
    "yarn agent-gauntlet stop-hook",
    '"$MUX_PROJECT_DIR"/node_modules/.bin/agent-gauntlet stop-hook',
    "DEBUG=1 NODE_ENV=test agent-gauntlet stop-hook",
    "2>/dev/null agent-gauntlet --quiet 2>&1 stop-hook",
    "cd web && agent-gauntlet stop-hook 2>/dev/null || true",
    "bash --norc -lc 'agent-gauntlet stop-hook'",
    "node /opt/gauntlet/bin/agent-gauntlet.cjs stop-hook --verify",
    "node --enable-source-maps -r ./x '/a b/agent-gauntlet.cjs' stop-hook --host claude --limit 300",
  ])("%s", (command) => {
    expect(invoked.runsGauntlet({ type: "command", command })).toBe(true);
  });

  test("without a shell", () => {
    const args = ["--yes", "agent-gauntlet", "stop-hook"];
    expect(invoked.runsGauntlet({ type: "command", command: "npx", args })).toBe(true);
    const mentioned = ["agent-gauntlet stop-hook"];
    expect(invoked.runsGauntlet({ type: "command", command: "echo", args: mentioned })).toBe(false);
  });

  test.each([
    "echo agent-gauntlet stop-hook",
    "# agent-gauntlet stop-hook",
    "agent-gauntlet",
    "my-agent-gauntlet stop-hook",
    "agent-gauntlet-lite stop-hook",
    "grep 'agent-gauntlet stop-hook' notes",
    "npx --package agent-gauntlet other stop-hook",
    "mux-stop-hooks run stop-hook",
    "node agent-gauntlet.cjs run",
    "node -e 0",
    "node my.js agent-gauntlet.cjs stop-hook",
  ])("is not %s", (command) => {
    expect(invoked.runsGauntlet({ type: "command", command })).toBe(false);
  });
});
