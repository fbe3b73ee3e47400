// `make run`: an agent that considers its work done too early, in a project that sends it back: first by its hooks,
// then by the gates of its gauntlet. The project is a copy in a temporary folder, which is removed afterwards. No other
// files are changed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const fixture = join(repository, "fixtures", "projects", "slug");
const parts = [
  {
    message: "Titles with accents or punctuation break our links. Please look into `slug`.",
    script: `${fixture}.turns.yml`,
  },
  {
    message: "Long titles make long links. Please cut them.",
    script: `${fixture}.gauntlet.turns.yml`,
  },
];

const root = realpathSync(mkdtempSync(join(tmpdir(), "mux-hooks-demo-")));
process.on("exit", () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
const folder = (name) => {
  mkdirSync(join(root, name));
  return join(root, name);
};

const project = join(root, "slug");
const env = {
  // The hooks run `node`, which has to be the Node of this process.
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  ...pick("LANG", "LC_ALL", "TERM", "COLORTERM", "NO_COLOR"),
  HOME: folder("home"),
  TMPDIR: folder("tmp"),
  MUX_ROOT: join(root, "home", ".mux"),
  MUX_HOOKS_TRUST: "always",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Demo",
  GIT_AUTHOR_EMAIL: "demo@example.com",
  GIT_COMMITTER_NAME: "Demo",
  GIT_COMMITTER_EMAIL: "demo@example.com",
};

cpSync(fixture, project, { recursive: true });
git("init", "--quiet", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--message", "slug 1.2.0");
git("switch", "--quiet", "--create", "slug-accents");

let session;
// The terminal sends Ctrl-C to the session, too. This process exits after the session has ended its hooks.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => session?.kill(signal));

for (const { message, script } of parts) {
  const command = join(repository, "bin", "mux-hooks.cjs");
  const args = [command, "run", "--project", project, "--script", script, message];
  session = spawn(process.execPath, args, { cwd: project, env, stdio: "inherit" });
  const [code] = await once(session, "exit");
  process.exitCode = code ?? 1;
  if (code !== 0) break;
}

function git(...args) {
  const { status, stderr, error } = spawnSync("git", args, { cwd: project, env, encoding: "utf8" });
  if (status === 0) return;
  console.error(`make run needs git 2.28 or newer: ${error?.message ?? stderr.trim()}`);
  process.exit(1);
}

function pick(...names) {
  return Object.fromEntries(names.flatMap((n) => (n in process.env ? [[n, process.env[n]]] : [])));
}
