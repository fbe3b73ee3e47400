/** `agent-gauntlet init` on a real terminal, which util-linux's `script` provides. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { gitEnv } from "@test/helpers/gitProject";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { childScript } from "@test/helpers/process/childScript";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { has } from "@scripts/programs.mjs";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Types each answer as soon as its prompt is on the screen. */
async function atTerminal(
  project: InitProject,
  answers: readonly (readonly [question: string, answer: string])[]
): Promise<{ code: unknown; screen: string }> {
  const words = [process.execPath, await childScript("gauntletCommand"), "init"];
  const command = words.map(shellWord).join(" ");
  const terminal = spawn("sh", ["-c", 'exec script -qec "$1" /dev/null', "sh", command], {
    cwd: project.dir,
    env: {
      ...gitEnv(),
      HOME: project.home,
      TERM: "xterm",
      NO_COLOR: "1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(terminal, "exit");
  const waiting = [...answers];
  let screen = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    const [next] = waiting;
    if (next === undefined || !screen.endsWith(next[0])) return;
    waiting.shift();
    terminal.stdin.write(next[1]);
  });
  const [code] = (await ended) as unknown[];
  return { code, screen: screen.replaceAll("\r\n", "\n") };
}

test.runIf(has("script"))("reads the answers, and the process ends by itself", async () => {
  const project = await InitProject.create();
  const { code, screen } = await atTerminal(project, [
    ["Install Claude Code stop hook? (y/n): ", "perhaps\n"],
    ["Please answer y or n.\r\nInstall Claude Code stop hook? (y/n): ", "y\n"],
    ["Install Mux stop hook? (y/n): ", CTRL_D],
  ]);
  expect(screen).toContain(
    "Install Claude Code stop hook? (y/n): y\nCreating .claude/settings.local.json...\n✓ Stop hook installed"
  );
  expect(code).toBe(0);
  const names = Object.keys(project.files());
  expect(names).toContain(".claude/settings.local.json");
  expect(names).not.toContain(".mux");
});

test.runIf(has("script"))("Ctrl-C ends it at once, without a half-written file", async () => {
  const project = await InitProject.create();
  const { code, screen } = await atTerminal(project, [
    ["Install Claude Code stop hook? (y/n): ", CTRL_C],
  ]);
  expect(code).toBe(130);
  expect(screen).toMatch(/\(y\/n\): \^C\n$/);
  expect(Object.keys(project.files())).not.toContain(".claude");
});
