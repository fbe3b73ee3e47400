/** Colors text if the output and `FORCE_COLOR`, `NO_COLOR` and `TERM` permit it, and detects live terminals. */
import { styleText } from "node:util";
import type { Output } from "@/cli/context";
import { OWN_ESC } from "@/common/safeText";

const FORMATS = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
type Format = (typeof FORMATS)[number];

/** A function that colors a text, or returns it unchanged. */
export type Paint = (text: string) => string;
export type Style = Readonly<Record<Format, Paint>>;

/** Returns the functions that color texts for an output. */
export function styleFor(output: Output, env: NodeJS.ProcessEnv): Style {
  const isColored = hasColors(output, env);
  const paint =
    (format: Format): Paint =>
    (text) =>
      isColored ? painted(format, text) : text;
  return Object.fromEntries(FORMATS.map((format) => [format, paint(format)])) as Style;
}

function painted(format: Format, text: string): string {
  // Node would examine its own stdout, which is not always the output.
  const sample = styleText(format, "|", { validateStream: false });
  const [begin = "", end = ""] = sample.replaceAll("\u001b", OWN_ESC).split("|");
  return begin + text + end;
}

/**
 * Returns whether to color. The first rule that applies decides:
 *
 * 1. `FORCE_COLOR` is set: colors, unless its value is `0`.
 * 2. `NO_COLOR` is not empty: no colors (https://no-color.org).
 * 3. The output is a terminal, and `TERM` is not `dumb`: colors.
 */
function hasColors(output: Output, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0";
  return !env.NO_COLOR && isLive(output, env);
}

/** Returns whether lines can be redrawn, as on a terminal with cursor control. */
export function isLive(output: Output, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && env.TERM !== "dumb";
}
