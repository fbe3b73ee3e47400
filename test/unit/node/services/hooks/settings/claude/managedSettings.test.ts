/** Restrictions of an administrator, and lists of allowed addresses and variables, for imported hooks (H39). */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findClaudeHooks } from "@/cli/claudeHooks/findClaudeHooks";
import { judgeHandlers } from "@/cli/claudeHooks/judgeHandlers";
import type { ReadOptions } from "@/node/runtime/HookRuntime";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { describeImportHint } from "@/node/services/hooks/settings/claudeHookHints";
import type { LoadOptions } from "@/node/services/hooks/settingsLoader";
import { ClaudeHome, enable, stopHooks, writeJson } from "@test/helpers/hooks/claudePlugins";
import { UNTRUSTED } from "@test/helpers/hooks/hookProject";

const MANAGED = "/etc/claude-code/managed-settings.json";
const ONLY = { allowManagedHooksOnly: true };

/** A machine whose folder of managed settings is a folder of the test, because only root can write the real one. */
class ManagedRuntime extends LocalRuntime {
  constructor(readonly folder: string) {
    super();
  }

  #map(path: string): string {
    return path.replace(/^\/etc\/claude-code/, () => this.folder);
  }

  override stat(paths: readonly string[]) {
    return super.stat(paths.map((path) => this.#map(path)));
  }

  override readFile(path: string, options: ReadOptions) {
    return super.readFile(this.#map(path), options);
  }

  override list(path: string) {
    return super.list(this.#map(path));
  }
}

const http = (url: string, rest: object = {}) => ({ type: "http", url, ...rest });

let claude: ClaudeHome;
let runtime: ManagedRuntime;

beforeEach(async () => {
  claude = await ClaudeHome.create();
  runtime = new ManagedRuntime(join(claude.project.home, "etc"));
});

async function manage(settings: unknown, name = "managed-settings.json"): Promise<void> {
  await writeJson(join(runtime.folder, name), settings);
}

async function load(options: LoadOptions = {}) {
  const settings = await claude.load({ runtime, ...options });
  const titleOf = ({ handler }: (typeof settings.hooks)[number]) => handler.command ?? handler.url;
  return {
    runs: settings.hooks.map(titleOf),
    reasons: settings.skipped.map(({ reason }) => reason),
    hooks: settings.hooks,
    diagnostics: settings.diagnostics,
  };
}

describe("allowManagedHooksOnly (H39)", () => {
  test("turns off all imported hooks, also at a stop, and no hook of Mux", async () => {
    const { project } = claude;
    await claude.configure("user", { ...stopHooks("touch user-ran"), ...enable("gate@team") });
    await claude.configure("project", stopHooks("touch project-ran"));
    await claude.install("gate@team", { hooks: stopHooks("touch plugin-ran") });
    await project.configure(stopHooks("echo mine >&2; exit 2"));
    await manage(ONLY);
    const { runs, reasons } = await load();
    expect(runs).toEqual(["echo mine >&2; exit 2"]);
    const reason = `forbidden by allowManagedHooksOnly in the managed settings of Claude Code (${MANAGED})`;
    expect(reasons).toEqual([reason, reason, reason]);
    const stop = await project.stop({ runtime });
    expect(stop.runs).toHaveLength(1);
    await rm(runtime.folder, { recursive: true });
    expect((await load()).runs).toHaveLength(4);
  });

  test("keeps the plugins that the managed settings enable, by their whole ID", async () => {
    await claude.configure("user", enable("gate@team", "gate@other", "off@team"));
    await claude.install("gate@team", { hooks: stopHooks("vetted") });
    await claude.install("gate@other", { hooks: stopHooks("other") });
    await manage({ ...ONLY, ...enable("gate@team") });
    expect((await load()).runs).toEqual(["vetted"]);
    // The key has no effect in a file that is not managed.
    await claude.configure("user", { ...ONLY, ...stopHooks("user") });
    await manage({});
    expect((await load()).runs).toEqual(["user"]);
  });

  test.each([
    ["a file of managed-settings.d", () => manage(ONLY, "managed-settings.d/10-hooks.json")],
    ["settings of the server", () => writeJson(join(claude.config, "remote-settings.json"), ONLY)],
    ["a value that is not a Boolean", () => manage({ allowManagedHooksOnly: "true" })],
    ["disableAllHooks, against the project", () => manage({ disableAllHooks: true })],
    ["a disableAllHooks that is not a Boolean", () => manage({ disableAllHooks: "true" })],
  ])("counts in %s", async (_, write) => {
    await claude.configure("user", stopHooks("user"));
    await claude.configure("project", { ...stopHooks("project"), disableAllHooks: false });
    await write();
    expect((await load()).runs).toEqual([]);
  });

  test("ignores hidden files and files of another type in managed-settings.d", async () => {
    await claude.configure("user", stopHooks("user"));
    for (const name of [".10-hooks.json", "10-hooks.json.bak"]) {
      await manage(ONLY, `managed-settings.d/${name}`);
    }
    expect((await load()).runs).toEqual(["user"]);
  });
});

test("turns off the imported hooks while managed settings cannot be read, with an error (H39)", async () => {
  await claude.configure("user", stopHooks("user"));
  await manage({});
  expect((await load()).runs).toEqual(["user"]);
  await writeFile(join(runtime.folder, "managed-settings.json"), "{oops");
  const { runs, reasons, diagnostics } = await load();
  expect(runs).toEqual([]);
  expect(reasons).toEqual([expect.stringContaining(`in ${MANAGED}, which may forbid it`)]);
  expect(diagnostics).toMatchObject([{ severity: "error", file: MANAGED }]);
});

test("turns off a plugin that the managed settings disable (H39)", async () => {
  await claude.configure("user", { ...stopHooks("user"), ...enable("gate@team") });
  await claude.install("gate@team", { hooks: stopHooks("gate") });
  await manage({ enabledPlugins: { "gate@team": false } });
  const { runs, reasons } = await load();
  expect(runs).toEqual(["user"]);
  expect(reasons).toEqual([expect.stringContaining("forbidden by enabledPlugins")]);
});

describe("allowedHttpHookUrls (H39)", () => {
  test.each([
    ["https://hooks.example.com/*", "https://hooks.example.com/stop?x=1", true],
    ["https://hooks.example.com/*", "https://HOOKS.example.com./stop", true],
    ["https://Hooks.Example.com./stop", "https://hooks.example.com/stop", true],
    ["https://hooks.example.com", "https://hooks.example.com", true],
    ["http://localhost:*", "http://localhost:8080/stop", true],
    ["http://localhost:*", "http://localhost:1@evil.example/stop", false],
    ["https://*.example.com/*", "https://a.example.com/x", true],
    ["https://*.example.com/a/*/c", "https://a.example.com/a/b/c", true],
    ["https://*.example.com/a/*/c", "https://a.example.com/a/c", false],
    ["https://hooks.example.com/*", "https://hooks.example.com.evil.example/", false],
    ["https://hooks.example.com/stop", "https://hooks.example.com/stop2", false],
    ["https://hooks.example.com/Stop", "https://hooks.example.com/stop", false],
    ["*", "https://anywhere.example/", true],
  ])("%s for %s: %s", async (pattern, url, isAllowed) => {
    await claude.configure("user", stopHooks(http(url), "command"));
    await manage({ allowedHttpHookUrls: [pattern] });
    const { runs, reasons } = await load();
    expect(runs).toEqual(isAllowed ? [url, "command"] : ["command"]);
    const reason = `its URL is not in allowedHttpHookUrls of Claude Code's settings (${MANAGED})`;
    expect(reasons).toEqual(isAllowed ? [] : [reason]);
  });

  const [A, B] = ["https://a.example/", "https://b.example/"];

  test("joins the lists of all files that count, and allows nothing if a list is not valid", async () => {
    await claude.configure("user", { ...stopHooks(http(A), http(B)), allowedHttpHookUrls: [A] });
    expect((await load()).runs).toEqual([A]);
    await claude.configure("project", { allowedHttpHookUrls: [B] });
    expect((await load()).runs).toEqual([A, B]);
    expect((await load({ trust: UNTRUSTED })).runs).toEqual([A]);
    await claude.configure("project", {});
    await claude.configure("user", { ...stopHooks(http(A)), allowedHttpHookUrls: A });
    expect((await load()).runs).toEqual([]);
  });

  test("is a part of what the user trusts, and holds for hooks of plugins", async () => {
    await claude.configure("project", { ...enable("gate@team"), allowedHttpHookUrls: [] });
    await claude.install("gate@team", { hooks: stopHooks(http(A)) });
    const seen: unknown[] = [];
    const trust: LoadOptions["trust"] = {
      decide: ({ definitions }) => {
        seen.push(JSON.parse(definitions.settings[".claude/settings.json"] ?? "{}"));
        return Promise.resolve({ trusted: true, instead: definitions });
      },
    };
    expect((await load({ trust })).runs).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ allowedHttpHookUrls: [] });
  });
});

test("limits the variables of headers to httpHookAllowedEnvVars (H39)", async () => {
  const handler = http("https://a.example/", { allowedEnvVars: ["TOKEN", "SECRET"] });
  await claude.configure("user", stopHooks(handler));
  await manage({ httpHookAllowedEnvVars: ["TOKEN", "OTHER"] });
  expect((await load()).hooks).toMatchObject([{ handler: { allowedEnvVars: ["TOKEN"] } }]);
});

test("names forbidden hooks in import, and gives no hint about them (H46)", async () => {
  const { project } = claude;
  await project.configureUser({});
  await claude.configure("user", stopHooks("mine", http("https://a.example/")));
  const place = { runtime, projectDir: project.dir, home: project.home, env: {} };
  const verdicts = async () => {
    const { files, problems } = await findClaudeHooks(place);
    expect(problems).toEqual([]);
    const judged = await judgeHandlers(files, {
      ...place,
      searchPath: "",
      builtins: { defaults: [] },
      files: project.runtime,
    } as unknown as Parameters<typeof judgeHandlers>[1]);
    return judged.flatMap(({ handlers }) => handlers.map(({ text }) => text));
  };
  const hint = () => describeImportHint(runtime, project.dir, place, (path) => path);
  await manage({ ...stopHooks("managed"), allowedHttpHookUrls: [] });
  expect(await verdicts()).toEqual(["runs", expect.stringContaining("cannot run: its URL")]);
  expect(await hint()).toContain("settings.json");
  await manage(ONLY);
  const forbidden = "cannot run: forbidden by allowManagedHooksOnly";
  expect(await verdicts()).toEqual(Array(2).fill(expect.stringContaining(forbidden)));
  expect(await hint()).toBeUndefined();
});
