/** Defines the JSON output of `list`, `status` and `doctor`, and its JSON schemas for the folder `schemas/` (G30b). */
import * as z from "zod/mini";

const texts = z.array(z.string());
const gate = z.looseObject({ name: z.string(), kind: z.enum(["check", "review"]) });

const listSchema = z.object({
  projectDir: z.string(),
  baseBranch: z.string(),
  logDir: z.string().check(z.describe("Relative to projectDir.")),
  maxRetries: z.int(),
  entryPoints: z.readonly(
    z.array(
      z.looseObject({
        path: z.string(),
        exclude: z.readonly(texts),
        gates: z.readonly(z.array(gate)),
      })
    )
  ),
});

const violation = z.object({
  id: z.optional(z.string()),
  priority: z.string(),
  status: z.string(),
  text: z.string(),
  reason: z.optional(z.string()),
});

const statusSchema = z.object({
  projectDir: z.string(),
  branch: z.optional(z.string()),
  running: z.optional(z.string().check(z.describe("The process of the run in progress."))),
  notices: texts.check(z.describe("About trust, a pause, and the last stop.")),
  lastRun: z.optional(
    z.object({
      status: z.optional(z.string()),
      completedAt: z.optional(z.string()),
      branch: z.optional(z.string()),
      gatesRun: z.optional(z.int()),
      isPartial: z.boolean(),
    })
  ),
  attempts: z.object({ used: z.int(), allowed: z.int() }),
  unresolved: z.array(z.object({ jobId: z.string(), logPath: z.optional(z.string()) })),
  flaky: z.array(z.object({ jobId: z.string(), passed: z.int(), failed: z.int() })),
  reviews: z.array(
    z.object({
      name: z.string(),
      unresolved: z.int(),
      violations: z.array(violation),
      fixed: texts,
      problems: texts,
      path: z.optional(z.string()),
    })
  ),
  calls: z.array(z.object({ reviewer: z.string(), count: z.int(), tokens: z.number() })),
});

const doctorSchema = z.object({
  problems: z.int(),
  sections: z.array(
    z.object({
      title: z.string(),
      findings: z.array(
        z.object({
          kind: z.enum(["good", "info", "problem"]),
          text: z.string(),
          next: z.optional(z.string()),
        })
      ),
    })
  ),
  absent: texts.check(z.describe("Hosts that are not on this machine and have no hook.")),
});

const SCHEMAS = { list: listSchema, status: statusSchema, doctor: doctorSchema };

export type PublishedStatus = z.input<typeof statusSchema>;
export type PublishedDoctor = z.input<typeof doctorSchema>;

/** Returns the output of `--json` with a link to its schema. */
export function publishedJson(name: keyof typeof SCHEMAS, value: object): string {
  const $schema = `https://unpkg.com/mux-stop-hooks/schemas/${name}.schema.json`;
  return JSON.stringify({ $schema, ...value }, null, 2);
}

/** Returns the text of each schema, by file name. */
export function publishedSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => {
      const { $schema, ...rest } = z.toJSONSchema(z.extend(schema, { $schema: z.string() }));
      const title = `The output of mux-stop-hooks ${name} --json`;
      return [`${name}.schema.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`];
    })
  );
}
