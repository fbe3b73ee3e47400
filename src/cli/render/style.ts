/** Colors, if the output is a terminal and `NO_COLOR` is not set (https://no-color.org). */
import type { Output } from "@/cli/context";

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Paint = (text: string) => string;
export type Style = Readonly<Record<keyof typeof CODES, Paint>>;

export function styleFor(output: Output, env: NodeJS.ProcessEnv): Style {
  const coloured = isLive(output, env) && !env.NO_COLOR;
  const paint = ([open, close]: readonly [number, number]): Paint =>
    coloured ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}

/** Returns whether lines can be redrawn: the output is a terminal that supports escape sequences. */
export function isLive(output: Output, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && env.TERM !== "dumb";
}
