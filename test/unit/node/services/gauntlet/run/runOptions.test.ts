import { expect, test, describe } from "vitest";
import {
  isDefaultRun,
  isFullRun,
  usableBaselines,
  type RunOptions,
  normalizeKind,
  selectGates,
} from "@/node/services/gauntlet/run/runOptions";
import { newRuntime } from "@test/helpers/localRuntime";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { checkGate, gauntletConfig, reviewGate } from "@test/helpers/gauntlet/runParts";

const BASELINES = { "check:.:lint": { snapshot: "tree", definition: "digest" } };

interface Expected {
  readonly isDefault: boolean;
  readonly isFull: boolean;
  readonly usesBaselines: boolean;
}

const ALL: Expected = { isDefault: true, isFull: true, usesBaselines: true };
const PARTIAL: Expected = { isDefault: false, isFull: false, usesBaselines: true };
const NONE: Expected = { isDefault: false, isFull: false, usesBaselines: false };

test.each<[string, Partial<RunOptions>, Record<string, string>, Expected]>([
  ["without a flag", {}, {}, ALL],
  ["if CI is false", {}, { CI: "false" }, ALL],
  ["if CI is empty", {}, { CI: "" }, ALL],
  ["in CI", {}, { CI: "true" }, { ...ALL, isDefault: false, usesBaselines: false }],
  ["in GitHub Actions", {}, { GITHUB_ACTIONS: "1" }, { ...NONE, isFull: true }],
  ["against another base", { baseBranch: "dev" }, {}, { ...NONE, isFull: true }],
  ["of a commit", { scope: { kind: "commit", commit: "HEAD" } }, {}, NONE],
  ["of uncommitted changes", { scope: { kind: "uncommitted" } }, {}, NONE],
  ["of a shard", { shard: { job: 0, jobTotal: 2 } }, {}, NONE],
  ["of named gates", { gates: ["lint"] }, {}, PARTIAL],
  ["of one kind of gates", { kind: "check" }, {}, PARTIAL],
  ["of every gate on everything", { all: true }, {}, { ...ALL, usesBaselines: false }],
  ["that is forced", { force: true }, {}, { ...ALL, usesBaselines: false }],
  ["with all and force set to false", { all: false, force: false }, {}, ALL],
])(
  "a run %s is default, full and compared with baselines as documented (G7a, G19a)",
  (_, more, env, expected) => {
    const options: RunOptions = { runtime: newRuntime(), projectDir: "/project", ...more };
    expect({
      isDefault: isDefaultRun(options, env),
      isFull: isFullRun(options),
      usesBaselines: usableBaselines(options, env, BASELINES) === BASELINES,
    }).toEqual(expected);
    if (!expected.usesBaselines) expect(usableBaselines(options, env, BASELINES)).toEqual({});
  }
);

const config = gauntletConfig([], {
  entryPoints: [
    {
      path: "src",
      exclude: ["src/gen/**"],
      gates: [
        checkGate("lint"),
        checkGate("slow", { runLocally: false }),
        reviewGate("quality"),
        reviewGate("off", { enabled: false }),
      ],
    },
    { path: "docs", exclude: [], gates: [checkGate("links", { runInCi: false })] },
  ],
});

type Narrowing = Parameters<typeof selectGates>[1];

function names(gates: readonly GateDefinition[]): string[] {
  return gates.map(({ name }) => name);
}

describe("selectGates", () => {
  test.each<[string, Narrowing, Record<string, string>, string[], string[]]>([
    ["all that run locally", {}, {}, ["lint", "quality", "links"], ["slow"]],
    ["all that run in CI", {}, { CI: "1" }, ["lint", "slow", "quality"], ["links"]],
    ["checks alone", { kind: "check" }, {}, ["lint", "links"], ["slow"]],
    ["reviews alone", { kind: "review" }, {}, ["quality"], []],
    ["those of a name", { gates: ["links"] }, {}, ["links"], ["slow"]],
    ["none of a name that does not run here", { gates: ["slow"] }, {}, [], ["slow"]],
    ["none of a review that is disabled", { gates: ["off"] }, {}, [], ["slow"]],
  ])("selects %s", (_, narrowing, env, selected, skipped) => {
    const gates = selectGates(config, narrowing, env)._unsafeUnwrap();
    expect(gates.entryPoints.flatMap((point) => names(point.gates))).toEqual(selected);
    expect(names(gates.skippedInThisEnv)).toEqual(skipped);
  });

  test("keeps every entry point, including one without a gate", () => {
    const { entryPoints } = selectGates(config, { gates: ["links"] }, {})._unsafeUnwrap();
    expect(entryPoints).toMatchObject([
      { path: "src", exclude: ["src/gen/**"], gates: [] },
      { path: "docs", gates: [{ name: "links" }] },
    ]);
  });

  test.each<[Narrowing, string]>([
    [
      { gates: ["lint", "nope"] },
      'there is no gate named "nope"; defined are: lint, slow, quality, off, links',
    ],
    [
      { gates: ["quality"], kind: "check" },
      'there is no check named "quality"; defined are: lint, slow, links',
    ],
  ])("rejects %j with the existing names (G30b)", (narrowing, message) => {
    expect(selectGates(config, narrowing, {})._unsafeUnwrapErr()).toBe(message);
  });

  test("rejects every name if there is no gate (G30b)", () => {
    const message = selectGates(gauntletConfig([]), { gates: ["x"] }, {})._unsafeUnwrapErr();
    expect(message).toBe('there is no gate named "x"; defined are: none');
  });
});

const options: RunOptions = { runtime: newRuntime(), projectDir: "/project", kind: "check" };

test.each<[string, string, GateDefinition[]]>([
  ["only checks", "whole", [checkGate("lint")]],
  ["a disabled review", "whole", [checkGate("lint"), reviewGate("q", { enabled: false })]],
  ["checks and reviews", "partial", [checkGate("lint"), reviewGate("q")]],
  ["only reviews", "partial", [reviewGate("q")]],
])("with %s, normalizeKind makes a run of checks %s (G19a)", (_, extent, gates) => {
  const { kind, ...rest } = normalizeKind(options, gauntletConfig(gates));
  expect(kind).toBe(extent === "whole" ? undefined : "check");
  expect(rest).toEqual({ runtime: options.runtime, projectDir: "/project" });
});
