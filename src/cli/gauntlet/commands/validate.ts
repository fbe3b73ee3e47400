/** `mux-stop-hooks validate`: shows every problem of the configuration with its position (G5). Runs no gates. */
import type { CliContext } from "@/cli/context";
import {
  printNoProject,
  withProject,
  type PlaceOption,
  type Project,
} from "@/cli/gauntlet/project";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { countDiagnostics } from "@/common/diagnostics";
import { plainText, visible } from "@/common/text";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { configInvalid, configValid, type PartCounts } from "@/cli/gauntlet/messages/commands";

/** Exits with 1 if there is an error. Problems with the user's own file or variables are warnings (G6). */
export async function validate(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  return await withProject(context, (project) => validateProject(project, context), options);
}

async function validateProject(project: Project, context: CliContext): Promise<ExitCode> {
  const { stdout, env, home } = context;
  const { runtime, dir } = project;
  const loaded = await loadGauntletConfig(runtime, dir, { strict: true });
  if (loaded.kind === "none") return printNoProject(context, project);
  const { problems } = loaded;
  for (const problem of problems) stdout.write(`${plainText(formatDiagnostic(problem))}\n\n`);
  const ofProject = loaded.kind === "valid" ? loaded.config.stopHook : {};
  const own = await loadStopHookSettings(runtime.host, { env, home, project: ofProject });
  for (const warning of own.warnings) stdout.write(`${plainText(warning)}\n\n`);
  if (loaded.kind === "invalid") {
    stdout.write(`${configInvalid(visible(dir), countDiagnostics(problems))}\n`);
    return EXIT.failure;
  }
  stdout.write(`${configValid(visible(dir), countParts(loaded.config))}\n`);
  return EXIT.ok;
}

function countParts({ entryPoints }: GauntletConfig): PartCounts {
  const gates = entryPoints.flatMap((point) => point.gates);
  const count = (kind: "check" | "review"): number => {
    const names = gates.flatMap((gate) => (gate.kind === kind ? [gate.name] : []));
    return new Set(names).size;
  };
  return { entryPoints: entryPoints.length, checks: count("check"), reviews: count("review") };
}
