/**
 * Generates the JSON Schemas of the configuration, of check files and of review results for `make schemas`, from the
 * schemas with which these files are read or written.
 */
import * as z from "zod/mini";
import * as configKeys from "@/node/services/gauntlet/domain/configSchemas";
import { resultFileSchema } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** Returns the text of each schema, by file name. */
export function publishedSchemas(): Record<string, string> {
  const check = inputOf(configKeys.checkSchema);
  const { $schema: _, ...inline } = check;
  const gate = { anyOf: [{ type: "string" }, { type: "object", additionalProperties: inline }] };
  const entryPoint = inputOf(configKeys.entryPointSchema);
  const config = inputOf(configKeys.configSchema);
  const properties = {
    ...config.properties,
    checks: {
      type: "object",
      additionalProperties: { anyOf: [{ type: ["string", "null"] }, inline] },
    },
    entry_points: {
      type: "array",
      minItems: 1,
      items: {
        ...{ type: "object", required: ["path"], additionalProperties: false },
        properties: { ...entryPoint.properties, checks: { type: "array", items: gate } },
      },
    },
  };
  const anyOf = ["checks", "entry_points"].map((key) => ({
    properties: { [key]: true },
    required: [key],
  }));
  return {
    "review-result.schema.json": textOf(
      "The violations that a review reported, and what the agent did about each",
      z.toJSONSchema(resultFileSchema)
    ),
    "gauntlet-config.schema.json": textOf(".gauntlet/config.yml of mux-stop-hooks", {
      ...config,
      properties,
      anyOf,
    }),
    "gauntlet-check.schema.json": textOf(
      "A check of mux-stop-hooks: .gauntlet/checks/NAME.yml",
      check
    ),
  };
}

function inputOf(schema: z.ZodMiniType) {
  const schemaOf = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  // An unknown key is an error for `validate`.
  return { ...schemaOf, additionalProperties: false };
}

function textOf(title: string, { $schema, ...schema }: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}
