/** The gauntlet of a checkout at one point in time: its commands that need trust, and a turn's configuration (G24a). */
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/diagnostic";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { BuiltinInputs, TrustItem } from "@/node/services/hooks/contract/types";

export class TrustedConfig implements BuiltinInputs {
  /** Reads the configuration of the project `dir`. Runs no command. */
  static async read(files: ConfigReads, dir: string): Promise<TrustedConfig> {
    return new TrustedConfig(dir, await loadGauntletConfig(files, dir));
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

/** Returns every command of the project that its gates would start. */
export function gateItems(loaded: ConfigLoad): TrustItem[] {
  if (loaded.kind !== "valid") return [];
  const { entryPoints, cli } = loaded.config;
  const checks = entryPoints.flatMap(({ gates }) =>
    gates.flatMap((gate) => (gate.kind === "check" ? [gate] : []))
  );
  const ofChecks = checks.flatMap(({ name, command, rerunCommand, full, fix, source }) =>
    Object.entries({ "": command, ", rerun": rerunCommand, ", full": full, ", fix": fix }).flatMap(
      ([use, text]) =>
        text === undefined
          ? []
          : [
              {
                text: trustedCommand(`check ${name}${use}`, text),
                origin: `${source.file}:${source.line}`,
              },
            ]
    )
  );
  const keys = checks.flatMap(({ name, passEnv = [], source }) =>
    passEnv.map((key) => ({
      text: `gauntlet check ${name} gets ${key}`,
      origin: `${source.file}:${source.line}`,
    }))
  );
  const reviewers = Object.entries(cli.commands).map(([name, command]) => ({
    text: trustedCommand(`reviewer ${name}`, command),
    origin: CONFIG_FILE,
  }));
  return [...ofChecks, ...keys, ...reviewers];
}

/**
 * The description of a command that needs the user's trust.
 *
 * @param what such as `check lint`
 */
function trustedCommand(what: string, command: string): string {
  return `gauntlet ${what}: ${command}`;
}
