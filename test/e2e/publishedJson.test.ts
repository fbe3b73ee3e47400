/** `list --json`, `status --json` and `doctor --json`, against the published schemas (G30b). */
import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

const CONFIG = 'entry_points:\n  - path: .\n    checks:\n      - lint: { command: "false" }\n';

const LINT = { kind: "check", name: "lint", timeoutS: 300 };
const ENTRY_POINTS = [{ path: ".", exclude: [], gates: [LINT] }];

const project = await GauntletProject.create(CONFIG);
await project.write("a.txt", "a\n");
await agentGauntlet(project, "run");

test.each([
  [
    "list",
    { baseBranch: "main", maxRetries: 3, logDir: "gauntlet_logs", entryPoints: ENTRY_POINTS },
    0,
  ],
  [
    "status",
    {
      lastRun: { status: "failed", gatesRun: 1, isPartial: false },
      unresolved: [
        { jobId: "check:.:lint", logPath: expect.stringMatching(/lint\.1\.log$/) as string },
      ],
    },
    0,
  ],
  ["doctor", { problems: 1, sections: expect.any(Array) as unknown }, 1],
] as const)("%s --json has the published schema", async (name, expected, exit) => {
  const { stdout, code } = await agentGauntlet(project, [name, "--json"], {
    env: { PATH: process.env.PATH },
  });
  expect(code).toBe(exit);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  expect(printed).toMatchObject(expected);
  const schema = JSON.parse(await readFile(`schemas/${name}.schema.json`, "utf8")) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate(printed) || validate.errors).toBe(true);
  expect(printed.$schema).toMatch(new RegExp(`/schemas/${name}\\.schema\\.json$`));
});
