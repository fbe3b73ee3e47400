import { expect, test } from "vitest";
import { styleFor } from "@/cli/render/style";
import { OWN_ESC } from "@/common/safeText";
import { RecordedOutput } from "@test/helpers/cliContext";

const [TERMINAL, PIPE] = [new RecordedOutput(true), new RecordedOutput()];

test.each([
  ["a terminal", TERMINAL, {}, true],
  ["a dumb terminal", TERMINAL, { TERM: "dumb" }, false],
  ["a pipe", PIPE, {}, false],
  ["NO_COLOR on a terminal", TERMINAL, { NO_COLOR: "1" }, false],
  ["an empty NO_COLOR on a terminal", TERMINAL, { NO_COLOR: "" }, true],
  ["FORCE_COLOR in a pipe", PIPE, { FORCE_COLOR: "1" }, true],
  ["an empty FORCE_COLOR in a pipe", PIPE, { FORCE_COLOR: "" }, true],
  ["FORCE_COLOR on a dumb terminal", TERMINAL, { FORCE_COLOR: "1", TERM: "dumb" }, true],
  ["FORCE_COLOR=0 on a terminal", TERMINAL, { FORCE_COLOR: "0" }, false],
  ["FORCE_COLOR with NO_COLOR", PIPE, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ["FORCE_COLOR=0 with NO_COLOR", TERMINAL, { FORCE_COLOR: "0", NO_COLOR: "1" }, false],
])("%s", (_, output, env, isColored) => {
  const { red, bold } = styleFor(output, env);
  expect(red("x")).toBe(isColored ? `${OWN_ESC}[31mx${OWN_ESC}[39m` : "x");
  expect(bold("x")).toBe(isColored ? `${OWN_ESC}[1mx${OWN_ESC}[22m` : "x");
});
