/** The package as npm installs it: a tarball in an empty folder, without this repository. Needs no network. */
import { readFileSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type * as opencodePlugin from "@/opencode/plugin";
import { repository } from "@test/helpers/built";
import { execFileAsync } from "@test/helpers/process/processes";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { gitEnv } from "@test/helpers/gitProject";
import { createRepository } from "@test/helpers/newRepository";
import { tempDir } from "@test/helpers/tempDir";
import { bed } from "@test/host/rig/hosts";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { FakeOpencode } from "@test/unit/opencode/fakeOpencode";

const MAX_PACKAGES = 10;
const MAX_BYTES = 10_000_000;

let env: NodeJS.ProcessEnv;
/** A project with git, in which the package is installed. */
let project: string;

async function run(line: string, cwd = project): Promise<string> {
  const { stdout } = await execFileAsync("sh", ["-ec", line], { cwd, env });
  return stdout;
}

beforeAll(async () => {
  const folder = await tempDir();
  const [home, tarballs] = [join(folder, "home"), join(folder, "tarballs")];
  project = join(folder, "project");
  await Promise.all([home, tarballs, project].map((dir) => mkdir(dir)));
  env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_offline: "true",
    npm_config_audit: "false",
  };
  await writeFile(join(project, "package.json"), '{ "name": "slug", "private": true }\n');
  // The dependency is packed as well, because the cache of npm may be empty.
  const pack = `npm pack --silent --ignore-scripts --pack-destination ${tarballs}`;
  await run(`${pack} . ./node_modules/neverthrow`, repository);
  await run(`git init --quiet; npm install --silent ${tarballs}/*.tgz`);
});

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  version: string;
};

test("each command prints its help, and the version of the package", async () => {
  const names = { "mux-stop-hooks": "", "agent-gauntlet": "", "mux-hooks": " hooks" };
  for (const [words, more] of Object.entries(names)) {
    const printed = await run(`node_modules/.bin/${words} --help`);
    expect(printed).toContain(`Usage: mux-stop-hooks${more} <command> `);
    expect(printed).toMatch(new RegExp(`^  mux-stop-hooks${more} (?:init|list) `, "m"));
  }
  expect(await run("node_modules/.bin/mux-stop-hooks --version")).toBe(`${version}\n`);
});

describe("a failing gate sends the agent back", () => {
  const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
  const CHECKS = { ok: "command: test ! -e bad || { echo a bad file is there; exit 3; }\n" };
  const installed = (file: string): string => join(project, "node_modules/mux-stop-hooks", file);

  async function badProject(): Promise<GauntletProject> {
    const gated = await GauntletProject.create(CONFIG, CHECKS);
    await gated.write("src/bad", "x");
    return gated;
  }

  test("of a program that uses the library, with the preload", async () => {
    const { dir } = await badProject();
    const source = `
      import { err, LocalRuntime, runStopHooks } from "mux-stop-hooks";
      import plugin from "mux-stop-hooks/opencode";
      import { Err } from "neverthrow";
      const [dir] = process.argv.slice(2);
      const input = { session_id: "s", transcript_path: dir + "/.git/chat.jsonl", cwd: dir, permission_mode: "default",
        hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." };
      const result = await runStopHooks(new LocalRuntime(), dir, input);
      console.log(typeof plugin, err("a") instanceof Err, result.shouldStop, result.continueReason);`;
    await writeFile(join(project, "gates.mjs"), source);
    const printed = await run(`node --require mux-stop-hooks/register gates.mjs '${dir}'`);
    expect(printed).toMatch(/^function true false Gauntlet gates did not pass\. .*\n/);
    expect(printed).toContain("a bad file is there");
  });

  test("of opencode", async () => {
    const fake = await FakeOpencode.start();
    const checks = { ".gauntlet/config.yml": CONFIG, ".gauntlet/checks/ok.yml": CHECKS.ok };
    for (const [path, text] of Object.entries({ ...checks, "src/good": "x" })) {
      await fake.write(path, text);
    }
    createRepository(fake.project, gitEnv());
    vi.stubEnv("HOME", fake.home);
    vi.stubEnv("MUX_HOOKS_TRUST", "always");
    onTestFinished(() => void vi.unstubAllEnvs());
    const plugin = (await import(installed("dist/opencode.js"))) as typeof opencodePlugin;
    await fake.load(plugin.default);
    fake.answers.push(
      { does: () => fake.write("src/bad", "x") },
      { does: () => rm(join(fake.project, "src/bad")) }
    );
    await fake.say(fake.newSession(), "Do it.");
    expect(JSON.stringify(fake.prompts)).toContain("a bad file is there");
    expect(fake.prompts).toHaveLength(1);
  });

  test("of Mux, with the preload", async () => {
    const files = { ".gauntlet/config.yml": CONFIG, ".gauntlet/checks/ok.yml": CHECKS.ok };
    const rig = await HostRig.create(bed("0.28"), {
      replies: [{ text: "Hello." }, { text: "One." }, { text: "Two." }],
      files: { ...files, "src/good": "x" },
      preload: installed("dist/host/register.cjs"),
    });
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Hello")).toBe("Hello.");
    await writeFile(rig.path("src", "bad"), "bad\n");
    expect(await chat.ask("Say hello")).toBe("One.");
    await rm(rig.path("src", "bad"));
    expect(await chat.answer()).toBe("Two.");
    // A slow machine sends the agent back a second time, before the file is gone.
    expect(rig.model.said.join("\n")).toContain("a bad file is there");
  });
});

test("init works in a project, and installs a hook that starts the gauntlet", async () => {
  const printed = await run(
    "npx --no-install mux-stop-hooks init --yes --hook claude --hook codex --hook opencode"
  );
  expect(printed).toContain(".gauntlet/config.yml");
  const settings = readFileSync(join(project, ".claude/settings.local.json"), "utf8");
  expect(settings).toContain("agent-gauntlet.cjs stop-hook");
  expect(settings).not.toContain("mux-stop-hooks.cjs");
  // Only npx finds the command here.
  const [, next = ""] = /Run "(.+)" to see the gates pass/.exec(printed) ?? [];
  expect(next).toBe("npx --no-install mux-stop-hooks run");
  expect(await run(`${next} 2>&1`)).toContain("Status: ");
});

test("a hook for all projects starts a copy outside of projects, also after this one is removed (G29)", async () => {
  const home = env.HOME ?? "";
  const text = readFileSync(join(home, ".codex/hooks.json"), "utf8");
  const { hooks } = JSON.parse(text) as {
    hooks: { Stop: [{ hooks: [{ command: string }] }] };
  };
  const { command } = hooks.Stop[0].hooks[0];
  expect(command).toContain(join(home, ".local/share/mux-stop-hooks", version));
  expect(command).not.toContain(project);
  const plugin = join(home, ".config/opencode/plugins/agent-gauntlet.js");
  expect(readFileSync(plugin, "utf8")).not.toContain(project);

  await rename(join(project, "node_modules"), join(project, "gone"));
  try {
    expect(JSON.parse(await run(`echo '{}' | ${command}`, home))).toEqual({});
    await run(`node --input-type=module --eval 'await import("${plugin}")'`, home);
  } finally {
    await rename(join(project, "gone"), join(project, "node_modules"));
  }
});

test("brings no package but its only dependency, whose types it returns, and few and small ones", async () => {
  const installed = join(project, "node_modules");
  const files = await readdir(installed, { recursive: true });
  const manifests = files.filter((name) =>
    /(?:^|node_modules\/)(?:@[^/]+\/)?[^/]+\/package\.json$/.test(name)
  );
  // npm installs an optional dependency of neverthrow as well.
  const names = (await readdir(installed)).filter((name) => !/^\.|^@rollup$/.test(name));
  expect(names).toEqual(["mux-stop-hooks", "neverthrow"]);
  expect(manifests.length).toBeGreaterThan(1);
  expect(manifests.length).toBeLessThan(MAX_PACKAGES);
  const sizes = await Promise.all(
    files.map(async (name) => (await lstat(join(installed, name))).size)
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES);
});
