/** `mux-stop-hooks init --trust-codex` with a program that speaks the protocol of `codex app-server` (G29). */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "@/cli/context";
import { codexHost } from "@/cli/gauntlet/hosts/codex/index";
import { trustInCodex } from "@/cli/gauntlet/hosts/codex/trust";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { tempDir } from "@test/helpers/tempDir";

/**
 * Lists the hooks of `~/.codex/hooks.json`, and records trust in `trusted.json`. The first argument that the test
 * writes in front is a mode.
 */
const FAKE_CODEX = `
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const home = process.env.CODEX_HOME;
const store = home + "/trusted.json";
const state = () => existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : {};
const answer = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const list = () => {
  const { hooks } = JSON.parse(readFileSync(home + "/hooks.json", "utf8"));
  return Object.entries(hooks).flatMap(([event, groups]) => groups.flatMap((group) => group.hooks.map((hook) => {
    const key = event + "." + hook.command.length;
    const currentHash = "sha256:" + hook.command.length;
    const trustStatus = state()[key]?.trusted_hash === currentHash ? "trusted" : "untrusted";
    return { key, command: hook.command, currentHash, trustStatus };
  })));
};
let isReady = false;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (mode === "silent") return;
  if (mode === "exits") process.exit(3);
  if (mode === "old" && method === "hooks/list") return answer({ id, error: { code: -32600, message: "unknown variant" } });
  if (method === "initialize") return answer({ id, result: { userAgent: params.clientInfo.name } });
  if (method === "initialized") { isReady = true; return; }
  if (!isReady) return answer({ id, error: { message: "Not initialized" } });
  answer({ method: "warning", params: {} });
  answer({ id, method: "server/request" });
  process.stdout.write("no JSON\\n");
  if (method === "hooks/list") return answer({ id, result: { data: [{ cwd: params.cwds[0], hooks: mode === "hides" ? [] : list() }] } });
  const [{ keyPath, value, mergeStrategy }] = params.edits;
  if (keyPath !== "hooks.state" || mergeStrategy !== "upsert") return answer({ id, error: { message: "bad edit" } });
  if (mode !== "forgets") writeFileSync(store, JSON.stringify({ ...state(), ...value }));
  answer({ id, result: { status: "ok" } });
});
`;

/** `become` changes the mode of the program. */
async function codexIn(mode: string) {
  const project = await InitProject.create();
  const bin = await tempDir();
  const become = (next: string): void => {
    const script = `#!${process.execPath}\nconst mode = ${JSON.stringify(next)};${FAKE_CODEX}`;
    writeFileSync(join(bin, "codex"), script, { mode: 0o755 });
  };
  become(mode);
  const home = join(project.home, ".codex");
  mkdirSync(home);
  return { project, become, env: { CODEX_HOME: home, PATH: `${bin}:${process.env.PATH ?? ""}` } };
}

test("--trust-codex records trust in both hooks, and in no other or edited one (G29)", async () => {
  const { project, env } = await codexIn("works");
  const other = { hooks: [{ type: "command", command: "agent-gauntlet stop-hook; make" }] };
  const path = join(project.home, ".codex/hooks.json");
  writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [other] } }));
  const { code, stdout, stderr } = await project.init(
    { hook: ["codex"], trustCodex: true },
    { env }
  );
  expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
  expect(stdout).toContain("✓ Codex now trusts 2 hooks of the gauntlet\n");
  expect(stdout).not.toContain("only after you trust it");
  const trusted = JSON.parse(
    readFileSync(join(project.home, ".codex/trusted.json"), "utf8")
  ) as object;
  expect(Object.keys(trusted).map((key) => key.split(".")[0])).toEqual([
    "Stop",
    "UserPromptSubmit",
  ]);

  const second = await project.init({ hook: ["codex"], trustCodex: true }, { env });
  expect(second.stdout).toContain("✓ Codex now trusts 2 hooks of the gauntlet\n");

  const edited = readFileSync(path, "utf8").replaceAll("gauntlet.cjs", "gauntlet.cjs -x");
  writeFileSync(path, edited);
  rmSync(join(project.home, ".codex/trusted.json"));
  const refused = await project.init({ trustCodex: true }, { env });
  expect(refused.stderr).toContain("lists no hook that init wrote");
  expect(existsSync(join(project.home, ".codex/trusted.json"))).toBe(false);
});

test("--trust-codex reports a Codex that does not record the trust, and ends one that does not answer in time (G29)", async () => {
  const { project, env, become } = await codexIn("works");
  await project.init({ hook: ["codex"] }, { env });
  const reasons = {
    exits: "codex app-server ended before it answered initialize (exit code 3)",
    old: "codex app-server rejected hooks/list: unknown variant",
    hides: "codex app-server lists no hook that init wrote",
    forgets: "accepted the change, but reports the hooks as untrusted",
    silent: "did not answer initialize within 0.5 s",
  };
  for (const [mode, words] of Object.entries(reasons)) {
    become(mode);
    const limitS = mode === "silent" ? 0.5 : undefined;
    const reason = (await trustInCodex(codexHost, project.place(env), limitS))._unsafeUnwrapErr();
    expect(reason).toContain(words);
    expect(reason).toContain('start "codex" in this project and review the hooks there');
  }
});

test("--trust-codex reports a missing Codex (G29)", async () => {
  const project = await InitProject.create();
  const { code, stdout, stderr } = await project.init({ hook: ["codex"], trustCodex: true });
  expect(code).toBe(EXIT.failure);
  expect(stdout).toContain("✓ Stop hook installed");
  expect(stderr).toContain('"codex" is not on PATH');
});
