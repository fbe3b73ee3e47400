/** `mux-stop-hooks known`, and the records that `init` makes (G44, G47). */
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { KnownProject } from "@test/helpers/gauntlet/knownProject";

const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "BAD-other\n", "README.md": "text\n" };

test("records in a terminal, lists, prunes and clears (G44, G47)", async () => {
  const known = await KnownProject.create({ files: OLD });
  const { project, env } = known;
  const call = async (...args: string[]) =>
    await agentGauntlet(project, ["known", ...args], { tty: true, env });
  const head = (await project.git("rev-parse", "HEAD")).slice(0, 10);

  const recorded = await call("record");
  expect(recorded).toMatchObject({ code: 0, stderr: "" });
  expect(recorded.stdout).toContain("Running check:.:it twice: sh lint.sh");
  expect(recorded.stdout).toContain(`check:.:it: 2 failures of commit ${head} recorded (`);
  const listed = await call("list");
  expect(listed.stdout).toContain(`check:.:it (local, recorded on `);
  expect(listed.stdout).toContain(`at ${head}): `);
  expect(listed.stdout).toContain("  a.js old\n  b.js other\n");

  await known.newTurn();
  await project.write("a.js", "one\ntwo\nthree\n");
  expect((await known.stop()).status).toBe("passed_with_warnings");
  expect((await call("list")).stdout).toContain("  a.js old (no longer occurs)\n  b.js other\n");
  expect((await call("prune", "--gate", "other")).stdout).toBe("");
  expect((await call("prune")).stdout).toBe(
    "check:.:it: 1 failure removed that no longer occurs\n"
  );
  expect((await call("list")).stdout).not.toContain("a.js");
  await project.write("README.md", "more\n");
  expect((await known.stop()).status).toBe("passed_with_warnings");

  expect((await call("clear")).stdout).toContain("check:.:it: removed ");
  expect((await call("list")).stdout).toBe("No failures are recorded.\n");
  // The tree is the one of the last stop, but without its record.
  expect((await known.stop()).status).toBe("failed");
});

test("is refused to an agent and without a terminal (G44)", async () => {
  const known = await KnownProject.create({ files: OLD });
  const agent = { tty: true, env: { ...known.env, CLAUDECODE: "1" } };
  const refused = await agentGauntlet(known.project, ["known", "record"], agent);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("known record is refused here, because CLAUDECODE is set");
  const piped = await agentGauntlet(known.project, ["known", "record"], { env: known.env });
  expect(piped.code).toBe(1);
  expect(piped.stderr).toContain("known record needs a terminal");
  expect((await agentGauntlet(known.project, ["known", "list"])).stdout).toBe(
    "No failures are recorded.\n"
  );
});

test("refuses a command that ends at its first failure, and names the reason (G46)", async () => {
  const check = "command: sh lint.sh && sh other.sh\n";
  const known = await KnownProject.create({ files: OLD, check });
  const { code, stdout } = await agentGauntlet(known.project, ["known", "record"], {
    tty: true,
    env: known.env,
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "check:.:it fails, but its failures are not recorded: its command ends at its first failure"
  );
});

test("records the files of HEAD while there is work in progress (G44)", async () => {
  const known = await KnownProject.create({ files: OLD });
  const { project, env } = known;
  await known.newTurn();
  await project.write("b.js", "BAD-other\nBAD-new\n");
  const { stdout } = await agentGauntlet(project, ["known", "record"], { tty: true, env });
  expect(stdout).toContain("check:.:it: 2 failures of commit");
  expect(await project.git("worktree", "list", "--porcelain")).not.toContain("agent-gauntlet-");
  await known.newTurn();
  const { status, reason } = await known.stop();
  expect(status).toBe("failed");
  expect(reason).toContain("b.js:2:1 Do not use this in line 2 [new]");
});
