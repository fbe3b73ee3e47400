// `make test-hosts`: installs the agent command lines, runs test/hosts with them, and prints a table of the results.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AGENT_HOSTS, chosenHosts, findHost, installHost, splitNames } from "./agentHosts.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const report = join(repository, ".cache", "hosts.json");
/** Written by test/hosts/complaints. */
const figures = join(repository, ".cache", "complaints.json");

/** Installs what is missing, and returns the hosts that cannot be tested with the reason of each. */
function prepare() {
  const missing = new Map();
  for (const host of chosenHosts()) {
    const failure = installHost(host);
    if (failure !== undefined) missing.set(host.name, `it could not be installed: ${failure}`);
  }
  for (const { name } of AGENT_HOSTS) {
    const found = findHost(name);
    if (!missing.has(name) && "reason" in found) missing.set(name, found.reason);
  }
  return missing;
}

/** In a network of its own, a host reaches only the scripted models. Returns no words if that is impossible here. */
function isolated() {
  const words = ["unshare", "--map-root-user", "--net", "sh", "-c"];
  const up = "ip link set lo up";
  const { status } = spawnSync(words[0], [...words.slice(1), up], { stdio: "ignore" });
  if (status === 0) return [...words, `${up} && exec "$@"`, "sh"];
  console.error(
    "The hosts run without a network of their own, because unshare or ip cannot be used."
  );
  return [];
}

function runTests(filters) {
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  rmSync(figures, { force: true });
  const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
  const [program, ...words] = [
    ...isolated(),
    ...[process.execPath, vitest, "run", "--config", "test/hosts/vitest.config.ts"],
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters],
  ];
  return spawnSync(program, words, { cwd: repository, stdio: "inherit" }).status ?? 1;
}

/** Returns the results of each scenario by host: a scenario is a test title, which several hosts may have. */
function readResults() {
  if (!existsSync(report)) return new Map();
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const rows = new Map();
  for (const { name: file, assertionResults } of testResults) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const host = [ancestorTitles[0], basename(dirname(file))].find(isHost);
      if (host === undefined) continue;
      const isShared = isHost(ancestorTitles[0]);
      const scenario = isShared
        ? [...ancestorTitles.slice(1), title].join(": ")
        : "tests of its own";
      const row = rows.get(scenario) ?? new Map();
      row.set(host, [...(row.get(host) ?? []), status]);
      rows.set(scenario, row);
    }
  }
  return rows;
}

function isHost(name) {
  return AGENT_HOSTS.some((host) => host.name === name);
}

function printTable(rows, missing) {
  const hosts = AGENT_HOSTS.map(({ name }) => name).filter((name) => !missing.has(name));
  const width = Math.max(...[...rows.keys()].map(({ length }) => length)) + 2;
  const line = (first, cells) =>
    console.log(`${first.padEnd(width)}${cells.map((cell) => cell.padEnd(10)).join("")}`.trimEnd());
  console.log("");
  line("", hosts);
  for (const [scenario, row] of rows)
    line(
      scenario,
      hosts.map((host) => cellOf(row.get(host)))
    );
}

/** Prints what stops cost with and without the features against each complaint about Stop hooks. */
function printFigures() {
  if (!existsSync(figures)) return;
  const rows = JSON.parse(readFileSync(figures, "utf8")).map((row) => [
    ...[row.scenario, row.way, String(row.blocked), row.seconds.toFixed(1)],
    ...[row.tokens.toLocaleString("en"), String(row.requests ?? "-")],
  ]);
  const table = [["complaint", "way", "blocked", "seconds", "tokens", "model requests"], ...rows];
  const widths = table[0].map((_, n) => Math.max(...table.map((row) => row[n].length)) + 2);
  console.log("");
  for (const row of table) {
    console.log(
      row
        .map((cell, n) => cell.padEnd(widths[n]))
        .join("")
        .trimEnd()
    );
  }
}

function cellOf(statuses) {
  const run = (statuses ?? []).filter((status) => status === "passed" || status === "failed");
  const passed = run.filter((status) => status === "passed").length;
  if (run.length === 0) return "-";
  if (run.length === 1) return passed === 1 ? "passed" : "FAILED";
  return passed === run.length ? `${passed} passed` : `${run.length - passed} FAILED`;
}

function main() {
  const missing = prepare();
  const required = splitNames(process.env.HOSTS_REQUIRED ?? "").filter((name) => missing.has(name));
  if (required.length > 0) {
    console.error(`HOSTS_REQUIRED names ${required.join(", ")}, which cannot be tested.`);
    process.exitCode = 1;
  }
  const hasHosts = missing.size < AGENT_HOSTS.length;
  if (hasHosts) process.exitCode = runTests(process.argv.slice(2)) || process.exitCode;
  for (const [name, reason] of missing) console.log(`${name} was not tested: ${reason}`);
  if (hasHosts) {
    printTable(readResults(), missing);
    printFigures();
  }
}

try {
  main();
} catch (thrown) {
  console.error(thrown.message);
  process.exitCode = 1;
}
