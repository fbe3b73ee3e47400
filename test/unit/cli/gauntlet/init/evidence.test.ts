/** What a project's workflows run, and other evidence for a command (G29). */
import { describe, expect, test } from "vitest";
import { commands, packageJson, propose, type Tree } from "@test/helpers/gauntlet/proposals";

describe("the workflows", () => {
  const workflow = (...lines: readonly string[]): Tree => ({
    ".github/workflows/ci.yml": JSON.stringify({
      jobs: { a: { steps: [{ uses: "x" }, ...lines.map((run) => ({ run }))] } },
    }),
  });
  const unit = { "test-unit": "vitest run", test: "vitest run e2e" };

  test.each([
    [unit, [], ["test: npm test"]],
    // Of the scripts, the one that the workflow runs.
    [unit, ["npm ci\nnpm run test-unit -- --coverage"], ["test: npm run test-unit"]],
    // Also by another script.
    [{ ...unit, ci: "npm run test-unit" }, ["npm run ci"], ["test: npm run test-unit"]],
    // What no tool of the table does is not evidence.
    [{ ...unit, "test-unit": "node release.js" }, ["npm run test-unit"], ["test: npm test"]],
    [{ ...unit, publish: "vitest run" }, ["npm run publish"], ["test: npm test"]],
    [{ ...unit, "build-unit": "vitest run" }, ["npm run build-unit"], ["test: npm test"]],
    // A line alone is not a check.
    [{}, ["vitest run", "npm publish", "./deploy.sh"], []],
  ])("select among the scripts %j with the lines %j", async (scripts, lines, expected) => {
    expect(await commands({ ...packageJson(scripts), ...workflow(...lines) })).toEqual(expected);
  });

  test("select a task before a script, and are named in the reason", async () => {
    const tree = { ...packageJson({ test: "ava" }), Makefile: "test:\n\tava\n" };
    expect(await commands(tree)).toEqual(["test: npm test", "test-make?: make test"]);
    const { checks } = await propose({ ...tree, ...workflow("make test") });
    expect(checks.map(({ command, isPreselected }) => [command, isPreselected])).toEqual([
      ["make test", true],
      ["npm test", false],
    ]);
    expect(checks[0]?.reason).toBe('Makefile has "test", and ci.yml runs it');
  });

  test("do not select a tool besides the task that runs it, nor a task that writes reports", async () => {
    const Makefile = "test:\n\tpytest\nci:\n\tpytest --junitxml=report.xml\n";
    const tree = { "pyproject.toml": "[tool.pytest]", Makefile };
    const pytest = "python3 -m pytest";
    const chosen = ["test: make test", `test-pytest?: ${pytest}`];
    expect(await commands({ ...tree, ...workflow("make test") })).toEqual(chosen);
    expect(await commands({ ...tree, ...workflow("make ci") })).toEqual(chosen);
    const direct = ["test: python3 -m pytest", "test-make?: make test"];
    expect(await commands({ ...tree, ...workflow("uv run pytest -x") })).toEqual(direct);
  });

  test("are evidence only for the tool of a check that a hook's command or a plain one runs", async () => {
    const hooks = { "pre-commit": { commands: { a: { run: "eslint {staged_files}" } } } };
    const tree = { "lefthook.yml": JSON.stringify(hooks), "go.mod": "" };
    const reasonsWith = async (...lines: readonly string[]): Promise<(string | undefined)[]> => {
      const { checks } = await propose({ ...tree, ...workflow(...lines) });
      return ["lint-lefthook", "format"].map(
        (name) => checks.find((one) => one.name === name)?.reason
      );
    };
    const hook = "lefthook.yml runs it in pre-commit";
    expect(await reasonsWith("git config user.name a", "A=1")).toEqual([hook, "go.mod exists"]);
    expect(await reasonsWith("eslint .")).toEqual([`${hook}, and ci.yml runs it`, "go.mod exists"]);
  });

  test("are not evidence in another folder, and may have any content", async () => {
    const step = { run: "npm run test-unit", "working-directory": "web" };
    const elsewhere = JSON.stringify({ jobs: { a: { steps: [step] } } });
    for (const text of [elsewhere, "jobs: [", "- 1"]) {
      const tree = { ...packageJson(unit), ".github/workflows/ci.yml": text };
      expect(await commands(tree)).toEqual(["test: npm test"]);
    }
  });
});

test.each([
  { justfile: "test:\n    cargo watch -x test\n" },
  packageJson({ test: "npm run all", all: "jest --watch" }),
])("what waits for changes is left out with the reason: %j", async (tree: object) => {
  const { checks, leftOut } = await propose(tree as Tree);
  expect(checks).toEqual([]);
  expect(leftOut).toMatchObject([{ why: "it waits for changes, so it never ends" }]);
});

test("a script that changes files is left out with the reason", async () => {
  const scripts = { lint: "eslint . --fix", test: "prettier --write gen && jest" };
  const { checks, leftOut } = await propose(packageJson(scripts));
  expect(checks).not.toContainEqual(expect.objectContaining({ kind: "lint" }));
  expect(checks).toContainEqual(expect.objectContaining({ kind: "test" }));
  expect(leftOut).toMatchObject([{ why: "it changes files instead of reporting" }]);
});

test("a virtual environment counts before a lock file", async () => {
  const tree = { "pyproject.toml": "[tool.pytest]", "uv.lock": "", ".venv/bin/python": "" };
  expect(await commands(tree)).toEqual(["test: .venv/bin/python -m pytest"]);
});
