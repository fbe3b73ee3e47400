/** Serves conversations over HTTP: one path per call, and the events of a chat as a stream. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { TaskService } from "@test/host/bed/v0.28/node/services/taskService";
import { Config } from "@test/host/bed/common/node/config";
import { createRuntimeForWorkspace } from "@test/host/bed/common/node/runtime/runtimeHelpers";
import { addWorktree } from "@test/host/bed/common/node/runtime/worktrees";
import { AIService } from "@test/host/bed/common/node/services/aiService";
import { bashTool } from "@test/host/bed/common/node/services/bashTool";
import { WorkspaceService } from "@test/host/bed/common/node/services/workspaceService";
import { type Metadata, type SendOptions, ok } from "@test/host/bed/common/node/types";

/** The types of events that every host knows. A host ends a chat's stream at an event of another type. */
const EVENTS: ReadonlySet<string> = new Set([
  ...["caught-up", "message", "queued-message-changed"],
  ...["stream-start", "stream-delta", "stream-end", "stream-abort", "stream-error", "usage-delta"],
  ...["tool-call-start", "bash-output", "tool-call-end"],
]);

interface Call {
  projectPath: string;
  branchName: string;
  runtimeConfig: Metadata["runtimeConfig"];
  workspaceId: string;
  newName: string;
  message: string;
  options: SendOptions;
}

export async function serve(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { port: { type: "string" }, "auth-token": { type: "string" } },
  });
  const config = new Config();
  const aiService = new AIService(config);
  const workspaces = new WorkspaceService(config, aiService);
  aiService.tools.set("bash", bashTool(config));
  aiService.tools.set("propose_plan", () => Promise.resolve(ok()));
  new TaskService(config, aiService, workspaces);

  const calls: Record<string, (call: Call, response: ServerResponse) => unknown> = {
    "/api/workspace/create": ({ projectPath, branchName, runtimeConfig }) => {
      const metadata = config.addWorkspace({ name: branchName, projectPath, runtimeConfig });
      createRuntimeForWorkspace(metadata);
      addWorktree(metadata);
      return { success: true, metadata };
    },
    "/api/workspace/onChat": ({ workspaceId }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      void workspaces.session(workspaceId).subscribeChat(({ message }) => {
        if (EVENTS.has(message.type)) response.write(`data: ${JSON.stringify(message)}\n\n`);
        else response.end();
      });
      return undefined;
    },
    "/api/workspace/sendMessage": ({ workspaceId, message, options }) =>
      workspaces.sendMessage(workspaceId, message, options),
    "/api/workspace/interruptStream": ({ workspaceId }) =>
      workspaces.session(workspaceId).interruptStream(),
    "/api/workspace/resumeStream": ({ workspaceId, options }) =>
      workspaces.session(workspaceId).resumeStream(options),
    "/api/workspace/rename": ({ workspaceId, newName }) => workspaces.rename(workspaceId, newName),
    "/api/workspace/remove": ({ workspaceId }) => workspaces.remove(workspaceId),
  };

  const server = createServer((request, response) => {
    void (async () => {
      const call = (await json(request)) as Call;
      const answer = await calls[request.url ?? ""]?.(call, response);
      if (answer !== undefined) response.end(JSON.stringify(answer));
      else if (!response.headersSent) response.writeHead(404).end("{}");
    })();
  });
  server.listen(Number(values.port), "127.0.0.1", () => {
    console.log(`Serving at http://localhost:${(server.address() as AddressInfo).port}`);
  });
  await new Promise((resolve) => process.once("SIGTERM", resolve));
  process.exit();
}
