/** A key that is added to the table has a schema, is read, is safe, and is missed in the reference. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { HandlerKey } from "@/node/services/hooks/contract/settingsSchema";

const key = { schema: z.int(), about: "A made-up key.", repeated: "user" } as const;

/** Loads all modules again, with two more keys in their tables. */
async function loadModules() {
  vi.resetModules();
  const keys = await import("@/node/services/hooks/contract/settingsSchema");
  Object.assign(keys.HANDLER_KEYS.command, { made_up: key });
  const rows = keys.LAYER_ROWS as unknown[];
  rows.push(["stopHooks.madeUp", { ...key, severity: "warning", isUsers: true }]);
  const schemas = await import("@/node/services/hooks/contract/inputOutputSchemas");
  return { ...keys, ...schemas, ...(await import("@test/helpers/hooks/settingsProject")) };
}

const modules = await loadModules();
afterAll(() => {
  vi.resetModules();
});

const DEFAULT_USED = 'expected number, found "x"; the default is used';

test("a new key is in the published schema (H6)", () => {
  const parts = (modules.publishedSchemas()["settings.schema.json"] ?? "").match(
    /"(?:made_up|madeUp)": \{\s+"description": "A made-up key\.",\s+"type": "integer"/g
  );
  // The first one is in the groups of both events.
  expect(parts).toHaveLength(3);
});

test("a wrong value of a new key is a warning, and the hook runs without it (H5)", async () => {
  const { command, listProblems, SettingsProject } = modules;
  const project = await SettingsProject.create({
    user: {
      hooks: { Stop: [{ hooks: [{ ...command("a"), made_up: "x" }] }] },
      stopHooks: { madeUp: "x" },
    },
  });
  const settings = await project.load();
  expect(settings.hooks.map(({ handler }) => handler)).toEqual([command("a")]);
  const problems = listProblems(project, settings);
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(problem).toContain(DEFAULT_USED);
});

test("a project does not change a new key of the user (H3, H31)", async () => {
  const { command, listProblems, SettingsProject } = modules;
  const withKey = (made_up: number) => ({ Stop: [{ hooks: [{ ...command("a"), made_up }] }] });
  const project = await SettingsProject.create({
    user: { hooks: withKey(1) },
    project: { hooks: withKey(2), stopHooks: { madeUp: 2 } },
  });
  const settings = await project.load();
  expect(settings.hooks.map(({ handler }) => handler)).toEqual([{ ...command("a"), made_up: 1 }]);
  expect(listProblems(project, settings)).toContainEqual(
    expect.stringMatching(/madeUp: ignored here: it has an effect only in your user settings/)
  );
});

test("the reference has every key, with its type and the rules that apply to it", () => {
  const { HANDLER_KEYS, LAYER_ROWS } = modules;
  const dir = "docs/reference";
  const pages = readdirSync(dir).filter((name) => name.endsWith(".md"));
  const page = pages
    .map((name) => readFileSync(`${dir}/${name}`, "utf8"))
    .join("")
    .replaceAll(/\s+/g, " ");
  const types = Object.entries(HANDLER_KEYS).map(
    ([type, keys]) => [type, Object.entries<HandlerKey>(keys)] as const
  );
  const rows = types.flatMap(([type, keys]) =>
    keys.map(([name]) => {
      const isCommon = types.every(([, others]) => others.some(([other]) => other === name));
      return `| \`${name}\` | ${isCommon ? "all" : type} |`;
    })
  );
  const isAbsent = (text: string): boolean => !page.includes(text);
  expect([...new Set(rows)].filter(isAbsent)).toEqual(["| `made_up` | command |"]);
  expect(LAYER_ROWS.map(([path]) => path).filter(isAbsent)).toEqual(["stopHooks.madeUp"]);

  const named = (sentence: RegExp): Set<string | undefined> => {
    const found = sentence.exec(page)?.[0] ?? "";
    return new Set([...found.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  };
  const having = (has: (key: HandlerKey) => boolean) =>
    types.flatMap(([, keys]) => keys.flatMap(([name, key]) => (has(key) ? [name] : [])));
  const kept = having(({ repeated }) => repeated !== "last").filter((name) => name !== "made_up");
  expect(named(/A project cannot change the fields .*? of a user's hook/)).toEqual(
    new Set(["if", ...kept])
  );
  expect(named(/A handler with an invalid .*? is skipped/)).toEqual(
    new Set(["type", ...having(({ needed }) => needed !== undefined)])
  );
});
