/**
 * Reads the gauntlet's configuration and keeps it as it is at that time, and lists what a user must trust in it
 * (G24a).
 */
import type { CheckDefinition, ReviewDefinition } from "@/node/services/gauntlet/domain/gate";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { ConfigReads } from "@/node/services/gauntlet/config/readConfigFiles";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { BuiltinInputs, TrustItem } from "@/node/services/hooks/contract/types";

/** The configuration of a project at the time of `read`. */
export class ConfigToTrust implements BuiltinInputs {
  /** Reads the configuration of the project `dir`. Runs no command. */
  static async read(files: ConfigReads, dir: string): Promise<ConfigToTrust> {
    return new ConfigToTrust(dir, await loadGauntletConfig(files, dir));
  }

  private constructor(
    /** Absolute. */
    readonly dir: string,
    readonly loaded: ConfigLoad
  ) {}

  get items(): TrustItem[] {
    return gateItems(this.loaded);
  }

  /** Returns why the configuration is invalid, or undefined if it is not. */
  get problem(): string | undefined {
    return this.loaded.kind === "invalid" ? describeDiagnostics(this.loaded.problems) : undefined;
  }
}

/** Returns what the gates of the project would run, and what decides how: commands, folders, variables and reviewers. */
export function gateItems(loaded: ConfigLoad): TrustItem[] {
  if (loaded.kind !== "valid") return [];
  const { entryPoints, cli } = loaded.config;
  const ofGates = entryPoints.flatMap(({ gates }) =>
    gates.flatMap((gate) => {
      const texts =
        gate.kind === "check" ? checkTexts(gate) : reviewTexts(gate, cli.defaultPreference);
      return texts.map((text) => ({
        text: `gauntlet ${gate.kind} ${gate.name}${text}`,
        origin: `${gate.source.file}:${gate.source.line}`,
      }));
    })
  );
  return [
    ...ofGates,
    ...Object.entries(cli.commands).map(([name, command]) => ({
      text: `gauntlet reviewer ${name}: ${command}`,
      origin: CONFIG_FILE,
    })),
  ];
}

function checkTexts(check: CheckDefinition): string[] {
  const { command, rerunCommand, full, fix, workingDirectory, env, passEnv = [] } = check;
  const commands = { "": command, ", rerun": rerunCommand, ", full": full, ", fix": fix };
  return [
    ...Object.entries(commands).flatMap(([use, text]) =>
      text === undefined ? [] : `${use}: ${text}`
    ),
    ...(workingDirectory === undefined ? [] : [` runs in ${workingDirectory}`]),
    ...Object.entries(env).map(([key, value]) => ` sets ${key}=${value}`),
    ...passEnv.map((key) => ` gets ${key}`),
  ];
}

function reviewTexts(review: ReviewDefinition, preferred: readonly string[]): string[] {
  const { enabled, cliPreference = preferred, model, prompt } = review;
  const by = cliPreference.join(", ") || "any installed reviewer";
  const on = model === undefined ? "" : ` with the model ${model}`;
  const what = "builtin" in prompt ? `built-in prompt ${prompt.builtin}` : "its own prompt";
  return enabled ? [` by ${by}${on}: ${what}`] : [];
}
