import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MIB } from "@/common/limits";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import type { RemoteSession, RemoteShell } from "@/node/runtime/remote/RemoteShell";
import { farMachines } from "@test/helpers/remote/farMachines";
import { LocalShell } from "@test/helpers/remote/localShell";
import { execFileAsync } from "@test/helpers/process/processes";
import { has, pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

const machines = await farMachines();
const isRoot = process.getuid?.() === 0;
const canMount = isRoot && has("mount") && has("umount") && (await mountsTmpfs());
if (!canMount) console.error("skipped: a full disk, since this user cannot mount one");

let dir: string;
const at = (...names: string[]): string => join(dir, ...names);

beforeEach(async () => {
  dir = await tempDir();
});

describe.each(machines)("file errors of RemoteFiles with $name", ({ path }) => {
  const far = (): LocalShell => new LocalShell({ env: { ...process.env, PATH: path } });

  test.each(["writeFile", "createFile", "appendFile"] as const)(
    "%s keeps the old file if it is interrupted, and leaves no other file (H35)",
    async (how) => {
      const file = how === "createFile" ? "new" : "file";
      await writeFile(at("file"), "old");
      const shell = new HeldShell(far(), MIB);
      const files = new RemoteFiles(shell);
      const asked = files[how](at(file), "x".repeat(2 * MIB));
      await expectSoon(() => readdir(dir)).toHaveLength(2); // The file, and a part of the new one.
      shell.cut();
      const failure = (await asked)._unsafeUnwrapErr();
      expect(failure).toMatchObject({ path: at(file), code: "ELOST" });
      expect(failure.message).toContain("the connection was cut");
      await expectSoon(() => readdir(dir)).toEqual(["file"]);
      expect(await readFile(at("file"), "utf8")).toBe("old");
    }
  );

  test("does not begin a batch that is incomplete (H35)", async () => {
    const login = ["sh", "-c", `sh -c "$0"; : >"$DONE"`];
    const env = { ...process.env, PATH: path, DONE: at("done") };
    const shell = new HeldShell(new LocalShell({ login, env }), 200_000);
    const files = new RemoteFiles(shell);
    const names = Array.from({ length: 20 }, (_, n) => at(`${n}`));
    const asked = Promise.all(names.map((name) => files.writeFile(name, "x".repeat(20_000))));
    await shell.held;
    shell.cut();
    expect((await asked).every((each) => each.isErr())).toBe(true);
    await expectSoon(() => readdir(dir)).toEqual(["done"]);
  });

  test.runIf(canMount)("keeps the old file on a full disk, and returns a reason", async () => {
    await withSmallDisk(async (disk) => {
      const files = new RemoteFiles(far());
      const file = join(disk, "file");
      await writeFile(file, "old");
      for (const size of [20_000, 100_000]) {
        const results = await Promise.all([
          files.writeFile(file, "x".repeat(size)),
          files.createFile(join(disk, "new"), "x".repeat(size)),
          files.appendFile(file, "x".repeat(size)),
        ]);
        const codes = results.map((each) => each._unsafeUnwrapErr().code);
        expect(codes).toEqual(["ENOSPC", "ENOSPC", "ENOSPC"]);
      }
      expect(await readFile(file, "utf8")).toBe("old");
      expect(await readdir(disk)).toEqual(["file"]);
    });
  });

  test.runIf(isRoot && has("setpriv"))(
    "reports inaccessible files as EACCES, not as missing",
    async () => {
      const setpriv = pathOf("setpriv") ?? "";
      const login = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c"];
      const files = new RemoteFiles(new LocalShell({ login, env: { ...process.env, PATH: path } }));
      await chmod(dir, 0o755);
      await mkdir(at("closed"));
      await writeFile(at("closed/file"), "secret");
      await chmod(at("closed"), 0o700);
      await writeFile(at("private"), "secret", { mode: 0o600 });
      const [inside, itself] = await files.stat([at("closed/file"), at("private")]);
      expect(inside).toMatchObject({ kind: "failed", failure: { code: "EACCES" } });
      expect(itself).toMatchObject({ kind: "file", size: 6 });
      const refused = await Promise.all([
        files.readFile(at("private"), { maxBytes: 10 }),
        files.readFile(at("closed/file"), { maxBytes: 10 }),
        files.list(at("closed")),
        files.writeFile(at("private"), "mine"),
        files.appendFile(at("private"), "mine"),
        files.createFile(at("new"), "mine"),
        files.rename(at("private"), at("mine")),
        files.remove(at("private")),
        files.remove(at("closed/file")),
        files.writeFile(at("folder/mine"), ""),
      ]);
      expect(refused.map((each) => each._unsafeUnwrapErr().code)).toEqual(
        refused.map(() => "EACCES")
      );
      expect((await readdir(dir)).sort()).toEqual(["closed", "private"]);
    }
  );

  test("returns all other results if a file disappears between two calls", async () => {
    // The first `stat` for several files fails, as if one of them had disappeared.
    const folder = await tempDir();
    const options = { env: { PATH: path } };
    const { stdout } = await execFileAsync("sh", ["-c", "command -v stat"], options);
    const script = `#!/bin/sh\n[ $# -lt 5 ] || exit 1\nexec ${stdout.trim()} "$@"\n`;
    await writeFile(join(folder, "stat"), script, { mode: 0o755 });
    const shell = new LocalShell({ env: { ...process.env, PATH: `${folder}:${path}` } });
    await writeFile(at("file"), "123");
    const found = await new RemoteFiles(shell).stat([at("file"), at("gone"), dir, "/"]);
    expect(found.map(({ kind }) => kind)).toEqual(["file", "missing", "directory", "directory"]);
    expect(shell.opened).toBe(1);
  });

  test("creates a private folder, and removes it", async () => {
    const cache = at("it's a cache\n");
    const env = { PATH: path, HOME: at("home"), XDG_CACHE_HOME: cache };
    const files = new RemoteFiles(new LocalShell({ env }));
    const [one, same] = await Promise.all([files.scratchDir(), files.scratchDir()]);
    const folder = one._unsafeUnwrap();
    expect(same._unsafeUnwrap()).toBe(folder);
    expect(folder).toMatch(join(cache, "mux-stop-hooks/session-"));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await files.writeFile(join(folder, "a/file"), "text");
    await files.dispose();
    expect(await readdir(join(cache, "mux-stop-hooks"))).toEqual([]);

    const scratchOf = (own: NodeJS.ProcessEnv) =>
      new RemoteFiles(new LocalShell({ env: { PATH: path, ...own } })).scratchDir();
    const atHome = (await scratchOf({ HOME: at("home") }))._unsafeUnwrap();
    expect(atHome).toContain(at("home/.cache/mux-stop-hooks/"));
    const { message } = (await scratchOf({}))._unsafeUnwrapErr();
    expect(message).toContain("neither HOME nor XDG_CACHE_HOME");
  });
});

describe("connection errors of RemoteFiles", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const failureOf = async (shell: RemoteShell) => {
    const files = new RemoteFiles(shell);
    const [[found], read] = await Promise.all([
      files.stat([at("file")]),
      files.readFile(at("file"), { maxBytes: 1 }),
    ]);
    const failure = read._unsafeUnwrapErr();
    expect(found).toEqual({ kind: "failed", failure });
    return failure;
  };

  test("ignores the output of a login shell", async () => {
    await writeFile(at("file"), "text");
    const files = new RemoteFiles(new LocalShell({ banner: "Welcome!\n0\n\n" }));
    const found = await files.stat([at("file"), at("gone")]);
    expect(found).toMatchObject([{ size: 4 }, { kind: "missing" }]);
  });

  test("returns the error of a machine that runs nothing (H35)", async () => {
    const refusing = ["sh", "-c", "echo 'This account is\tnot available.' >&2; exit 3"];
    expect(await failureOf(new LocalShell({ login: refusing }))).toEqual({
      path: at("file"),
      code: "ELOST",
      message: `${at("file")} on local-shell: the shell on the machine ended with exit code 3 before its reply was complete; it printed: This account is\\tnot available.`,
    });
    const nowhere = new LocalShell({ login: [at("no shell")] });
    expect(await failureOf(nowhere)).toMatchObject({ code: "ELOST" });
  });

  test("fails if a machine answers without end", async () => {
    const shell = new LocalShell({ login: ["sh", "-c", "exec yes $(printf %01000d 1)"] });
    expect((await failureOf(shell)).message).toContain("the reply of the machine is too long");
  });

  test("fails after a time limit if a machine never answers (H35)", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const shell = new HeldShell(new LocalShell({ login: ["sh", "-c", "exec cat >/dev/null"] }), 0);
    const failure = failureOf(shell);
    await shell.held;
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(61_000);
    expect((await failure).message).toContain("the machine did not reply within 60 s");
  });

  test("rejects a path that is not absolute or contains a NUL", async () => {
    const shell = new LocalShell();
    const files = new RemoteFiles(shell);
    for (const path of ["relative", "-rf", "", "/a\0b"]) {
      expect((await files.remove(path)).isErr()).toBe(true);
      expect((await files.rename("/tmp/nothing here", path)).isErr()).toBe(true);
      expect(await files.stat([path])).toMatchObject([{ kind: "failed" }]);
    }
    expect(shell.opened).toBe(0);
  });
});

/** A shell that passes on a limited number of bytes of standard input, and holds the rest. */
class HeldShell implements RemoteShell {
  readonly label = "ssh://box";
  /** Resolves once bytes are held, or the input has ended. */
  readonly held: Promise<void>;
  #isHeld: () => void = () => undefined;

  constructor(
    private readonly shell: LocalShell,
    private readonly bytes: number
  ) {
    this.held = new Promise((resolve) => (this.#isHeld = resolve));
  }

  async open(line: string): Promise<RemoteSession> {
    const session = await this.shell.open(line);
    const stdin = new PassThrough();
    let left = this.bytes;
    stdin.on("data", (chunk: Buffer) => {
      if (left > 0) session.stdin.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) this.#isHeld();
    });
    stdin.on("end", () => {
      this.#isHeld();
    });
    return { ...session, stdin };
  }

  cut(): void {
    this.shell.cut();
  }

  dispose(): Promise<void> {
    return this.shell.dispose();
  }
}

async function mountsTmpfs(): Promise<boolean> {
  return await withSmallDisk(() => Promise.resolve()).then(
    () => true,
    () => false
  );
}

/** Mounts a disk of 16 KiB for `use`. */
async function withSmallDisk(use: (disk: string) => Promise<void>): Promise<void> {
  const disk = await tempDir();
  await execFileAsync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]);
  try {
    await use(disk);
  } finally {
    await execFileAsync("umount", ["-l", disk]);
  }
}
