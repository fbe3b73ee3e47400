import { expect, test } from "vitest";
import {
  isDefaultRun,
  isFullRun,
  usableBaselines,
  type RunOptions,
} from "@/node/services/gauntlet/run/runOptions";
import { newRuntime } from "@test/helpers/localRuntime";

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
