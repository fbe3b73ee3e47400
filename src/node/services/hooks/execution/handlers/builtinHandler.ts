/** Runs hooks that are functions of this process (H29). */
import { isJsonObject } from "@/common/json";
import type { BuiltinHook } from "@/node/services/hooks/contract/builtinHooks";
import { builtinName } from "@/node/services/hooks/contract/hookIdentity";
import {
  type HandlerResult,
  type HandlerRun,
  resultOf,
  runLimited,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { readObject } from "@/node/services/hooks/execution/parseOutput";
import { failed, judgeReading } from "@/node/services/hooks/execution/verdict";
import { handlerFailed } from "@/node/services/hooks/messages/execution";

export async function runBuiltin(
  builtin: BuiltinHook,
  run: HandlerRun,
  context: StopContext
): Promise<HandlerResult> {
  const { runtime, projectDir, input, turnId, turnBegan, isHostTurn } = context;
  const { hook, timeoutMs, onOutput } = run;
  const [part] = builtinName(hook).flatMap((name) => context.checkout.get(name) ?? []);
  return await runLimited(run, async (signal) => {
    const returned: unknown = await builtin({
      runtime,
      projectDir,
      input,
      signal,
      timeoutMs,
      requestedContinuation: context.requestedContinuation.has(hook.name),
      turnId,
      turnBegan,
      isHostTurn,
      onOutput,
      checkout: part,
    });
    const output = returned ?? {};
    if (!isJsonObject(output)) {
      const problem =
        "the function of the hook returned a value that is not an object; return an object or undefined";
      return resultOf(failed(handlerFailed(problem)));
    }
    const verdict = judgeReading(readObject(output, hook.event));
    return resultOf(output.unverified === true ? { ...verdict, unverified: true } : verdict);
  });
}
