/** `mux-stop-hooks init` on a real terminal, which util-linux's `script` provides. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { gitEnv } from "@test/helpers/gitProject";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { childScript } from "@test/helpers/process/childScript";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { has } from "@scripts/programs.mjs";
import { folderWith } from "@test/helpers/tempDir";

const CTRL_C = "\u0003";
const DOWN = "\u001b[B";

/** Types the keys as soon as the text before them is on the screen. */
async function atTerminal(
  project: InitProject,
  answers: readonly (readonly [shown: string | RegExp, keys: string])[]
): Promise<{ code: unknown; screen: string }> {
  const bin = await folderWith({ claude: "#!/bin/sh\n" }, 0o755);
  const words = [process.execPath, await childScript("gauntletCommand"), "init"];
  const command = words.map(shellWord).join(" ");
  const terminal = spawn("sh", ["-c", 'exec script -qec "$1" /dev/null', "sh", command], {
    cwd: project.dir,
    env: {
      ...gitEnv(),
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      HOME: project.home,
      TERM: "xterm",
      NO_COLOR: "1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(terminal, "exit");
  const waiting = [...answers];
  let screen = "";
  let seen = 0;
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    const [next] = waiting;
    const rest = screen.slice(seen);
    if (
      next === undefined ||
      !(typeof next[0] === "string" ? rest.includes(next[0]) : next[0].test(rest))
    )
      return;
    waiting.shift();
    seen = screen.length;
    terminal.stdin.write(next[1]);
  });
  const [code] = (await ended) as unknown[];
  return { code, screen: screen.replaceAll("\r\n", "\n") };
}

test.runIf(has("script"))("shows one screen, and installs what is selected", async () => {
  const project = await InitProject.create({
    Makefile: "test:\n\t@sleep 60\nlint:\n\t@exit 1\n",
    ".claude/settings.json": "{}\n",
  });
  const { code, screen } = await atTerminal(project, [
    [/\[x\] Claude Code[^]*\[ \] AGENTS\.md[^]*Ctrl-C cancel/, `${DOWN} `],
    ["[ ] make lint", `${DOWN}${DOWN} `],
    ["[x] AGENTS.md", "\r"],
    ["test: make test (Enter skips this trial)", "\n"],
    ["in this clone (.git/info/exclude)? (y/n)", "y\n"],
  ]);
  expect(code).toBe(0);
  expect(screen).toContain("[x] make test");
  // The library's own escapes reach the terminal, and the cursor comes back.
  expect(screen).toContain("\u001b[?25l");
  expect(screen.lastIndexOf("\u001b[?25h")).toBeGreaterThan(screen.lastIndexOf("\u001b[?25l"));
  expect(screen).not.toContain("\\u001b");
  expect(screen).toContain("- test: not tried\n");
  expect(screen).toContain("Creating .claude/settings.local.json...\n✓ Stop hook installed");
  const names = Object.keys(project.files());
  expect(project.read(".gauntlet/config.yml")).toMatch(/\nchecks:\n.*\n {2}test: make test\n$/);
  expect(names).toContain(".claude/settings.local.json");
  expect(project.git("status", "--porcelain", "--", ".claude")).toBe("");
  expect(names).not.toContain(".mux");
  expect(project.read("AGENTS.md")).toContain("`mux-stop-hooks run`. If it passes");
});

test.runIf(has("script"))(
  "Ctrl-C during the trial ends it at once, and nothing is written",
  async () => {
    const project = await InitProject.withoutGit({ Makefile: "test:\n\t@sleep 60\n" });
    const { code, screen } = await atTerminal(project, [
      ["Ctrl-C cancel", "\r"],
      ["(Enter skips this trial)", CTRL_C],
    ]);
    expect(code).toBe(130);
    expect(screen).toContain("Nothing was written.\n");
    expect(Object.keys(project.files())).toEqual(["Makefile"]);
  }
);
