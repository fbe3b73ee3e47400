/** `mux-stop-hooks init --hook` and `uninstall` for each agent host (G29). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "@/cli/context";
import { hookProgram } from "@test/helpers/built";
import { readReference } from "@test/helpers/docs/markdown";
import { tableWith } from "@test/helpers/docs/tables";
import {
  PACKAGE,
  names,
  pathIn,
  projectWithPackage,
  read,
  write,
} from "@test/helpers/gauntlet/hostFiles";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { tempDir } from "@test/helpers/tempDir";

interface Expected {
  readonly name: string;
  readonly title: string;
  readonly personal: string;
  readonly shared: string;
  readonly events: readonly string[];
  readonly limit: Readonly<Record<string, number | null>>;
  /** The key of the command in a list of handlers without groups. */
  readonly flatKey?: string;
  /** The key `version` of an empty file. */
  readonly version?: number;
}

/** Formats that are not those of Claude Code. */
const FORMATS: Readonly<Record<string, Partial<Expected>>> = {
  copilot: { flatKey: "bash", version: 1 },
  vscode: { flatKey: "command" },
  cursor: { flatKey: "command", version: 1, limit: { timeout: 300, loop_limit: null } },
};
/** Hosts whose hook another test installs. */
const OTHERS = ["kimi", "kiro", "opencode", "kilo", "mux"];

/** The hosts of the reference. */
const REFERENCE = readReference("gauntlet");
const HOSTS = tableWith("shared file", REFERENCE)
  .map((row): Expected => {
    const texts = (column: string): string[] => row[column]!.match(/[^`, ]+/g) ?? [];
    const [name = ""] = texts("`--hook`");
    const [field = "", value] = texts("time limit");
    return {
      ...{ name, title: row["agent host"]!, limit: { [field.slice(0, -1)]: Number(value) } },
      personal: texts("personal file")[0] ?? "",
      shared: texts("shared file")[0] ?? "",
      events: texts("events"),
      ...FORMATS[name],
    };
  })
  .filter(({ name }) => !OTHERS.includes(name));
const LOCAL_FILE = ".claude/settings.local.json";
const LOCAL = "./node_modules/.bin/agent-gauntlet";
const OF_CLAUDE = '"${CLAUDE_PROJECT_DIR:-.}"/node_modules/.bin/agent-gauntlet';

/** Returns the settings that `init` writes to a new file. */
function settingsOf(
  { name, events, limit, flatKey, version }: Expected,
  program = hookProgram
): unknown {
  const entry = (args: string, more: object): unknown => {
    const handler = { type: "command", [flatKey ?? "command"]: `${program} ${args}`, ...more };
    return flatKey === undefined ? { hooks: [handler] } : handler;
  };
  const [stop = "", turnStart = ""] = events;
  return {
    ...(version && { version }),
    hooks: {
      [stop]: [entry(`stop-hook --verify --host ${name} --limit 300`, limit)],
      [turnStart]: [entry("turn-start", {})],
    },
  };
}

const CLAUDE = HOSTS.filter(({ name }) => name === "claude");
/** Copilot CLI and VS Code also run the hook of Claude Code, which is installed alone. */
const OTHER_HOSTS = HOSTS.filter(({ name }) => name !== "claude");

test.each([CLAUDE, OTHER_HOSTS])(
  "each hook is in the personal file of its host, and a second init changes its time limit: $name (G29)",
  async (...hosts) => {
    const project = await InitProject.withoutGit();
    const before = names(project);
    const hook = hosts.map(({ name }) => name);
    const { code, stdout, stderr } = await project.init({ hook });
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    expect(stdout.match(/\n(?:Creating ~?\S+\.\.\.\n)+✓ Stop hook installed/g)).toHaveLength(
      hosts.length
    );
    expect(stdout).not.toContain("Mux");
    const textsOf = (): string[] => hosts.map(({ personal }) => read(project, personal));
    const written = textsOf();
    expect(written.map((text): unknown => JSON.parse(text))).toEqual(
      hosts.map((host) => settingsOf(host))
    );
    expect(await project.init({ limit: 2_000 })).toMatchObject({ code: EXIT.ok, stderr: "" });
    expect(textsOf()).toEqual(
      hosts.map(({ name, limit }, i) => {
        const [[field, value] = ["", null]] = Object.entries(limit);
        // Qwen Code takes 1,000 and more for milliseconds.
        const perSecond = name === "qwen" ? 1_000 : (value ?? 0) / 300;
        const raised = `${field}": ${2_000 * perSecond}`;
        const text = written[i]!.replace("--limit 300", "--limit 2000");
        return text.replace(/timeout(Sec)?": \d+/, raised);
      })
    );
    const removed = await project.uninstall({ hook });
    expect(removed).toMatchObject({ code: EXIT.ok, stderr: "" });
    expect(removed.stdout).toMatch(/^(?:Removing ~?\S+\.\.\.\n)+$/);
    for (const { personal } of hosts) {
      expect(stdout).toContain(`Creating ${personal}...\n`);
      expect(removed.stdout).toContain(`Removing ${personal}...\n`);
    }
    expect(names(project)).toEqual(before);
  }
);

const CONFIG_STAYS =
  ".gauntlet stays, because it may be of a team; to remove it, delete the folder.\n";

describe("the hook of Claude Code, and one of another format", () => {
  const named = (...all: string[]) => HOSTS.filter(({ name }) => all.includes(name));
  const hosts = named("claude", "cursor");
  const hook = hosts.map(({ name }) => name);
  const textsOf = (project: InitProject): string[] =>
    hosts.map(({ personal }) => read(project, personal));

  test("is added to a file with comments and other hooks, and uninstall restores its bytes (G29)", async () => {
    const project = await InitProject.withoutGit();
    const entries = hosts.map(({ flatKey }) => {
      const other = { type: "command", [flatKey ?? "command"]: "make check" };
      return JSON.stringify(flatKey === undefined ? { hooks: [other] } : other);
    });
    const texts = hosts.map(
      ({ events }, i) =>
        `{\n  // mine\n  "version": 1, /* the format */\n  "hooks": {\n    "${events[0]}": [\n      ${entries[i]} // before\n    ],\n  }, // end\n}\n`
    );
    for (const [i, { personal }] of hosts.entries()) write(project, personal, texts[i]!);
    await project.init({ hook });
    const written = textsOf(project);
    for (const [i, text] of written.entries()) {
      for (const line of ["  // mine", '  "version": 1, /* the format */', "  }, // end"]) {
        expect(text.split("\n")).toContain(line);
      }
      expect(text).toContain(`${entries[i]}, // before\n`);
      expect(text.match(/stop-hook --verify/g)).toHaveLength(1);
    }

    const again = await project.init({ hook });
    for (const { title, personal } of hosts) {
      expect(again.stdout).toContain(`The ${title} Stop hook is already installed: ${personal}:`);
    }
    expect(textsOf(project)).toEqual(written);

    // An earlier init wrote it.
    const program = "/opt/bin/node-22 '/moved away/bin/agent-gauntlet.cjs'";
    for (const [i, { personal }] of hosts.entries()) {
      write(project, personal, written[i]!.replaceAll(hookProgram, program));
    }
    expect((await project.init({ hook })).stdout).toContain("✓ Stop hook updated");
    expect(textsOf(project)).toEqual(written);

    const { code, stdout } = await project.uninstall();
    const updated = hosts.map(({ personal }) => `Updating ${personal}...\n`).join("");
    expect({ code, stdout }).toEqual({
      code: EXIT.ok,
      stdout: `${updated}${CONFIG_STAYS}`,
    });
    expect(textsOf(project)).toEqual(texts);
  });

  test("is shared with a command that every clone can run (G29)", async () => {
    const project = await projectWithPackage();
    project.write({ ".gitignore": "node_modules\n" });
    const before = names(project);
    const { code, stdout, stderr } = await project.init({ hook, shared: true });
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    expect(stdout).not.toContain("git ");
    await project.init({ hook });
    for (const host of hosts) {
      const program = host.name === "claude" ? OF_CLAUDE : LOCAL;
      expect(JSON.parse(read(project, host.shared))).toEqual(settingsOf(host, program));
      expect(existsSync(pathIn(project, host.personal))).toBe(host.shared === host.personal);
    }
    // Claude Code runs hooks in the folder to which the agent changed.
    const env = { PATH: process.env.PATH, CLAUDE_PROJECT_DIR: project.dir };
    execFileSync("sh", ["-c", OF_CLAUDE], { cwd: await tempDir(), env });
    await project.uninstall();
    expect(names(project)).toEqual(before);
  });

  test("is not installed twice if it is in another file of the host (G29)", async () => {
    const project = await InitProject.withoutGit();
    const both = named("copilot", "cursor");
    const others = both.map(({ name, shared }) =>
      name === "copilot" ? ".github/hooks/mine.json" : shared
    );
    const texts = both.map((host) => JSON.stringify(settingsOf(host, "npx -y agent-gauntlet@1")));
    for (const [i, file] of others.entries()) write(project, file, texts[i]!);
    const before = names(project);
    const { stdout } = await project.init({ hook: ["copilot", "cursor"] });
    expect(names(project)).toEqual(before);
    const { code, stdout: printed } = await project.uninstall({ hook: ["copilot", "cursor"] });
    expect(code).toBe(EXIT.ok);
    expect(printed).toContain("No hook that init wrote was found.\n");
    for (const [i, file] of others.entries()) {
      expect(stdout).toContain(`The ${both[i]!.title} Stop hook is already installed: ${file}:1\n`);
      expect(printed).toContain(
        `${file}:1 also runs the gauntlet, but init did not write this hook`
      );
      expect(read(project, file)).toBe(texts[i]);
    }
  });
});

const packageWith = (...names: readonly string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, `sh ${name}.sh`])) });
const textIn = (project: InitProject): unknown =>
  /"statusMessage": "(.*)"/.exec(read(project, LOCAL_FILE))?.[1];
const options = { hook: ["claude"], yes: true, try: false } as const;

test("the text that Claude Code shows while the hook runs names the gates, is added to the hook of an earlier version and written anew, and a text of the user stays (G29)", async () => {
  const project = await InitProject.withoutGit({ "package.json": packageWith("test", "lint") });
  await project.init(options);
  expect(textIn(project)).toBe("gauntlet: test, lint");
  const written = read(project, LOCAL_FILE);
  write(project, LOCAL_FILE, written.replace(/,\s*"statusMessage": ".*"/, ""));
  expect((await project.init(options)).stdout).toContain("✓ Stop hook updated");
  expect(JSON.parse(read(project, LOCAL_FILE))).toEqual(JSON.parse(written));

  const edited = written.replace("gauntlet: test", "Please wait");
  write(project, LOCAL_FILE, edited);
  expect((await project.init(options)).stdout).toContain("is already installed");
  expect(read(project, LOCAL_FILE)).toBe(edited);

  write(project, LOCAL_FILE, written);
  const checks = { types: "true", format: "true", spelling: "true" };
  const config = project.read(".gauntlet/config.yml");
  const more = Object.entries(checks).map(([name, command]) => `  ${name}: "${command}"\n`);
  project.write({ ".gauntlet/config.yml": `${config}${more.join("")}` });
  await project.init({ ...options, limit: 400 });
  expect(textIn(project)).toBe("gauntlet: test, lint, types and 2 more");
  await project.uninstall({ hook: ["claude"] });
  expect(names(project)).not.toContain(LOCAL_FILE);
});

describe("a shared hook", () => {
  test("needs a dependency of the project, which is installed (G29)", async () => {
    const project = await InitProject.withoutGit();
    for (const [text, problem] of [
      ["{", "its package.json does not depend on mux-stop-hooks"],
      [
        '{"devDependencies": ["mux-stop-hooks"]}',
        "its package.json does not depend on mux-stop-ho",
      ],
      [JSON.stringify(PACKAGE), "install the dependencies of the project first"],
    ] as const) {
      project.write({ "package.json": text });
      const { code, stderr } = await project.init({ hook: ["qwen"], shared: true });
      expect(code).toBe(EXIT.failure);
      expect(stderr).toContain(problem);
    }
    expect(names(project).filter((name) => name.includes(".qwen"))).toEqual([]);
  });

  test("is not added to a personal one, and one that git ignores is named (G29)", async () => {
    const project = await projectWithPackage();
    project.write({ ".gitignore": "node_modules\n.claude\n" });
    await project.init({ hook: ["codex"] });
    const { stdout } = await project.init({ hook: ["codex", "claude"], shared: true });
    expect(stdout).toContain('run "mux-stop-hooks uninstall --hook codex", then "mux-stop-hooks');
    expect(existsSync(project.at(".codex"))).toBe(false);
    expect(stdout).toContain(
      "git ignores .claude/settings.json, so you cannot commit the shared hook"
    );
  });
});

describe("Copilot CLI and Claude Code", () => {
  test("are reported if each has a hook of its own, and share one that was installed before (G29)", async () => {
    const project = await InitProject.withoutGit();
    await project.init({ hook: ["copilot"] });
    const { stdout } = await project.init({ hook: ["claude"] });
    expect(stdout).toContain("so the gates run twice");
    expect(stdout).toContain('run "mux-stop-hooks uninstall --hook copilot"');
    expect((await project.init({ hook: ["copilot"] })).stdout).toContain("the gates run twice");
    await project.uninstall({ hook: ["copilot"] });
    const shared = await project.init({ hook: ["copilot"] });
    expect(shared.stdout).toContain(
      "The Copilot CLI Stop hook is already installed: .claude/settings.local"
    );
    expect(shared.stdout).toContain(
      "Copilot CLI also runs the Stop hook of Claude Code in this project"
    );
    expect(existsSync(project.at(".github"))).toBe(false);
  });

  test("do not share a hook in the home of Claude Code (G29)", async () => {
    const project = await InitProject.withoutGit();
    const hook = { hooks: [{ type: "command", command: "agent-gauntlet stop-hook --verify" }] };
    write(project, "~/.claude/settings.json", JSON.stringify({ hooks: { Stop: [hook] } }));
    const { edits } = await project.plan("copilot");
    expect(edits._unsafeUnwrap()[0]?.path).toBe(
      `${project.home}/.copilot/hooks/agent-gauntlet.json`
    );
  });
});

test("several hosts get their hooks by one call, and lose one or all by another (G29)", async () => {
  const project = await InitProject.create();
  const before = names(project);
  const { code, stderr } = await project.init({ hook: ["codex", "gemini", "qwen", "claude"] });
  expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
  const one = await project.uninstall({ hook: ["gemini"] });
  expect(one.stdout).toBe("Removing ~/.gemini/settings.json...\n");
  const { stdout } = await project.uninstall();
  const files = [".claude/settings.local.json", "~/.codex/hooks.json", "~/.qwen/settings.json"];
  expect(stdout).toBe(
    `${files.map((file) => `Removing ${file}...\n`).join("")}${CONFIG_STAYS}Removed .git/agent-gauntlet.\n`
  );
  expect(names(project)).toEqual(before);
  const again = await project.uninstall();
  expect(again).toEqual({
    code: EXIT.ok,
    stdout: `${CONFIG_STAYS}No hook that init wrote was found.\n`,
    stderr: "",
  });
});

describe("the time limit", () => {
  test("of Mux is in its settings, and uninstall renews the trust in the remaining hooks (G29, H31)", async () => {
    const project = await InitProject.withoutGit();
    await project.init({ hook: ["mux"], limit: 600 });
    const written = read(project, ".mux/settings.local.json");
    expect(written).toContain('"timeout": 600');
    await project.init({ limit: 900 });
    expect(read(project, ".mux/settings.local.json")).toBe(written.replace("600", "900"));
    await project.init({ hook: ["mux"] });
    expect(read(project, ".mux/settings.local.json")).toContain('"timeout": 900');
    const { stdout } = await project.uninstall({ hook: ["mux"] });
    expect(stdout).toContain("Removing .mux/settings.local.json...\nMux now trusts the hooks");
    expect((await project.hooks()).trust).toMatchObject({ trusted: true });
    expect(names(project).filter((name) => name.includes(".mux/"))).toEqual([]);
    await project.init({ hook: ["mux"], shared: true });
    expect(project.json(".mux/settings.json")).toMatchObject({
      hooks: { Stop: [{ hooks: [{ type: "builtin", name: "gauntlet", timeout: 300 }] }] },
    });
    const shared = await project.uninstall({ hook: ["mux"] });
    expect(shared.stdout).toContain("Removing .mux/settings.json...\n");
    expect(names(project).filter((name) => name.includes(".mux/"))).toEqual([]);
  });

  test("of a hook that a person edited stays, also with uninstall, and both name it (G29)", async () => {
    const project = await InitProject.withoutGit();
    await project.init({ hook: ["claude"] });
    const edited = read(project, LOCAL_FILE).replace('"timeout": 300', '"timeout": 301');
    write(project, LOCAL_FILE, edited);
    const { stdout } = await project.init({ limit: 900 });
    expect(stdout).toContain(
      `${LOCAL_FILE}:6, so its time limit was not changed; set "timeout": 900 and --limit 900 there.`
    );
    expect(read(project, LOCAL_FILE)).toBe(edited);
    const removed = await project.uninstall();
    expect([removed.code, removed.stdout]).toEqual([
      EXIT.ok,
      expect.stringContaining(`Updating ${LOCAL_FILE}...\n`),
    ]);
    expect(removed.stdout).toMatch(
      /settings\.local\.json:\d+ also runs the gauntlet, but init did not/
    );
    expect(Object.keys((project.json(LOCAL_FILE) as { hooks: object }).hooks)).toEqual(["Stop"]);
  });

  test("needs an agent (G29)", async () => {
    const project = await InitProject.withoutGit();
    await project.init();
    const { code, stderr } = await project.init({ limit: 900 }, { env: { PATH: "/nowhere" } });
    expect(code).toBe(EXIT.failure);
    expect(stderr).toContain("name the agent with --hook");
  });
});

describe("uninstall", () => {
  test("writes through a link as init does, and keeps the file (G29)", async () => {
    const project = await InitProject.withoutGit({ "dot/claude.json": "{}\n", ".claude/x": "" });
    symlinkSync("../dot/claude.json", project.at(LOCAL_FILE));
    await project.init({ hook: ["claude"] });
    expect(project.files()[LOCAL_FILE]).toBe("link to ../dot/claude.json");
    expect(read(project, "dot/claude.json")).toContain("stop-hook --verify");
    const { stdout } = await project.uninstall();
    expect(stdout).toContain(`Updating ${LOCAL_FILE}...\n`);
    expect(read(project, "dot/claude.json")).toBe("{}\n");
  });

  test("reports a file that does not parse, and removes the other hooks (G29)", async () => {
    const project = await InitProject.withoutGit();
    await project.init({ hook: ["claude", "codex"] });
    const broken = read(project, LOCAL_FILE).slice(0, -3);
    write(project, LOCAL_FILE, broken);
    const { code, stdout, stderr } = await project.uninstall();
    expect(code).toBe(EXIT.failure);
    expect(stderr).toContain(`${project.at(LOCAL_FILE)}:`);
    expect(stdout).toContain("Removing ~/.codex/hooks.json...\n");
    expect(read(project, LOCAL_FILE)).toBe(broken);
  });
});

describe("config.toml of Codex", () => {
  test("may have the hook, which is then not installed twice (G29)", async () => {
    const project = await InitProject.withoutGit();
    const text = `[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "agent-gauntlet stop-hook --verify"\n`;
    for (const file of ["~/.codex/config.toml", ".codex/config.toml"]) {
      write(project, file, text);
      const before = names(project);
      const { stdout } = await project.init({ hook: ["codex"] });
      expect(stdout).toContain(`The Codex Stop hook is already installed: ${file}:3\n`);
      expect(names(project)).toEqual(before);
      const removed = await project.uninstall();
      expect(removed).toMatchObject({ code: EXIT.ok, stderr: "" });
      expect(removed.stdout).toContain(`${file}:3 also runs the gauntlet`);
      expect(read(project, file)).toBe(text);
      rmSync(pathIn(project, file));
    }
  });

  test("may mention the gauntlet without a hook (G29)", async () => {
    const project = await InitProject.withoutGit();
    const text = '# command = "agent-gauntlet stop-hook"\nmodel = "stop-hook"\n';
    write(project, "~/.codex/config.toml", text);
    const { edits } = await project.plan("codex");
    expect(edits._unsafeUnwrap().map(({ path }) => path)).toContain(
      pathIn(project, "~/.codex/hooks.json")
    );
  });
});

describe("the files of a user", () => {
  test("of Codex are in CODEX_HOME (G29)", async () => {
    const project = await InitProject.withoutGit();
    const env = { CODEX_HOME: join(await tempDir(), "codex") };
    const { stdout } = await project.init({ hook: ["codex"] }, { env });
    expect(stdout).toContain(`Creating ${env.CODEX_HOME}/hooks.json...`);
    expect(stdout).toContain("Codex runs the hook only after you trust it");
    expect(existsSync(join(project.home, ".codex"))).toBe(false);
    await project.uninstall({}, { env });
    expect(existsSync(join(env.CODEX_HOME, "hooks.json"))).toBe(false);
  });

  test("in a project that is the home itself are one file (G29)", async () => {
    const project = await InitProject.withoutGit({ ".gauntlet/config.yml": "entry_points: []\n" });
    const env = { CODEX_HOME: project.at(".codex") };
    await project.init({ hook: ["codex"] }, { env });
    await project.init({ hook: ["codex"] }, { env });
    const [codex] = HOSTS.filter(({ name }) => name === "codex");
    expect(project.json(".codex/hooks.json")).toEqual(settingsOf(codex!));
  });
});

test("personal settings that git tracks are named (G29)", async () => {
  const project = await InitProject.create({ [LOCAL_FILE]: "{}\n", ".gitignore": ".claude\n" });
  project.git("add", "--force", LOCAL_FILE);
  const { stdout } = await project.init({ hook: ["claude", "codex"] });
  expect(stdout).toContain(`git tracks ${LOCAL_FILE}, and`);
  expect(stdout).not.toMatch(/git does not ignore|hooks\.json or/);
});

describe("opencode", () => {
  const PERSONAL = "~/.config/opencode/plugins/agent-gauntlet.js";
  const SHARED = ".opencode/plugins/agent-gauntlet.js";

  /** Returns a call of `init` in a copy of the package that has the plugin. */
  async function withPlugin(): Promise<{ prepare: (context: object) => void; module: string }> {
    const dir = await tempDir();
    mkdirSync(join(dir, "bin"));
    mkdirSync(join(dir, "dist"));
    writeFileSync(join(dir, "bin/agent-gauntlet.cjs"), "");
    writeFileSync(join(dir, "dist/opencode.js"), "");
    const program = join(dir, "bin/agent-gauntlet.cjs");
    const prepare = (context: object): void => void Object.assign(context, { program });
    return { prepare, module: join(dir, "dist/opencode.js") };
  }

  test("gets a plugin file that imports the engine, like Kilo Code, and loses it (G29)", async () => {
    const project = await InitProject.withoutGit();
    const before = names(project);
    const { prepare, module } = await withPlugin();
    const hook = ["opencode", "kilo"];
    const { stdout } = await project.init({ hook }, { prepare });
    const files = [PERSONAL, PERSONAL.replace("opencode", "kilo")];
    for (const file of files) {
      expect(stdout).toContain(`Creating ${file}...`);
      expect(read(project, file)).toBe(`export { default } from "${module}";\n`);
    }
    const second = await project.init({ hook }, { prepare });
    expect(second.stdout).toContain(`The opencode Stop hook is already installed: ${PERSONAL}:1`);
    const { stdout: printed } = await project.uninstall({ hook });
    expect(printed).toBe(files.map((file) => `Removing ${file}...\n`).join(""));
    expect(names(project)).toEqual(before);
  });

  test.each([
    ["what init wrote", {}, "✓ opencode now trusts the hooks of this project"],
    [
      "a hook that was there",
      { ".mux/stop": "#!/bin/sh\n" },
      "opencode does not run the hooks of ",
    ],
  ])("runs hooks only with trust: %s (G29, H31)", async (_, files, line) => {
    const project = await InitProject.withoutGit(files);
    if (".mux/stop" in files) project.chmod(".mux/stop", 0o755);
    const { prepare } = await withPlugin();
    // The second call writes nothing, and the hook does not run either.
    for (const times of [1, 2]) {
      const { stdout } = await project.init({ hook: ["opencode"] }, { prepare });
      const isSaid = stdout.includes(line);
      expect(isSaid, stdout).toBe(times === 1 || ".mux/stop" in files);
    }
    const { code, stdout } = await project.doctor({}, { prepare });
    expect(stdout.includes("do not run, for example because they are not trusted")).toBe(
      ".mux/stop" in files
    );
    expect(code).toBe(".mux/stop" in files ? EXIT.failure : EXIT.ok);
  });

  test("shares a plugin with a relative path (G29)", async () => {
    const project = await projectWithPackage();
    const without = await project.init({ hook: ["opencode"], shared: true });
    expect(without.stderr).toContain("node_modules/mux-stop-hooks/dist/opencode.js does not exist");
    write(project, "node_modules/mux-stop-hooks/dist/opencode.js", "");
    await project.init({ hook: ["opencode"], shared: true });
    expect(read(project, SHARED)).toBe(
      'export { default } from "../../node_modules/mux-stop-hooks/dist/opencode.js";\n'
    );
  });

  test("keeps a file that init did not write (G29)", async () => {
    const project = await InitProject.withoutGit();
    write(project, PERSONAL, "export default {};\n");
    const { prepare } = await withPlugin();
    const { code, stderr } = await project.init({ hook: ["opencode"] }, { prepare });
    expect(code).toBe(EXIT.failure);
    expect(stderr).toContain("agent-gauntlet.js exists, but init did not write it");
    expect((await project.uninstall()).stdout).toContain(`${PERSONAL}:1 also runs the gauntlet`);
    expect(read(project, PERSONAL)).toBe("export default {};\n");
  });
});
