/** The message for an agent whose gates did not pass (G26). */
import { expect, test } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

async function reasonFor(
  checks: Record<string, string>,
  options?: Parameters<typeof stopReason>[2]
): Promise<{ reason: string; project: GauntletProject }> {
  const list = Object.keys(checks).join(", ");
  const config = `entry_points:\n  - path: src\n    checks: [${list}]\n`;
  const project = await GauntletProject.create(config, checks);
  await project.write("src/a.txt", "b\n");
  const { result } = await stopAt(project);
  return { project, reason: await stopReason(project.runtime, result, options) };
}

const FRAME = "    at frame$i (/a/long/path/of/a/file/in/the/project/src/module$i.ts:$i:10)";
const STACK = `command: |
  echo 'Error: expected 3, got 4'
  for i in $(seq 25); do echo "${FRAME}"; done; exit 1
`;

test("contains the error of a long stack, with command, folder and log (G26)", async () => {
  const { reason, project } = await reasonFor({ stack: STACK });
  expect(reason).toContain("| Error: expected 3, got 4");
  expect(reason).toMatch(/\| {5}at frame25 /);
  expect(reason).toContain("  Command: echo 'Error: expected 3, got 4'");
  expect(reason).toContain(`  Folder: ${project.path("src")}\n`);
  expect(reason).toContain(`  Log: ${project.path("gauntlet_logs/check_src_stack.1.log")}\n`);
});

test("mentions that the agent cannot stop only if that is true (G26)", async () => {
  const { reason } = await reasonFor({ no: "command: exit 1\n" }, { canStopOnlyWhenDone: false });
  expect(reason).toMatch(/^Gauntlet gates did not pass\. .*\n\n\*\*Fix these failures now\.\*\*/);
  expect(reason).not.toContain("You cannot stop");
  expect(reason).not.toContain("Trust level");
  expect(reason).toContain("When you may stop");
});

test('asks for the words "not verified" in the last reason of a turn only (G26)', async () => {
  const project = await GauntletProject.create(
    "max_retries: 2\nentry_points:\n  - path: src\n    checks: [no]\n",
    { no: "command: exit 1\n" }
  );
  const asks: boolean[] = [];
  for (const text of ["a", "b"]) {
    await project.write("src/a.txt", text);
    const { result } = await stopAt(project);
    const reason = await stopReason(project.runtime, result);
    asks.push(reason.includes('end your answer with "not verified"'));
  }
  expect(asks).toEqual([false, true]);
});
