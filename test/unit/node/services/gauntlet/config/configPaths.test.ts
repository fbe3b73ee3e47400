import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { folderWith } from "@test/helpers/tempDir";
import { MINIMAL } from "@test/unit/node/services/gauntlet/config/project";

const find = (folder: string) => findGauntletProject(new LocalFiles(), folder);

describe("findGauntletProject", () => {
  it("returns the nearest parent folder with a configuration (G24)", async () => {
    const dir = await folderWith({
      ".git/HEAD": "",
      ".gauntlet/config.yml": MINIMAL,
      "packages/a/.gauntlet/config.yml": MINIMAL,
      "packages/a/src/deep/x.ts": "",
      "packages/b/x.ts": "",
    });
    expect(await find(join(dir, "packages/a/src/deep"))).toBe(join(dir, "packages/a"));
    expect(await find(join(dir, "packages/b"))).toBe(dir);
    expect(await find(`${dir}/`)).toBe(dir);
  });

  it("does not search beyond the root of the repository (G24)", async () => {
    const dir = await folderWith({
      ".gauntlet/config.yml": MINIMAL,
      "checkout/.git/HEAD": "",
      "checkout/src/x.ts": "",
      "worktree/.git": "gitdir: /elsewhere\n",
      "worktree/src/x.ts": "",
    });
    expect(await find(join(dir, "checkout/src"))).toBeUndefined();
    expect(await find(join(dir, "worktree/src"))).toBeUndefined();
    expect(await find(dir)).toBe(dir);
  });

  it("checks only the given folder outside of a repository (G24)", async () => {
    const dir = await folderWith({ ".gauntlet/config.yml": MINIMAL, "src/x.ts": "" });
    expect(await find(join(dir, "src"))).toBeUndefined();
    expect(await find(dir)).toBe(dir);
  });

  it("returns a project whose configuration cannot be read, so that it is reported", async () => {
    const dir = await folderWith({});
    await mkdir(join(dir, ".gauntlet/config.yml"), { recursive: true });
    expect(await find(dir)).toBe(dir);
    expect(await find(join(dir, "gone"))).toBeUndefined();
  });
});
