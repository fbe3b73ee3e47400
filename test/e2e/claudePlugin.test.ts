/** The plugin of Claude Code: its files, and its commands in a shell with a `PATH` of their own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { agentGauntletBin, repository } from "@test/helpers/freshBuild";
import { PROJECT_ENV, type GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { writeExecutable } from "@test/helpers/gitProject";
import { projectWith } from "@test/helpers/hooks/stopHookProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { tempDir } from "@test/helpers/tempDir";

const plugin = join(repository, "plugin");

interface HooksFile {
  readonly hooks: Record<string, { hooks: { command: string; timeout?: number }[] }[]>;
}

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(plugin, ...path), "utf8"));
}

const { hooks } = readJson("hooks", "hooks.json") as HooksFile;

function handlerOf(event: string) {
  return hooks[event]![0]!.hooks[0]!;
}

/** Returns a `PATH` with these programs and those of the system. */
async function pathWith(programs: Readonly<Record<string, string>> = {}): Promise<string> {
  const bin = await tempDir();
  for (const [name, target] of Object.entries({ node: process.execPath, ...programs })) {
    await symlink(target, join(bin, name));
  }
  return `${bin}:${process.env.PATH}`;
}

const ON_PATH = { "agent-gauntlet": agentGauntletBin };

/** Returns a copy of the plugin, as Claude Code keeps one of a marketplace: without the package around it. */
async function copiedPlugin(): Promise<string> {
  const copy = join(await tempDir(), "plugin");
  await cp(plugin, copy, { recursive: true });
  return copy;
}

/** Runs the command of an event as Claude Code does. */
async function run(
  event: string,
  cwd: string,
  path: string,
  { projectDir = cwd, input = INPUT, root = "" } = {}
) {
  const home = await tempDir();
  await trustNow(projectDir, home);
  const child = spawn("/bin/sh", ["-c", handlerOf(event).command], {
    cwd,
    env: {
      ...PROJECT_ENV,
      PATH: path,
      HOME: home,
      CLAUDE_PLUGIN_ROOT: root === "" ? await copiedPlugin() : root,
      CLAUDE_PROJECT_DIR: projectDir,
    },
  });
  child.stdin.on("error", () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

const INPUT = `${JSON.stringify({ session_id: "s", hook_event_name: "Stop", stop_hook_active: false })}\n`;

test("the manifest, the marketplace and the package name the plugin", () => {
  const manifest = readJson(".claude-plugin", "plugin.json") as Record<string, string>;
  const { plugins } = readJson(".claude-plugin", "marketplace.json") as {
    plugins: { name: string; source: string }[];
  };
  const published = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
    files: string[];
  };
  expect(manifest).toMatchObject({ name: "agent-gauntlet", version: published.version });
  expect(plugins).toMatchObject([{ name: manifest.name, source: "./" }]);
  expect(published.files).toContain("plugin");
});

test("the commands have the arguments and the limit that `init` installs", () => {
  const { stop: onStop, turnStart } = claudeHost.install;
  expect(Object.keys(hooks)).toEqual([onStop.event, turnStart.event]);
  for (const entry of [onStop, turnStart]) {
    const { command } = handlerOf(entry.event);
    expect(command).toBe(`sh "\${CLAUDE_PLUGIN_ROOT}/hooks/gauntlet.sh" ${entry.args}`);
    expect(handlerOf(entry.event)).toEqual({ type: "command", command, ...entry.fields });
  }
  expect(existsSync(join(plugin, "hooks", "gauntlet.sh"))).toBe(true);
});

describe("the command of Stop", () => {
  async function failing(): Promise<GauntletProject> {
    return await projectWith("", ["src/bad"]);
  }

  test("runs the program beside the plugin", async () => {
    const { dir } = await failing();
    const { code, stdout } = await run("Stop", dir, await pathWith(), { root: plugin });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block", status: "failed" });
  });

  test("runs no program of the project, even if it is on PATH", async () => {
    const project = await failing();
    const bin = project.path("node_modules", ".bin");
    writeExecutable(join(bin, "agent-gauntlet"), `#!/bin/sh\ntouch '${project.path("ran")}'\n`);
    for (const path of [await pathWith(), `${bin}:${await pathWith()}`]) {
      const { code } = await run("Stop", project.dir, path);
      expect([code, existsSync(project.path("ran"))]).toEqual([0, false]);
    }
  });

  test("notifies the user in one line if there is no program, but not without a gauntlet, and starts no package runner", async () => {
    const { dir } = await failing();
    const npx = join(await tempDir(), "npx");
    writeExecutable(npx, `#!/bin/sh\ntouch ${npx}.called\n`);
    const path = await pathWith({ npx, npm: npx });
    const { code, stdout, stderr } = await run("Stop", dir, path);
    expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
    expect(existsSync(`${npx}.called`)).toBe(false);
    const answer = JSON.parse(stdout) as { systemMessage: string };
    expect(Object.keys(answer)).toEqual(["systemMessage"]);
    expect(answer.systemMessage).toMatch(/^Gauntlet: .*not on the PATH of Claude Code; .*npm link/);
    const silent = { code: 0, stdout: "", stderr: "" };
    expect(await run("Stop", await tempDir(), path)).toEqual(silent);
  });
});

test("the command of UserPromptSubmit prints nothing, and begins new attempts (G27a)", async () => {
  const project = await projectWith("max_retries: 0\n", ["src/bad"]);
  const path = await pathWith(ON_PATH);
  const again = async (): Promise<unknown> => {
    const input = INPUT.replace("false", "true");
    return JSON.parse((await run("Stop", project.dir, path, { input })).stdout);
  };
  expect(await again()).toMatchObject({ status: "retry_limit_exceeded" });
  const silent = { code: 0, stdout: "", stderr: "" };
  const input = '{"session_id":"s","prompt_id":"u"}\n';
  expect(await run("UserPromptSubmit", project.dir, path, { input })).toEqual(silent);
  expect(await run("UserPromptSubmit", project.dir, await pathWith())).toEqual(silent);
  await project.remove("src/bad");
  await project.write("src/good", "x");
  expect(await again()).toMatchObject({ decision: "approve", status: "passed" });
});
