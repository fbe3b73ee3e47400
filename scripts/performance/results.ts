/** The results of `make bench` and `make bench-growth` that the page shows. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const docs = fileURLToPath(new URL("../../docs", import.meta.url));

export interface Machine {
  readonly cores: number;
  readonly system: string;
  readonly git: string;
  /** The average number of running processes in the minute before the measurement. */
  readonly load?: number;
  readonly node: string;
  readonly otherNode?: string;
  readonly lefthook?: string;
  readonly "lint-staged"?: string;
  readonly "pre-commit"?: string;
}

export interface Figure {
  readonly id: string;
  readonly name: string;
  readonly major: number;
  readonly claim: string;
  readonly unit: string;
  readonly value: number;
  readonly p25?: number;
  readonly p75?: number;
  readonly ms?: Readonly<Record<string, number>>;
}

interface Duration {
  readonly value: number;
  readonly p25: number;
  readonly p75: number;
}

export interface Point {
  readonly plot: string;
  readonly x: number;
  readonly ms: Readonly<Record<string, Duration>>;
}

export interface Figures {
  readonly machine: Machine;
  readonly figures: readonly Figure[];
}

export interface Growth {
  readonly machine: Machine;
  readonly points: readonly Point[];
}

export const readFigures = (): Figures => read("figures.json") as Figures;
export const readGrowth = (): Growth => read("growth.json") as Growth;

function read(name: string): unknown {
  return JSON.parse(readFileSync(`${docs}/performance/${name}`, "utf8"));
}
