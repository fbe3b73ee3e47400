import { createHash } from "node:crypto";
import type { ReviewDefinition } from "@/node/services/gauntlet/domain/gate";

/** Returns a digest of the settings that a review's answers depend on. An answer to another prompt does not apply. */
export function promptDigest({
  prompt,
  model,
}: Pick<ReviewDefinition, "prompt" | "model">): string {
  const text = JSON.stringify([prompt, model ?? null]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
