// The projects in which `make tool-outputs` runs tools, and the fixtures that it writes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const output = fileURLToPath(new URL("../../fixtures/toolOutputs", import.meta.url));
const versionsFile = join(output, "versions.json");

const root = realpathSync(mkdtempSync(join(tmpdir(), "tool-outputs-")));
process.on("exit", () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

/** By tool, the version whose output is saved. */
export const versions = readVersions();

export function saveVersions() {
  const sorted = Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(versionsFile, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Creates a project, and returns functions that run programs in it and save their output. */
export function project(name, files) {
  const dir = join(root, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const plain = (text) => text.replaceAll(dir, "/project").replaceAll(root, "/scratch");
  const write = (file, text) => {
    mkdirSync(output, { recursive: true });
    writeFileSync(join(output, file), plain(text));
    console.log(`${file} (${text.length} characters)`);
  };
  return {
    dir,
    /** Returns both streams in the order in which they were written, as a log has them. */
    run: (program, args, env = {}) => {
      const quoted = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
      const { status, stdout } = spawnSync("sh", ["-c", `${quoted.join(" ")} 2>&1`], {
        cwd: dir,
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", ...env },
      });
      return { status, text: stdout };
    },
    save: (file, { text }) => write(file, text),
    file: (file, path) => write(file, readFileSync(join(dir, path), "utf8")),
  };
}

export function packageVersion(dir, name) {
  return JSON.parse(readFileSync(join(dir, "node_modules", name, "package.json"), "utf8")).version;
}

function readVersions() {
  try {
    return JSON.parse(readFileSync(versionsFile, "utf8"));
  } catch {
    return {};
  }
}
