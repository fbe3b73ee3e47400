/**
 * A host whose programs a spawner starts. Prints the process IDs of its spawners before and after it has run the given
 * scripts. Then it ends, unless a resource keeps it alive.
 */
import { execFileSync } from "node:child_process";
import { runBySpawner } from "@test/helpers/process/spawner";

const scripts = process.argv.slice(2);
const run = runBySpawner();

function spawners(): number[] {
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "ppid=,pid=,args="], { encoding: "utf8" });
  const rows = listed.split("\n").filter((line) => line.includes("spawnerProcess"));
  return rows
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([parent]) => parent === process.pid)
    .map(([, pid = 0]) => pid);
}

const before = spawners();
for (const script of scripts) {
  await run({ file: "bash", args: ["-c", script], cwd: "/", env: process.env }, {});
}
console.log(JSON.stringify({ before, after: spawners() }));
