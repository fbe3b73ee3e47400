/** The question of `init` about personal settings that git does not ignore (G29). */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { InitProject, type InitCall } from "@test/helpers/gauntlet/initProject";

/** Accepts the screen, and answers the question after it. */
const answering = (answer: "y" | "n"): InitCall => ({
  typed: "",
  prepare: ({ stdin, stdout }) => {
    const write = stdout.write.bind(stdout);
    stdout.write = (text) => {
      write(text);
      if (text.includes("(y/n)")) void delay(0).then(() => stdin.write(`${answer}\n`));
    };
    stdin.write("\r");
  },
});
const WARNING = "git does not ignore .claude/settings.local.json; add it to .gitignore";

test.each([
  ["y", ""],
  ["n", "?? .claude/\n"],
] as const)(
  "init offers to ignore personal settings in this clone: %s (G29)",
  async (answer, shown) => {
    const project = await InitProject.create();
    const { stdout } = await project.init({ hook: ["claude"], try: false }, answering(answer));
    expect(stdout).toContain("Let git ignore it in this clone (.git/info/exclude)?");
    expect(stdout.includes(WARNING)).toBe(answer === "n");
    expect(project.git("status", "--porcelain", "--", ".claude")).toBe(shown.trim());
  }
);
