/** The fields of a hook's input that describe the model (H13). */
import { definedOnly } from "@/common/definedOnly";
import type { StopHookInput } from "@/node/services/hooks/contract/types";

/** The model of a stop, as far as a host knows it. A value of another type counts as unknown. */
export interface ModelFacts {
  readonly model?: unknown;
  /** The host's own name of the level; `off` if the model does not think. */
  readonly thinkingLevel?: unknown;
  /** The used part of the context window, from 0 to 1. */
  readonly contextWindowUsed?: unknown;
}

/** Returns a field for each known fact. */
export function modelFields({
  model,
  thinkingLevel: level,
  contextWindowUsed: used,
}: ModelFacts): Pick<StopHookInput, "model" | "effort" | "context_usage"> {
  const isUsage = typeof used === "number" && used >= 0 && used <= 1;
  return definedOnly({
    model: isName(model) ? model : undefined,
    effort: isName(level) && level !== "off" ? { level } : undefined,
    context_usage: isUsage ? used : undefined,
  });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
