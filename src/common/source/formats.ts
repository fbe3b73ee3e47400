/** The formats of configuration files: how their lines end, and how messages describe their keys and values. */

export interface SourceFormat {
  /** With the flag `g`. */
  readonly lineEnd: RegExp;
  /** A key that needs no quotes in a key path. */
  readonly bareKey: RegExp;
  readonly maxKeyPathChars: number;
  readonly nullName: string;
  /** Describes a mapping by its first keys. */
  readonly describeMapping: (keys: string) => string;
}

export const JSONC: SourceFormat = {
  lineEnd: /\r\n|\r|\n/g,
  bareKey: /^[\w$]+$/,
  maxKeyPathChars: 240,
  nullName: "null",
  describeMapping: () => "an object",
};

export const YAML: SourceFormat = {
  lineEnd: /\n/g,
  bareKey: /^[\w$-]+$/,
  maxKeyPathChars: 200,
  nullName: "no value",
  describeMapping: (keys) => `a mapping (${keys})`,
};
