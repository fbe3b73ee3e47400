import { expect, test } from "vitest";
import { parse } from "yaml";
import { configFiles } from "@/cli/gauntlet/init/configText";
import { packageJson, propose, type Tree } from "@test/helpers/gauntlet/proposals";

/** Returns the text of the configuration that `init` writes. */
async function written(files: Tree): Promise<string> {
  const { checks, globalDependencies } = await propose(files);
  const all = configFiles({ checks, globalDependencies }, new Date(0));
  expect(all.map(({ path }) => path)).toEqual([".gauntlet/config.yml"]);
  return all[0]?.text ?? "";
}

test("pre-commit is tried on all files, and gets those that changed at a stop (G29)", async () => {
  expect(await written({ ".pre-commit-config.yaml": "repos: []" })).toContain(
    "    command: pre-commit run --files {files}\n    full: pre-commit run --all-files\n"
  );
});

test("a formatter gets its fix, with the globs of its files (G29)", async () => {
  expect(await written(packageJson({ "format:check": "prettier --check ." }))).toContain(`
  format:
    command: npm run format:check
    parallel: true
    fix: npx --no-install prettier --write --ignore-unknown {files}
    files:
      - "**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}"
      - "**/*.{json,jsonc,json5,css,scss,less,html,vue,graphql,md,mdx,yml,yaml}"
`);
});

test("a command that ends at its first failure becomes checks of its parts, but not of its conditions and messages (G29)", async () => {
  const text = await written(packageJson({ test: "true && false && npm run unit", unit: "true" }));
  expect(Object.keys((parse(text) as { checks: object }).checks)).toEqual([
    ...["test-true", "test-false", "test-unit"],
  ]);
  expect(text).toMatch(
    / {2}# part 3 of npm test: package.json has "test"\n {2}test-unit: npm run unit\n$/
  );
  const lint = "node --check a.js && ! grep -rn debugger a.js && echo clean";
  const whole = parse(await written({ ...packageJson({ lint }), "a.js": "" })) as object;
  expect(whole).toEqual({ checks: { lint: { command: "npm run lint", parallel: true } } });
});

test("a comment about a command of several lines has a # before each of them (G29)", async () => {
  const run = "set -e\neslint . &&\nmypy .\r\n";
  const hooks = { "pre-push": { commands: { a: { run } } } };
  const text = await written({ "lefthook.yml": JSON.stringify(hooks) });
  expect(parse(text)).toMatchObject({ checks: { "lint-mypy": { command: "mypy ." } } });
  expect(text).toMatch(/ {2}# part 1 of set -e\n {2}# eslint \. &&\n {2}# mypy \.: lefthook.yml/);
});

test("a check of commit messages reads history, also as a script or a part of one (G29)", async () => {
  const scripts = { test: "node --test", lint: "eslint . && commitlint --from main" };
  const text = await written(packageJson(scripts));
  expect(text.match(/.*\n.*reads: history/g)).toEqual([
    expect.stringMatching(/command: .*commitlint --from main\n/),
  ]);
  expect(await written(packageJson({ lint: "commitlint --from main" }))).toMatch(
    /command: npm run lint\n +reads: history\n/
  );
});

test.each([
  ["! grep -rn FIXME .", "! grep --exclude-dir=.git -rn FIXME ."],
  ["grep -Rq 'a | b'", "grep --exclude-dir=.git -Rq 'a | b'"],
  ["egrep -r -e TODO ./", "egrep --exclude-dir=.git -r -e TODO ./"],
  ["grep -r -e FIXME", "grep --exclude-dir=.git -r -e FIXME"],
  ["codespell", "codespell --skip=.git"],
  ["codespell . -S dist", "codespell --skip=.git . -S dist"],
  ["grep -rn FIXME src", undefined],
  ["grep -rn --exclude-dir .git FIXME .", undefined],
  ["grep -n FIXME .", undefined],
  ["grep -r -eTheme src", undefined],
  ["codespell docs", undefined],
  ["codespell -f docs", undefined],
  ["prettier --check .", undefined],
  ["git ls-files | xargs grep -r FIXME .", undefined],
])(
  "a check that reads the git folder gets the option that leaves it out: %s (G29)",
  async (script, command) => {
    const text = await written(packageJson({ lint: script }));
    expect(parse(text)).toMatchObject({ checks: { lint: { command: command ?? "npm run lint" } } });
  }
);
