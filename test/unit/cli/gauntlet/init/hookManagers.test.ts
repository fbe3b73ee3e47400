/** The commands of hook managers as checks (G29). */
import { expect, test } from "vitest";
import { packageJson, propose, type Tree } from "@test/helpers/gauntlet/proposals";

const ESLINT = "npx --no-install eslint {files}";
const LINT_STAGED = {
  "*.{js,ts}": ["eslint --fix", "prettier --write"],
  "*.md": "node publish.js",
};
const LEFTHOOK = `
pre-commit:
  commands:
    js: { glob: "*.js", run: "npx --no-install eslint --fix {staged_files}" }
    other: { run: ./deploy.sh }
    some: { run: "npx eslint {staged_files}", skip: merge }
pre-push:
  jobs:
    - { run: go test ./... }
`;

test.each([
  [
    { "package.json": JSON.stringify({ "lint-staged": LINT_STAGED }) },
    [
      ["lint", { command: ESLINT, files: ["*.{js,ts}"] }, "lint-staged in package.json runs it"],
      [
        "format",
        { command: "npx --no-install prettier --check {files}", files: ["*.{js,ts}"] },
        "lint-staged in package.json runs it",
      ],
    ],
  ],
  [
    { ".lefthook.yml": LEFTHOOK },
    [
      ["lint", { command: ESLINT, files: ["*.js"] }, ".lefthook.yml runs it in pre-commit"],
      ["test", undefined, ".lefthook.yml runs it in pre-push"],
    ],
  ],
  [
    { ".husky/pre-push": "#!/bin/sh\n. x\nmypy .\ngit push $1\n" },
    [["types", undefined, ".husky/pre-push runs it"]],
  ],
  [
    {
      "lefthook.yml":
        "pre-commit:\n  commands:\n    own: {run: ./own-lint}\npre-push:\n  commands:\n    types: {run: npx tsc --noEmit}\n",
    },
    [
      ["types", undefined, "lefthook.yml runs it in pre-push"],
      ["lint", undefined, "lefthook.yml exists"],
    ],
  ],
])("proposes what a hook runs: %j", async (tree: object, expected) => {
  const { checks } = await propose(tree as Tree);
  expect(checks.map(({ name, written, reason }) => [name, written, reason])).toEqual(expected);
  const [first] = checks;
  if (first?.written !== undefined) {
    expect(first.command).toMatch(
      /^git ls-files -z -- .*\*\.js.* \| xargs -0 npx --no-install eslint$/
    );
    expect(first.program).toBe("npx");
  }
});

/** Returns the commands of the pre-commit hook of lefthook as checks, without lefthook itself. */
async function ofLefthook(run: string): Promise<string[]> {
  const text = JSON.stringify({ "pre-commit": { commands: { a: { run, glob: "*.js" } } } });
  const { checks } = await propose({
    ...packageJson({ lint: "eslint .", correct: "eslint --fix ." }),
    "lefthook.yml": text,
  });
  return checks.flatMap(({ written, command, reason }) =>
    reason.includes("pre-commit") ? (written?.command ?? command) : []
  );
}

test.each([
  ["eslint --fix {staged_files} && git add {staged_files}", []],
  ["eslint {staged_files} && stylelint --fix {staged_files}", []],
  ["eslint --fix . && git add .", []],
  ["npm run correct", []],
  ["(eslint . && git add .)", []],
  ["cd a && npx xo --fix && tsc", ["cd a && npx --no-install xo", "cd a && tsc"]],
  ["rubocop -x -A --autocorrect-all {staged_files}", ["rubocop {files}"]],
  ["biome check --apply-unsafe --unsafe --fix-only=1 .", ["biome check ."]],
  ["eslint --fix --fix-type problem .", ["eslint ."]],
  ["psalm --alter", ["psalm"]],
  ["prettier -w a; prettier --write b", ["prettier --check a; prettier --check b"]],
])("proposes %j only if all of it is checks that report", async (run, expected) => {
  expect(await ofLefthook(run)).toEqual(expected);
});

test.each([
  ["CI=1 npx vitest run", "npx", "CI=1 npx --no-install vitest run"],
  ["cd web && npx eslint .", "sh", "cd web && npx --no-install eslint ."],
  ["exec mypy .", "sh", "exec mypy ."],
  [
    "CI=1 npx vitest related {push_files}",
    "npx",
    "git ls-files -z -- '*.js' | xargs -0 env CI=1 npx --no-install vitest related",
  ],
])("needs for %j the program %s", async (run, program, command) => {
  const hooks = { "pre-push": { commands: { a: { run, glob: "*.js" } } } };
  const { checks } = await propose({ "lefthook.yml": JSON.stringify(hooks) });
  expect(checks).toMatchObject([{ program, command }]);
});
