/** `mux-stop-hooks doctor`: reports whether the Stop hooks of the agent hosts work (G29). Without `--fix`, only reads. */
import type { CliContext } from "@/cli/context";
import { examineHosts } from "@/cli/gauntlet/doctor/examineHosts";
import { examineGates } from "@/cli/gauntlet/doctor/examineProject";
import { hostBlocks, renderBlock, type Block } from "@/cli/gauntlet/doctor/render";
import { makeRepairs } from "@/cli/gauntlet/doctor/repair";
import { problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { oldLogEdits } from "@/cli/gauntlet/init/oldLogs";
import { findInitFolder } from "@/cli/gauntlet/init/folder";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import { createRuntime } from "@/wiring";
import * as messages from "@/cli/gauntlet/messages/doctor";

export interface DoctorOptions {
  /** Update the commands of installed hooks that do not start. */
  readonly fix?: boolean;
}

export async function doctor(
  { fix = false }: DoctorOptions,
  context: CliContext
): Promise<ExitCode> {
  const { env, home, program, stdout } = context;
  const runtime = createRuntime(env);
  const projectDir = await findInitFolder(runtime, context);
  const place = { runtime, projectDir, env, home, program };
  let reports = await examineHosts(place);
  let isFixed = true;
  if (fix) {
    const repairs = reports.flatMap((report) => report.repairs);
    isFixed = await makeRepairs([...(await oldLogEdits(place)), ...repairs], place, context);
    if (repairs.length > 0) reports = await examineHosts(place);
  }
  const project = { title: visible(projectDir), findings: await examineGates(place) };
  const problems = printReport(project, reports, context);
  stdout.write(`\n${problems === 0 ? messages.NO_PROBLEMS : messages.problems(problems)}\n`);
  return problems === 0 && isFixed ? EXIT.ok : EXIT.failure;
}

/** Returns the number of problems. */
function printReport(
  project: Block,
  reports: readonly HostReport[],
  { stdout, env }: CliContext
): number {
  const { blocks, absent } = hostBlocks(reports);
  const none = { title: messages.AGENT_HOSTS, findings: [noHost()] };
  const all = [project, ...(blocks.length === 0 ? [none] : blocks)];
  const style = styleFor(stdout, env);
  const texts = all.map((block) => renderBlock(block, style));
  if (absent.length > 0) texts.push(messages.notFound(absent));
  stdout.write(`${texts.join("\n\n")}\n`);
  return all.flatMap(({ findings }) => findings).filter(({ kind }) => kind === "problem").length;
}

const noHost = (): Finding => problem(messages.NO_HOST_FOUND, messages.installHost());
