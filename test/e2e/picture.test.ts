/** The picture of the README is what its script draws. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { execFileAsync } from "@test/helpers/process/processes";

test("docs/stop.svg shows a real session (make picture)", async () => {
  const script = join(repository, "scripts", "picture.mjs");
  const { stdout } = await execFileAsync(process.execPath, [script, "--print"]);
  expect(stdout).toBe(readFileSync(join(repository, "docs", "stop.svg"), "utf8"));
  expect(stdout).toContain("These tests fail; fix the code, not the tests:");
  expect(stdout).toContain("The turn ended: the hooks allowed the stop, after 1 continuation.");
});
