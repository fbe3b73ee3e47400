/** The common tests of all implementations of `Files`, on any machine whose files are visible from this one. */
import { execFileSync } from "node:child_process";
import { truncateSync } from "node:fs";
import { link, mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Files, FileStat, PresentStat, ReadOptions } from "@/node/runtime/HookRuntime";
import { tempDir } from "@test/helpers/tempDir";
import { eventually } from "@test/helpers/soon";

export function describeFiles(files: Files): void {
  let dir: string;
  const at = (...names: string[]): string => join(dir, ...names);

  beforeEach(async () => {
    dir = await tempDir();
  });

  describe("stat", () => {
    test("returns a result for every path, in order, with executability, dangling links and failures (H2a, H8)", async () => {
      await writeFile(at("file"), "12345");
      await writeFile(at("stop"), "#!/bin/sh\n", { mode: 0o755 });
      await symlink("stop", at("link"));
      await symlink("nowhere", at("dangling"));
      await symlink("loop", at("loop"));
      execFileSync("mkfifo", [at("pipe")]);
      const names = ["gone", "dangling", "file/below", "file", "stop", "link", "pipe", "loop"];
      const found = await files.stat([...names.map((name) => at(name)), dir, "/tmp/a\0b"]);
      expect(found).toEqual([
        { kind: "missing" },
        { kind: "missing", dangling: true },
        { kind: "missing" },
        expect.objectContaining({ kind: "file", size: 5, executable: false }),
        expect.objectContaining({ kind: "file", executable: true }),
        expect.objectContaining({ kind: "file", executable: true }),
        expect.objectContaining({ kind: "other" }),
        expect.objectContaining({
          kind: "failed",
          failure: expect.objectContaining({ code: "ELOOP", path: at("loop") }) as unknown,
        }),
        expect.objectContaining({ kind: "directory", executable: false }),
        expect.objectContaining({ kind: "failed" }),
      ]);
      expect(await files.stat([])).toEqual([]);
    });

    test("distinguishes modification times that differ by less than a millisecond (H7)", async () => {
      await writeFile(at("file"), "");
      await utimes(at("file"), 1, 1_767_225_600.1234);
      const [before] = await files.stat([at("file")]);
      await utimes(at("file"), 1, 1_767_225_600.1236);
      const [after] = await files.stat([at("file")]);
      expect(present(after).mtimeMs - present(before).mtimeMs).toBeCloseTo(0.2, 2);
    });

    test("returns the same identity for all names of a file, and another one for another file", async () => {
      await writeFile(at("one"), "");
      await writeFile(at("other"), "");
      await link(at("one"), at("hard"));
      await symlink("one", at("soft"));
      const found = await files.stat([at("one"), at("hard"), at("soft"), at("other")]);
      const [one, hard, soft, other] = found.map((each) => present(each).identity);
      expect([hard, soft]).toEqual([one, one]);
      expect(other).not.toBe(one);
    });

    test("reports a newer change time after each write, even if the modification time is set back (H7)", async () => {
      await writeFile(at("file"), "one");
      const old = new Date(2_000_000_000);
      await utimes(at("file"), old, old);
      const [before] = await files.stat([at("file")]);
      await eventually(async () => {
        await writeFile(at("file"), "two");
        await utimes(at("file"), old, old);
        const [after] = await files.stat([at("file")]);
        expect(present(after).mtimeMs).toBe(present(before).mtimeMs);
        expect(present(after).ctimeMs).toBeGreaterThan(present(before).ctimeMs);
      });
    });
  });

  describe("readFile", () => {
    test("reads a whole file, its beginning, its end, or from an offset", async () => {
      await writeFile(at("file"), "0123456789");
      const read = async (options: ReadOptions): Promise<string> =>
        Buffer.from((await files.readFile(at("file"), options))._unsafeUnwrap()).toString();
      const parts = [
        [{ maxBytes: 100 }, "0123456789"],
        [{ maxBytes: 10 }, "0123456789"],
        [{ maxBytes: 4 }, "0123"],
        [{ maxBytes: 4, tail: true }, "6789"],
        [{ maxBytes: 100, tail: true }, "0123456789"],
        [{ maxBytes: 0 }, ""],
        [{ maxBytes: 100, offset: 3 }, "3456789"],
        [{ maxBytes: 2, offset: 3 }, "34"],
        [{ maxBytes: 100, offset: 10 }, ""],
        [{ maxBytes: 100, offset: 99 }, ""],
      ] as const;
      const found = await Promise.all(parts.map(([options]) => read(options)));
      expect(found).toEqual(parts.map(([, text]) => text));
      const missing = await files.readFile(at("missing"), { maxBytes: 1, offset: 1 });
      expect(missing._unsafeUnwrapErr()).toMatchObject({ code: "ENOENT" });
    });

    test("reads no more of a huge file than requested", async () => {
      await writeFile(at("huge"), "");
      truncateSync(at("huge"), 8 * 1024 ** 3);
      await expect(files.readFile(at("huge"), { maxBytes: 100_000 })).resolves.toMatchObject({
        value: { length: 100_000 },
      });
      await writeFile(at("huge"), "end\n", { flag: "a" });
      const end = await files.readFile(at("huge"), { maxBytes: 4, tail: true });
      expect(Buffer.from(end._unsafeUnwrap()).toString()).toBe("end\n");
    });

    test.runIf(process.platform === "linux")("reads a file whose reported size is 0", async () => {
      const read = await files.readFile("/proc/self/status", { maxBytes: 100_000 });
      expect(Buffer.from(read._unsafeUnwrap()).toString()).toContain("Pid:");
    });

    test("never waits for a FIFO, and opens no device and no folder", async () => {
      execFileSync("mkfifo", [at("pipe")]);
      await symlink("/dev/zero", at("endless"));
      const paths = [at("pipe"), at("endless"), dir, at("gone")];
      const read = await Promise.all(paths.map((path) => files.readFile(path, { maxBytes: 10 })));
      const written = await Promise.all([
        files.appendFile(at("pipe"), "x"),
        files.writeFile(at("pipe"), "x"),
      ]);
      const failures = read.map((each) => each._unsafeUnwrapErr());
      expect(failures.map(({ code }) => code)).toEqual(["EINVAL", "EINVAL", "EISDIR", "ENOENT"]);
      const message = `${at("pipe")} is a FIFO, a socket or a device, not a file`;
      expect(failures[0]).toMatchObject({ path: at("pipe"), message });
      expect(written.map((each) => each._unsafeUnwrapErr().code)).toEqual(["EINVAL", "EINVAL"]);
    });
  });

  describe("writeFile", () => {
    test("creates missing folders and a private file, or one with the given mode, which it keeps", async () => {
      expect((await files.writeFile(at("a/b/c"), "text")).isOk()).toBe(true);
      expect(await readFile(at("a/b/c"), "utf8")).toBe("text");
      expect(await modeOf(at("a/b/c"))).toBe(0o600);
      for (const mode of [0o755, 0o600]) {
        await files.writeFile(at("stop"), `#!/bin/sh ${mode}\n`, { mode });
        expect(await modeOf(at("stop"))).toBe(0o755);
      }
    });

    test("writes bytes unchanged, and through a link", async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
      await writeFile(at("target"), "old");
      await symlink("target", at("link"));
      await files.writeFile(at("link"), bytes.subarray(10));
      expect(new Uint8Array(await readFile(at("target")))).toEqual(bytes.subarray(10));
      expect((await readdir(dir)).sort()).toEqual(["link", "target"]);
    });

    test("never mixes the content of concurrent calls", async () => {
      const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(100_000));
      await Promise.all(texts.map((text) => files.writeFile(at("file"), text)));
      expect(texts).toContain(await readFile(at("file"), "utf8"));
      expect(await readdir(dir)).toEqual(["file"]);
    });

    test("fails with the path if it is a folder, or if its parent is a file", async () => {
      await mkdir(at("folder/full"), { recursive: true });
      await writeFile(at("file"), "");
      const paths = [at("folder"), at("file/below")];
      const written = await Promise.all(paths.map((path) => files.writeFile(path, "text")));
      expect(written.map((each) => each._unsafeUnwrapErr())).toMatchObject([
        { path: at("folder"), code: "EISDIR" },
        { path: at("file/below"), code: "EEXIST" },
      ]);
      expect((await readdir(dir)).sort()).toEqual(["file", "folder"]);
    });
  });

  describe("createFile", () => {
    test("creates missing folders and a private file, and leaves no temporary file", async () => {
      const created = await Promise.all([
        files.createFile(at("a/b/file"), "text"),
        files.createFile(at("a/b/open"), "", { mode: 0o644 }),
      ]);
      expect(created.map((each) => each.isOk())).toEqual([true, true]);
      expect(await readFile(at("a/b/file"), "utf8")).toBe("text");
      expect(await modeOf(at("a/b/file"))).toBe(0o600);
      expect(await modeOf(at("a/b/open"))).toBe(0o644);
      expect((await readdir(at("a/b"))).sort()).toEqual(["file", "open"]);
    });

    test("leaves it to the umask what others may do, also with a file that is written or appended to", async () => {
      const umask = process.umask(0o027);
      onTestFinished(() => void process.umask(umask));
      const shared = { mode: 0o666 };
      await Promise.all([
        files.createFile(at("created"), "", shared),
        files.writeFile(at("written"), "", shared),
        files.appendFile(at("appended"), "", shared),
      ]);
      process.umask(0o777);
      await files.createFile(at("mine"), "", { mode: 0o700 });
      expect(
        await Promise.all(["created", "written", "appended"].map((name) => modeOf(at(name))))
      ).toEqual([0o640, 0o640, 0o640]);
      expect(await modeOf(at("mine"))).toBe(0o700);
    });

    test("keeps an existing file, folder or dangling link", async () => {
      await writeFile(at("file"), "old");
      await mkdir(at("folder"));
      await symlink("nothing", at("link"));
      const names = ["file", "folder", "link"];
      const failed = await Promise.all(names.map((name) => files.createFile(at(name), "new")));
      expect(failed.map((each) => each._unsafeUnwrapErr())).toMatchObject(
        names.map((name) => ({ path: at(name), code: "EEXIST" }))
      );
      expect(await readFile(at("file"), "utf8")).toBe("old");
      expect((await readdir(dir)).sort()).toEqual(["file", "folder", "link"]);
    });

    test("creates a complete file for exactly one of many concurrent calls", async () => {
      const texts = Array.from({ length: 8 }, (_, n) => String(n).repeat(50_000));
      const made = await Promise.all(texts.map((text) => files.createFile(at("file"), text)));
      const winners = texts.filter((_, n) => made[n]?.isOk());
      expect(winners).toEqual([await readFile(at("file"), "utf8")]);
      expect(await readdir(dir)).toEqual(["file"]);
    });
  });

  describe("appendFile", () => {
    test("creates a private file and its folders, and appends to an existing file", async () => {
      await files.appendFile(at("logs/runs.jsonl"), "1\n");
      await files.appendFile(at("logs/runs.jsonl"), "2\n");
      expect(await readFile(at("logs/runs.jsonl"), "utf8")).toBe("1\n2\n");
      expect(await modeOf(at("logs/runs.jsonl"))).toBe(0o600);
    });

    test("keeps lines complete in concurrent calls", async () => {
      const lines = Array.from({ length: 20 }, (_, n) => `${n}:${"x".repeat(5000)}\n`);
      await Promise.all(lines.map((line) => files.appendFile(at("log"), line)));
      const written = (await readFile(at("log"), "utf8")).split(/(?<=\n)/);
      expect(written.sort()).toEqual([...lines].sort());
    });
  });

  describe("folders", () => {
    test("lists the names", async () => {
      await writeFile(at("a"), "");
      await mkdir(at("b/c"), { recursive: true });
      const [listed, gone] = await Promise.all([files.list(dir), files.list(at("gone"))]);
      expect([...listed._unsafeUnwrap()].sort()).toEqual(["a", "b"]);
      expect(gone._unsafeUnwrapErr().code).toBe("ENOENT");
    });

    test("renames over an existing file or into a missing folder, and fails if the source is missing", async () => {
      await writeFile(at("old"), "old");
      await writeFile(at("new"), "new");
      for (const to of ["old", "missing/folder/file"]) {
        expect((await files.rename(at("new"), at(to))).isOk()).toBe(true);
        expect(await readFile(at(to), "utf8")).toBe("new");
        const again = await files.rename(at("new"), at(to));
        expect(again._unsafeUnwrapErr().code).toBe("ENOENT");
        await writeFile(at("new"), "new");
      }
    });

    test("removes a file, a folder, a missing path, and a link but not its target", async () => {
      await mkdir(at("keep"));
      await writeFile(at("keep/file"), "");
      await mkdir(at("tree"));
      await symlink(at("keep"), at("tree/link"));
      for (const path of [at("tree"), at("tree"), at("gone/below")]) {
        expect((await files.remove(path)).isOk()).toBe(true);
      }
      expect(await readdir(dir)).toEqual(["keep"]);
      expect(await readdir(at("keep"))).toEqual(["file"]);
      expect((await files.remove(at("keep/file"))).isOk()).toBe(true);
      expect((await files.remove(at("keep/file/below"))).isOk()).toBe(true);
    });
  });
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

function present(found: FileStat | undefined): PresentStat {
  if (found === undefined || !("size" in found)) throw new Error(`not there: ${found?.kind ?? ""}`);
  return found;
}
