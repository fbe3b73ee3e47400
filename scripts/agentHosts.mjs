// The agent command lines that `make test-hosts` runs, and their installation in a cache of their own.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));

/**
 * Pinned, because a new version may read its settings in a new way. Without packages, the license forbids use by a
 * machine: such a host runs if the user names it in HOSTS and has it on PATH.
 */
export const AGENT_HOSTS = [
  { name: "codex", bin: "codex", packages: ["@openai/codex@0.169.0"] },
  { name: "gemini", bin: "gemini", packages: ["@google/gemini-cli@0.61.0"] },
  // It needs a newer Node than this repository.
  { name: "qwen", bin: "qwen", packages: ["@qwen-code/qwen-code@0.24.4", "node@22.23.3"] },
  { name: "opencode", bin: "opencode", packages: ["opencode-ai@1.18.33"] },
  // The package for one platform, because the general one was published without it.
  {
    name: "kilo",
    bin: "../@kilocode/cli-linux-x64/bin/kilo",
    packages: ["@kilocode/cli-linux-x64@7.7.9"],
  },
  { name: "kimi", bin: "kimi", packages: ["@moonshot-ai/kimi-code@2.1.0", "node@22.23.3"] },
  { name: "claude", bin: "claude", packages: [] },
  { name: "copilot", bin: "copilot", packages: [] },
];

/** The hosts that HOSTS names, or all that may be installed. */
export function chosenHosts(named = process.env.HOSTS ?? "") {
  const names = splitNames(named);
  const unknown = names.filter((name) => !AGENT_HOSTS.some((host) => host.name === name));
  if (unknown.length > 0) {
    const known = AGENT_HOSTS.map(({ name }) => name).join(", ");
    throw new Error(`HOSTS names ${unknown.join(", ")}. The hosts are ${known}.`);
  }
  if (names.length === 0) return AGENT_HOSTS.filter(({ packages }) => packages.length > 0);
  return AGENT_HOSTS.filter(({ name }) => names.includes(name));
}

export function splitNames(names) {
  return names.split(/[\s,]+/).filter((name) => name !== "");
}

export function folderOf(name) {
  const cache =
    process.env.HOSTS_CACHE ?? join(repository, "node_modules", ".cache", "agent-hosts");
  return join(cache, name);
}

/** Returns the command that starts a host and its version, or the reason why it is not tested. */
export function findHost(name) {
  const host = AGENT_HOSTS.find((each) => each.name === name);
  if (host === undefined) return { reason: "it is not a host of scripts/agentHosts.mjs" };
  if (!chosenHosts().includes(host)) return { reason: skipReason(host) };
  if (host.packages.length === 0) {
    const folders = (process.env.PATH ?? "").split(delimiter);
    const path = folders.map((folder) => join(folder, host.bin)).find((file) => existsSync(file));
    if (path === undefined) return { reason: `${host.bin} is not on PATH` };
    return { command: [path], version: "the user's" };
  }
  if (!isInstalled(host)) return { reason: `it is not installed in ${folderOf(name)}` };
  const bins = join(folderOf(name), "node_modules", ".bin");
  const node = join(bins, "node");
  const bin = join(bins, host.bin);
  return { command: existsSync(node) ? [node, bin] : [bin], version: versionOf(host.packages[0]) };
}

function skipReason({ name, packages }) {
  if (packages.length > 0) return "HOSTS does not name it";
  return `its license does not allow it to be installed for tests; with it on PATH: HOSTS=${name}`;
}

/** Installs a host if its cache does not have these versions. Returns why it failed, or undefined. */
export function installHost(host) {
  if (host.packages.length === 0 || isInstalled(host)) return undefined;
  const folder = folderOf(host.name);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    // Each host has its own folder, so that none of them gets the libraries of another one.
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact"];
    execFileSync("npm", [...args, ...host.packages], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 600_000,
    });
    return isInstalled(host) ? undefined : "npm succeeded, but the package is not there";
  } catch (thrown) {
    const told = String(thrown.stderr ?? "").trim();
    return (told || thrown.message).split("\n").slice(0, 5).join("\n  ");
  }
}

function isInstalled({ name, packages }) {
  return packages.every((wanted) => {
    const file = join(folderOf(name), "node_modules", nameOf(wanted), "package.json");
    return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === versionOf(wanted);
  });
}

function nameOf(wanted) {
  return wanted.slice(0, wanted.lastIndexOf("@"));
}

function versionOf(wanted) {
  return wanted.slice(wanted.lastIndexOf("@") + 1);
}
