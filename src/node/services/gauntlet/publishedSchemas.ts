/** The JSON Schemas of what the gauntlet leaves for others to read, made from the definitions that are written by (§5). */
import * as z from "zod/mini";
import { resultFileSchema } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** By file name, the text of each. */
export function publishedSchemas(): Record<string, string> {
  const { $schema, ...schema } = z.toJSONSchema(resultFileSchema);
  const title = "What a review has found, and what was done about it";
  return {
    "review-result.schema.json": `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`,
  };
}
