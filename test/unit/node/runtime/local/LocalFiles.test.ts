import { chown, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { describeFiles } from "@test/helpers/remote/filesSuite";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { putFile, tempDir } from "@test/helpers/tempDir";

describe.each([
  { name: "LocalFiles", files: new LocalFiles() },
  { name: "FastStartRuntime", files: new FastStartRuntime() },
])("$name", ({ files }) => {
  describeFiles(files);

  test("keeps the owner, the group and the mode of a file that it writes again", async () => {
    const file = await putFile(join(await tempDir(), "file"), "old", 0o640);
    // Only root can give a file away.
    if (process.getuid?.() === 0) await chown(file, 1, 2);
    const before = await stat(file);
    expect((await files.writeFile(file, "new")).isOk()).toBe(true);
    const { uid, gid, mode, ino } = await stat(file);
    expect([uid, gid, mode]).toEqual([before.uid, before.gid, before.mode]);
    expect(ino).not.toBe(before.ino);
  });

  test("keeps the old file on a full disk", async () => {
    const dir = await tempDir();
    const file = join(dir, "file");
    // A limit on the size of a file cuts a write short, as a full disk does.
    await writeFile(file, "old");
    const written = await runInFreshNode("limitedWrite", [file], "ulimit -f 512");
    expect(written).toMatchObject({ code: "EFBIG" });
    expect(await readFile(file, "utf8")).toBe("old");
    expect(await readdir(dir)).toEqual(["file"]);
  });
});
