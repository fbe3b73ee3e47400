/** The public API: the exports of each entry, their types, their documentation, and the code that they load. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { execFileAsync } from "@test/helpers/process/processes";
import { formatApi, readApi, reportPath } from "@scripts/apiReport.mjs";

const api = readApi();

test("docs/reference/api.txt is the public API; `make api` writes it", () => {
  expect(formatApi(api)).toBe(readFileSync(reportPath, "utf8"));
});

test("every type of a signature is exported", () => {
  const hidden = api.flatMap(({ declarations }) =>
    declarations.flatMap(({ name, hidden: types }) => types.map((type) => `${name} needs ${type}`))
  );
  expect(hidden).toEqual([]);
});

test("docs/api.md names every export", () => {
  const page = readFileSync(join(repository, "docs/api.md"), "utf8");
  const section = page.slice(page.indexOf("## All exports"));
  const named = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const exported = api.flatMap(({ declarations }) => declarations.map(({ name }) => name));
  expect(exported.filter((name) => !named.includes(name))).toEqual([]);
});

test("the types declare exactly the values that exist", async () => {
  const entries = api.map(({ entry }) => `import(${JSON.stringify(entry)}).then(Object.keys)`);
  const script = `console.log(JSON.stringify(await Promise.all([${entries.join(", ")}])))`;
  const { stdout } = await execFileAsync(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { cwd: repository }
  );
  const declared = api.map(({ declarations }) =>
    declarations.filter(({ isType }) => !isType).map(({ name }) => name)
  );
  // A class of which only the type is exported, and a type of another package.
  const typesOnly = ["FrozenTurn", "Result"];
  const values = declared.map((names) => names.filter((name) => !typesOnly.includes(name)));
  expect((JSON.parse(stdout) as string[][]).map((names) => names.sort())).toEqual(values);
});

/** Returns the names of the files that importing a file of `dist` loads. */
function loaded(name: string, names = new Set<string>()): Set<string> {
  if (names.has(name)) return names;
  names.add(name);
  const text = readFileSync(join(repository, "dist", name), "utf8");
  for (const [, next = ""] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)"/gm)) {
    loaded(next, names);
  }
  return names;
}

test("importing hooks loads no gauntlet, and the engine only at the first turn", () => {
  const sources = (name: string): string[] =>
    [...loaded(name)].flatMap((file) => {
      const text = readFileSync(join(repository, "dist", file), "utf8");
      return [...text.matchAll(/^\/\/#region (.*)$/gm)].map(([, source = ""]) => source);
    });
  const heavy =
    /services\/gauntlet(?!\/config\/(?:findProject|configPaths))|services\/session|node_modules\/(?:zod|execa|jsonc-parser)\//;
  expect(sources("index.js").filter((source) => heavy.test(source))).toEqual([]);
  expect(sources("gauntlet.js").some((source) => heavy.test(source))).toBe(true);
  const engine = readdirSync(join(repository, "dist")).find((name) =>
    name.startsWith("engineExports-")
  );
  expect(sources(engine ?? "").filter((source) => source.includes("services/gauntlet"))).toEqual(
    []
  );
});
