/** Which scripts a command runs, and their texts (G20d). */
import { describe, expect, test } from "vitest";
import * as scriptsAndTasks from "@/node/services/gauntlet/shell/scriptsAndTasks";

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    scripts: {
      test: "run-s lint unit",
      lint: "eslint .",
      unit: "cd web && npm run unit",
      posttest: "echo done",
      globs: "run-s web:*",
      "web:a": "npm run lint",
      "web:b:c": "true",
      loop: "npm run loop",
    },
  }),
  "web/package.json": JSON.stringify({ scripts: { unit: "make -C .. all", prep: 3 } }),
  Makefile: ".PHONY: all\nall: one ## All\n\t@echo a\n\tnpm run lint\none: ; true\n",
  justfile:
    "set shell := ['sh']\n\ntest *args: build\n    cargo test {{args}}\n\nbuild:\n  cargo build\n",
  "Taskfile.yml":
    "tasks:\n  default: [echo d]\n  test:\n    deps: [build]\n    cmds: [go test, { task: lint }, { cmd: exit 0 }]\n  build: go build\n  lint: { cmd: go vet }\n",
};

const read: scriptsAndTasks.ReadScripts = async (path, tool) => {
  const text = await Promise.resolve(FILES[path]);
  return text === undefined ? undefined : scriptsAndTasks.scriptsOf(tool, text);
};

/** Returns the texts of the scripts by their file and name. */
async function textsOf(command: string, folder = "."): Promise<Record<string, string | undefined>> {
  const scripts = await scriptsAndTasks.namedScripts(command, folder, read);
  const found = [...scripts.values()].map(async (script) => {
    const { path, text } = (await scriptsAndTasks.findScript(script, read)) ?? {};
    return [`${path}:${script.name ?? ""}`, text] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const UNIT = { "web/package.json:unit": "make -C .. all" };
const LINT = { "package.json:lint": "eslint ." };
const MAKE = { "Makefile:all": "make one; @echo a; npm run lint", "Makefile:one": "true" };

describe("the scripts that a command runs (G20d)", () => {
  test.each([
    ["npm run lint", LINT],
    ["npm run --silent lint -- --fix", LINT],
    ["A=1 env B=2 pnpm lint | tee log", LINT],
    ["(yarn run lint) && true", LINT],
    ["sh -c 'bun run lint'", LINT],
    ["npm --prefix=web run unit", { ...UNIT, ...MAKE }],
    ["npm -C web run prep", {}],
    ["npm test", { "package.json:test": "run-s lint unit", "package.json:posttest": "echo done" }],
    ["npm run loop", { "package.json:loop": "npm run loop" }],
    ["make -j 4", { "Makefile:": MAKE["Makefile:all"], ...LINT }],
    ["make", { "Makefile:": MAKE["Makefile:all"], "Makefile:one": "true", ...LINT }],
    [
      "npm run globs",
      { "package.json:web:*": "npm run web:a", "package.json:web:a": "npm run lint", ...LINT },
    ],
    ["run-p 'web:**'", { "package.json:web:b:c": "true" }],
    ["make -k all CC=gcc", { ...MAKE, ...LINT }],
    [
      "just test -v",
      { "justfile:test": "just build; cargo test {{args}}", "justfile:build": "cargo build" },
    ],
    [
      "task test",
      {
        "Taskfile.yml:test": "task build; go test; task lint; exit 0",
        "Taskfile.yml:build": "go build",
        "Taskfile.yml:lint": "go vet",
      },
    ],
    ["task", { "Taskfile.yml:": "echo d" }],
    ["bun test", {}],
    ["npm run missing", {}],
    ["cd ../other && npm run lint", {}],
    ["npm --prefix /opt/x run lint; cd /opt/x && npm run lint", {}],
    ["vitest run", {}],
    ["echo 'npm test", {}],
  ])("%s", async (command, expected) => {
    expect(await textsOf(command)).toMatchObject(expected);
    if (Object.keys(expected).length === 0) expect(await textsOf(command)).toEqual({});
  });

  test("are found in the folders above, but not by make", async () => {
    expect(await textsOf("npm run unit", "web/src")).toMatchObject(UNIT);
    expect(await textsOf("npm run lint", "web/src")).toEqual({});
    expect(await textsOf("make all", "web")).toEqual({});
  });

  test("are followed up to three levels deep", async () => {
    const names = Object.keys(await textsOf("npm test"));
    expect(names).toContain("web/package.json:unit");
    expect(names).not.toContain("Makefile:all");
  });

  test("are looked up a limited number of times", async () => {
    let lookups = 0;
    const counting: scriptsAndTasks.ReadScripts = async () =>
      await Promise.resolve(() => void lookups++);
    const line = Array.from({ length: 999 }, (_, i) => `make t${i}`).join(" && ");
    await scriptsAndTasks.namedScripts(line, ".", counting);
    expect(lookups).toBe(200);
  });
});
