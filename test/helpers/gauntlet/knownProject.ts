/** A project whose checks fail before the work begins, with turns of a user and stops of an agent. */
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import * as records from "@/node/services/gauntlet/run/known/recordAtHead";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import NODE_TEST from "@test/helpers/gauntlet/nodeTest.sh";
import { restoring } from "@test/helpers/restoring";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";

/** Prints what ESLint prints for each line with `BAD-rule`, and exits with 1 if there is one. */
const LINT = `found=0
for file in $(git ls-files --cached --others --exclude-standard -- '*.js' | sort -u); do
  [ -f "$file" ] || continue
  awk -v file="$PWD/$file" '
    match($0, /BAD-[a-z]+/) {
      if (!seen++) print file
      printf "  %d:%d  error  Do not use this in line %d  %s\\n", NR, RSTART, NR, substr($0, RSTART + 4, RLENGTH - 4)
    }
    END { if (seen) { print ""; exit 1 } }' "$file" || found=1
done
exit $found`;

/** Returns the project of {@link KnownProject.create}, prepared once. */
export const knownProject = restoring((options: KnownOptions) => KnownProject.create(options));

/** Returns a project with these files, whose failures a person has recorded before a user's turn. */
export const recorded = restoring(async (options: KnownOptions): Promise<KnownProject> => {
  const known = await knownProject(options);
  const [end] = await known.record();
  if (end?.kind !== "recorded") throw new Error(JSON.stringify(end));
  await known.newTurn();
  return known;
});

const CONFIG = "max_retries: 9\nentry_points:\n  - path: .\n    checks: [it]\n";

export interface KnownOptions {
  readonly check?: string;
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export class KnownProject {
  private constructor(
    readonly project: GauntletProject,
    readonly env: NodeJS.ProcessEnv
  ) {}

  /** Commits these files, and a check that fails because of them. */
  static async create({
    check = "command: sh lint.sh\n",
    config = CONFIG,
    files = {},
  }: KnownOptions = {}): Promise<KnownProject> {
    const scripts = { "lint.sh": LINT, "node-test.sh": NODE_TEST };
    const project = await GauntletProject.create(
      config,
      { it: check },
      { files: { ...scripts, ...files } }
    );
    return new KnownProject(project, { HOME: project.path(".git/home") });
  }

  /** Records what fails at HEAD, as a person does. */
  async record(options: Partial<records.RecordRequest> = {}): Promise<records.RecordEnd[]> {
    const { project, env } = this;
    const loaded = await loadGauntletConfig(project.runtime, project.dir);
    if (loaded.kind !== "valid") throw new Error("the configuration is invalid");
    const done = await records.recordAtHead({
      runtime: project.runtime,
      projectDir: project.dir,
      config: loaded.config,
      isShared: false,
      now: () => new Date(),
      analyze: (job) => Promise.resolve({ isCompound: job.gate.command.includes(";") }),
      env,
      ...options,
    });
    return done._unsafeUnwrap();
  }

  async newTurn(): Promise<void> {
    const { project, env } = this;
    await recordTurnStart({
      ...{ runtime: project.runtime, cwd: project.dir, env },
      ...{ sessionId: "s", now: () => new Date() },
    });
  }

  async stop(options: StopOptions = {}) {
    const { project, env } = this;
    const decision = await stopAt(project, { env, sessionId: "s", ...options });
    const { status } = decision.result;
    const reason = status === "failed" ? await stopReason(project.runtime, decision.result) : "";
    return { ...decision, status, reason };
  }
}
