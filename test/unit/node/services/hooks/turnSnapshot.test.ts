import { describe, expect, test } from "vitest";
import { TurnSnapshot } from "@/node/services/hooks/turnSnapshot";
import type { ConfiguredHook, HookSettings } from "@/node/services/hooks/types";

const hook = (fields: Partial<ConfiguredHook> & { fingerprint: string }): ConfiguredHook => ({
  name: "project:Stop[0]",
  event: "Stop",
  layer: "project",
  fromProject: true,
  handler: { type: "command", command: `echo ${fields.fingerprint}` },
  ...fields,
});

const settings = (hooks: ConfiguredHook[], fields: Partial<HookSettings> = {}): HookSettings => ({
  disableAllHooks: false,
  maxContinuations: 3,
  hooks,
  skipped: [],
  passEnv: [],
  files: [],
  diagnostics: [],
  trust: { trusted: true },
  checkout: new Map(),
  ...fields,
});

const a = hook({ fingerprint: "a" });
const b = hook({ fingerprint: "b", name: "project:Stop[1]" });
const mine = hook({ fingerprint: "u", name: "user:Stop[0]", layer: "user", fromProject: false });

describe("what a checkout had configured when the turn began (H7)", () => {
  test("unchanged settings pass through as they are", () => {
    const now = settings([a, b]);
    expect(new TurnSnapshot(settings([a, b]), "Stop").apply(now, "Stop")).toEqual({
      settings: now,
      notices: [],
    });
  });

  test("a new hook of the project waits for the user, and a person hears of it", () => {
    const { settings: applied, notices } = new TurnSnapshot(settings([a]), "Stop").apply(
      settings([a, b]),
      "Stop"
    );
    expect(applied.hooks).toEqual([a]);
    expect(applied.skipped).toEqual([
      { hook: b, visible: true, reason: expect.stringContaining("next message") as string },
    ]);
    expect(notices).toEqual([]);
  });

  test("a hook that has vanished is named", () => {
    const { notices } = new TurnSnapshot(settings([a, b]), "Stop").apply(settings([b]), "Stop");
    expect(notices).toEqual([expect.stringContaining("project:Stop[0] (echo a)")]);
  });

  test("a changed hook is a new one that waits and an old one that is named", () => {
    const changed = hook({ fingerprint: "a2" });
    const { settings: applied, notices } = new TurnSnapshot(settings([a]), "Stop").apply(
      settings([changed]),
      "Stop"
    );
    expect(applied.hooks).toEqual([]);
    expect(applied.skipped).toHaveLength(1);
    expect(notices).toHaveLength(1);
  });

  test("hooks that disableAllHooks has turned off since are named", () => {
    const off = settings([mine, a], { disableAllHooks: true });
    const { notices } = new TurnSnapshot(settings([mine, a]), "Stop").apply(off, "Stop");
    expect(notices).toEqual([
      expect.stringContaining("user:Stop[0]"),
      expect.stringContaining("project:Stop[0]"),
    ]);
    expect(new TurnSnapshot(off, "Stop").apply(off, "Stop").notices).toEqual([]);
  });

  test("a person's own hook takes effect at once", () => {
    const now = settings([mine, a]);
    expect(new TurnSnapshot(settings([a]), "Stop").apply(now, "Stop").settings.hooks).toEqual([
      mine,
      a,
    ]);
    const { notices } = new TurnSnapshot(settings([mine]), "Stop").apply(settings([]), "Stop");
    expect(notices).toEqual([]);
  });

  test("hooks of the other event are none of its business", () => {
    const other = hook({ fingerprint: "s", event: "SubagentStop" });
    const now = settings([a, other]);
    expect(new TurnSnapshot(settings([a]), "Stop").apply(now, "Stop")).toEqual({
      settings: now,
      notices: [],
    });
  });
});
