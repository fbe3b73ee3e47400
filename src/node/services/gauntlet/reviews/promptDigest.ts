import { sha256 } from "@/common/hash";
import type { ReviewDefinition } from "@/node/services/gauntlet/domain/gate";

/** What of a review's definition its answers depend on: an answer to another question says nothing of this one. */
export function promptDigest({
  prompt,
  model,
}: Pick<ReviewDefinition, "prompt" | "model">): string {
  const text = JSON.stringify([prompt, model ?? null]);
  return sha256(text, 32);
}
