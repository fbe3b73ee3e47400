/** Codex alone: the trust of hooks, and the answers that it accepts. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { codex } from "@test/hosts/rig/codex";
import { HostRig } from "@test/hosts/rig/HostRig";
import { commandOf } from "@test/hosts/rig/installed";

const { accepted, rejected } = JSON.parse(
  readFileSync(join(repository, "fixtures/agentHosts/codex/answers.json"), "utf8")
) as Record<"accepted" | "rejected", readonly object[]>;

describe.runIf(commandOf("codex") !== undefined)("Codex", () => {
  test.each(["user", "project"] as const)(
    "skips hooks in the settings of the %s without a word until they are trusted",
    async (scope) => {
      const rig = await HostRig.create(codex, {
        replies: ({ breaks }) => [
          { text: "I am done." },
          ...breaks,
          { text: "I am done.", times: 9 },
        ],
        config: "max_retries: 1\n",
        scopes: [scope],
        isTrusted: false,
      });
      const skipped = await rig.say();
      expect(skipped.stderr).not.toMatch(/hooks? |hook:/i);
      expect([skipped.code, rig.model.said.length, await rig.gauntlet.logs()]).toEqual([0, 1, []]);
      await rig.trust();
      const run = await rig.say();
      expect(run.stderr).toContain("hook: Stop Blocked");
      expect(rig.model.said.length).toBe(3);
    }
  );

  test("asks for trust again when a hook's command has changed", async () => {
    const rig = await HostRig.create(codex, {
      replies: ({ breaks }) => [...breaks, { text: "I am done.", times: 9 }],
    });
    const path = join(rig.home, ".codex/hooks.json");
    await writeFile(path, readFileSync(path, "utf8").replace("--limit 300", "--limit 301"));
    const { stderr } = await rig.say();
    expect(stderr).not.toContain("hook: Stop");
    expect(rig.model.said.length).toBe(1);
  });

  /** Returns how Codex names the outcome of a stop with this answer, and what its agent then gets. */
  async function outcomeOf(answer: object): Promise<readonly (string | undefined)[]> {
    const rig = await HostRig.create(codex, {
      replies: () => [{ text: "I am done.", times: 9 }],
      commands: ({ turnStart }, home) => ({
        // Blocks once.
        stop: `mkdir ${home}/ran && cat ${home}/answer.json || echo '{}'`,
        turnStart,
      }),
    });
    await writeFile(join(rig.home, "answer.json"), JSON.stringify(answer));
    const { stderr } = await rig.say();
    return [/hook: Stop (\w+)/.exec(stderr)?.[1], ...rig.model.said.slice(1)];
  }

  test.each(accepted)("accepts the answer %j", async (answer) => {
    const continued = ["Blocked", expect.stringContaining("Fix it.")];
    expect(await outcomeOf(answer)).toEqual("decision" in answer ? continued : ["Completed"]);
  });

  test.each(rejected)("rejects the answer %j", async (answer) => {
    expect(await outcomeOf(answer)).toEqual(["Failed"]);
  });
});
