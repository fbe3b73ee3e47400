/** The gauntlet of a checkout as it stood at one instant: what needs trust, and what counts in a turn (G24a). */
import { describeProblems } from "@/node/services/gauntlet/config/problem";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { ReadableFiles } from "@/node/services/gauntlet/config/configFiles";
import type { CheckDefinition, EntryPoint } from "@/node/services/gauntlet/domain/gate";
import type { CheckoutPart, TrustItem } from "@/node/services/hooks/types";

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
    return checksOf(this.loaded).map(({ check: { name, command, source } }) => ({
      text: `gauntlet check ${name}: ${command}`,
      origin: `${source.file}:${source.line}`,
    }));
  }

  get commands(): string[] {
    if (this.loaded.kind !== "valid") return [];
    return checksOf(this.loaded).flatMap(({ point, check }) => {
      const folder = check.workingDirectory ?? point.path;
      const { command, rerunCommand = command } = check;
      return [...new Set([command, rerunCommand])].map(
        (text) => `cd ${JSON.stringify(folder)} && ${text}`
      );
    });
  }

  get files(): ReadonlyMap<string, string> {
    return this.loaded.kind === "none" ? new Map() : this.loaded.hashes;
  }

  /** Why nothing can be run by it. */
  get problem(): string | undefined {
    return this.loaded.kind === "invalid" ? describeProblems(this.loaded.problems) : undefined;
  }
}

interface CheckAt {
  readonly point: EntryPoint;
  readonly check: CheckDefinition;
}

function checksOf({ config }: ConfigLoad & { kind: "valid" }): CheckAt[] {
  return config.entryPoints.flatMap((point) =>
    point.gates.flatMap((check) => (check.kind === "check" ? [{ point, check }] : []))
  );
}
