/**
 * Builds a reviewer's prompt, with the change, its notes and the claims between lines with a random mark, and removes
 * repetitions of this material from the output. Derives the text that an answer must repeat, and a digest that shows
 * that the settings of a review changed (G12, G14a).
 */
import { randomBytes } from "node:crypto";
import type { ReviewDefinition } from "@/node/services/gauntlet/domain/gate";
import type {
  TrackedViolation,
  ReviewDiff,
} from "@/node/services/gauntlet/domain/reviewViolations";
import { BUILTIN_PROMPTS } from "@/node/services/gauntlet/messages/builtinPrompts";
import { sha256 } from "@/common/hash";
import * as texts from "@/node/services/gauntlet/messages/reviewPromptTexts";

export interface PromptParts {
  readonly instructions: ReviewDefinition["prompt"];
  readonly diff: Pick<ReviewDiff, "text" | "notes">;
  /** The violations that the agent marked as fixed. */
  readonly verify: readonly TrackedViolation[];
}

/**
 * Builds the prompt: the rules, the instructions of the review, the claims, the answer format, the notes and the
 * change. Claims, notes and change are between lines with a random mark that their authors cannot know.
 */
export function buildPrompt({ instructions, diff, verify }: PromptParts): string {
  const task =
    "text" in instructions
      ? instructions.text
      : (BUILTIN_PROMPTS.get(instructions.builtin) ?? instructions.builtin);
  const notes = diff.notes.join("\n");
  const claims = verify.map(({ id, file, line, issue, fix, result }) =>
    JSON.stringify({ id, file, line, issue, fix, result })
  );
  const material = [diff.text, notes, ...claims];
  const mark = newMark(material);
  const block = (label: string, text: string): string =>
    `----- BEGIN ${label} ${mark} -----\n${text.trimEnd()}\n----- END ${label} ${mark} -----`;
  return [
    texts.ROLE,
    texts.rules(mark),
    `${texts.HEADINGS.instructions}\n\n${task.trim()}`,
    ...(claims.length > 0 ? [`${texts.VERIFY}\n\n${block("CLAIMS", claims.join("\n"))}`] : []),
    texts.answer(nonceOf(mark), claims.length > 0),
    ...(notes === "" ? [] : [`${texts.HEADINGS.notes}\n\n${block("NOTES", notes)}`]),
    `${texts.HEADINGS.change}\n\n${block("DIFF", diff.text)}`,
    texts.CLOSING,
  ]
    .join("\n\n")
    .concat("\n");
}

/**
 * Removes repetitions of the material from an output: an answer within the change is not the reviewer's. Removes all
 * lines from the first with the mark to the last, because a repetition may be quoted or indented.
 */
export function withoutMaterial(output: string, prompt: string): string {
  const mark = texts.MARK_IN_PROMPT.exec(prompt)?.[1];
  if (mark === undefined) return output;
  const first = output.indexOf(mark);
  if (first === -1) return output;
  const end = output.indexOf("\n", output.lastIndexOf(mark));
  const before = output.slice(0, output.lastIndexOf("\n", first) + 1);
  return end === -1 ? before : before + output.slice(end + 1);
}

/** Returns the text that an answer to a prompt repeats. The author of the change cannot know it. */
export function nonceIn(prompt: string): string {
  return nonceOf(texts.MARK_IN_PROMPT.exec(prompt)?.[1] ?? "");
}

function nonceOf(mark: string): string {
  return sha256(mark, 12);
}

/** Returns a digest of the settings that a review's answers depend on. An answer to another prompt does not apply. */
export function promptDigest(review: Pick<ReviewDefinition, "prompt" | "model">): string {
  return sha256(JSON.stringify([review.prompt, review.model ?? null]), 32);
}

function newMark(material: readonly string[]): string {
  const mark = randomBytes(16).toString("hex");
  return material.some((text) => text.includes(mark)) ? newMark(material) : mark;
}
