/** Blocks that show a terminal: a line with `$ ` is a command, the lines after it are its output. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { asShown, expectedOutput } from "@test/helpers/docs/expected";
import { exampleEnv } from "@test/helpers/docs/gauntlet";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { runGauntlet } from "@test/helpers/gauntlet/trust";
import { muxHooks } from "@test/helpers/hooks/muxHooks";

/** @param env variables for shell commands, in addition to those of every example */
export async function runConsole(
  example: ExampleProject,
  fence: Fence,
  env: Readonly<Record<string, string>> = {}
): Promise<void> {
  example.used();
  const steps = readSteps(fence);
  expect(steps.length, `${fence.place}: no line begins with "$ "`).toBeGreaterThan(0);
  for (const { command, shown } of steps) {
    example.printed = await runCommand(example, command, env);
    const printed = asShown(example.printed, example.project);
    expect(printed, `${fence.place}: $ ${command}`).toMatch(expectedOutput(shown));
  }
}

function readSteps({ text }: Fence): { readonly command: string; readonly shown: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [, command = "", shown = ""] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(step) ?? [];
      return { command: command.replaceAll(/\\\n\s*/g, " "), shown };
    });
}

async function runCommand(
  example: ExampleProject,
  command: string,
  env: Readonly<Record<string, string>>
): Promise<string> {
  if (command === "echo $?") return `${example.exitCode}\n`;
  const [, assignment, args] = /^(?:(\w+=\w+) )?mux-stop-hooks hooks (.*)$/.exec(command) ?? [];
  if (args !== undefined) return await callMuxHooks(example, args, assignment);
  const [, plain, then] =
    /^mux-stop-hooks ([\w .-]+?)(?: >\/dev\/null 2>&1; ((?!.*\$\?).*))?$/.exec(command) ?? [];
  if (plain !== undefined) {
    const printed = await callGauntlet(example, plain.split(" "), env);
    return then === undefined ? printed : await runShell(example, then, env);
  }
  const target = /^make ([\w-]+)$/.exec(command)?.[1];
  if (target !== undefined) return runMake(target);
  return await runShell(example, command, env);
}

async function callGauntlet(
  example: ExampleProject,
  args: readonly string[],
  env: Readonly<Record<string, string>>
): Promise<string> {
  const { dir, home } = example.project;
  const given = { ...(await exampleEnv(example)), ...env };
  const { code, stdout, stderr } = await runGauntlet(dir, home, args, { env: given });
  example.exitCode = code;
  return `${stderr}${stdout}`;
}

async function callMuxHooks(
  example: ExampleProject,
  args: string,
  assignment = "MUX_HOOKS_TRUST="
): Promise<string> {
  const [name = "", value] = assignment.split("=");
  const words = [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? ""
  );
  const env = { MUX_HOOKS_TRUST: "", [name]: value };
  const { code, stdout, stderr } = await muxHooks(example.project, words, { env });
  example.exitCode = code;
  return `${stderr}${stdout}`;
}

/** Checks that a target exists. */
function runMake(target: string): string {
  const makefile = readFileSync(join(REPOSITORY, "Makefile"), "utf8");
  expect(makefile).toMatch(new RegExp(`^${target}:`, "m"));
  return "";
}

async function runShell(
  example: ExampleProject,
  command: string,
  more: Readonly<Record<string, string>>
): Promise<string> {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
    cwd: example.project.dir,
    env: { ...(await exampleEnv(example)), ...more },
    encoding: "utf8",
  });
  example.exitCode = status ?? 1;
  return `${stderr}${stdout}`;
}
