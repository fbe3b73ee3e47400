import * as z from "zod/mini";
import { expect, it } from "vitest";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { changedGates, gateTexts } from "@/node/services/gauntlet/domain/changedGates";
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
import { checkKeys, optional, section } from "@/node/services/gauntlet/domain/configSchemas";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { keysOf } from "@test/helpers/docs/keysOf";

it("a key that is added to the table is read, checked, published, compared and documented (G4, G5, G20d)", () => {
  const row = optional(z.enum(["a", "b"], "expected a or b"), "a");
  const keys = { ...checkKeys, made_up: row };
  const schema = section(keys);
  const problems = new DiagnosticList();
  const read = (yaml: string) =>
    validateNode(parseYaml(new SourceFile("c.yml", yaml, YAML), problems)!, schema, problems);
  const [plain, changed] = [read("command: x"), read("command: x\nmade_up: b")];
  expect([plain?.madeUp, changed?.madeUp]).toEqual(["a", "b"]);
  expect(problems.all).toEqual([]);
  read("command: x\nmade_up: c");
  expect(problems.all).toMatchObject([{ message: 'expected a or b, found "c"' }]);
  expect(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).toMatchObject({
    properties: { made_up: {} },
  });
  // The page is compared with these keys.
  expect(keysOf(schema)).toContain("made_up");

  const gates = [plain, changed].map((fields) => ({ ...fields, kind: "check", name: "t" }));
  const [before, now] = gates as unknown as [CheckDefinition, CheckDefinition];
  expect(definitionOf(now)).not.toBe(definitionOf(before));
  const texts = [before, now].map((gate) =>
    gateTexts([{ path: ".", exclude: [], gates: [gate] }], keys)
  );
  expect(changedGates(texts[0]!, texts[1]!)).toEqual([
    'check:.:t was changed in the configuration; it was: x; it is now: x {"made_up":"b"}',
  ]);
});
