/** Acts of an agent that wants to stop with a new failure. None of them ends in a silent approval (G43 to G49). */
import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { sha256 } from "@/common/hash";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { type KnownProject, knownProject, recorded } from "@test/helpers/gauntlet/knownProject";

const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "fine\n", "README.md": "text\n" };
const NEW = "fine\nBAD-new\n";
const RECORD = ".git/agent-gauntlet/known/root/it.jsonl";

/** Expects that the agent is sent back, and returns what it reads. */
async function blocked(known: KnownProject): Promise<string> {
  // A stop without any change would only repeat the last reason.
  await known.project.write("NOTES.md", crypto.randomUUID());
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  return reason;
}

describe("a record", () => {
  test("does not count once the agent has edited it, and the user sees its path (G44)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.write("b.js", NEW);
    await project.write(RECORD, (await project.read(RECORD)).replaceAll("old", "new"));
    const { status, personMessage } = await known.stop();
    expect(status).toBe("failed");
    expect(personMessage).toContain(`${RECORD} does not count`);
  });

  test("of another name with the name of the check is not made trusted by `known prune` (G44)", async () => {
    const known = await recorded({ files: OLD });
    const { project, env } = known;
    const [head = "", one = ""] = (await project.read(RECORD)).split("\n");
    const added = { file: "b.js", rule: "new", text: sha256("BAD-new", 12) };
    const forged = [head, one, JSON.stringify(added), '{"file":"gone","rule":"x"}', ""];
    await project.write(RECORD.replace("it.jsonl", "forged.jsonl"), forged.join("\n"));
    await project.write(`${RECORD}.fixed`, JSON.stringify(['["gone",0,"x",0,0,0,0]']));
    const { code } = await agentGauntlet(project, ["known", "prune"], { env });
    expect(code).toBe(0);
    expect(await project.read(RECORD)).not.toContain("b.js");
  });

  test("that only a run by hand used is not the answer of a stop (G45)", async () => {
    const known = await knownProject({ files: OLD });
    const { project, env } = known;
    await project.write("b.js", NEW);
    await project.commit("failure");
    await known.record({ isShared: true });
    await project.commit("record");
    expect(await project.run({ env })).toMatchObject({ status: "passed_with_warnings" });
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("[new]");
  });

  test("does not count for another command, whose change the user sees (G44, G20d)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("b.js", NEW);
    await known.project.write(".gauntlet/checks/it.yml", "command: sh lint.sh a.js\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("failed");
    expect(personMessage).toContain("sh lint.sh a.js");
  });

  test("counts without the logs and the state for its own failures only, and not once it is removed (G45, G44)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("b.js", NEW);
    await blocked(known);
    await known.project.remove("gauntlet_logs");
    const reason = await blocked(known);
    expect(reason).toContain("[new]");
    expect(reason).not.toContain("[old]");
    await known.project.remove(".git/agent-gauntlet");
    expect(await blocked(known)).toContain("[old]");
  });
});

describe("a new failure blocks", () => {
  test("in another session and the next turns, after it was committed, amended, and on the base branch (G44, G45)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.write("b.js", NEW);
    await project.commit("failure");
    const { status, reason } = await known.stop({ sessionId: "other" });
    expect(status).toBe("failed");
    expect(reason).toContain("[new]");
    await known.newTurn();
    expect(await blocked(known)).toContain("[new]");
    await project.git("commit", "--quiet", "--all", "--amend", "--no-edit");
    await known.newTurn();
    expect(await blocked(known)).toContain("[new]");
    await project.shell("git branch --force main && git update-ref refs/remotes/origin/main HEAD");
    expect(await blocked(known)).toContain("[new]");
    await known.newTurn();
    expect(await blocked(known)).toContain("[new]");
  });

  test("after the failures of the base branch were merged (G44)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.shell(
      `git switch --quiet main && printf 'BAD-main\\n' >c.js && git add c.js && git commit --quiet -m c && git switch --quiet work`
    );
    await project.write("b.js", NEW);
    await project.commit("failure");
    await blocked(known);
    await project.git("merge", "--quiet", "--no-edit", "main");
    expect(await blocked(known)).toMatch(/\[new\][^]*\[main\]|\[main\][^]*\[new\]/);
  });

  test("after it comes back from a stash, although marks of the agent say that it was always there (G45)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.write("b.js", NEW);
    await blocked(known);
    await project.git("stash", "--quiet");
    await project.write("README.md", "more\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await project.git("stash", "pop", "--quiet");
    expect(await blocked(known)).toContain("[new]");

    const state = JSON.parse(await project.read("gauntlet_logs/.execution_state")) as {
      failures: Record<string, object>;
    };
    for (const fresh of [["nonsense"], []]) {
      const failures = { "check:.:it": { ...state.failures["check:.:it"], fresh } };
      await project.write("gauntlet_logs/.execution_state", JSON.stringify({ ...state, failures }));
      await known.newTurn();
      expect(await blocked(known)).toContain("[new]");
    }
    await project.write(`${RECORD}.fixed`, "[1");
    await rm(project.path(".git/agent-gauntlet/turns"), { recursive: true });
    await rm(project.path(".git/agent-gauntlet/sessions"), { recursive: true });
    expect(await blocked(known)).toContain("[new]");
  });
});
