import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import * as hookSettings from "@/node/services/gauntlet/config/stopHookSettings";
import { folderWith } from "@test/helpers/tempDir";

const HOME_FILE = ".config/agent-gauntlet/config.yml";

/** Loads the settings for a home folder with these files. */
async function load(
  contents: Readonly<Record<string, string>>,
  { env = {}, project = {}, turnBegan }: Partial<hookSettings.StopHookPlace> = {},
  xdg?: string
) {
  const home = await folderWith(contents);
  const configHome = xdg === undefined ? {} : { XDG_CONFIG_HOME: join(home, xdg) };
  const settings = await hookSettings.loadStopHookSettings(new LocalFiles(), {
    env: { ...configHome, ...env },
    home,
    project,
    turnBegan,
  });
  const hide = (text: string): string => text.replaceAll(`${home}/`, "~/");
  const { weakened, ...shown } = settings;
  return {
    ...shown,
    ...(settings.disabledBy === undefined ? {} : { disabledBy: hide(settings.disabledBy) }),
    warnings: settings.warnings.filter((text) => !weakened.includes(text)).map(hide),
  };
}

const DEFAULTS = {
  enabled: true,
  verifyFixes: true,
  fix: true,
  intervalMinutes: 10,
  hasOwnInterval: false,
  warnings: [],
};

describe("the settings of the stop hook", () => {
  it("are the defaults if nothing is configured (G6)", async () => {
    expect(await load({})).toEqual(DEFAULTS);
    expect(await load({ [HOME_FILE]: "" })).toEqual(DEFAULTS);
    expect(await load({ [HOME_FILE]: "stop_hook:\n" })).toEqual(DEFAULTS);
  });

  it("come from the user's file (G6)", async () => {
    const text =
      "stop_hook: {enabled: false, verify_fixes: false, fix: false, run_interval_minutes: 0}\n";
    expect(await load({ [HOME_FILE]: text })).toEqual({
      enabled: false,
      disabledBy: `stop_hook.enabled in ~/${HOME_FILE}`,
      fix: false,
      verifyFixes: false,
      intervalMinutes: 0,
      hasOwnInterval: true,
      warnings: [],
    });
  });

  it("come from the project before the user's file, except for the interval (G6)", async () => {
    const text = "stop_hook: {enabled: false, verify_fixes: true, run_interval_minutes: 15}\n";
    const project = { enabled: true, verifyFixes: false };
    expect(await load({ [HOME_FILE]: text }, { project })).toEqual({
      ...DEFAULTS,
      verifyFixes: false,
      intervalMinutes: 15,
      hasOwnInterval: true,
    });
    expect(await load({}, { project: { enabled: false } })).toMatchObject({
      enabled: false,
      disabledBy: "stop_hook.enabled in .gauntlet/config.yml",
    });
  });

  it("come from the environment before everything else (G6)", async () => {
    const env = { GAUNTLET_STOP_HOOK_ENABLED: "1", GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "0.5" };
    const text = "stop_hook: {run_interval_minutes: 15}\n";
    const project = { enabled: false };
    expect(await load({ [HOME_FILE]: text }, { env, project })).toEqual({
      ...DEFAULTS,
      intervalMinutes: 0.5,
      hasOwnInterval: true,
    });
    for (const off of ["false", "0"]) {
      const place = { env: { GAUNTLET_STOP_HOOK_ENABLED: off }, project: { enabled: true } };
      const turnedOff = await load({}, place);
      expect(turnedOff.disabledBy).toBe("the environment variable GAUNTLET_STOP_HOOK_ENABLED");
    }
  });

  it("ignore an invalid variable, with a warning (G6)", async () => {
    const env = { GAUNTLET_STOP_HOOK_ENABLED: "nope", GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "-1" };
    expect(await load({}, { env, project: { enabled: false } })).toMatchObject({
      enabled: false,
      intervalMinutes: 10,
      warnings: [
        'GAUNTLET_STOP_HOOK_ENABLED is ignored: expected true, 1, false or 0, found "nope"',
        'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES is ignored: expected a number of minutes of at least 0, found "-1"',
      ],
    });
    for (const text of ["Infinity", "NaN", "1e3", "0x10", "10 min"]) {
      const odd = await load({}, { env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: text } });
      expect(odd).toMatchObject({ intervalMinutes: 10, warnings: [expect.stringContaining(text)] });
    }
    const empty = { GAUNTLET_STOP_HOOK_ENABLED: "", GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: " " };
    expect(await load({}, { env: empty })).toEqual(DEFAULTS);
  });

  it.each([
    ["invalid YAML", "stop_hook: ["],
    ["a wrong value", "stop_hook: {run_interval_minutes: soon, enabled: false}"],
    ["a negative interval", "stop_hook: {run_interval_minutes: -1, enabled: false}"],
    ["a list", "- stop_hook"],
  ])("are the defaults, with a warning, if the user's file contains %s (G6)", async (_, text) => {
    const settings = await load({ [HOME_FILE]: text });
    expect(settings).toMatchObject({ enabled: true, intervalMinutes: 10 });
    expect(settings.warnings[0]).toMatch(
      /^warning: ~\/\.config\/agent-gauntlet\/config\.yml:1:\d+: /
    );
  });

  it.each([
    [{}, { intervalMinutes: 0, hasOwnInterval: true }],
    [{ GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "5" }, { intervalMinutes: 5 }],
  ])(
    "check every stop after a change of the user's file in the turn, with %j (G6)",
    async (env, found) => {
      const text = "stop_hook: {enabled: false, fix: false, run_interval_minutes: 60}\n";
      const turnBegan = new Date(0).toISOString();
      const settings = await load({ [HOME_FILE]: text }, { env, turnBegan });
      expect(settings).toMatchObject({ ...found, enabled: true, fix: false });
    }
  );

  it("are used beside an unknown key, which is reported (G6)", async () => {
    const text = "stop_hok: 1\nstop_hook: {run_interval_minutes: 3}\n";
    const settings = await load({ [HOME_FILE]: text });
    expect(settings.intervalMinutes).toBe(3);
    expect(settings.warnings[0]).toContain('did you mean "stop_hook"?');
  });

  it("come from XDG_CONFIG_HOME, or else from ~/.config", async () => {
    const file = (minutes: number): string => `stop_hook: {run_interval_minutes: ${minutes}}\n`;
    const both = { "xdg/agent-gauntlet/config.yml": file(1), [HOME_FILE]: file(2) };
    expect((await load(both, {}, "xdg")).intervalMinutes).toBe(1);
    expect((await load(both)).intervalMinutes).toBe(2);
    expect((await load({ [HOME_FILE]: file(2) }, {}, "xdg")).intervalMinutes).toBe(2);
    const relative = { env: { XDG_CONFIG_HOME: "xdg" } };
    expect((await load(both, relative)).intervalMinutes).toBe(2);
  });
});
