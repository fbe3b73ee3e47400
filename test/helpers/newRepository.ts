/**
 * Writes a repository as `git init`, `git add --all` and `git commit` would. A test run creates two thousand, and three
 * processes cost ten times as much CPU.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

/** Files that change what `git add` does with others. */
const NEEDS_GIT = /^\.git(?:ignore|attributes|modules)?$/;
const NO_COMMIT = "0".repeat(40);

/**
 * Creates a repository whose first commit, on `main`, has all existing files.
 *
 * @param env of git, with the name and the address of a person
 * @param branch a branch that is created at that commit and checked out
 */
export function createRepository(dir: string, env: NodeJS.ProcessEnv, branch?: string): void {
  const entries = fs.readdirSync(dir, { recursive: true, withFileTypes: true });
  if (entries.some(({ name }) => NEEDS_GIT.test(name))) {
    const added = "git init -qb main && git add --all && git commit -q --allow-empty -m first";
    const line = branch === undefined ? added : `${added} && git switch -qc ${branch}`;
    execFileSync("sh", ["-c", line], { cwd: dir, env, stdio: "pipe" });
    return;
  }
  const git = createEmptyRepository(dir);
  const index: Buffer[] = [];
  const tree = store(git, "tree", treeOf(git, dir, "", index));
  const person = `${env.GIT_AUTHOR_NAME} <${env.GIT_AUTHOR_EMAIL}> ${Math.trunc(Date.now() / 1000)} +0000`;
  const text = `tree ${tree.toString("hex")}\nauthor ${person}\ncommitter ${person}\n\nfirst\n`;
  const commit = store(git, "commit", Buffer.from(text)).toString("hex");
  writeIndex(git, index);
  const write = (path: string, content: string): void => {
    fs.writeFileSync(join(git, path), content);
  };
  const first = `${NO_COMMIT} ${commit} ${person}\tcommit (initial): first\n`;
  fs.mkdirSync(join(git, "logs/refs/heads"), { recursive: true });
  write("refs/heads/main", `${commit}\n`);
  write("logs/refs/heads/main", first);
  write("logs/HEAD", first);
  if (branch === undefined) return;
  write(`refs/heads/${branch}`, `${commit}\n`);
  write(
    `logs/refs/heads/${branch}`,
    `${NO_COMMIT} ${commit} ${person}\tbranch: Created from HEAD\n`
  );
  const moved = `checkout: moving from main to ${branch}`;
  write("logs/HEAD", `${first}${commit} ${commit} ${person}\t${moved}\n`);
  write("HEAD", `ref: refs/heads/${branch}\n`);
}

/** Creates a repository without a commit. Returns its git folder. */
export function createEmptyRepository(dir: string): string {
  const git = join(dir, ".git");
  for (const name of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"]) {
    fs.mkdirSync(join(git, name), { recursive: true });
  }
  fs.writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  fs.writeFileSync(join(git, "info/exclude"), "# Ignored files of this clone\n");
  const core = ["repositoryformatversion = 0", "filemode = true", "bare = false"];
  const lines = ["[core]", ...[...core, "logallrefupdates = true"].map((line) => `\t${line}`)];
  fs.writeFileSync(join(git, "config"), `${lines.join("\n")}\n`);
  return git;
}

/** Stores an object, and returns its id. */
function store(git: string, type: "blob" | "tree" | "commit", content: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash("sha1").update(data).digest();
  const [, folder = "", name = ""] = /^(..)(.*)$/.exec(id.toString("hex")) ?? [];
  fs.mkdirSync(join(git, "objects", folder), { recursive: true });
  const path = join(git, "objects", folder, name);
  if (!fs.existsSync(path))
    fs.writeFileSync(path, deflateSync(data, { level: 1 }), { mode: 0o444 });
  return id;
}

/** Stores what is in a folder, adds its files to the entries of the index, and returns the content of its tree. */
function treeOf(git: string, dir: string, prefix: string, index: Buffer[]): Buffer {
  const rows: Buffer[] = [];
  const sorted = fs
    .readdirSync(join(dir, prefix), { withFileTypes: true })
    .filter(({ name }) => name !== ".git")
    // By bytes, with folders as if their names ended with a slash.
    .map(
      (entry) => [Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name), entry] as const
    )
    .sort(([a], [b]) => a.compare(b));
  for (const [, entry] of sorted) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      const tree = treeOf(git, dir, `${path}/`, index);
      if (tree.length > 0)
        rows.push(Buffer.from(`40000 ${entry.name}\0`), store(git, "tree", tree));
      continue;
    }
    const isLink = entry.isSymbolicLink();
    if (!isLink && !entry.isFile()) continue;
    const stat = fs.lstatSync(join(dir, path), { bigint: true });
    const content = isLink
      ? fs.readlinkSync(join(dir, path), "buffer")
      : fs.readFileSync(join(dir, path));
    const id = store(git, "blob", content);
    const mode = isLink ? 0o120000 : (stat.mode & 0o100n) === 0n ? 0o100644 : 0o100755;
    rows.push(Buffer.from(`${mode.toString(8)} ${entry.name}\0`), id);
    index.push(indexEntry(Buffer.from(path), mode, id, stat));
  }
  return Buffer.concat(rows);
}

/** Returns an entry of an index of version 2: ten numbers of 32 bits, the id, the length of the path, and the path. */
function indexEntry(path: Buffer, mode: number, id: Buffer, stat: fs.BigIntStats): Buffer {
  const second = 1_000_000_000n;
  const times = [stat.ctimeNs, stat.mtimeNs].flatMap((ns) => [ns / second, ns % second]);
  const numbers = [...times, stat.dev, stat.ino, BigInt(mode), stat.uid, stat.gid, stat.size];
  // At least one zero byte ends the path.
  const entry = Buffer.alloc((62 + path.length + 8) & ~7);
  for (const [at, value] of numbers.entries())
    entry.writeUInt32BE(Number(value & 0xffffffffn), at * 4);
  id.copy(entry, 40);
  entry.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  path.copy(entry, 62);
  return entry;
}

function writeIndex(git: string, entries: readonly Buffer[]): void {
  const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(entries.length, 8);
  const data = Buffer.concat([head, ...entries]);
  fs.writeFileSync(
    join(git, "index"),
    Buffer.concat([data, createHash("sha1").update(data).digest()])
  );
}
