/** Reviews over several runs: repeated reviews, unresolved violations, and how they are resolved (G12 to G14a). */
import { describe, expect, test } from "vitest";
import { fileOf, type ReviewProject, reviewProject } from "@test/helpers/gauntlet/reviewProject";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { restoring } from "@test/helpers/restoring";
import { farRuntime, LocalShell } from "@test/helpers/remote/localShell";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { personMessage } from "@/node/services/gauntlet/domain/stopAudience";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { statusAt } from "@test/helpers/gauntlet/stops";

const HERE = { issue: "it is wrong" };

const withViolation = restoring(async () => {
  const project = await reviewProject();
  await project.answers(0, [HERE]);
  await project.project.write("src/a.txt", "wrong\n");
  expect((await project.run()).status).toBe("failed");
  return project;
});

/** Sets fields of the first violation in the file of a run, as an agent does. */
async function mark(project: ReviewProject, run: number, fields: object): Promise<void> {
  await project.edit(run, ([violation]) => Object.assign(violation ?? {}, fields));
}

test("the whole cycle fails, is marked as fixed, is verified on the change alone, and passes (G14)", async () => {
  const project = await withViolation();
  const { rawOutput, violations, ...review } = await project.review(1);
  expect(rawOutput).toContain('"issue":"it is wrong"');
  expect(Date.parse(review.timestamp)).not.toBeNaN();
  expect(review).toMatchObject({ adapter: "one", status: "fail" });
  // The same fields as the existing tool writes.
  expect(violations).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      ...{ file: "src/a.txt", line: 1, issue: "it is wrong", priority: "high" },
      ...{ status: "new", result: null },
    },
  ]);
  await project.project.write("src/a.txt", "right\n");
  await mark(project, 1, { status: "fixed", result: "put right" });
  const result = await project.run();
  expect(result).toMatchObject({
    status: "passed",
    fixed: ["review:src:cq", "src/a.txt:1 - it is wrong"],
  });
  const [first = "", second = ""] = await project.prompts();
  expect(first).toContain("      -a\n    1 +wrong");
  expect(second).toContain("      -wrong\n    1 +right");
  expect(second).toContain('"issue":"it is wrong"');
  // The files of a pass are archived.
  expect(await project.project.logs("gauntlet_logs/previous")).toContain(
    "review_src_cq_one@1.2.json"
  );
  expect(await project.project.state()).toMatchObject({ attempt: 0, open: [], reviews: {} });
  expect((await project.run()).status).toBe("no_changes");
});

describe("does not resolve a violation:", () => {
  test("a file without it, and no change: fails again without another review, with a warning (G14a)", async () => {
    const project = await withViolation();
    const review = await project.review(1);
    const text = JSON.stringify({ ...review, status: "pass", violations: [] });
    await project.project.write(fileOf(1), text);
    const result = await project.run();
    expect(result).toMatchObject({ status: "failed", attempt: 2 });
    expect(result.warnings.join("\n")).toContain("was removed from the file");
    expect(await project.prompts()).toHaveLength(1);
    expect(await project.project.read(fileOf(1))).not.toBe("");
  });

  test("a file that is broken, with a warning and a review of the whole change (G14a)", async () => {
    const project = await withViolation();
    await project.project.write(fileOf(1), '{"violations": [');
    await project.project.write("src/b.txt", "more\n");
    const result = await project.run();
    expect(result.status).toBe("failed");
    expect(result.warnings.join("\n")).toContain(fileOf(1));
    const [, second = ""] = await project.prompts();
    expect(second).toContain("+wrong");
    expect(second).toContain("+more");
    expect((await project.review(2)).violations).toMatchObject([HERE]);
  });
});

test("repeated reviews omit new findings below the threshold, with a note (G14)", async () => {
  const project = await withViolation();
  await project.project.write("src/b.txt", "b\n");
  await project.answers(1, [
    { file: "src/b.txt", issue: "a trifle", priority: "medium" },
    { file: "src/b.txt", issue: "a blunder", priority: "critical" },
  ]);
  const result = await project.run();
  const { violations } = await project.review(2);
  expect(violations.map(({ issue }) => issue)).toEqual(["it is wrong", "a blunder"]);
  expect(result.gates[0]?.slots?.[0]?.message).toContain(
    "left out 1 new violation with a priority below rerun_new_issue_threshold"
  );
});

test.each([
  ["stays open in the turn in which it was reported", "failed", "1"],
  ["does not count in a later turn", "passed", "2"],
])("on another branch, a violation %s (G18a)", async (_, status, turnId) => {
  const project = await reviewProject();
  await project.answers(0, [HERE]);
  await project.project.write("src/a.txt", "wrong\n");
  expect(await statusAt(project.project, { sessionId: "s", turnId: "1" })).toBe("failed");
  await project.project.shell("git commit -qam wrong && git switch -qc other main");
  await project.project.write("src/b.txt", "b\n");
  expect(await statusAt(project.project, { sessionId: "s", turnId })).toBe(status);
  const [, second] = await project.prompts();
  expect(second?.includes("-wrong")).toBe(status === "failed");
});

describe("findings outside of the lines of the change (G12)", () => {
  const far = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`);

  const changedAt30 = restoring(async () => {
    const project = await reviewProject();
    await project.project.write("src/a.txt", `${far.join("\n")}\n`);
    await project.project.write("src/caller.txt", "calls a\n");
    await project.project.commit("lines");
    await project.project.git("branch", "--force", "main", "HEAD");
    await project.project.write("src/a.txt", `${far.with(29, "changed").join("\n")}\n`);
    return project;
  });

  test("block in changed files, at high priority, and by the reviewer's word; the prompt has numbers of lines", async () => {
    const project = await changedAt30();
    const low = { ...HERE, priority: "low" };
    const blocking = [
      { ...low, file: "src/a.txt", line: 1 },
      { ...HERE, file: "test/a.test.txt", line: 1, priority: "critical", outside: true },
      { ...low, file: "src/a.txt", line: null },
      { ...low, file: "a.txt", line: "1-3" },
      { ...low, file: "", line: 4 },
      { ...low, file: "src/caller.txt", line: 1 },
    ];
    const violations = blocking.map((violation) => ({
      ...violation,
      ...(violation.file === "src/caller.txt" ? { affected: "it passes one argument" } : {}),
    }));
    await project.says(0, JSON.stringify({ status: "fail", violations }));
    const result = await project.run();
    expect(result.status).toBe("failed");
    const found = (await project.review(1)).violations;
    expect(found).toMatchObject(blocking);
    expect(found.filter((violation) => "outside" in violation)).toEqual([found[1]]);
    const reason = await stopReason(project.project.runtime, result);
    expect(reason.match(/\(outside of the change\): it is wrong/g)).toHaveLength(1);
    const [prompt] = await project.prompts();
    expect(prompt).toContain("   29  line 29\n      -line 30\n   30 +changed\n   31  line 31\n");
  });

  test("pass at low priority in other files, and the user reads them", async () => {
    const project = await changedAt30();
    await project.answers(0, [
      { file: "src/caller.txt", issue: "is old", priority: "medium" },
      { file: "docs/x.md", line: null, issue: "is \u001b[2Kmissing", priority: "low" },
    ]);
    const result = await project.run();
    expect(result.status).toBe("passed_with_warnings");
    expect(personMessage(result)).toContain(
      "left out: src/caller.txt:1 - is old (medium, outside of the change); left out: docs/x.md - is \\u001b[2Kmissing (low, outside of the change)"
    );
  });
});

describe("a claimed fix (G14a)", () => {
  const FIX = { status: "fixed", result: "done" };

  const claimed = restoring(async () => {
    const project = await reviewProject();
    await project.project.write("src/a.txt", "1\n2\nwrong\n4\n5\n6\n7\n8\n9\n");
    await project.answers(0, [{ ...HERE, line: 3 }]);
    await project.run();
    await mark(project, 1, FIX);
    return project;
  });

  test("stays open if other lines changed and the reviewer uses other words elsewhere, until it confirms the ID", async () => {
    const project = await claimed();
    await project.project.write("src/a.txt", "1\n2\nwrong\n4\n5\n6\n7\n8\nnine\n");
    await project.answers(1, [{ issue: "the third line is bad", line: 40, priority: "medium" }]);
    const result = await project.run();
    expect(result).toMatchObject({ status: "failed", fixed: [] });
    expect(result.gates[0]?.slots?.[0]?.message).toContain("marked as fixed, but not confirmed");
    expect(
      await stopReason(project.project.runtime, result, { canStopOnlyWhenDone: true })
    ).toContain("src/a.txt:3 high (marked as fixed, but not confirmed): ");
    const [violation] = (await project.review(2)).violations;
    expect(violation).toMatchObject({ ...HERE, status: "new" });
    // The claim was judged on this tree.
    await mark(project, 2, FIX);
    const { status, warnings } = await project.run();
    expect([status, await project.prompts()]).toMatchObject(["failed", { length: 2 }]);
    expect(warnings.join()).toContain("is marked as fixed, but no file has changed since");

    await mark(project, 2, FIX);
    await project.project.write("src/b.txt", "checks it before\n");
    const { id } = violation!;
    await project.says(2, JSON.stringify({ status: "pass", violations: [], fixed: [id] }));
    expect(await project.run()).toMatchObject({
      status: "passed",
      fixed: ["review:src:cq", "src/a.txt:3 - it is wrong"],
    });
    const third = (await project.prompts()).at(-1);
    expect(third).toContain(`"id":"${id}"`);
    expect(third).toContain('"fixed": a list with the ID of each problem');
    // Only another file changed, and the reviewer gets the file of the violation as well (G14).
    expect(third).toContain("+checks it before");
    expect(third).toContain("+wrong");
  });

  test("is closed by a change at its place, also one before it was marked", async () => {
    const project = await claimed();
    await mark(project, 1, { status: "new" });
    await project.project.write("src/a.txt", "0\n1\n2\nright\n4\n5\n6\n7\n8\n9\n");
    expect((await project.run()).status).toBe("failed");
    await mark(project, 2, FIX);
    expect((await project.run()).status).toBe("passed");
  });
});

describe("slots", () => {
  test("are assigned in turn, and one that passed is not repeated while another fails (G13, G14)", async () => {
    const project = await reviewProject({
      reviewers: ["one", "two"],
      frontMatter: "num_reviews: 2",
    });
    await project.answers(0, [HERE]);
    await project.project.write("src/a.txt", "wrong\n");
    const first = await project.run();
    expect(first.gates[0]?.slots?.map(({ reviewer, outcome }) => [reviewer, outcome])).toEqual([
      ["one", "failed"],
      ["two", "passed"],
    ]);
    await project.project.write("src/a.txt", "right\n");
    await mark(project, 1, { status: "fixed" });
    const second = await project.run();
    expect(second.status).toBe("passed");
    expect(await project.prompts("two")).toHaveLength(1);
    const prior = "gauntlet_logs/previous/review_src_cq_two@2.2.json";
    expect(JSON.parse(await project.project.read(prior))).toMatchObject({
      status: "skipped_prior_pass",
      passIteration: 1,
    });
  });

  test("use the next reviewer if one cannot answer, pause it, and the user sees why (G13)", async () => {
    const reviewers = ["limited", "loggedOut", "offline", "failing", "last"];
    const project = await reviewProject({ reviewers });
    const says = "echo 'Usage limit reached, try again at 5pm' >&2; exit 1";
    await project.does(0, says, "limited");
    await project.does(0, "echo 'Invalid API key · Please run /login'; exit 1", "loggedOut");
    await project.does(0, "echo 'getaddrinfo ENOTFOUND api.x.com' >&2; exit 1", "offline");
    await project.does(0, "exit 3", "failing");
    await project.answers(0, [HERE], "last");
    await project.project.write("src/a.txt", "wrong\n");
    const first = await project.run();
    expect(first.gates[0]?.slots).toMatchObject([{ slot: 1, reviewer: "last", outcome: "failed" }]);
    const told = ["wait for its limit", "in a terminal and log in", "check the network", "code 3"];
    for (const [i, text] of told.entries()) {
      const why = new RegExp(`^review:src:cq was not reviewed by ${reviewers[i]}: .*${text}`);
      expect(first.warnings[i]).toMatch(why);
    }
    await project.project.write("src/a.txt", "other\n");
    await project.run();
    const calls = await Promise.all(reviewers.map((name) => project.prompts(name)));
    expect(calls.map(({ length }) => length)).toEqual([1, 1, 1, 1, 2]);
  });

  test("call a reviewer again if its answer cannot be read, then the next one (G12a)", async () => {
    const project = await reviewProject({ reviewers: ["one", "two"] });
    await project.says(0, '{"status":"pass"} {"status":"fa');
    const usage = { input_tokens: 1_000, output_tokens: 234 };
    await project.says(1, JSON.stringify({ type: "result", result: "Fine.", usage }));
    await project.project.write("src/a.txt", "x\n");
    expect((await project.run()).status).toBe("passed");
    const [first = "", again = ""] = await project.prompts("one");
    expect(again).toContain(`${first}\nYour last answer could not be read.`);
    expect(await project.prompts("two")).toEqual([first]);
    // The calls and tokens of the branch, also after a pass (G30b).
    const { stdout } = await agentGauntlet(project.project, ["status"]);
    expect(stdout).toContain("Calls of reviewers on this branch: one 2 (1,234 tokens), two 1\n");
  });

  test("approve without a verdict if none of them answers, and get the whole change again (G13, G14a)", async () => {
    const project = await reviewProject({ reviewers: ["one", "two"] });
    await project.does(0, "echo 'Please log in' >&2; exit 1", "one");
    for (const nth of [0, 1]) await project.says(nth, "Fine.", "two");
    await project.project.write("src/a.txt", "x\n");
    const result = await project.run();
    expect(result.status).toBe("infrastructure_error");
    expect(result.gates[0]).toMatchObject({ outcome: "error" });
    expect(personMessage(result)).toMatch(/one: .*log in.*; two: No answer/);
    expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:src:cq"] });
    expect((await project.run()).status).toBe("passed");
    expect((await project.prompts("two")).at(2)).toContain("+x\n");
  });

  test("let the agent stop if no reviewer is available, unless a check failed (G13)", async () => {
    const project = await reviewProject({ reviewers: [], config: "" });
    await project.project.write("src/a.txt", "x\n");
    const env = { PATH: PROJECT_ENV.PATH };
    const result = await project.project.run({ env });
    expect(result).toMatchObject({ status: "infrastructure_error" });
    expect(result.message).toContain("no healthy adapters");
    expect(result.message).not.toContain("~/.profile");
    expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:src:cq"] });
    const runtime = farRuntime(new LocalShell({ env }));
    const far = await project.project.run({ runtime });
    expect(far.message).toContain("commands on local-shell do not read ~/.profile");
    await project.project.write(
      ".gauntlet/config.yml",
      "base_branch: main\nentry_points:\n  - path: src\n    checks: [no: {command: 'false'}]\n    reviews: [cq]\n"
    );
    expect((await project.project.run({ env })).status).toBe("failed");
  });
});
