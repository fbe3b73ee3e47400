/** `node --require mux-stop-hooks/register`: adds hooks to a Mux that does not support them itself. */
import { userHome } from "@/common/userHome";
import { isMainThread } from "node:worker_threads";
import { announceHost, readArgumentsAsNode } from "@/host/loading/announce";
import { attachService, attachSession } from "@/host/stop/patchStop";
import { usePoints } from "@/host/subagent/turnPoints";
import { attachInterrupts, attachSubagents } from "@/host/subagent/patchTasks";
import { missingFrom, type ModuleExports, SEAMS } from "@/host/loading/capabilities";
import { WorkspaceLocator, Workspaces } from "@/host/workspace/Workspaces";
import { setHostDist, rememberTrustFlag } from "@/host/session/trust";
import { ChatCards } from "@/host/session/ChatCards";
import { featureOff, log } from "@/host/messages";
import { attachEditor } from "@/host/stop/editorPrompts";
import { onHostModule, watchModules } from "@/host/loading/moduleHook";
import { withoutPreload } from "@/host/loading/nodeOptions";
import { attachRun, exitUnverified, type RunSession } from "@/host/run/runUntilIdle";
import { StopInterceptor, type InterceptorParts } from "@/host/stop/StopInterceptor";
import { isEditorAttached, StatusFile } from "@/host/StatusFile";
import { StreamStarts } from "@/host/stop/StreamStarts";
import { ReportInterceptor } from "@/host/subagent/ReportInterceptor";

// Worker threads of the host handle no stops.
if (isMainThread) {
  readArgumentsAsNode(process);
  attach();
}

function attach(): void {
  const place = { env: process.env, home: userHome() };
  const status = new StatusFile(place, __dirname);
  const workspaces = new Workspaces();
  const checkouts = new WorkspaceLocator();
  let isServiceThere = false;
  let runSessions: RunSession | undefined;
  const parts: InterceptorParts = {
    workspaces,
    checkouts,
    starts: new StreamStarts(),
    engine: () => import("@/host/engine"),
    place,
    cards: new ChatCards(log),
    isOn: () => isServiceThere,
    isEditorAttached: () => isEditorAttached(place),
  };
  const gate = new StopInterceptor(parts);
  const reports = new ReportInterceptor(parts, gate);
  let hasPoints = false;
  onSeam("TurnStops", status, (exports) => {
    hasPoints = true;
    isServiceThere = true;
    usePoints(exports.TurnStops as Parameters<typeof usePoints>[0], gate, reports, parts);
  });
  const patch = (name: string, use: (exports: ModuleExports) => void): void => {
    onSeam(name, status, (exports) => {
      if (!hasPoints) use(exports);
    });
  };
  patch("AIService", (exports) => {
    const service = exports.AIService as Parameters<typeof attachService>[0];
    isServiceThere = true;
    attachService(service, gate, parts.starts);
    attachInterrupts(service, reports);
  });
  patch("AgentSession", (exports) => {
    const sessions = exports.AgentSession as Parameters<typeof attachSession>[0];
    attachSession(sessions, [gate, reports], parts);
    runSessions = (exports.AgentSession as { prototype: RunSession }).prototype;
  });
  onHostModule("cli/run.js", () => {
    const sessions = isServiceThere ? runSessions : undefined;
    if (sessions !== undefined) attachRun(sessions, gate);
    const isOff = sessions === undefined && !hasPoints;
    exitUnverified(process, () =>
      isOff ? "Stop hooks are off in this version of Mux" : gate.unverified
    );
  });
  patch("TaskService", (exports) => {
    attachSubagents(exports.TaskService as Parameters<typeof attachSubagents>[0], reports);
  });
  patch("MuxAgent", (exports) => {
    attachEditor(exports.MuxAgent as Parameters<typeof attachEditor>[0]);
  });
  onSeam("isProjectTrusted", status, rememberTrustFlag);
  onSeam("createRuntimeForWorkspace", status, (exports) => {
    checkouts.useHelpers(exports);
  });
  watchModules(() => {
    announceHost(process.env);
    withoutPreload(process.env, process.execArgv, __filename);
  });
}

/** Runs `use` when the module is loaded. If required members are missing, the feature is off and one line is logged. */
function onSeam(name: string, status: StatusFile, use: (exports: ModuleExports) => void): void {
  for (const seam of SEAMS.filter((candidate) => candidate.name === name)) {
    onHostModule(seam.file, (exports, distDir) => {
      setHostDist(distDir);
      const missing = missingFrom(seam, exports);
      status.seamFound(name, distDir, missing);
      if (missing.length === 0) {
        use(exports);
        return;
      }
      if (seam.optional !== true) log(featureOff(seam.feature, missing));
    });
  }
}
