/** Reviews over several runs: repeated reviews, unresolved violations, and how they are resolved (G12 to G14a). */
import { describe, expect, test } from "vitest";
import { fileOf, type ReviewProject, reviewProject } from "@test/helpers/gauntlet/reviewProject";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { restoring } from "@test/helpers/restoring";
import { LocalShell } from "@test/helpers/remote/localShell";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { personMessage } from "@/node/services/gauntlet/domain/audience";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

const HERE = { issue: "it is wrong" };

const withViolation = restoring(
  async (): Promise<ReviewProject> => {
    const project = await reviewProject();
    await project.answers(0, [HERE]);
    await project.project.write("src/a.txt", "wrong\n");
    expect((await project.run()).status).toBe("failed");
    return project;
  },
  ({ folders }) => folders
);

test("status shows the calls of reviewers and their tokens, also after a pass (G30b)", async () => {
  const project = await reviewProject();
  const usage = { input_tokens: 1_000, output_tokens: 234 };
  const text = JSON.stringify({ status: "pass", violations: [] });
  await project.says(0, "Fine.");
  await project.says(1, JSON.stringify({ type: "result", result: text, usage }));
  await project.project.write("src/a.txt", "x\n");
  expect((await project.run()).status).toBe("passed");
  const { stdout } = await agentGauntlet(project.project, ["status"]);
  expect(stdout).toContain("Calls of reviewers on this branch: one 2 (1,234 tokens)\n");
});

describe("the whole cycle", () => {
  test("fails, is marked as fixed, is verified on the change alone, and passes (G14)", async () => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "right\n");
    await project.edit(1, ([violation]) => {
      Object.assign(violation ?? {}, { status: "fixed", result: "put right" });
    });
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

  test("passes with warnings if a violation is skipped with a reason, without another review (G14)", async () => {
    const project = await withViolation();
    await project.edit(1, ([violation]) => {
      Object.assign(violation ?? {}, { status: "skipped", result: "meant to be" });
    });
    const result = await project.run();
    expect(result).toMatchObject({
      status: "passed_with_warnings",
      skipped: [{ issue: "src/a.txt:1 - it is wrong", reason: "meant to be" }],
    });
    expect(personMessage(result)).toBe(
      "all gates passed, 1 issue skipped: skipped: src/a.txt:1 - it is wrong (reason: meant to be)"
    );
    expect(await project.prompts()).toHaveLength(1);
  });

  test("writes the same fields into a slot's file as the existing tool", async () => {
    const project = await withViolation();
    const { rawOutput, violations, ...review } = await project.review(1);
    expect(rawOutput).toContain('"issue":"it is wrong"');
    expect(Date.parse(review.timestamp)).not.toBeNaN();
    expect(review).toMatchObject({ adapter: "one", status: "fail" });
    const [{ id, ...violation } = { id: "" }] = violations;
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    expect(violation).toEqual({
      file: "src/a.txt",
      line: 1,
      issue: "it is wrong",
      priority: "high",
      status: "new",
      result: null,
    });
  });

  test("ends at the retry limit, with the gate unresolved (G14, G19)", async () => {
    const project = await reviewProject({ config: "max_retries: 1\n" });
    await project.answers(0, [HERE]);
    await project.project.write("src/a.txt", "wrong\n");
    const stop = { session: "none", turn: "1", byLimit: false };
    await project.run({ stop: { ...stop, failed: 0 } });
    expect((await project.run({ stop: { ...stop, failed: 1 } })).status).toBe(
      "retry_limit_exceeded"
    );
    expect(await project.project.state()).toMatchObject({ open: ["review:src:cq"] });
    expect(await project.prompts()).toHaveLength(1);
  });
});

describe("does not resolve a violation:", () => {
  test("no change at all: fails again without another review (G14a)", async () => {
    const project = await withViolation();
    expect(await project.run()).toMatchObject({ status: "failed", attempt: 2 });
    expect(await project.prompts()).toHaveLength(1);
  });

  test("marked as fixed, but found again by the reviewer (G14a)", async () => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "still wrong\n");
    await project.edit(1, ([violation]) => Object.assign(violation ?? {}, { status: "fixed" }));
    await project.answers(1, [{ issue: "other words", line: 1, priority: "low" }]);
    expect((await project.run()).status).toBe("failed");
    expect((await project.review(2)).violations).toMatchObject([{ ...HERE, status: "new" }]);
  });

  test("no longer reported by the reviewer, but not marked (G14)", async () => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "other\n");
    expect((await project.run()).status).toBe("failed");
    expect((await project.review(2)).violations).toMatchObject([{ ...HERE, status: "new" }]);
  });

  test.each<[string, (violations: { status: string; result: string | null }[]) => unknown, string]>(
    [
      ["a violation removed from the file", (all) => all.splice(0), "was removed from the file"],
      ["an unknown status", (all) => Object.assign(all[0] ?? {}, { status: "done" }), '"done"'],
      [
        "skipped with a sign as the reason",
        (all) => Object.assign(all[0] ?? {}, { status: "skipped", result: "." }),
        "without a reason of at least three words",
      ],
      [
        "changed text",
        (all) => Object.assign(all[0] ?? {}, { issue: "nothing", priority: "low" }),
        "has changes in issue, priority",
      ],
    ]
  )("%s, with a warning (G14)", async (_, change, told) => {
    const project = await withViolation();
    await project.edit(1, change);
    const result = await project.run();
    expect(result.status).toBe("failed");
    expect(result.warnings.join("\n")).toContain(told);
    expect(await project.project.read(fileOf(1))).not.toBe("");
  });

  test.each([
    ["broken", '{"violations": ['],
    ["not an object", "[]"],
  ])(
    "a file that is %s, with a warning and a review of the whole change (G14a)",
    async (_, text) => {
      const project = await withViolation();
      await project.project.write(fileOf(1), text);
      await project.project.write("src/b.txt", "more\n");
      const result = await project.run();
      expect(result.status).toBe("failed");
      expect(result.warnings.join("\n")).toContain(fileOf(1));
      const [, second = ""] = await project.prompts();
      expect(second).toContain("+wrong");
      expect(second).toContain("+more");
      expect((await project.review(2)).violations).toMatchObject([HERE]);
    }
  );

  test("a deleted file", async () => {
    const project = await withViolation();
    await project.project.remove(fileOf(1));
    expect((await project.run()).status).toBe("failed");
    expect((await project.review(2)).violations).toMatchObject([HERE]);
  });

  test("verified by a partial run, so a complete run verifies it again (G20a)", async () => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "right\n");
    await project.edit(1, ([violation]) => Object.assign(violation ?? {}, { status: "fixed" }));
    expect((await project.project.run({ gates: ["cq"] })).status).toBe("passed");
    expect(await project.project.state()).toMatchObject({ open: ["review:src:cq"] });
    await project.answers(2, [HERE]);
    expect((await project.run()).status).toBe("failed");
  });
});

describe("repeated reviews", () => {
  test("omit new findings below the threshold, with a note (G14)", async () => {
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

  test("match a violation that has another priority now (G14)", async () => {
    const project = await withViolation();
    await project.project.write("src/a.txt", "worse\n");
    await project.answers(1, [{ ...HERE, priority: "critical" }]);
    await project.run();
    expect((await project.review(2)).violations).toMatchObject([{ ...HERE, priority: "high" }]);
  });

  test("do not report a skipped violation again (G14)", async () => {
    const project = await reviewProject();
    await project.answers(0, [HERE, { issue: "worse", line: 2 }]);
    await project.project.write("src/a.txt", "wrong\nvery\n");
    await project.run();
    await project.edit(1, ([first]) => {
      Object.assign(first ?? {}, { status: "skipped", result: "it is meant" });
    });
    await project.project.write("src/a.txt", "wrong\nvery much\n");
    await project.answers(1, [HERE]);
    await project.run();
    const { violations } = await project.review(2);
    expect(violations.map(({ issue, status }) => [issue, status])).toEqual([
      ["it is wrong", "skipped"],
      ["worse", "new"],
    ]);
  });
});

describe("findings outside of the lines of the change (G12)", () => {
  const far = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`);

  const changedAt30 = restoring(
    async (): Promise<ReviewProject> => {
      const project = await reviewProject();
      await project.project.write("src/a.txt", `${far.join("\n")}\n`);
      await project.project.write("src/caller.txt", "calls a\n");
      await project.project.commit("lines");
      await project.project.git("branch", "--force", "main", "HEAD");
      await project.project.write("src/a.txt", `${far.with(29, "changed").join("\n")}\n`);
      return project;
    },
    ({ folders }) => folders
  );

  test.each<[string, { file?: string; line?: number; priority?: string }]>([
    ["the first line, for the whole file", { line: 1, priority: "low" }],
    ["a missing file", { file: "test/a.test.txt", priority: "critical" }],
  ])("block at %s, and the prompt has numbers of lines", async (_, where) => {
    const project = await changedAt30();
    await project.answers(0, [{ ...HERE, ...where }]);
    const result = await project.run();
    expect(result.status).toBe("failed");
    const { violations } = await project.review(1);
    const outside = where.file === undefined ? {} : { outside: true };
    expect(violations).toMatchObject([{ ...HERE, ...where, ...outside }]);
    const reason = await stopReason(project.project.runtime, result);
    expect(reason.includes("(outside of the change): it is wrong")).toBe("outside" in outside);
    const [prompt] = await project.prompts();
    expect(prompt).toContain("   29  line 29\n      -line 30\n   30 +changed\n   31  line 31\n");
  });

  test("block at low priority in a file that the change affects, by the reviewer's word", async () => {
    const project = await changedAt30();
    const affected = "it passes one argument";
    const violation = { ...HERE, file: "src/caller.txt", line: 1, priority: "low", affected };
    await project.says(0, JSON.stringify({ status: "fail", violations: [violation] }));
    expect((await project.run()).status).toBe("failed");
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

  test.each([
    ["no line, but ./", { file: "./src/a.txt", line: null }],
    ["a range and a bare name", { file: "a.txt", line: "1-3" }],
    ["no name", { file: "" }],
  ])("do not include a finding with %s (G12)", async (_, where) => {
    const project = await reviewProject();
    await project.answers(0, [{ ...HERE, ...where }]);
    await project.project.write("src/a.txt", "x\n");
    expect((await project.run()).status).toBe("failed");
  });
});

describe("a claimed fix (G14a)", () => {
  const FIX = { status: "fixed", result: "done" };

  const claimed = restoring(
    async (): Promise<ReviewProject> => {
      const project = await reviewProject();
      await project.project.write("src/a.txt", "1\n2\nwrong\n4\n5\n6\n7\n8\n9\n");
      await project.answers(0, [{ ...HERE, line: 3 }]);
      await project.run();
      await project.edit(1, ([violation]) => Object.assign(violation ?? {}, FIX));
      return project;
    },
    ({ folders }) => folders
  );

  test("is refused without a call if no file has changed", async () => {
    const project = await claimed();
    const result = await project.run();
    expect(result.status).toBe("failed");
    expect(result.warnings.join()).toContain("is marked as fixed, but no file has changed since");
    expect(await project.prompts()).toHaveLength(1);
  });

  test("stays open if other lines changed and the reviewer uses other words elsewhere", async () => {
    const project = await claimed();
    await project.project.write("src/a.txt", "1\n2\nwrong\n4\n5\n6\n7\n8\nnine\n");
    await project.answers(1, [{ issue: "the third line is bad", line: 40, priority: "medium" }]);
    const result = await project.run();
    expect(result).toMatchObject({ status: "failed", fixed: [] });
    expect(result.gates[0]?.slots?.[0]?.message).toContain("marked as fixed, but not confirmed");
    expect(
      await stopReason(project.project.runtime, result, { canStopOnlyWhenDone: true })
    ).toContain("src/a.txt:3 high (marked as fixed, but not confirmed): ");
    expect((await project.review(2)).violations).toMatchObject([{ ...HERE, status: "new" }]);
  });

  test("stays open if other lines changed and the reviewer does not mention it", async () => {
    const project = await claimed();
    await project.project.write("src/a.txt", "0\n1\n2\nwrong\n4\n5\n6\n7\n8\n9\n");
    expect((await project.run()).status).toBe("failed");
    // The claim was judged on this tree.
    await project.edit(2, ([violation]) => Object.assign(violation ?? {}, FIX));
    await project.run();
    expect(await project.prompts()).toHaveLength(2);
  });

  test("is closed by the reviewer's word on its ID", async () => {
    const project = await claimed();
    await project.project.write("src/b.txt", "checks it before\n");
    const { id } = (await project.review(1)).violations[0]!;
    await project.says(1, JSON.stringify({ status: "pass", violations: [], fixed: [id] }));
    expect(await project.run()).toMatchObject({
      status: "passed",
      fixed: ["review:src:cq", "src/a.txt:3 - it is wrong"],
    });
    const [, second] = await project.prompts();
    expect(second).toContain(`"id":"${id}"`);
    expect(second).toContain('"fixed": a list with the ID of each problem');
  });

  test("is closed by a change at its place, also one before it was marked", async () => {
    const project = await claimed();
    await project.edit(1, ([violation]) => Object.assign(violation ?? {}, { status: "new" }));
    await project.project.write("src/a.txt", "0\n1\n2\nright\n4\n5\n6\n7\n8\n9\n");
    expect((await project.run()).status).toBe("failed");
    await project.edit(2, ([violation]) => Object.assign(violation ?? {}, FIX));
    expect((await project.run()).status).toBe("passed");
  });
});

describe("slots", () => {
  const TWO = { reviewers: ["one", "two"], frontMatter: "num_reviews: 2" };

  test("are assigned in turn, and one that passed is not repeated while another fails (G13, G14)", async () => {
    const project = await reviewProject(TWO);
    await project.answers(0, [HERE]);
    await project.project.write("src/a.txt", "wrong\n");
    const first = await project.run();
    expect(first.gates[0]?.slots?.map(({ reviewer, outcome }) => [reviewer, outcome])).toEqual([
      ["one", "failed"],
      ["two", "passed"],
    ]);
    await project.project.write("src/a.txt", "right\n");
    await project.edit(1, ([violation]) => Object.assign(violation ?? {}, { status: "fixed" }));
    const second = await project.run();
    expect(second.status).toBe("passed");
    expect(await project.prompts("two")).toHaveLength(1);
    const prior = "gauntlet_logs/previous/review_src_cq_two@2.2.json";
    expect(JSON.parse(await project.project.read(prior))).toMatchObject({
      status: "skipped_prior_pass",
      passIteration: 1,
    });
  });

  test("without an answer get the whole change again, and the others keep their results (G14a)", async () => {
    const project = await reviewProject(TWO);
    // The first slot turns to the second reviewer after that one has begun for its own slot.
    await project.does(0, 'until [ -f "$d/../two/seen/0" ]; do sleep 0.02; done; exit 3', "one");
    await project.does(1, "exit 3", "two");
    await project.project.write("src/a.txt", "x\n");
    const first = await project.run();
    expect(first).toMatchObject({ status: "infrastructure_error" });
    expect(first.gates[0]).toMatchObject({ outcome: "error" });
    expect((await project.run()).status).toBe("passed");
    expect(await project.prompts("two")).toHaveLength(2);
  });

  test("use the next reviewer after a rate limit, and pause the first one (G13)", async () => {
    const project = await reviewProject({ reviewers: ["one", "two"] });
    await project.does(0, "echo 'Usage limit reached, try again at 5pm' >&2; exit 1", "one");
    await project.answers(0, [HERE], "two");
    await project.project.write("src/a.txt", "wrong\n");
    const first = await project.run();
    expect(first.gates[0]?.slots).toMatchObject([{ slot: 1, reviewer: "two", outcome: "failed" }]);
    expect(first.warnings.join("\n")).toContain("review:src:cq was not reviewed by one: ");
    await project.project.write("src/a.txt", "other\n");
    await project.run();
    expect(await project.prompts("one")).toHaveLength(1);
    expect(await project.prompts("two")).toHaveLength(2);
  });

  test.each([
    [
      "is logged out",
      "echo 'Invalid API key · Please run /login'; exit 1",
      "in a terminal and log in",
    ],
    ["is offline", "echo 'getaddrinfo ENOTFOUND api.example.com' >&2; exit 1", "check the network"],
    ["fails", "exit 3", "Exited with code 3"],
  ])(
    "use the next reviewer if the first one %s, and the user sees it (G13)",
    async (_, script, told) => {
      const project = await reviewProject({ reviewers: ["one", "two"] });
      await project.does(0, script);
      await project.answers(0, [HERE], "two");
      await project.project.write("src/a.txt", "wrong\n");
      const first = await project.run();
      expect(first.gates[0]?.slots).toMatchObject([{ reviewer: "two", outcome: "failed" }]);
      expect(first.warnings.join("\n")).toContain(told);
    }
  );

  test("call a reviewer again if its answer cannot be read, then the next one (G12a)", async () => {
    const project = await reviewProject({ reviewers: ["one", "two"] });
    for (const nth of [0, 1]) await project.says(nth, '{"status":"pass"} {"status":"fa');
    await project.project.write("src/a.txt", "x\n");
    expect((await project.run()).status).toBe("passed");
    const [first = "", again = ""] = await project.prompts("one");
    expect(again).toContain(`${first}\nYour last answer could not be read.`);
    expect(await project.prompts("two")).toEqual([first]);
  });

  test("approve without a verdict if none of them answers: never a pass, never a block (G13)", async () => {
    const project = await reviewProject({ reviewers: ["one", "two"] });
    await project.does(0, "echo 'Please log in' >&2; exit 1", "one");
    for (const nth of [0, 1]) await project.says(nth, "Fine.", "two");
    await project.project.write("src/a.txt", "x\n");
    const result = await project.run();
    expect(result.status).toBe("infrastructure_error");
    expect(personMessage(result)).toMatch(/one: .*log in.*; two: No answer/);
    expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:src:cq"] });
  });

  test("let the agent stop if no reviewer is available (G13)", async () => {
    const project = await reviewProject({ reviewers: [], config: "" });
    await project.project.write("src/a.txt", "x\n");
    const result = await project.project.run({ env: { PATH: PROJECT_ENV.PATH } });
    expect(result).toMatchObject({ status: "infrastructure_error" });
    expect(result.message).toContain("no healthy adapters");
    expect(result.message).not.toContain("~/.profile");
    expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:src:cq"] });
    const shell = new LocalShell({ env: { PATH: PROJECT_ENV.PATH } });
    const runtime = new RemoteRuntime(shell, new LocalFiles());
    const far = await project.project.run({ runtime });
    expect(far.message).toContain("commands on local-shell do not read ~/.profile");
  });
});

test("a failed check fails the run if no reviewer is available (G13)", async () => {
  const project = await reviewProject({ reviewers: [] });
  await project.project.write(
    ".gauntlet/config.yml",
    "base_branch: main\nentry_points:\n  - path: src\n    checks: [no: {command: 'false'}]\n    reviews: [cq]\n"
  );
  await project.project.write("src/a.txt", "x\n");
  expect((await project.run()).status).toBe("failed");
});
