/** The gauntlet of a checkout as it stood at one instant: what needs trust, and what counts in a turn (G24a). */
import { describeProblems } from "@/node/services/gauntlet/config/source/problem";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { ReadableFiles } from "@/node/services/gauntlet/config/configFiles";
import type { CheckoutPart, TrustItem } from "@/node/services/hooks/contract/types";

export class GauntletCheckout implements CheckoutPart {
  /** Reads the configuration of the project `dir`, and runs nothing. */
  static async read(files: ReadableFiles, dir: string): Promise<GauntletCheckout> {
    return new GauntletCheckout(dir, await loadGauntletConfig(files, dir));
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
      text: `gauntlet check ${name}: ${command}`,
      origin: `${source.file}:${source.line}`,
    }));
  }

  /** Why nothing can be run by it. */
  get problem(): string | undefined {
    return this.loaded.kind === "invalid" ? describeProblems(this.loaded.problems) : undefined;
  }
}
