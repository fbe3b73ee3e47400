/** The JSON Schemas of the files that the gauntlet writes for others, generated from its own definitions. */
import * as z from "zod/mini";
import { REVIEW_RESULT_TITLE } from "@/node/services/gauntlet/messages/documents";
import { resultFileSchema } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** Returns the text of each schema, by file name. */
export function publishedSchemas(): Record<string, string> {
  const { $schema, ...schema } = z.toJSONSchema(resultFileSchema);
  const title = REVIEW_RESULT_TITLE;
  return {
    "review-result.schema.json": `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`,
  };
}
