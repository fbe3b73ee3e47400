/** What has to be known and in place before the hooks of a stop run. */
import type { StopContext } from "@/node/services/hooks/handlers/handler";
import { claudeInput, completeInput } from "@/node/services/hooks/hookInput";
import { projectClaudeTranscripts } from "@/node/services/hooks/transcript/claudeTranscript";
import type { ConfiguredHook, StopHookInput } from "@/node/services/hooks/types";

export async function prepareStop(
  hooks: readonly ConfiguredHook[],
  request: Omit<StopContext, "cwd" | "claudeInput" | "input"> & { input: StopHookInput }
): Promise<StopContext> {
  const input = completeInput(request.input);
  const wantsClaude = hooks.some(({ handler }) => handler.dialect === "claude");
  const [cwd, transcripts] = await Promise.all([
    existingCwd(request),
    wantsClaude ? projectClaudeTranscripts(request.runtime, input) : undefined,
  ]);
  return {
    ...request,
    input,
    cwd,
    ...(transcripts === undefined ? {} : { claudeInput: claudeInput(input, transcripts) }),
  };
}

/** The agent may have removed the folder it worked in. */
async function existingCwd({
  runtime,
  projectDir,
  input,
}: Pick<StopContext, "runtime" | "projectDir"> & { input: StopHookInput }): Promise<string> {
  if (input.cwd === projectDir) return projectDir;
  const [stat] = await runtime.stat([input.cwd]);
  return stat?.kind === "directory" ? input.cwd : projectDir;
}
