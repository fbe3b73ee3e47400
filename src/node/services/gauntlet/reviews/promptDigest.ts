import { sha256 } from "@/common/hash";
import type { ReviewDefinition } from "@/node/services/gauntlet/domain/gate";

/** Returns a digest of the settings that a review's answers depend on. An answer to another prompt does not apply. */
export function promptDigest({
  prompt,
  model,
}: Pick<ReviewDefinition, "prompt" | "model">): string {
  const text = JSON.stringify([prompt, model ?? null]);
  return sha256(text, 32);
}
