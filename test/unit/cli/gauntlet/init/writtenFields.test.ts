import { expect, test } from "vitest";
import { parse } from "yaml";
import { configFiles } from "@/cli/gauntlet/init/firstConfig";
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
  ["codespell", "codespell --skip=.git"],
  ["codespell . -S dist", "codespell --skip=.git . -S dist"],
  ["grep -rn FIXME src", undefined],
  ["grep -rn --exclude-dir .git FIXME .", undefined],
  ["grep -n FIXME .", undefined],
  ["codespell docs", undefined],
  ["prettier --check .", undefined],
  ["git ls-files | xargs grep -r FIXME .", undefined],
])(
  "a check that reads the git folder gets the option that leaves it out: %s (G29)",
  async (script, command) => {
    const text = await written(packageJson({ lint: script }));
    expect(parse(text)).toMatchObject({ checks: { lint: { command: command ?? "npm run lint" } } });
  }
);
