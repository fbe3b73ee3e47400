import { describe, expect, test } from "vitest";
import { describeEnd } from "@/node/services/hooks/stop/stopVerdict";
import type { DefaultHook } from "@/node/services/hooks/contract/builtinRegistry";
import { parseSettings } from "@/node/services/hooks/settings/parseSettings";
import { type LayerMergeOptions, mergeSettings } from "@/node/services/hooks/settings/mergeLayers";
import type { HookHandler, HookSettings } from "@/node/services/hooks/contract/types";
import { command, hooks, subagentHooks } from "@test/helpers/hooks/settingsProject";
import type { SettingsSource } from "@/node/services/hooks/settings/readHookFiles";

const DIR = "/the project";
const GAUNTLET: DefaultHook = {
  event: "Stop",
  handler: { type: "builtin", name: "gauntlet", timeout: 300 },
};

type Layer = SettingsSource["layer"];

function source(layer: Layer, settings: unknown): SettingsSource {
  const file = `${layer}.json`;
  return { layer, file, settings: parseSettings(file, JSON.stringify(settings))._unsafeUnwrap() };
}

function script(layer: Layer, path: string, obstacle?: string): SettingsSource {
  const from = source(layer, hooks(command(path, { args: [] })));
  const found = obstacle === undefined ? { script: { bytes: Buffer.from("x") } } : { obstacle };
  return { ...from, file: path, isScript: true, ...found };
}

function merge(sources: SettingsSource[], options: Partial<LayerMergeOptions> = {}) {
  return mergeSettings(sources, { projectDir: DIR, trusted: true, builtins: [], ...options });
}

const names = (settings: Pick<HookSettings, "hooks">) => settings.hooks.map(({ name }) => name);

describe("equal hooks", () => {
  const twice = (a: unknown, b: unknown) => merge([source("user", a), source("project", b)]);
  const url = { type: "http", url: "http://a/" };
  const prompt = { type: "prompt", prompt: "p" };

  test.each<[string, unknown, unknown]>([
    ["the shell", hooks(command("x")), hooks(command("x", { shell: "zsh" }))],
    ["the arguments", hooks(command("x")), hooks(command("x", { args: [] }))],
    ["the matcher", subagentHooks("explore", "x"), subagentHooks("exec", "x")],
    ["the event", hooks("x"), subagentHooks(undefined, "x")],
    ["the type", hooks("x"), hooks({ type: "prompt", prompt: "x" })],
    ["the URL", hooks(url), hooks({ ...url, url: "http://b/" })],
  ])("are two if %s differs (H3)", (_, a, b) => {
    expect(twice(a, b).hooks).toHaveLength(2);
  });

  const onStop = (matcher: string) => ({ hooks: { Stop: [{ matcher, hooks: [command("x")] }] } });

  test.each<[string, unknown, unknown]>([
    ["a matcher on Stop", onStop("a"), onStop("b")],
    ["a matcher that is *", subagentHooks("*", "x"), subagentHooks(undefined, "x")],
    ["a matcher that is empty", subagentHooks("", "x"), subagentHooks("*", "x")],
    ["a name without effect", hooks(command("x", { name: "a" })), hooks(command("x"))],
    ["a model", hooks({ ...prompt, model: "a" }), hooks(prompt)],
    ["headers", hooks({ ...url, headers: { a: "b" } }), hooks(url)],
  ])("are one regardless of %s (H3)", (_, a, b) => {
    expect(twice(a, b).hooks).toHaveLength(1);
  });

  test("of the user keep the fields that a project must not change (H3)", () => {
    const own = { headers: { a: "$A" }, allowedEnvVars: ["A"], failClosed: true, loop_limit: 2 };
    const others = { headers: {}, allowedEnvVars: ["B"], failClosed: false, loop_limit: 0 };
    const { hooks: merged } = twice(
      hooks({ ...url, ...own }),
      hooks({ ...url, ...others, model: "m", timeout: 3 })
    );
    expect(merged.map(({ handler }) => handler)).toEqual([{ ...url, ...own, timeout: 3 }]);
    const { hooks: ours } = merge([
      source("project", hooks({ ...url, ...own })),
      source("local", hooks({ ...url, ...others })),
    ]);
    expect(ours.map(({ handler }) => handler)).toEqual([{ ...url, ...others }]);
  });

  test("that are the same in every field are not reported", () => {
    const same = hooks(command("x", { args: ["a"], timeout: 3 }));
    expect(twice(same, same).diagnostics).toEqual([]);
  });
});

describe("a disabled hook", () => {
  const off = hooks(command("x", { enabled: false }));
  const handlers = (settings: Pick<HookSettings, "hooks">) =>
    settings.hooks.map(({ layer, handler }) => [layer, handler.enabled !== false]);

  test("in the local file disables the project's own, and in an earlier layer no later one (H3)", () => {
    expect(handlers(merge([source("project", hooks("x")), source("local", off)]))).toEqual([
      ["project", false],
    ]);
    expect(handlers(merge([source("user", off), source("project", hooks("x"))]))).toEqual([
      ...[
        ["user", false],
        ["project", true],
      ],
    ]);
  });

  test.each([{ enabled: false }, { async: true }, { asyncRewake: true }, { if: "Bash" }])(
    "or one without effect, by %j in the project, does not disable the user's hook (H3)",
    (fields) => {
      const repeat = hooks(command("x", { ...fields, timeout: 5 }));
      const settings = merge([source("user", hooks("x")), source("project", repeat)]);
      expect(settings.hooks.map(({ handler }) => handler)).toEqual([command("x", { timeout: 5 })]);
    }
  );
});

describe("scripts", () => {
  const path = `${DIR}/.mux/stop`;

  test.each<[handler: unknown, isThat: boolean]>([
    [".mux/stop", true],
    ['"$MUX_PROJECT_DIR"/.mux/stop', true],
    ["${CLAUDE_PROJECT_DIR}/.mux/stop", true],
    ["bash .mux/stop", true],
    [command("${MUX_PROJECT_DIR}/.mux/stop", { args: ["x"] }), true],
    ["echo .mux/stop", false],
    [".mux/stopper", false],
    ["../.mux/stop", false],
    ["# .mux/stop", false],
    [command(".mux/stop", { enabled: false }), false],
  ])("run once, as the handler %j if that runs them: %j (H8)", (handler, isThat) => {
    const settings = merge([source("project", hooks(handler)), script("script", path)]);
    expect(names(settings)).toEqual(["project:Stop[0]", ...(isThat ? [] : ["script:Stop[0]"])]);
  });

  test("run if the handler that names them is for the other event (H8)", () => {
    const other = subagentHooks(undefined, ".mux/stop");
    const merged = merge([source("project", other), script("script", path)]);
    expect(names(merged)).toContain("script:Stop[0]");
  });

  test("of the user are not removed by a project that names them (H3)", () => {
    const own = "/home/u/.mux/stop";
    const named = hooks(command(own, { async: true }));
    const settings = merge([script("user", own), source("project", named)]);
    expect(names(settings)).toEqual(["user:Stop[0]", "project:Stop[0]"]);
    const byUser = merge([source("user", hooks(own)), script("user", own)]);
    expect(names(byUser)).toEqual(["user:Stop[0]"]);
  });

  test("that cannot be run are skipped visibly, unless a handler runs them by a shell (H8)", () => {
    const broken = script("script", path, "it is not executable");
    expect(merge([broken]).skipped).toMatchObject([
      { reason: "it is not executable", visible: true },
    ]);
    expect(merge([source("project", hooks("sh .mux/stop")), broken]).skipped).toEqual([]);
  });
});

describe("the built-in gauntlet", () => {
  const builtins = [GAUNTLET];
  const OFF = { type: "builtin", name: "gauntlet", enabled: false };
  const LINE = "agent-gauntlet stop-hook";
  const withGauntlet = (...sources: SettingsSource[]) => merge(sources, { builtins });

  test("exists without any settings, and beside configured hooks (H3, H29)", () => {
    expect(withGauntlet().hooks).toMatchObject([
      { name: "builtin:Stop[0]", layer: "builtin", fromProject: false, ...GAUNTLET },
    ]);
    expect(withGauntlet().hooks[0]).not.toHaveProperty("source");
    expect(names(withGauntlet(source("user", hooks("x"))))).toEqual([
      "builtin:Stop[0]",
      "user:Stop[0]",
    ]);
  });

  test("is disabled by gauntlet.enabled, with later layers over earlier ones (H29)", () => {
    const off = source("user", { gauntlet: { enabled: false } });
    expect(withGauntlet(off)).toMatchObject({
      hooks: [],
      skipped: [{ reason: "turned off by gauntlet.enabled: false", visible: false }],
    });
    const on = source("project", { gauntlet: { enabled: true } });
    expect(names(withGauntlet(off, on))).toEqual(["builtin:Stop[0]"]);
  });

  test("takes the fields of a handler that names it (H3)", () => {
    const handler: HookHandler = { type: "builtin", name: "gauntlet", timeout: 60 };
    expect(withGauntlet(source("project", hooks(handler))).hooks).toMatchObject([
      { name: "builtin:Stop[0]", handler },
    ]);
  });

  test.each([
    ["npx agent-gauntlet stop-hook", 300, 300],
    ["node_modules/.bin/agent-gauntlet stop-hook", 10, 300],
    ["node tools/agent-gauntlet.cjs stop-hook --verify", 400, 400],
  ])("runs in place of the command %s, with the longer limit (H30)", (line, timeout, limit) => {
    const settings = withGauntlet(source("user", hooks(command(line, { timeout }))));
    expect(settings.hooks).toMatchObject([
      { name: "builtin:Stop[0]", handler: { timeout: limit } },
    ]);
    expect(settings.skipped).toMatchObject([
      { reason: "the built-in gauntlet, builtin:Stop[0], runs in its place", visible: true },
    ]);
    const { skipped } = settings;
    expect(describeEnd({ shouldStop: true, skipped: [...skipped] })).not.toHaveProperty(
      "unverified"
    );
  });

  test.each<[string, SettingsSource[], Partial<LayerMergeOptions>]>([
    ["is disabled by its own handler", [source("local", hooks(OFF))], {}],
    ["is withheld without trust", [], { trusted: false, parts: new Map([["gauntlet", {}]]) }],
    ["has no gates in this project", [], { parts: new Map([["gauntlet", undefined]]) }],
  ])("leaves such a command unchanged if it %s (H30)", (_, sources, options) => {
    const mine = source("user", hooks(LINE));
    expect(names(merge([mine, ...sources], { builtins, ...options }))).toContain("user:Stop[0]");
  });

  test.each<[string, SettingsSource[], boolean]>([
    ["is only mentioned", [source("user", hooks(`echo ${LINE}`))], true],
    ["is disabled", [source("user", hooks(command(LINE, { enabled: false, timeout: 900 })))], true],
    ["is for sub-agents", [source("user", subagentHooks("*", LINE))], true],
    ["is not trusted", [source("project", hooks(LINE))], false],
  ])("is kept if that command %s (H30)", (_, sources, trusted) => {
    const settings = merge(sources, { builtins, trusted });
    expect(settings.hooks[0]).toMatchObject({ name: "builtin:Stop[0]", ...GAUNTLET });
  });
});

describe("a project without trust", () => {
  const sources = [
    source("user", { ...hooks("mine", "same"), stopHooks: { maxContinuations: 5 } }),
    source("project", {
      ...hooks(command("same", { timeout: 1 }), "theirs"),
      disableAllHooks: true,
      stopHooks: { maxContinuations: 50, timeout: 9 },
      gauntlet: { enabled: false },
    }),
    script("script", `${DIR}/.mux/stop`),
  ];

  test("has no effect but is shown (H31)", () => {
    const settings = merge(sources, { trusted: false, builtins: [GAUNTLET] });
    expect(settings).toMatchObject({ disableAllHooks: false, maxContinuations: 5 });
    expect(settings.defaultTimeoutS).toBeUndefined();
    expect(names(settings)).toEqual(["builtin:Stop[0]", "user:Stop[0]", "user:Stop[1]"]);
    expect(settings.hooks[2]?.handler).toEqual(command("same"));
    const why = {
      reason: 'the project is not trusted with "mux-stop-hooks hooks trust"',
      visible: false,
    };
    expect(settings.skipped).toMatchObject([
      { hook: { name: "project:Stop[1]" }, ...why },
      { hook: { name: "script:Stop[0]" }, ...why },
    ]);
  });
});
