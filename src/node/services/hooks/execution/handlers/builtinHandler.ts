/** Runs hooks that are functions of this process (H29). */
import { isJsonObject } from "@/common/json";
import { builtinName, type BuiltinHook } from "@/node/services/hooks/contract/builtinHooks";
import { resultOf, runLimited } from "@/node/services/hooks/execution/handlers/limitedRun";
import type {
  HandlerResult,
  HandlerRun,
  StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { readObject } from "@/node/services/hooks/execution/parseOutput";
import { failed, judgeReading } from "@/node/services/hooks/execution/verdict";
import { handlerFailed } from "@/node/services/hooks/messages/execution";

export async function runBuiltin(
  builtin: BuiltinHook,
  run: HandlerRun,
  { runtime, projectDir, input, requestedContinuation, checkout, ...context }: StopContext
): Promise<HandlerResult> {
  const { hook, timeoutMs, onOutput } = run;
  const [part] = builtinName(hook).flatMap((name) => checkout.get(name) ?? []);
  return await runLimited(run, async (signal) => {
    const returned: unknown = await builtin({
      runtime,
      projectDir,
      input,
      signal,
      timeoutMs,
      requestedContinuation: requestedContinuation.has(hook.name),
      turnId: context.turnId,
      turnBegan: context.turnBegan,
      isHostTurn: context.isHostTurn,
      onOutput,
      ...(part === undefined ? {} : { checkout: part }),
    });
    const output = returned ?? {};
    if (!isJsonObject(output))
      return resultOf(
        failed(
          handlerFailed(
            "the function of the hook returned a value that is not an object; return an object or undefined"
          )
        )
      );
    const verdict = judgeReading(readObject(output, hook.event));
    return resultOf(output.unverified === true ? { ...verdict, unverified: true } : verdict);
  });
}
