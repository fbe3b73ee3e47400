import { describe, expect, test } from "vitest";
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
import { checkKey, type CheckKeyInputs } from "@/node/services/gauntlet/gates/CheckCache";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";

const files = [
  { path: "src/a.ts", id: "1" },
  { path: "src/deep/.b.ts", id: "2" },
  { path: "docs/c.md", id: "3" },
];

interface Change {
  gate?: Partial<CheckDefinition>;
  command?: string;
  entryPoint?: string;
  material?: Partial<CheckKeyInputs>;
}

function key({ gate, command = "make lint", entryPoint, material }: Change = {}) {
  return checkKey(checkJob(command, gate, entryPoint), {
    rerun: false,
    env: { CI: "1" },
    base: "b0",
    treeId: "t0",
    files,
    ...material,
  });
}

/** Returns the files with the content of one changed, or with one added. */
function withFile(path: string, id = "changed") {
  return { files: [...files.filter((file) => file.path !== path), { path, id }] };
}

describe("the key of a check (G21)", () => {
  test.each<[string, Change]>([
    ["command", { command: "make test" }],
    ["name", { gate: { name: "other" } }],
    ["entry point", { entryPoint: "src" }],
    ["working directory", { gate: { workingDirectory: "docs" } }],
    ["environment", { gate: { env: { A: "1" } } }],
    ["time limit", { gate: { timeoutS: 61 } }],
    ["inputs", { gate: { inputs: ["**"] } }],
    ["run's environment", { material: { env: { CI: "2" } } }],
    ["base", { material: { base: "b1" } }],
    ["snapshot, without inputs", { material: { treeId: "t1" } }],
  ])("changes with the %s", (_, change) => {
    expect(key(change)).not.toBe(key());
  });

  test("does not depend on the base, if the check names its inputs", () => {
    const gate = { inputs: ["**"] };
    expect(key({ gate, material: { base: "b1" } })).toBe(key({ gate }));
  });

  test("does not depend on where the check is defined, or on the order of its variables", () => {
    const source = { file: "elsewhere.yml", line: 9, column: 9 };
    expect(key({ gate: { source } })).toBe(key());
    expect(key({ gate: { env: { A: "1", B: "2" } } })).toBe(
      key({ gate: { env: { B: "2", A: "1" } } })
    );
  });

  test("differs for variables with the same concatenation", () => {
    const env = (...pairs: [string, string][]) => key({ gate: { env: Object.fromEntries(pairs) } });
    expect(env(["A", "1B2"])).not.toBe(env(["A", "1"], ["B", "2"]));
    expect(env(["A", '1","B","2'])).not.toBe(env(["A", "1"], ["B", "2"]));
  });

  test("differs for a rerun command", () => {
    const gate = { rerunCommand: "make lint-failed" };
    expect(key({ gate, material: { rerun: true } })).not.toBe(key({ gate }));
    expect(key({ material: { rerun: true } })).toBe(key());
  });
});

describe("the inputs of a check (G21)", () => {
  const inputs = (globs: string[], material: Partial<CheckKeyInputs> = {}, entryPoint?: string) =>
    key({ gate: { inputs: globs }, material, ...(entryPoint === undefined ? {} : { entryPoint }) });

  test("are the only part of the snapshot that counts", () => {
    expect(inputs(["src/**"], { treeId: "t1", ...withFile("docs/c.md") })).toBe(inputs(["src/**"]));
  });

  test.each(["src/**", "src", "./src/", "src/*", "**/*.ts", "{src,docs}/**"])(
    "%j matches a changed, a new, a removed and a hidden file",
    (glob) => {
      const now = inputs([glob]);
      expect(inputs([glob], withFile("src/a.ts"))).not.toBe(now);
      expect(inputs([glob], withFile("src/new.ts"))).not.toBe(now);
      expect(inputs([glob], { files: files.slice(1) })).not.toBe(now);
      expect(inputs([glob], withFile("src/deep/.b.ts"))).not.toBe(now);
    }
  );

  test("may be relative to the entry point, also upward", () => {
    for (const glob of ["*.ts", "../src/*.ts", "src/*.ts"]) {
      const now = inputs([glob], {}, "src");
      expect(now).toMatch(/^[0-9a-f]{64}$/);
      expect(inputs([glob], withFile("src/a.ts"), "src")).not.toBe(now);
      expect(inputs([glob], withFile("docs/c.md"), "src")).toBe(now);
    }
  });

  test("may be in any order", () => {
    expect(inputs(["**"], { files: files.toReversed() })).toBe(inputs(["**"]));
  });

  test("detect swapped contents", () => {
    const swapped = files.map(({ path }, n) => ({ path, id: files.at(n - 1)!.id }));
    expect(inputs(["**"], { files: swapped })).not.toBe(inputs(["**"]));
  });

  test.each([[[]], [["lib/**"]]])("%j match no file, so there is no key", (globs) => {
    expect(inputs(globs)).toBeUndefined();
  });
});
