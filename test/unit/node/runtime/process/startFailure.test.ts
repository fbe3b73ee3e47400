import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { explainStartFailure } from "@/node/runtime/process/startFailure";
import { tempDir } from "@test/helpers/tempDir";

const EACCES = Object.assign(new Error("spawn EACCES"), { code: "EACCES" });

test("a missing program is reported as missing if a folder on the PATH may not be searched (H23)", async () => {
  const dir = await tempDir();
  const program = { file: "tool", args: [], cwd: "/", env: { PATH: `${dir}:/no/such/folder` } };
  expect(await explainStartFailure(program, EACCES)).toEqual({
    kind: "notStarted",
    code: "ENOENT",
    message: "“tool” is not on the PATH; install it or give its path",
  });

  await writeFile(join(dir, "tool"), "#!/bin/sh\n", { mode: 0o644 });
  expect(await explainStartFailure(program, EACCES)).toEqual({
    kind: "notStarted",
    code: "EACCES",
    message: expect.stringContaining("“tool” is not executable") as string,
  });
});
