/** The JSON Schemas of the files that the gauntlet writes for others, generated from its own definitions (§5). */
import * as z from "zod/mini";
import { resultFileSchema } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** Returns the text of each schema, by file name. */
export function publishedSchemas(): Record<string, string> {
  const { $schema, ...schema } = z.toJSONSchema(resultFileSchema);
  const title = "What a review has found, and what was done about it";
  return {
    "review-result.schema.json": `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`,
  };
}
