/** Hooks in the real Kilo Code, which loads the plugin of opencode. The model is a script. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { OpencodeRig } from "@test/hosts/opencode/OpencodeRig";
import { commandOf } from "@test/hosts/rig/installed";
import { expectSoon } from "@test/helpers/soon";

const PLUGIN = `export { default } from ${JSON.stringify(join(repository, "dist/opencode.js"))};\n`;
const CHECK = '      - fixed: { command: "test -e fixed" }';
const shell = (command: string) => ({
  tools: [{ name: "bash", input: { command, description: "x" } }],
});

async function create(files: Readonly<Record<string, string>> = {}): Promise<OpencodeRig> {
  return await OpencodeRig.create({
    program: "kilo",
    files: {
      ...files,
      ".gauntlet/config.yml": `base_branch: main\nentry_points:\n  - path: .\n    checks:\n${CHECK}\n`,
    },
    replies: [
      ...[shell("echo b > b.txt"), { text: "I am done." }],
      ...[shell("echo > fixed"), { text: "I have fixed it." }],
    ],
  });
}

describe.runIf(commandOf("kilo") !== undefined)("Kilo Code", { timeout: 300_000 }, () => {
  test.each([
    ["", {}],
    [", with a personal plugin as well", { "~/.config/kilo/plugins/agent-gauntlet.js": PLUGIN }],
  ])(
    "a failing check sends the agent of `kilo serve` back%s, and the fix passes",
    async (_, files) => {
      const rig = await create(files);
      const server = await rig.serve();
      await server.say(await server.newSession(), "Do it.");
      await server.until(() => server.toasts.some((text) => text.includes("sent the agent back")));
      await expectSoon(() => rig.said.length, 200_000).toBe(4);
      expect(rig.said[2]).toContain("[Stop hook requested continuation]");
      expect(server.toasts.join()).toContain("the Stop hooks sent the agent back to work");
    }
  );

  test("`kilo run` ends before the agent can be sent back", async () => {
    const rig = await create();
    const { stderr } = await rig.run("Do it.", "--auto");
    expect(rig.said).toHaveLength(2);
    expect(stderr).toContain("Gauntlet: 1 of 1 gate failed");
  });
});
