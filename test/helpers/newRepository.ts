/**
 * Writes a repository as `git init`, `git add --all` and `git commit` would. A test run needs hundreds, and the
 * processes of git would cost twenty times as much CPU.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

const NO_COMMIT = "0".repeat(40);
const CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";

/**
 * Creates a repository whose first commit, on `main`, has all existing files.
 *
 * @param env of git, with the name and the address of a person
 * @param branch a branch that is created at that commit and checked out
 */
export function createRepository(dir: string, env: NodeJS.ProcessEnv, branch = "main"): void {
  const found = fs.readdirSync(dir, { recursive: true, withFileTypes: true });
  // Ignored files, attributes, other repositories, links and the like are left to git.
  if (found.some((it) => it.name.startsWith(".git") || !(it.isFile() || it.isDirectory()))) {
    const line = `git init -qb main && git add --all && git commit -qm first && git switch -qC ${branch}`;
    execFileSync("sh", ["-c", line], { cwd: dir, env, stdio: "pipe" });
    return;
  }
  const git = createEmptyRepository(dir, branch);
  const index: Buffer[] = [];
  const tree = storeObject(git, "tree", storeFiles(git, dir, "", index)).toString("hex");
  const person = `${env.GIT_AUTHOR_NAME} <${env.GIT_AUTHOR_EMAIL}> ${Math.trunc(Date.now() / 1000)} +0000`;
  const text = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nfirst\n`;
  const commit = storeObject(git, "commit", Buffer.from(text)).toString("hex");
  const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\0");
  head.writeUInt32BE(index.length, 8);
  const entries = Buffer.concat([head, ...index]);
  write(git, "index", Buffer.concat([entries, createHash("sha1").update(entries).digest()]));
  const first = `${NO_COMMIT} ${commit} ${person}\tcommit (initial): first\n`;
  const moved = `${commit} ${commit} ${person}\tcheckout: moving from main to ${branch}\n`;
  const created = `${NO_COMMIT} ${commit} ${person}\tbranch: Created from HEAD\n`;
  write(git, "logs/HEAD", branch === "main" ? first : first + moved);
  for (const name of new Set([branch, "main"])) {
    write(git, `refs/heads/${name}`, `${commit}\n`);
    write(git, `logs/refs/heads/${name}`, name === "main" ? first : created);
  }
}

/** Creates a repository without a commit. Returns its git folder. */
export function createEmptyRepository(dir: string, branch = "main"): string {
  const git = join(dir, ".git");
  for (const name of ["hooks", "objects/info", "objects/pack", "refs/heads", "refs/tags"]) {
    fs.mkdirSync(join(git, name), { recursive: true });
  }
  write(git, "HEAD", `ref: refs/heads/${branch}\n`);
  write(git, "config", CONFIG);
  write(git, "info/exclude", "# Ignored files of this clone\n");
  return git;
}

function write(git: string, path: string, content: string | Buffer): void {
  fs.mkdirSync(dirname(join(git, path)), { recursive: true });
  fs.writeFileSync(join(git, path), content);
}

/** Returns the id of the object. */
function storeObject(git: string, type: "blob" | "tree" | "commit", content: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash("sha1").update(data).digest();
  const path = id.toString("hex").replace(/^../, "objects/$&/");
  if (!fs.existsSync(join(git, path))) write(git, path, deflateSync(data, { level: 1 }));
  return id;
}

/** Stores the files in a folder, adds them to the entries of the index, and returns the content of its tree. */
function storeFiles(git: string, dir: string, prefix: string, index: Buffer[]): Buffer {
  const rows: Buffer[] = [];
  const found = fs
    .readdirSync(join(dir, prefix), { withFileTypes: true })
    .map((it) => (it.isDirectory() ? `${it.name}/` : it.name))
    .filter((name) => name !== ".git/");
  for (const name of found.toSorted((a, b) => Buffer.from(a).compare(Buffer.from(b)))) {
    const path = `${prefix}${name}`;
    if (name.endsWith("/")) {
      const tree = storeFiles(git, dir, path, index);
      const row = Buffer.from(`40000 ${name.slice(0, -1)}\0`);
      if (tree.length > 0) rows.push(row, storeObject(git, "tree", tree));
      continue;
    }
    const stat = fs.lstatSync(join(dir, path), { bigint: true });
    const id = storeObject(git, "blob", fs.readFileSync(join(dir, path)));
    const mode = (stat.mode & 0o100n) === 0n ? 0o100644 : 0o100755;
    rows.push(Buffer.from(`${mode.toString(8)} ${name}\0`), id);
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
  numbers.forEach((value, at) => entry.writeUInt32BE(Number(value & 0xffffffffn), at * 4));
  id.copy(entry, 40);
  entry.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  path.copy(entry, 62);
  return entry;
}
