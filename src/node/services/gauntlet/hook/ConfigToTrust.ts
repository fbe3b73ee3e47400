/**
 * Reads the gauntlet's configuration and keeps it as it is at that time, and lists what a user must trust in it: the
 * commands of checks and reviewers, and the environment variables that checks get (G24a).
 */
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
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

/** Returns every command of the project that its gates would start, and every key that a check gets. */
export function gateItems(loaded: ConfigLoad): TrustItem[] {
  if (loaded.kind !== "valid") return [];
  const { entryPoints, cli } = loaded.config;
  const checks = entryPoints.flatMap(({ gates }) => gates.filter((gate) => gate.kind === "check"));
  const itemsOf = (textsOf: (check: CheckDefinition) => readonly string[]): TrustItem[] =>
    checks.flatMap((check) => {
      const { file, line } = check.source;
      return textsOf(check).map((text) => ({
        text: `gauntlet check ${text}`,
        origin: `${file}:${line}`,
      }));
    });
  return [
    ...itemsOf(({ name, command, rerunCommand, full, fix }) =>
      Object.entries({
        "": command,
        ", rerun": rerunCommand,
        ", full": full,
        ", fix": fix,
      }).flatMap(([use, text]) => (text === undefined ? [] : `${name}${use}: ${text}`))
    ),
    ...itemsOf(({ name, passEnv = [] }) => passEnv.map((key) => `${name} gets ${key}`)),
    ...Object.entries(cli.commands).map(([name, command]) => ({
      text: `gauntlet reviewer ${name}: ${command}`,
      origin: CONFIG_FILE,
    })),
  ];
}
