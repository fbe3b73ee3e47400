// `make picture`: writes docs/stop.svg, the picture of the README. It runs a session with a scripted agent on a copy of
// the project of the demo, with one of its hooks, and draws the output of the terminal. With --print it prints the
// picture instead of writing it.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal } from "./terminalPicture.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const fixture = join(repository, "fixtures", "projects", "slug");
const target = join(repository, "docs", "stop.svg");
const MESSAGE = "Titles with accents or punctuation break our links.";
const MAX_LINES = 30;

const root = realpathSync(mkdtempSync(join(tmpdir(), "mux-hooks-picture-")));
try {
  const printed = runSession();
  const picture = drawTerminal(asPictured(printed), "An agent is sent back by a failing test");
  if (process.argv[2] === "--print") process.stdout.write(picture);
  else writeFileSync(target, picture);
} catch (error) {
  console.error(`make picture: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

function runSession() {
  const [project, home, script] = ["slug", "home", "turns.yml"].map((name) => join(root, name));
  mkdirSync(home);
  cpSync(fixture, project, { recursive: true });
  rmSync(join(project, ".gauntlet"), { recursive: true });
  rmSync(join(project, ".mux", "stop"));
  const tests = { type: "command", command: '"$MUX_PROJECT_DIR"/.mux/hooks/tests.sh' };
  const hook = { ...tests, statusMessage: "Running the tests" };
  const settings = { hooks: { Stop: [{ hooks: [hook] }] } };
  writeFileSync(join(project, ".mux", "settings.json"), JSON.stringify(settings));
  cpSync(`${fixture}.turns.yml`, script);
  const command = [join(repository, "bin", "mux-hooks.cjs"), "run"];
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: root,
    MUX_ROOT: join(home, ".mux"),
    MUX_HOOKS_TRUST: "always",
    FORCE_COLOR: "1",
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...command, "--project", project, "--script", script, MESSAGE],
    { cwd: project, env, encoding: "utf8" }
  );
  if (status !== 0)
    throw new Error(`mux-stop-hooks hooks run failed with exit code ${status}:\n${stderr}`);
  return stdout;
}

/** Removes what differs between two sessions: durations, and the progress that a terminal overwrites. */
function asPictured(printed) {
  const lines = printed
    .trim()
    .split("\n")
    .filter((line) => !/ running +/.test(line))
    .map((line) => line.replace(/ +\d+(?:\.\d+)?m?s /, ({ length }) => "0.4s ".padStart(length)));
  if (lines.length > MAX_LINES) throw new Error(`the session has ${lines.length} lines`);
  return lines;
}
