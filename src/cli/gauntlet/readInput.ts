import { err, ok, type Result } from "neverthrow";
import type { Input } from "@/cli/context";
import { describeError } from "@/common/errors";

/** Reads an input as UTF-8 text. Returns undefined if it is longer than `maxBytes`. */
export async function readInput(
  input: Input,
  maxBytes: number
): Promise<Result<string | undefined, string>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of input) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > maxBytes) return ok(undefined);
      chunks.push(bytes);
    }
    return ok(Buffer.concat(chunks).toString("utf8"));
  } catch (thrown) {
    return err(describeError(thrown));
  }
}
