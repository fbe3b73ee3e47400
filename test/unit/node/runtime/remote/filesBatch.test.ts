import {
  chmod,
  mkdir,
  readFile,
  readdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "neverthrow";
import { beforeEach, describe, expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import type { FileFailure } from "@/node/runtime/HookRuntime";
import { farMachines } from "@test/helpers/remote/farMachines";
import { LocalShell } from "@test/helpers/remote/localShell";
import { tempDir } from "@test/helpers/tempDir";

const machines = await farMachines();
/** Names that shells, utilities and terminals interpret. */
const NAMES = [
  ...["-rf", "*", ".*[a]", "a\nb\n", "..a", "~", "é 日本"],
  "\u0001\u007f\t",
  ...[`it's "quoted" \`id\` $(id) $HOME`, "a\\n\\0101", "!x!! %s #;", "a".repeat(255)],
  "No such file or directory",
];
const LARGE = Buffer.alloc(MIB).map((_, n) => (n * 31 + (n >> 8)) & 255);
const codeOf = (result: Result<unknown, FileFailure>): string =>
  result.isOk() ? "ok" : result.error.code;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe.each(machines)("batches of RemoteFiles with $name", ({ path }) => {
  let dir: string;
  let shell: LocalShell;
  let files: RemoteFiles;
  const at = (...names: string[]): string => join(dir, ...names);

  beforeEach(async () => {
    dir = await tempDir();
    shell = new LocalShell({ env: { ...process.env, PATH: path } });
    files = new RemoteFiles(shell);
  });

  test("sends the requests of one tick in one session", async () => {
    const names = Array.from({ length: 20 }, (_, n) => at(`file-${n}`));
    await Promise.all(names.slice(0, 5).map((name) => writeFile(name, name)));
    const [stats, more, reads, written, listed] = await Promise.all([
      files.stat(names),
      Promise.all(names.map((name) => files.stat([name]))),
      Promise.all(names.slice(3, 6).map((name) => files.readFile(name, { maxBytes: 1000 }))),
      files.writeFile(at("new"), "é\n"),
      // Requested after other promises that were already resolved.
      Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => files.list(dir)),
    ]);
    expect(shell.opened).toBe(1);
    expect(stats.map(({ kind }) => kind === "file")).toEqual(names.map((_, n) => n < 5));
    expect(more.flat()).toEqual(stats);
    const found = reads.map((read) => read.map(text).unwrapOr("none"));
    expect(found).toEqual([names[3], names[4], "none"]);
    expect(written.isOk()).toBe(true);
    expect(await readFile(at("new"), "utf8")).toBe("é\n");
    expect(listed._unsafeUnwrap().length).toBeGreaterThanOrEqual(5);
    await files.stat([dir]);
    expect(shell.opened).toBe(2);
  });

  test("returns the same results as LocalFiles", async () => {
    await mkdir(at("folder/empty"), { recursive: true });
    await writeFile(at("script"), "#!/bin/sh\n", { mode: 0o755 });
    await utimes(at("script"), -1.25, -1.25);
    await symlink("nothing", at("broken"));
    await symlink("loop", at("loop"));
    const folders = ["folder", "folder/", "folder//empty/..", "script"].map((name) => at(name));
    const paths = ["/", "/dev/null", dir, ...folders];
    const odd = [at("script/"), at("broken"), at("broken/x"), at("gone/a/b"), at("n".repeat(300))];
    const all = [...paths, ...odd, "/proc/self/nothing", "/".repeat(9)];
    expect(await files.stat(all)).toEqual(
      (await new LocalFiles().stat(all)).map((stat) => {
        if (stat.kind !== "failed") return stat;
        const { code } = stat.failure;
        return { kind: "failed", failure: expect.objectContaining({ code }) as unknown };
      })
    );
    const [loop] = await files.stat([at("loop/below")]);
    expect(loop).toMatchObject({ kind: "failed", failure: { code: "ELOOP" } });
  });

  test("stats a thousand paths in one session", async () => {
    const names = Array.from({ length: 1000 }, (_, n) =>
      at(`a folder that is not there/it's file ${n}`)
    );
    for (let n = 0; n < names.length; n += 10) names[n] = at(`${n}`);
    await Promise.all(names.filter((_, n) => n % 10 === 0).map((name) => writeFile(name, "x")));
    const found = await files.stat(names);
    expect(found.map(({ kind }) => kind)).toEqual(
      names.map((_, n) => (n % 10 === 0 ? "file" : "missing"))
    );
    expect(shell.opened).toBe(1);
  });

  test("uploads large files unchanged and in parallel", async () => {
    const contents = [LARGE, Buffer.alloc(200_000, 1), Buffer.alloc(200_000, 2)];
    const written = contents.map((each, n) => files.writeFile(at(`${n}`), each));
    await Promise.all([...written, files.stat([dir])]);
    const found = await Promise.all(contents.map((_, n) => readFile(at(`${n}`))));
    expect(found.map((each, n) => each.equals(contents[n]!))).toEqual([true, true, true]);
    expect(shell.opened).toBe(3);
    const read = await files.readFile(at("0"), { maxBytes: 8 * MIB });
    expect(Buffer.from(read._unsafeUnwrap()).equals(LARGE)).toBe(true);
  });

  test("handles files of any name", async () => {
    const each = <T>(act: (name: string) => Promise<T>): Promise<T[]> =>
      Promise.all(NAMES.map(act));
    const codes = async (
      act: (name: string) => Promise<Result<unknown, FileFailure>>
    ): Promise<string[]> => (await each(act)).map(codeOf);
    const all = (code: string): string[] => NAMES.map(() => code);
    const file = (name: string): string => at("in", name, name);
    const moved = (name: string): string => at("moved", name);

    expect(await codes((name) => files.writeFile(file(name), "12"))).toEqual(all("ok"));
    expect(await codes((name) => files.appendFile(file(name), "345"))).toEqual(all("ok"));
    expect(await codes((name) => files.createFile(file(name), ""))).toEqual(all("EEXIST"));
    expect(await codes((name) => files.rename(file(name), `${file(name)}/below`))).toEqual(
      all("ENOTDIR")
    );
    expect(await files.stat(NAMES.map(file))).toMatchObject(
      NAMES.map(() => ({ kind: "file", size: 5 }))
    );
    expect(await files.stat(NAMES.map(moved))).toEqual(NAMES.map(() => ({ kind: "missing" })));
    const ends = await each((name) => files.readFile(file(name), { maxBytes: 3, tail: true }));
    expect(ends.map((end) => text(end._unsafeUnwrap()))).toEqual(all("345"));
    const lists = await each((name) => files.list(at("in", name)));
    expect(lists.map((list) => list._unsafeUnwrap())).toEqual(NAMES.map((name) => [name]));
    expect(await codes((name) => files.rename(file(name), moved(name)))).toEqual(all("ok"));
    const listed = (await files.list(at("moved")))._unsafeUnwrap();
    expect([...listed].sort()).toEqual([...NAMES].sort());
    expect(await codes((name) => files.remove(moved(name)))).toEqual(all("ok"));
    expect((await files.list(at("moved")))._unsafeUnwrap()).toEqual([]);
    expect((await readdir(dir)).sort()).toEqual(["in", "moved"]);
  });

  test("replaces only permitted targets on a rename, and never moves into a folder", async () => {
    await mkdir(at("full/inner"), { recursive: true });
    await mkdir(at("empty"));
    await mkdir(at("folder"));
    await writeFile(at("file"), "file");
    await symlink("folder", at("link"));
    const code = async (from: string, to: string): Promise<string> =>
      codeOf(await files.rename(at(from), at(to)));
    expect(await code("file", "folder")).toBe("EISDIR");
    expect(await code("folder", "file")).toBe("ENOTDIR");
    expect(await code("folder", "full")).toBe("ENOTEMPTY");
    expect(await code("folder", "folder")).toBe("ok");
    expect(await code("folder", "empty")).toBe("ok");
    await mkdir(at("folder"));
    expect(await code("file", "link")).toBe("ok");
    expect(await readFile(at("link"), "utf8")).toBe("file");
    expect(await readdir(at("folder"))).toEqual([]);
  });

  test("keeps the mode and the location of a file that is overwritten through links", async () => {
    await mkdir(at("a/b"), { recursive: true });
    await writeFile(at("a/target\n"), "old");
    await chmod(at("a/target\n"), 0o640);
    await symlink("../target\n", at("a/b/first"));
    await symlink(at("a/b/first"), at("second"));
    expect((await files.writeFile(at("second"), "new", { mode: 0o755 })).isOk()).toBe(true);
    expect(await readFile(at("a/target\n"), "utf8")).toBe("new");
    expect((await stat(at("a/target\n"))).mode & 0o777).toBe(0o640);
    expect((await readdir(at("a"))).sort()).toEqual(["b", "target\n"]);
  });
});
