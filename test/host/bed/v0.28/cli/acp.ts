/** An editor's agent on standard input and output: JSON-RPC, one message per line. */
import { createInterface } from "node:readline";
import { MuxAgent } from "@test/host/bed/v0.28/node/acp/agent";
import { Config } from "@test/host/bed/common/node/config";
import { AIService } from "@test/host/bed/common/node/services/aiService";
import { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";

const MODEL = "anthropic:claude-sonnet-4-5";

interface Request {
  id: number;
  method: string;
  params: { cwd: string; sessionId: string; prompt: { text: string }[] };
}

export async function serveEditor(): Promise<void> {
  const config = new Config();
  const workspaces = new WorkspaceService(config, new AIService(config));
  const send = (method: string, params: object): void => {
    console.log(JSON.stringify({ jsonrpc: "2.0", method, params }));
  };
  const agent = new MuxAgent({ config, workspaces, send });
  const answer = async ({ method, params }: Request): Promise<object> => {
    if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {} };
    if (method === "session/new") return await agent.newSession(params);
    const text = params.prompt.map((block) => block.text).join("\n");
    return await agent.prompt(params.sessionId, text, MODEL);
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as Request;
    void answer(request).then((result) => {
      console.log(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }));
    });
  }
  process.exit();
}
