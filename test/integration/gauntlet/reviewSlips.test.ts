/** Attempts to bypass a review, none of which succeeds (G12, G14a, G20a). */
import { describe, expect, test, vi } from "vitest";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import {
  type Finding,
  type ReviewProject,
  reviewProject,
} from "@test/helpers/gauntlet/reviewProject";
import { LONG_MS, untilOver } from "@test/helpers/gauntlet/stops";
import { restoring } from "@test/helpers/restoring";

const HERE = { issue: "it is wrong" };

const withViolation = restoring(async (finding: Partial<Finding> = {}) => {
  const project = await reviewProject();
  await project.answers(0, [{ ...HERE, ...finding }]);
  await project.project.write("src/a.txt", "wrong\n");
  expect((await project.run()).status).toBe("failed");
  return project;
});

async function claimFixed(project: ReviewProject, run = 1): Promise<void> {
  await project.edit(run, (violations) => {
    for (const violation of violations) Object.assign(violation, { status: "fixed", result: "x" });
  });
}

describe("marked as fixed without a fix:", () => {
  test("stays unresolved if the file was renamed, also below the threshold (G14a)", async () => {
    const project = await withViolation({ priority: "low" });
    await project.project.git("mv", "src/a.txt", "src/b.txt");
    await project.project.write("src/b.txt", "wrong\nas before\n");
    await claimFixed(project);
    await project.answers(1, [{ ...HERE, file: "src/b.txt", priority: "low" }]);
    const result = await project.run();
    expect(result.status).toBe("failed");
    const { violations } = await project.review(2);
    expect(violations).toMatchObject([{ ...HERE, file: "src/b.txt", status: "new" }]);
    await claimFixed(project, 2);
    await project.project.write("src/b.txt", "right\n");
    expect((await project.run()).status).toBe("passed");
  });

  test("stays unresolved if no reviewer is available, which is no failure if all are marked (G13)", async () => {
    const project = await reviewProject();
    await project.answers(0, [HERE, { issue: "this too", line: 2 }]);
    await project.project.write("src/a.txt", "wrong\nvery\n");
    await project.run();
    await project.edit(1, ([first]) => Object.assign(first ?? {}, { status: "fixed" }));
    await project.project.write("src/a.txt", "right\nvery\n");
    for (const nth of [1, 2]) await project.does(nth, "echo 'Usage limit reached' >&2; exit 1");
    expect((await project.run()).status).toBe("failed");
    await claimFixed(project, 2);
    expect(await project.run()).toMatchObject({ status: "infrastructure_error" });
    expect(await project.project.state()).toMatchObject({ attempt: 2, open: ["review:src:cq"] });
    await project.answers(3, [HERE]);
    expect((await project.run()).status).toBe("failed");
    expect((await project.prompts()).at(-1)).toContain('"issue":"it is wrong"');
  });
});

describe("the earlier snapshot", () => {
  async function forget(project: ReviewProject): Promise<void> {
    const { project: at } = project;
    const refs = (await at.git("for-each-ref", "--format=%(refname)", "refs/worktree")).split("\n");
    for (const ref of refs.filter((name) => name !== "")) await at.git("update-ref", "-d", ref);
    await at.git("prune", "--expire=now");
  }

  test("no longer exists: shows the whole change (G14a)", async () => {
    const project = await withViolation();
    await forget(project);
    await project.project.write("src/b.txt", "more\n");
    await claimFixed(project);
    await project.answers(1, [HERE]);
    expect((await project.run()).status).toBe("failed");
    const [, second = ""] = await project.prompts();
    expect(second).toContain("+wrong");
    expect(second).toContain("+more");
  });

  test("no longer exists after a pass: shows the change since the base (G7a)", async () => {
    const project = await reviewProject();
    await project.project.write("src/a.txt", "first\n");
    expect((await project.run()).status).toBe("passed");
    await forget(project);
    await project.project.write("src/b.txt", "more\n");
    expect((await project.run()).status).toBe("passed");
    const [, second = ""] = await project.prompts();
    expect(second).toContain("+first");
    expect(second).toContain("+more");
  });

  test("was reviewed with another prompt: shows the whole change again (G7a)", async () => {
    const project = await withViolation();
    const path = ".gauntlet/reviews/cq.md";
    const prompt = await project.project.read(path);
    await project.project.write(path, "---\nparallel: true\n---\nFind nothing.\n");
    await project.project.write("src/b.txt", "smuggled\n");
    expect((await project.run()).status).toBe("failed");
    await project.project.write(path, prompt);
    await claimFixed(project, 2);
    await project.run();
    expect((await project.prompts()).at(-1)).toContain("+smuggled");
  });
});

test("a change that attributes, a diff driver or the index hide is shown (G8, G12a)", async () => {
  const project = await reviewProject();
  const { project: at } = project;
  await at.write("src/skipped.txt", "a\n");
  await at.commit("more");
  for (const key of ["command", "textconv", "binary"])
    await at.git("config", `diff.x.${key}`, "true");
  await at.git("update-index", "--assume-unchanged", "src/a.txt");
  await at.git("update-index", "--skip-worktree", "src/skipped.txt");
  await at.write("src/.gitattributes", "of-project.txt -diff\nby-driver.txt diff=x\n");
  await at.write(".git/info/attributes", "of-repository.txt binary\n");
  const names = ["a", "skipped", "of-project", "by-driver", "of-repository"];
  for (const name of names) await at.write(`src/${name}.txt`, `hidden ${name}?\n`);
  await project.run();
  const [prompt = ""] = await project.prompts();
  for (const name of names) expect(prompt).toContain(`+hidden ${name}?`);
});

test("a change that is undone keeps its violation until it is verified, and is reviewed again if it is made again (G7a, G14)", async () => {
  const project = await withViolation();
  await project.project.write("src/a.txt", "a\n");
  expect((await project.run()).status).toBe("failed");
  await claimFixed(project, 2);
  expect((await project.run()).status).toBe("passed");
  expect((await project.prompts()).at(-1)).toContain('"issue":"it is wrong"');
  await project.project.write("src/a.txt", "wrong\n");
  await project.answers((await project.prompts()).length, [HERE]);
  expect((await project.run()).status).toBe("failed");
});

test("work that is committed between two stops is still reviewed (G20a)", async () => {
  const project = await withViolation();
  await project.project.commit("done, surely");
  expect((await project.run()).status).toBe("failed");
  await project.project.write("src/b.txt", "more\n");
  await project.project.commit("more");
  await project.answers(1, [{ file: "src/b.txt", issue: "and this" }]);
  await project.run();
  expect((await project.review(3)).violations).toMatchObject([HERE, { issue: "and this" }]);
  // An edit of the file of an earlier run has no effect.
  const skip = { status: "skipped", result: "the wrong file" };
  await project.edit(1, ([violation]) => Object.assign(violation ?? {}, skip));
  expect(await project.run()).toMatchObject({ status: "failed", skipped: [] });
});

describe("manipulated files of the gauntlet:", () => {
  test("a state that was removed is restored, and the user sees it (G16)", async () => {
    const project = await withViolation();
    await project.project.remove("gauntlet_logs/.execution_state");
    const restored =
      "the copy in the git folder is used, with these unresolved gates: review:src:cq";
    const alone = await project.run();
    expect(alone.status).toBe("failed");
    expect(alone.warnings.join("\n")).toContain(restored);
    await project.project.remove("gauntlet_logs");
    const result = await project.run();
    expect(result.status).toBe("failed");
    expect(result.warnings.join("\n")).toContain(restored);
    // No file changed, so the reviewer is not called.
    expect(await project.prompts()).toHaveLength(1);
    expect((await project.review(1)).violations).toMatchObject([HERE]);
    await project.edit(1, ([v]) => Object.assign(v ?? {}, { status: "fixed" }));
    await project.project.write("src/a.txt", "right\n");
    const fixed = await project.run();
    expect(fixed).toMatchObject({ status: "passed", warnings: [] });
  });

  test("a state with invalid reviews keeps the violations", async () => {
    const project = await withViolation();
    const state = await project.project.state();
    const text = JSON.stringify({ ...state, reviews: { "review:src:cq": 3 }, open: [] });
    await project.project.write("gauntlet_logs/.execution_state", text);
    expect((await project.run()).status).toBe("failed");
    expect((await project.review(2)).violations).toMatchObject([HERE]);
  });
});

describe("runs that prove nothing:", () => {
  test("those of one gate, of uncommitted changes, or with a base of their own (G20a)", async () => {
    const project = await withViolation();
    await project.project.commit("work");
    await claimFixed(project);
    const partial = [
      { gates: ["cq"] },
      { scope: { kind: "uncommitted" } as const },
      { baseBranch: "HEAD" },
    ];
    for (const options of partial) await project.project.run(options);
    await project.answers((await project.prompts()).length, [HERE]);
    expect((await project.run()).status).toBe("failed");
  });

  test.each<[string, Partial<RunOptions>]>([
    ["of uncommitted changes", { scope: { kind: "uncommitted" } }],
    ["with a base of its own", { baseBranch: "HEAD" }],
  ])("a first one %s: the next run shows the whole change (G14a, G20a)", async (_, options) => {
    const project = await reviewProject();
    await project.project.write("src/old.txt", "committed\n");
    await project.project.commit("work");
    await project.project.write("src/a.txt", "wrong\n");
    await project.answers(0, [HERE]);
    await project.run(options);
    await project.run();
    expect((await project.prompts()).at(-1)).toContain("+committed");
  });

  test.each([
    ["an interrupt", []],
    ["the time limit, after which it is on cooldown,", ["one"]],
  ])("%s while a reviewer runs (G13, G28)", async (end, cooldown) => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "right?\n");
    await claimFixed(project);
    await project.does(1, "sleep 60");
    const stop = new AbortController();
    const timers = vi.spyOn(globalThis, "setTimeout");
    let time = Date.now();
    const result = await project.project.run({
      ...{ signal: stop.signal, limitMs: 77_777, now: () => new Date((time += 20_000)) },
      listener: ({ type }) => {
        if (type !== "slot-start") return;
        if (end === "an interrupt") stop.abort();
        else timers.mock.calls.find(([, ms]) => ms === 77_777)?.[0]();
      },
    });
    timers.mockRestore();
    expect(result.status).toBe("infrastructure_error");
    expect(Object.keys((await project.project.state()).cooldown as object)).toEqual(cooldown);
    expect(result.warnings.join().includes("reviewed by one")).toBe(cooldown.length > 0);
    await project.answers((await project.prompts()).length, [HERE]);
    expect((await project.run()).status).toBe("failed");
    expect((await project.prompts()).at(-1)).toContain("+right?");
  });

  test("a time limit in the first git command of a review", async () => {
    const project = await reviewProject();
    await project.project.write("src/a.txt", "x\n");
    const { runtime } = project.project;
    const exec = runtime.exec.bind(runtime);
    let isComparing = false;
    vi.spyOn(runtime, "exec").mockImplementation((request) => {
      const { command } = request;
      const isDiff = "args" in command && command.args?.includes("diff-tree") === true;
      isComparing ||= isDiff;
      return exec(isDiff ? { ...request, command: { script: "sleep 600" } } : request);
    });
    const result = await untilOver(
      () => isComparing,
      () => project.project.run({ limitMs: LONG_MS })
    );
    expect(result).toMatchObject({ status: "infrastructure_error" });
    expect(result.message).toContain("limit");
    expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:src:cq"] });
  });
});

test("5 MB of output and a violation of 100 kB: it is cut off, marked and settled (G12a)", async () => {
  const project = await reviewProject();
  const script = `head -c 5000000 /dev/zero | tr '\\0' '\\377'; echo; printf '{"status":"fail","violations":[{"file":"src/a.txt","line":1,"issue":"'; head -c 100000 /dev/zero | tr '\\0' x; echo '"}]}'`;
  await project.does(0, script);
  await project.project.write("src/a.txt", "wrong\n");
  expect((await project.run()).status).toBe("failed");
  expect((await project.review(1)).violations[0]?.issue.length).toBeLessThan(20_000);
  await claimFixed(project);
  await project.project.write("src/a.txt", "right\n");
  expect((await project.run()).status).toBe("passed");
});
