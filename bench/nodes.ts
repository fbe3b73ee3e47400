/** The versions of Node that the command line is measured with. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { npmInstall, reasonOf } from "./rivals";

const NODE_24 = "24.21.0";

export interface NodeProgram {
  readonly path: string;
  /** For example `24.21.0`. */
  readonly version: string;
}

/** The Node that runs this file. */
export const currentNode: NodeProgram = {
  path: process.execPath,
  version: process.versions.node,
};

export function majorOf({ version }: NodeProgram): number {
  return Number.parseInt(version);
}

export interface FetchedNode extends NodeProgram {
  remove(): Promise<void>;
}

/**
 * Returns the program that `BENCH_NODE` names, or Node 24 as npm has it for this system. Prints a line and returns
 * undefined if it cannot be fetched, or if it has the same major version as the current one.
 */
export async function otherNode(): Promise<FetchedNode | undefined> {
  const { BENCH_NODE } = process.env;
  const found = BENCH_NODE === undefined ? await fetchNode() : await nodeAt(BENCH_NODE);
  if (found === undefined || majorOf(found) !== majorOf(currentNode)) return found;
  await found.remove();
  console.log(`skip  *@${majorOf(found)}: the current Node has the same major version`);
  return undefined;
}

async function nodeAt(path: string): Promise<FetchedNode> {
  const { stdout } = await promisify(execFile)(path, ["-p", "process.versions.node"]);
  return { path, version: stdout.trim(), remove: () => Promise.resolve() };
}

async function fetchNode(): Promise<FetchedNode | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-node-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  // The package `node` downloads one of these in an install script.
  const name = `node-${process.platform}-${process.arch}`;
  try {
    await npmInstall(dir, [`${name}@${NODE_24}`]);
    return { ...(await nodeAt(join(dir, "node_modules", name, "bin", "node"))), remove };
  } catch (error) {
    await remove();
    const reason = reasonOf(error);
    console.log(`skip  *@24: ${name}@${NODE_24} not fetched (BENCH_NODE can name it): ${reason}`);
    return undefined;
  }
}
