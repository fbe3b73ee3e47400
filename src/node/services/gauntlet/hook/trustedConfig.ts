/** The gauntlet of a checkout at one point in time: its commands that need trust, and a turn's configuration (G24a). */
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/diagnostic";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";
import { trustedCheck } from "@/node/services/gauntlet/messages/stop";
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
    if (this.loaded.kind !== "valid") return [];
    const { entryPoints } = this.loaded.config;
    const checks = entryPoints.flatMap(({ gates }) =>
      gates.flatMap((gate) => (gate.kind === "check" ? [gate] : []))
    );
    return checks.map(({ name, command, source }) => ({
      text: trustedCheck(name, command),
      origin: `${source.file}:${source.line}`,
    }));
  }

  /** Returns why the configuration is invalid, or undefined if it is not. */
  get problem(): string | undefined {
    return this.loaded.kind === "invalid" ? describeDiagnostics(this.loaded.problems) : undefined;
  }
}
