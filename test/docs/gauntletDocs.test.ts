/** Checks that the gauntlet's reference has every rule and matches the code, and that its examples can fail. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "@/cli/gauntlet/program";
import * as configKeys from "@/node/services/gauntlet/domain/configSchemas";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/runStatus";
import { BUILTIN_PROMPTS } from "@/node/services/gauntlet/messages/builtinPrompts";
import { REVIEWER_NAMES, reviewerFor } from "@/node/services/gauntlet/reviews/reviewers";
import { testContext } from "@test/helpers/cliContext";
import { keysOf } from "@test/helpers/docs/keysOf";
import { parsePage, readReference, REPOSITORY } from "@test/helpers/docs/markdown";
import { runSection } from "@test/helpers/docs/runners";

const GUIDE = "docs/checks.md";

const LETTERED =
  "4a 6a 7a 9a 12a 14a 15a 18a 19a 20a 20b 20c 20d 20e 24a 25a 27a 27b 27c 30a 30b".split(" ");
const RULES = [...Array.from({ length: 52 }, (_, i) => `${i + 1}`), ...LETTERED].map(
  (n) => `G${n}`
);

const reference = readReference("gauntlet");
const guide = readFileSync(join(REPOSITORY, GUIDE), "utf8");
const reviews = readFileSync(join(REPOSITORY, "docs/reviews.md"), "utf8");

test("the reference has one entry for every rule from G1 to G52, and no others", () => {
  const { sections } = parsePage("reference.md", reference);
  const entries = sections.flatMap(({ title }) => /^(G\d+[a-z]?)\. /.exec(title)?.[1] ?? []);
  expect(entries.toSorted()).toEqual(RULES.toSorted());
});

test("every rule that code, tests and pages name exists", () => {
  const named = filesOf("src", "test", "bench", "bin", "docs").flatMap((file) => {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
    return [...text.matchAll(/\bG\d+[a-z]?\b/g)].map(([rule]) => ({ file, rule }));
  });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ rule }) => !RULES.includes(rule))).toEqual([]);
});

describe("the tables of the reference match the code:", () => {
  test("statuses, and their messages (G3, G25)", () => {
    for (const section of ["G3", "G25"]) {
      expect(firstCells(sectionOf(section)).toSorted()).toEqual(GAUNTLET_STATUSES.toSorted());
    }
  });

  test("keys of config.yml", () => {
    const documented = firstCells(sectionOf("Configuration")).map((key) => key.replace("[]", ""));
    expect(documented.toSorted()).toEqual(keysOf(configKeys.configSchema).toSorted());
    expect(sectionOf("Configuration")).toContain(
      keysOf(configKeys.entryPointSchema)
        .map((key) => (key === "path" ? "`path`" : `\`${key}[]\``))
        .join(", ")
    );
  });

  test("keys of checks and reviews (G4)", () => {
    const documented = new Set(firstCells(sectionOf("G4")).map((key) => key.replace("[]", "")));
    const known = new Set([...keysOf(configKeys.checkSchema), ...keysOf(configKeys.reviewSchema)]);
    expect([...documented].toSorted()).toEqual([...known].toSorted());
  });

  test("keys of the user's own file (G6)", () => {
    for (const key of keysOf(configKeys.globalConfigSchema))
      expect(sectionOf("G6")).toContain(`\`${key}\``);
  });
});

describe("the page about reviews matches the code for (G12):", () => {
  const rows = reviews.split("\n").filter((line) => line.startsWith("| "));

  test.each(REVIEWER_NAMES)("%s", (name) => {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` `)) ?? "";
    const reviewer = reviewerFor(name, {})!;
    const { command } = reviewer.call({ prompt: "", cwd: "/p", file: "/p/FILE" });
    const args = "file" in command ? command.args.filter((arg) => !arg.includes(" ")) : [];
    for (const what of [reviewer.program ?? "", args.join(" "), ...reviewer.passEnv]) {
      expect(row).toContain(`\`${what}\``);
    }
    expect(args.some((arg) => arg.startsWith("--model"))).toBe(false);
  });

  test("a custom command", () => {
    const row = rows.find((line) => line.startsWith("| a command of yours")) ?? "";
    for (const what of reviewerFor("x", { x: "y" })!.passEnv) expect(row).toContain(`\`${what}\``);
  });

  test("the built-in prompts", () => {
    for (const name of BUILTIN_PROMPTS.keys()) expect(reviews).toContain(`\`${name}\``);
  });
});

describe("the commands of the reference match the program:", () => {
  const [commands = "", options = ""] = sectionOf("Commands").split("| option");

  test("names", async () => {
    const help = await call("help", "--all");
    const known = [...help.matchAll(/^ {2}([a-z][\w-]*) .* {2,}\w/gm)].map(([, name]) => name);
    expect(known.filter((name) => name !== "mux-stop-hooks").toSorted()).toEqual(
      firstCells(commands).toSorted()
    );
  });

  test.each(firstCells(commands))("options of %s", async (command) => {
    const rows = [...options.matchAll(/^\| `(?:-\w, )?(--[\w-]+)[^|]*\|([^|]*)\|/gm)];
    const documented = rows.flatMap(([, name = "", of = ""]) =>
      of.includes(`\`${command}\``) !== of.includes("all but") ? [name] : []
    );
    const help = await call(command, "--help");
    const named = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(named.filter((name) => name !== "--help").toSorted());
  });
});

test("the code reads every variable that a page names", () => {
  const source = filesOf("src").map((file) => readFileSync(join(REPOSITORY, file), "utf8"));
  const named = [...`${reference}${guide}${reviews}`.matchAll(/\bGAUNTLET_[A-Z_]+\b/g)].map(
    ([name]) => name
  );
  expect(named.length).toBeGreaterThan(5);
  // The name occurs as a string, as the beginning of a pattern, or as a key.
  const uses = (name: string): RegExp => new RegExp(`"${name}["*]|[{ ]${name}:`);
  const unknown = named.filter((name) => source.every((text) => !uses(name).test(text)));
  expect(unknown).toEqual([]);
});

describe("an example fails:", () => {
  const run = async (info: string, ...lines: string[]): Promise<void> => {
    const { sections } = parsePage("page.md", ["```" + info, ...lines, "```"].join("\n"));
    for (const section of sections) await runSection(section);
  };
  const config = "yaml gauntlet file=.gauntlet/config.yml";
  const own = "yaml person file=~/.config/agent-gauntlet/config.yml";

  test("a configuration with a mistake, or in the wrong place", async () => {
    await run(config, "entry_points: [{path: .}]");
    await expect(run(config, "entry_points: [{path: .}]", "base: x")).rejects.toThrow(
      "unknown key"
    );
    await expect(run(config, "entry_points: [{path: ., checks: [no]}]")).rejects.toThrow('"no"');
    await expect(
      run(config.replace("config", "other"), "entry_points: [{path: .}]")
    ).rejects.toThrow();
  });

  test("a user's own file that is invalid, or changes nothing", async () => {
    await run(own, "stop_hook: { enabled: false }");
    await expect(run(own, "stop_hook: { enabled: 3 }")).rejects.toThrow("expected true or false");
    await expect(run(own, "stop_hook: { enabled: true }")).rejects.toThrow("it changes nothing");
  });

  test("a workflow with another result, or with an unknown step", async () => {
    const workflow = (step: string): string[] => ["jobs:", "  a:", "    steps:", `      - ${step}`];
    const file = "file=.github/workflows/a.yml";
    await run(`yaml workflow ${file} verdict=success`, ...workflow("run: exit 0"));
    await run(`yaml workflow ${file} verdict=failure`, ...workflow("run: exit 1"));
    const wrong = run(`yaml workflow ${file} verdict=success`, ...workflow("run: exit 1"));
    await expect(wrong).rejects.toThrow("page.md:1");
    const unknown = run(`yaml workflow ${file} verdict=success`, ...workflow("uses: a/b@v1"));
    await expect(unknown).rejects.toThrow("the runner does not support a/b@v1");
    const unnamed = run(`yaml workflow ${file} verdict=success`, ...workflow("run: ${{ a.b }}"));
    await expect(unnamed).rejects.toThrow("a.b }} has no value");
  });

  test("a hook with another decision", async () => {
    const command = `echo '{"decision":"approve"}'`;
    const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [{ command }] }] } });
    await run("json claude decision=approve", settings);
    await expect(run("json claude decision=block", settings)).rejects.toThrow("page.md:1");
  });
});

test("there are nine pages, and none of the reference has more than 30 kB", () => {
  const pages = (folder: string): string[] =>
    readdirSync(join(REPOSITORY, folder)).filter((name) => name.endsWith(".md"));
  expect(pages("docs").length).toBeLessThanOrEqual(9);
  for (const name of pages("docs/reference")) {
    expect(statSync(join(REPOSITORY, "docs/reference", name)).size, name).toBeLessThan(30_000);
  }
});

async function call(...args: string[]): Promise<string> {
  const context = testContext({ cwd: "/", home: "/" });
  await main(args, context);
  return context.stdout.text;
}

/** Returns the text below a heading with this title, up to the next heading. */
function sectionOf(title: string): string {
  const found = reference
    .split(/^#{2,3} /m)
    .find((text) => text.startsWith(`${title}.`) || text.startsWith(`${title}\n`));
  return found ?? "";
}

/** Returns the names in backticks in the first cells: `debug_log.enabled`, `.max_size_mb`. */
function firstCells(section: string): string[] {
  const cells = [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const parent = names[0]?.split(".")[0] ?? "";
    return names.map((name) => (name.startsWith(".") ? parent + name : name));
  });
}

function filesOf(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mts|js|cjs|mjs|md)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(REPOSITORY.length))
  );
}
