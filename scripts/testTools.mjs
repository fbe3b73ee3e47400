// `make test-tools`: runs `init` and the hook that it installs in a tiny project of each tool, and prints a table.
// TOOLS=go,just names some of them, TOOLS_CACHE the folder of the programs, TOOLS_REQUIRED those that must not be missing.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { findProgram } from "./programs.mjs";
import { TOOL_PROJECTS } from "./toolProjects.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const cache = process.env.TOOLS_CACHE ?? join(repository, "node_modules", ".cache", "tools");
const gauntlet = join(repository, "bin", "agent-gauntlet.cjs");
const COLUMNS = ["proposed", "tried", "blocked", "passes", "seconds"];

/** Installs what a project needs. Returns the folders for PATH. */
function install({ name, programs, packages = [], python = [] }) {
  const folder = join(cache, name.replace(" ", "-"));
  const wanted = JSON.stringify({ programs, packages, python });
  const stamp = join(folder, "installed.json");
  // Not the folder of npm, which the gauntlet ignores, because an agent does not have it.
  const bins = packages.length + python.length > 0 ? [join(folder, "bin")] : [];
  if (bins.length === 0 || (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted)) {
    return { folder, bins };
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: folder, stdio: "pipe", timeout: 600_000 });
  if (packages.length > 0) {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages);
  }
  if (python.length > 0) {
    run("python3", "-m", "venv", "python");
    run(join(folder, "python", "bin", "pip"), "install", "--quiet", ...python);
  }
  mkdirSync(join(folder, "bin"));
  for (const program of programs) {
    const installed = ["node_modules/.bin", "python/bin"].map((bin) => join(folder, bin, program));
    const path = installed.find((file) => existsSync(file));
    // The Python of an environment belongs to the project, not to PATH.
    if (path !== undefined && program !== "python3")
      symlinkSync(path, join(folder, "bin", program));
  }
  writeFileSync(stamp, wanted);
  return { folder, bins };
}

/** Creates the project, and returns functions that act in it. */
function createProject({ files, linked = [], python = [], setup }, { folder, bins }) {
  const root = mkdtempSync(join(tmpdir(), "test-tools-"));
  const [dir, home] = [join(root, "project"), join(root, "home")];
  mkdirSync(home);
  const own = Object.entries(process.env).filter(([key]) => !/^(?:npm_|GIT_|CI$|MAKE)/.test(key));
  const env = {
    ...Object.fromEntries(own),
    PATH: [...bins, process.env.PATH].join(delimiter),
    HOME: home,
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME ?? "", ".rustup"),
    CLAUDE_PROJECT_DIR: dir,
    NX_DAEMON: "false",
    DO_NOT_TRACK: "1",
    YARN_ENABLE_TELEMETRY: "0",
    TURBO_TELEMETRY_DISABLED: "1",
    ...Object.fromEntries(["AUTHOR", "COMMITTER"].flatMap((role) => personOf(role))),
  };
  const write = (path, text) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const name of linked) {
    mkdirSync(join(dir, "node_modules", ".bin"), { recursive: true });
    const modules = join(folder, "node_modules");
    symlinkSync(join(modules, name), join(dir, "node_modules", name));
    symlinkSync(join(modules, ".bin", name), join(dir, "node_modules", ".bin", name));
  }
  if (python.includes("pytest")) symlinkSync(join(folder, "python"), join(dir, ".venv"));
  const sh = (script, input = "") => {
    const options = { cwd: dir, env, input, encoding: "utf8", timeout: 300_000 };
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", script], options);
    return { status, stdout, stderr };
  };
  const commit = () =>
    ensure(sh("git init -q -b main; git add -A; git commit -q --allow-empty -m x"));
  if (setup !== undefined) ensure(sh(setup));
  commit();
  return { dir, write, sh, commit, remove: () => rmSync(root, { recursive: true, force: true }) };
}

const personOf = (role) => [
  [`GIT_${role}_NAME`, "Ada"],
  [`GIT_${role}_EMAIL`, "ada@example.org"],
];

function ensure({ status, stdout, stderr }) {
  if (status !== 0) throw new Error(`exit code ${status}: ${stdout}${stderr}`.trim());
  return stdout;
}

/** Returns what the installed hook decides. */
function stop({ dir, sh }) {
  const settings = JSON.parse(readFileSync(join(dir, ".claude/settings.local.json"), "utf8"));
  const { command } = settings.hooks.Stop[0].hooks[0];
  const input = { hook_event_name: "Stop", session_id: "1", cwd: dir, stop_hook_active: false };
  const { stdout, stderr } = sh(command, JSON.stringify(input));
  return { isBlocked: stdout.includes('"decision":"block"'), told: `${stdout}${stderr}` };
}

function test(tool) {
  const started = performance.now();
  const project = createProject(tool, install(tool));
  const result = {};
  const said = [];
  try {
    const printed = ensure(project.sh(`node ${gauntlet} init --yes --hook claude`));
    const folder = join(project.dir, ".gauntlet/checks");
    const written = readdirSync(folder).map((file) => [
      file.replace(/\.yml$/, ""),
      parse(readFileSync(join(folder, file), "utf8")).command,
    ]);
    const commands = new Map(written);
    const wanted = Object.entries(tool.checks);
    result.proposed = wanted.every(([name, command]) => commands.get(name) === command);
    result.tried = wanted.every(([name]) => printed.includes(`✓ ${name}: passed`));
    said.push(printed);
    project.commit();
    const { path, broken, fixed } = tool.change;
    project.write(path, broken);
    const first = stop(project);
    result.blocked = first.isBlocked;
    project.write(path, fixed);
    const second = stop(project);
    result.passes = !second.isBlocked && second.told.includes("all gates passed");
    said.push(first.told, second.told);
  } catch (thrown) {
    said.push(thrown.message);
  } finally {
    project.remove();
  }
  const isGood = ["proposed", "tried", "blocked", "passes"].every((key) => result[key] === true);
  if (!isGood) console.log(`${tool.name}:\n${said.join("\n")}`);
  return { ...result, isGood, seconds: ((performance.now() - started) / 1_000).toFixed(1) };
}

/** Returns why a tool cannot be tested, or undefined. */
function missing(tool) {
  let bins;
  try {
    ({ bins } = install(tool));
  } catch (thrown) {
    return `it could not be installed: ${
      String(thrown.stderr ?? thrown.message)
        .trim()
        .split("\n")[0]
    }`;
  }
  const lacks = tool.programs.find(
    (name) =>
      findProgram({ name }) === undefined && !bins.some((bin) => existsSync(join(bin, name)))
  );
  if (lacks !== undefined) return `${lacks} is not on PATH`;
  if (tool.probe === undefined || spawnSync("sh", ["-c", tool.probe]).status === 0)
    return undefined;
  return `"${tool.probe}" fails`;
}

function main() {
  const named = splitNames(process.env.TOOLS);
  const required = splitNames(process.env.TOOLS_REQUIRED);
  const tools = TOOL_PROJECTS.filter(
    ({ name }) => named.length === 0 || named.includes(name.toLowerCase())
  );
  const rows = tools.map((tool) => {
    const reason = missing(tool);
    return { name: tool.name, ...(reason === undefined ? test(tool) : { reason }) };
  });
  console.log(
    ["tool".padEnd(14), ...COLUMNS.map((column) => column.padEnd(10))].join("").trimEnd()
  );
  for (const { name, reason, ...result } of rows) {
    const cells = COLUMNS.map((column) => String(cellOf(result[column])).padEnd(10)).join("");
    console.log(
      `${name.padEnd(14)}${reason === undefined ? cells : `not tested: ${reason}`}`.trimEnd()
    );
  }
  const isRequired = (name) => required.includes(name.toLowerCase());
  const bad = rows.filter(({ name, reason, isGood }) => (reason ? isRequired(name) : !isGood));
  if (bad.length > 0) process.exitCode = 1;
}

function cellOf(value) {
  if (typeof value === "string") return value;
  return value === true ? "yes" : "NO";
}

function splitNames(names = "") {
  return names
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

main();
