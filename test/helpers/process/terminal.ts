import { stripVTControlCharacters } from "node:util";

const ESC = "\u001b";
const UP = new RegExp(`${ESC}\\[(\\d+)A`);
const STEPS = new RegExp(`(${ESC}\\[\\d+A|\n)`);

/** Returns the content of a terminal after that output, in which rewritten lines have their last text. */
export function screen(output: string): string {
  const rows: string[] = [];
  let row = "";
  for (const step of output.split(STEPS)) {
    const up = UP.exec(step);
    if (up !== null) {
      rows.splice(rows.length - Number(up[1]));
      row = "";
    } else if (step === "\n") {
      rows.push(row);
      row = "";
    } else row += stripVTControlCharacters(step).replaceAll("\r", "");
  }
  return [...rows, row].join("\n");
}
