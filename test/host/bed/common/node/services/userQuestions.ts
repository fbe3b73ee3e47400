/** The agent's questions to its user: the tool waits for the answer, and the turn continues with it. */
import type { Tool } from "@test/host/bed/common/node/services/aiService";

type Answers = Record<string, string>;

const waiting = new Map<string, (answers: Answers) => void>();

export const askUser: Tool = async (_input, workspaceId) => {
  const answers = await new Promise<Answers>((resolve) => waiting.set(workspaceId, resolve));
  return { success: true, answers };
};

/** Returns whether a question was waiting. */
export function answerUserQuestion(workspaceId: string, answers: Answers): boolean {
  waiting.get(workspaceId)?.(answers);
  return waiting.delete(workspaceId);
}
