import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findHost, HOOK_HOSTS, preselect } from "@/cli/gauntlet/init/hooks/hookHosts";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { tempDir } from "@test/helpers/tempDir";

/** Returns the hosts that are found and those that are preselected, with these programs on PATH. */
async function findHosts(programs: readonly string[], folders: readonly string[]) {
  const project = await InitProject.create();
  const bin = await tempDir();
  for (const name of programs) writeFileSync(join(bin, name), "", { mode: 0o755 });
  for (const folder of folders) {
    const inHome = folder.startsWith("~/");
    const path = inHome ? join(project.home, folder.slice(2)) : project.at(folder);
    mkdirSync(path, { recursive: true });
  }
  const place = project.place({ PATH: bin });
  const hosts = await Promise.all(
    HOOK_HOSTS.map(async (host) => ({ host: host.name, ...(await findHost(host, place)) }))
  );
  return {
    found: hosts.filter(({ found }) => found).map(({ host }) => host),
    preselected: preselect(hosts),
  };
}

test.each([
  [[], [".claude", ".codex"], [], []],
  [["codex"], [], ["codex"], ["codex"]],
  [["codex", "gemini"], [], ["codex", "gemini"], []],
  [["codex", "gemini"], [".gemini", ".qwen"], ["codex", "gemini"], ["gemini"]],
  [
    ["claude", "copilot"],
    [".claude", ".github/hooks"],
    ["claude", "copilot"],
    ["claude", "copilot"],
  ],
  [["claude", "copilot"], [".github"], ["claude", "copilot"], []],
  [["opencode", "qwen"], [".opencode"], ["qwen", "opencode"], ["opencode"]],
  [["mux"], [], ["mux"], ["mux"]],
  [[], ["~/.mux"], ["mux"], ["mux"]],
  [["claude"], [".mux"], ["claude", "mux"], ["mux"]],
])("finds hosts by programs %j and folders %j (G29)", async (programs, folders, found, chosen) => {
  expect(await findHosts(programs, folders)).toEqual({ found, preselected: chosen });
});
