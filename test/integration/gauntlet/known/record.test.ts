/** Which failures are recorded, and what a record leaves behind (G44). */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import {
  type KnownProject,
  type KnownOptions,
  knownProject,
} from "@test/helpers/gauntlet/knownProject";

const OLD = { "a.js": "one\nBAD-old\nthree\n", "README.md": "text\n" };
const LINES: KnownOptions = { check: "command: sh check.sh\n" };

function script(text: string): KnownOptions {
  return { ...LINES, files: { "check.sh": text } };
}

/** Expects that nothing is left of a temporary worktree, of a lock or of a change. */
async function expectClean({ project }: KnownProject, status = ""): Promise<void> {
  expect((await project.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
  expect(await project.git("status", "--short")).toBe(status);
  expect(await project.logs()).toEqual([]);
}

describe("is refused, and the reason is printed", () => {
  test("a check that does not show its failures, or shows others in each run", async () => {
    const scripts = {
      "cannot be found or started": "exit 127",
      "it printed nothing": "exit 1",
      "only one of its two failed runs has findings":
        "test -e .git/x && echo bad || echo 'a.js:1:1: Bad. [Error/x]'; touch .git/x; exit 1",
      "its output differs": "date +%N; exit 1",
      "no test passed": "echo '# suites 0\n# pass 0\n# fail 1\n# duration_ms 1'; exit 1",
      "may have more problems than are read": `i=0; while [ $i -lt 1001 ]; do i=$((i+1)); echo "a.js:$i:1: error: bad"; done; exit 1`,
      "it may have more problems than are read":
        "yes x | head -c 600000; echo 'a.js:1:1: Bad. [Error/x]'; exit 1",
      SIGKILL: "kill -9 $$",
      "the network cannot be reached":
        "echo 'curl: (6) Could not resolve host: registry.npmjs.org'; exit 6",
    };
    const names = Object.keys(scripts).map((_, i) => `check${i}`);
    const checks = names.map((name) => `      - ${name}: { command: sh ${name}.sh }\n`);
    const known = await knownProject({
      config: `entry_points:\n  - path: .\n    checks:\n${checks.join("")}`,
      files: Object.fromEntries(Object.values(scripts).map((text, i) => [`check${i}.sh`, text])),
    });
    const ends = await known.record();
    const reasons = ends.map((end) => (end.kind === "refused" ? end.why : end.kind));
    expect(reasons).toHaveLength(names.length);
    for (const [i, why] of Object.keys(scripts).entries()) expect(reasons[i]).toContain(why);
    await expectClean(known);
  });

  test("a check that reaches its time limit", async () => {
    const known = await knownProject(script("echo 'a.js:1:1: error: bad'; while :; do :; done\n"));
    const limits = { checkMs: 50, totalMs: 1_000 };
    expect(await known.record({ limits })).toMatchObject([{ kind: "refused" }]);
    await expectClean(known);
  });

  test("in a repository without commits, or with a log folder that cannot be written", async () => {
    const known = await knownProject({ files: OLD });
    await known.project.shell("rm -rf gauntlet_logs && touch gauntlet_logs");
    const message = expect.stringMatching(/^the log folder cannot be used: \//) as string;
    await expect(known.record()).rejects.toMatchObject({ data: { value: { message } } });
    await known.project.shell("rm -rf .git && git init --quiet --initial-branch=main");
    await expect(known.record()).rejects.toThrow();
  });
});

describe("the tree", () => {
  test("is the working tree if it is equal to HEAD", async () => {
    const known = await knownProject(script("pwd >.git/where; echo bad; exit 1\n"));
    expect(await known.record()).toMatchObject([{ kind: "recorded" }]);
    expect((await known.project.read(".git/where")).trim()).toBe(known.project.dir);
    await expectClean(known);
  });

  test("is a temporary worktree with links to dependencies if there is work in progress", async () => {
    const known = await knownProject({
      ...LINES,
      files: {
        ".gitignore": "node_modules\n",
        "check.sh": "cat node_modules/x/index.js work.js; exit 1\n",
        "work.js": "at HEAD\n",
      },
    });
    const { project } = known;
    await project.write("node_modules/x/index.js", "installed\n");
    await project.write("work.js", "in progress\n");
    await project.write("new.js", "untracked\n");
    expect(await known.record()).toMatchObject([{ kind: "recorded" }]);
    const record = await project.read(".git/agent-gauntlet/known/root/it.jsonl");
    expect(record).toContain("at HEAD");
    expect(record).toContain("installed");
    expect(await project.read("node_modules/x/index.js")).toBe("installed\n");
    await expectClean(known, " M work.js\n?? new.js\n");
  });

  test("is HEAD for the files that the command gets (G44)", async () => {
    const files = { "check.sh": 'echo "got $*"; exit 1\n', "old.js": "1\n" };
    const check = "command: sh check.sh {files}\nfiles: ['*.js']\n";
    const known = await knownProject({ check, files });
    await known.project.write("new.js", "untracked\n");
    expect(await known.record()).toMatchObject([{ kind: "recorded" }]);
    const record = await known.project.read(".git/agent-gauntlet/known/root/it.jsonl");
    expect(record).toContain("got ./old.js");
  });

  test("may be that of a detached HEAD, of a linked worktree and of a subfolder", async () => {
    const sub = "base_branch: main\nentry_points: [{ path: ., checks: [it] }]\n";
    const known = await knownProject({
      files: {
        ...OLD,
        "sub/.gauntlet/config.yml": sub,
        "sub/.gauntlet/checks/it.yml": "command: sh ../lint.sh\n",
        "sub/c.js": "BAD-sub\n",
      },
    });
    const { project } = known;
    await project.git("switch", "--quiet", "--detach");
    expect(await known.record()).toMatchObject([{ kind: "recorded", count: 2 }]);
    await project.shell('git worktree add --quiet "$PWD-linked" -b linked');
    const linked = { projectDir: `${project.dir}-linked` };
    expect(await known.record(linked)).toMatchObject([{ kind: "recorded", count: 2 }]);
    const projectDir = `${project.dir}/sub`;
    const loaded = await loadGauntletConfig(project.runtime, projectDir);
    if (loaded.kind !== "valid") throw new Error("the configuration is invalid");
    expect(await known.record({ projectDir, config: loaded.config })).toMatchObject([
      { kind: "recorded", count: 1 },
    ]);
    await project.write("sub/d.js", "fine\n");
    const { status, personMessage } = await known.stop({ from: "sub" });
    expect(status).toBe("passed_with_warnings");
    expect(personMessage).toContain("1 known failure");
  });
});

test("an interrupt leaves no worktree, no lock and no record", async () => {
  const known = await knownProject(script("echo bad; while :; do :; done\n"));
  await known.project.write("work.js", "in progress\n");
  const interrupt = new AbortController();
  const onStart = () => {
    queueMicrotask(() => {
      interrupt.abort();
    });
    return undefined;
  };
  const ends = await known.record({ signal: interrupt.signal, onStart });
  expect(ends.every(({ kind }) => kind === "refused")).toBe(true);
  await expectClean(known, "?? work.js\n");
  await expect(
    readFile(known.project.path(".git/agent-gauntlet/known/root/it.jsonl"))
  ).rejects.toThrow();
});

/** `mux-stop-hooks known` (G44, G47). */
const TWO = { "a.js": "one\nBAD-old\nthree\n", "b.js": "BAD-other\n", "README.md": "text\n" };

test("records in a terminal, lists, prunes and clears (G44, G47)", async () => {
  const known = await knownProject({ files: TWO });
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
  expect((await known.stop()).result.gates).toEqual([]);
  for (const action of ["list", "prune", "clear"]) {
    const { code, stderr } = await call(action, "--gate", "ti");
    expect([code, stderr]).toEqual([1, expect.stringContaining("defined are: it\n")]);
  }
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

test("clears the records of each job of a gate, and of a gate that was removed (G30b)", async () => {
  const checks = ["lint.sh", "./lint.sh"].map((path) => `[{ it: { command: sh ${path} } }]`);
  const config = `entry_points:\n${checks.map((one) => `  - { path: ., checks: ${one} }\n`).join("")}`;
  const known = await knownProject({ files: TWO, config });
  expect((await known.record()).map(({ job }) => job.id)).toEqual(["check:.:it", "check:.:it#2"]);
  await known.project.write(".gauntlet/config.yml", "checks: { other: 'true' }\n");
  const called = await agentGauntlet(known.project, "known clear -g it", { env: known.env });
  expect(called.stdout).toMatch(/^check:\.:it: removed .*\ncheck:\.:it#2: removed .*\n$/);
});

test("is refused to an agent and without a terminal (G44)", async () => {
  const known = await knownProject({ files: TWO });
  const agent = { tty: true, env: { ...known.env, CLAUDECODE: "1" } };
  const refused = await agentGauntlet(known.project, ["known", "record"], agent);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("known record is refused here, because CLAUDECODE is set");
  const piped = await agentGauntlet(known.project, ["known", "record"], { env: known.env });
  expect(piped.code).toBe(1);
  expect(piped.stderr).toContain("known record needs a terminal");
});

test("refuses a command that ends at its first failure, and names the reason (G46)", async () => {
  const check = "command: sh lint.sh && sh other.sh\n";
  const known = await knownProject({ files: TWO, check });
  const { code, stdout } = await agentGauntlet(known.project, ["known", "record"], {
    tty: true,
    env: known.env,
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "check:.:it fails, but its failures are not recorded: its command ends at its first failure"
  );
});
