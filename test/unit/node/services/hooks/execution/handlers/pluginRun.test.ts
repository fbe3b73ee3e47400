import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ClaudeHome, enable, stopHooks } from "@test/helpers/hooks/claudePlugins";
import { projectWith, type Hook } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";

const ID = "gate@my-team";
const SHOW = `#!/bin/sh
echo "$0 $* root=$CLAUDE_PLUGIN_ROOT data=$CLAUDE_PLUGIN_DATA" >&2
cd "$CLAUDE_PLUGIN_DATA" || exit 1
exit 2
`;

async function install(...hooks: Hook[]): Promise<{ claude: ClaudeHome; root: string }> {
  const claude = await ClaudeHome.create();
  const root = await claude.install(
    ID,
    { hooks: stopHooks(...hooks), files: { "hooks/stop.sh": SHOW } },
    { version: "1.0 beta" }
  );
  await claude.configure("user", enable(ID));
  return { claude, root };
}

describe("the variables of a plugin, whose path has a space (H38)", () => {
  test("are replaced in quotes, without braces and with args, and are in the environment", async () => {
    const { claude, root } = await install(
      'sh "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh" "${CLAUDE_PLUGIN_DATA}/x"',
      "sh '${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh' '${CLAUDE_PLUGIN_DATA}/x'",
      'sh "$CLAUDE_PLUGIN_ROOT/hooks/stop.sh" "$CLAUDE_PLUGIN_DATA/x"',
      { command: "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh", args: ["${CLAUDE_PLUGIN_DATA}/x"] }
    );
    const data = join(claude.plugins, "data", "gate-my-team");
    const { runs } = await claude.project.stop();
    const printed = `${root}/hooks/stop.sh ${data}/x root=${root} data=${data}`;
    expect(runs.map(({ reason }) => reason)).toEqual(Array(4).fill(printed));
  });

  test("need quotes, which the warning recommends", async () => {
    const { claude } = await install("sh ${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh");
    const { warnings } = await claude.project.stop();
    expect(warnings?.join("\n")).toContain("the path of the plugin has characters");
    expect(warnings?.join("\n")).toContain('"$CLAUDE_PLUGIN_ROOT"');
  });
});

test("a hook whose plugin's folder is removed during the turn does not start, with a warning (H38)", async () => {
  const { claude, root } = await install('test -d "$CLAUDE_PLUGIN_ROOT" && echo again >&2; exit 2');
  const watched = await WatchedController.begin(claude.project);
  expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
  await rm(root, { recursive: true });
  expect(await watched.turnEnds()).toMatchObject({ action: "end" });
  expect(watched.notices.join("\n")).toContain(
    `did not start, because the folder ${root} of the plugin ${ID} no longer exists`
  );
});

test("an updated plugin runs from its frozen folder until the next message (H7, H38)", async () => {
  const { claude, root } = await install('echo "${CLAUDE_PLUGIN_ROOT}" >&2; exit 2');
  const watched = await WatchedController.begin(claude.project);
  const hooks = stopHooks('echo "${CLAUDE_PLUGIN_ROOT}" >&2; exit 2');
  const next = await claude.install(ID, { hooks }, { version: "2" });
  const headed = (text: string) => `[Stop hook requested continuation]\n${text}`;
  expect(await watched.turnEnds()).toMatchObject({ message: headed(root) });
  expect(watched.notices.join("\n")).toContain(`plugin ${ID}: changed since the turn began`);
  await watched.controller.beginTurn();
  expect(await watched.turnEnds()).toMatchObject({ message: headed(next) });
});

describe("a hook outside a plugin (H38)", () => {
  const MISSING =
    "its command uses ${CLAUDE_PLUGIN_ROOT}, which is not set, because the hook does not belong to a plugin";

  async function stop(hooks: Hook[], env: NodeJS.ProcessEnv = { CLAUDE_PLUGIN_ROOT: undefined }) {
    return await (await projectWith(hooks, { env })).stop();
  }

  test("names the variable that is not set, and does not block", async () => {
    const hooks = [
      'node "${CLAUDE_PLUGIN_ROOT}/hooks/stop.mjs"',
      "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/stop.py",
      '"$CLAUDE_PLUGIN_ROOT"/hooks/stop.sh',
      'PATH="$CLAUDE_PLUGIN_ROOT:$PATH" no-program',
      { command: "sh", args: ["${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh"] },
      { command: "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh", args: [] },
    ];
    const { shouldStop, warnings = [] } = await stop(hooks);
    expect(shouldStop).toBe(true);
    expect(warnings).toEqual(hooks.map(() => expect.stringContaining(MISSING) as string));
    expect(warnings.join("\n")).not.toMatch(/node:internal|Errno|can't open/);
  });

  test("that decides in JSON can block with any exit code (H19)", async () => {
    const json = '{"decision":"block","reason":"fix it"}';
    const { continueReason } = await stop([
      `[ -n "$CLAUDE_PLUGIN_ROOT" ] && cd "$CLAUDE_PLUGIN_ROOT"; echo '${json}'; exit 1`,
    ]);
    expect(continueReason).toBe("fix it");
  });

  test("with the variable set fails with its own message", async () => {
    const env = { CLAUDE_PLUGIN_ROOT: "/plugin" };
    const { warnings } = await stop(['echo "bad $CLAUDE_PLUGIN_ROOT" >&2; exit 3'], env);
    expect(warnings?.[0]).toContain("failed with exit code 3: bad /plugin");
  });

  test("that checks the variable itself can block", async () => {
    const { runs } = await stop([
      '[ -n "${CLAUDE_PLUGIN_ROOT:-}" ] || { echo "Not in a plugin." >&2; exit 2; }',
      '[ -n "$CLAUDE_PLUGIN_ROOT" ] || { echo "Not in a plugin." >&2; exit 2; }',
    ]);
    expect(runs.map(({ reason }) => reason)).toEqual(Array(2).fill("Not in a plugin."));
  });
});
