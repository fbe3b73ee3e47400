/**
 * `mux-stop-hooks validate`: shows every problem of the configuration with its position, and warns of globs that match
 * no file and of checks that read the git folder. With `--fix`, rewrites globs whose meaning changed (G4a, G5). Runs no
 * gates.
 */
import { posix } from "node:path";
import { type CliContext, printError, EXIT, type ExitCode } from "@/cli/context";
import {
  printNoProject,
  withProject,
  type PlaceOption,
  type Project,
} from "@/cli/gauntlet/project";
import { shownCommand } from "@/common/ownCommandName";
import { countDiagnostics } from "@/common/diagnostics";
import { MIB } from "@/common/limits";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { plainText, visible, plural } from "@/common/safeText";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import * as configs from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { GlobLocations } from "@/node/services/gauntlet/config/globLocations";
import { GlobNotes } from "@/node/services/gauntlet/domain/globs/globNotes";
import { gitFolderOption } from "@/cli/gauntlet/init/detect/improveChecks";
import {
  commandTexts,
  readScriptsIn,
  readTexts,
} from "@/node/services/gauntlet/shell/scriptsAndTasks";
import { adviceOnGlobs, readsOldGlobs } from "@/node/services/gauntlet/run/plan/oldGlobMeaning";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { NO_STATE, readState } from "@/node/services/gauntlet/state/executionState";

interface ValidateOptions extends PlaceOption {
  readonly fix?: boolean;
}

/** Returns exit code 1 if there is an error. Problems with the user's own file or variables are warnings (G6). */
export async function validate(options: ValidateOptions, context: CliContext): Promise<ExitCode> {
  return await withProject(context, (project) => validateIn(project, options, context), options);
}

async function validateIn(
  project: Project,
  { fix = false }: ValidateOptions,
  context: CliContext
): Promise<ExitCode> {
  const { stdout, env, home } = context;
  const { runtime, dir } = project;
  const loaded = await configs.loadGauntletConfig(runtime, dir, { strict: true, env });
  if (loaded.kind === "none") return printNoProject(context, project);
  const { problems } = loaded;
  for (const problem of problems) stdout.write(`${plainText(formatDiagnostic(problem))}\n\n`);
  const ofProject = loaded.kind === "valid" ? loaded.config.stopHook : {};
  const own = await loadStopHookSettings(runtime.host, { env, home, project: ofProject });
  for (const warning of own.warnings) stdout.write(`${plainText(warning)}\n\n`);
  if (loaded.kind === "invalid") {
    stdout.write(
      `The configuration of ${visible(dir)} is not valid: ${countDiagnostics(problems)}.\n`
    );
    return EXIT.failure;
  }
  for (const warning of await gitReaderWarnings(project, loaded.config)) {
    stdout.write(`${plainText(warning)}\n\n`);
  }
  const code = await examineGlobs(project, loaded.config, fix, context);
  if (code === EXIT.ok) {
    const { entryPoints } = loaded.config;
    const count = (wanted: "check" | "review"): string => {
      const gates = entryPoints.flatMap((point) => point.gates);
      const names = gates.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
      return plural(new Set(names).size, wanted);
    };
    const counts = [plural(entryPoints.length, "entry point"), count("check"), count("review")];
    stdout.write(`The configuration of ${visible(dir)} is valid: ${counts.join(", ")}.\n`);
  }
  return code;
}

/** Returns a warning for each check that reads the git folder, where the logs are. */
async function gitReaderWarnings(
  { runtime, dir }: Project,
  { entryPoints }: configs.GauntletConfig
): Promise<string[]> {
  const [readText, readScripts] = [readTexts(runtime, dir), readScriptsIn(runtime, dir)];
  const settings = await Promise.all([".codespellrc", "setup.cfg", "pyproject.toml"].map(readText));
  const isSet = settings.some((text) => /^\s*skip\b.*\.git/m.test(text ?? ""));
  const options = new Map<string, string>();
  for (const { path, gates } of entryPoints) {
    for (const gate of gates) {
      if (gate.kind !== "check") continue;
      const folder = gate.workingDirectory ?? path;
      for (const text of await commandTexts(gate.command, folder, readScripts)) {
        const option = gitFolderOption(text);
        if (option !== undefined && !(isSet && text.includes("codespell")))
          options.set(gate.name, option);
      }
    }
  }
  return [...options].map(
    ([gate, option]) =>
      `warning: The check ${visible(gate)} also reads the git folder, where the logs of failed checks are, so a failure may repeat itself. Add ${option} to its command.`
  );
}

/**
 * Prints a warning for each glob or entry point that matches no file, and for each glob whose meaning changed (G4a).
 * With `fix`, rewrites the latter instead, so that they keep their meaning.
 */
async function examineGlobs(
  { runtime, dir }: Project,
  config: configs.GauntletConfig,
  fix: boolean,
  context: CliContext
): Promise<ExitCode> {
  const { stdout } = context;
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = await runGit(runtime, { cwd: dir, args, keepBytes: MAX_LISTED_BYTES });
  const paths = listed.map((text) => text.split("\0").filter((path) => path !== ""));
  const { state = NO_STATE } = await readState(runtime, await logDirOf(runtime, dir, config));
  const readsOld = readsOldGlobs(config, state);
  const notes = new GlobNotes(paths.unwrapOr([]), readsOld).examine(config);
  const written = await GlobLocations.read(runtime, dir);
  const changed = notes.filter(({ kind }) => kind === "changed");
  const texts = fix ? written.rewrite(changed) : new Map<string, string>();
  const problems = new DiagnosticList();
  for (const note of notes) {
    if (fix && note.kind === "changed") continue;
    const [node] = written.find(note);
    if (node === undefined) problems.addFile("warning", CONFIG_FILE, note.text);
    else problems.add("warning", node, note.text);
  }
  for (const problem of problems.all) stdout.write(`${plainText(formatDiagnostic(problem))}\n\n`);
  for (const [path, text] of texts) {
    const saved = await runtime.writeFile(path, text);
    if (saved.isErr()) return printError(context, saved.error.message);
  }
  if (!fix && changed.length > 0) stdout.write(`${adviceOnGlobs()}\n\n`);
  if (fix) {
    const names = [...texts.keys()].map((path) => visible(posix.relative(dir, path)));
    stdout.write(
      names.length === 0
        ? "No glob of this configuration has a changed meaning. Nothing was written.\n\n"
        : `Wrote the globs anew in ${names.join(", ")}. To let stops use them, run "${shownCommand()} trust".\n\n`
    );
  }
  return EXIT.ok;
}

const MAX_LISTED_BYTES = 64 * MIB;
