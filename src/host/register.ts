/**
 * The preload `node --require mux-stop-hooks/register`: attaches the hooks to the modules of a Mux as they load, by
 * patches, or by Mux's own events if it has them. Logs the features that this version of Mux does not support, and
 * keeps child processes from loading the preload.
 */
import { userHome } from "@/common/userHome";
import { isMainThread } from "node:worker_threads";
import { announceHost, readArgumentsAsNode, withoutPreload } from "@/host/loading/hidePreload";
import { attachService, attachSession } from "@/host/stop/patchTurns";
import { subscribeToTurnEvents } from "@/host/nativeTurnEvents";
import { attachInterrupts, attachSubagents } from "@/host/subagent/patchReports";
import { missingFrom, type ModuleExports, SEAMS } from "@/host/loading/muxMembers";
import { WorkspaceLocator, LiveSessions } from "@/host/workspace/liveWorkspaces";
import { setHostDist, rememberTrustFlag } from "@/host/session/muxProjectTrust";
import { ChatCards } from "@/host/session/ChatCards";
import { featureOff, log } from "@/host/hostLog";
import { attachEditor } from "@/host/stop/patchAcpAgent";
import { onHostModule, watchModules } from "@/host/loading/interceptModules";
import { attachRun, exitUnverified, type RunSession } from "@/host/run/patchMuxRun";
import { StopInterceptor, type InterceptorParts } from "@/host/stop/StopInterceptor";
import { isEditorAttached, HostStatusFile } from "@/host/HostStatusFile";
import { StreamStarts } from "@/host/stop/StreamStarts";
import { ReportInterceptor } from "@/host/subagent/ReportInterceptor";

// Worker threads of the host handle no stops.
if (isMainThread) {
  readArgumentsAsNode(process);
  attach();
}

function attach(): void {
  const place = { env: process.env, home: userHome() };
  const status = new HostStatusFile(place, __dirname);
  const workspaces = new LiveSessions();
  const checkouts = new WorkspaceLocator();
  let isServiceThere = false;
  let runSessions: RunSession | undefined;
  const parts: InterceptorParts = {
    workspaces,
    checkouts,
    starts: new StreamStarts(),
    engine: () => import("@/host/hostEngineExports"),
    place,
    cards: new ChatCards(log),
    isOn: () => isServiceThere,
    isEditorAttached: () => isEditorAttached(place),
  };
  const gate = new StopInterceptor(parts);
  const reports = new ReportInterceptor(parts, gate);
  let hasPoints = false;
  onSeam("TurnStops", status, (stops) => {
    hasPoints = true;
    isServiceThere = true;
    subscribeToTurnEvents(stops, gate, reports, parts);
  });
  const patch = (name: string, use: (found: never) => void): void => {
    onSeam(name, status, (found) => {
      if (!hasPoints) use(found);
    });
  };
  patch("AIService", (service) => {
    isServiceThere = true;
    attachService(service, gate, parts.starts);
    attachInterrupts(service, reports);
  });
  patch("AgentSession", (sessions) => {
    attachSession(sessions, [gate, reports], parts);
    runSessions = (sessions as { prototype: RunSession }).prototype;
  });
  onHostModule("cli/run.js", () => {
    const sessions = isServiceThere ? runSessions : undefined;
    if (sessions !== undefined) attachRun(sessions, gate);
    const isOff = sessions === undefined && !hasPoints;
    exitUnverified(process, () =>
      isOff ? "Stop hooks are off in this version of Mux" : gate.unverified
    );
  });
  patch("TaskService", (tasks) => {
    attachSubagents(tasks, reports);
  });
  patch("MuxAgent", attachEditor);
  onSeam("isProjectTrusted", status, rememberTrustFlag);
  onSeam("createRuntimeForWorkspace", status, (_, exports) => {
    checkouts.useHelpers(exports);
  });
  watchModules(() => {
    announceHost(process.env);
    withoutPreload(process.env, process.execArgv, __filename);
  });
}

/**
 * Calls `use` with an export and its module when the module is loaded. If required members are missing, the feature is
 * off and one line is logged, unless the export is optional.
 */
function onSeam(
  name: string,
  status: HostStatusFile,
  use: (found: never, exports: ModuleExports) => void
): void {
  for (const seam of SEAMS.filter((candidate) => candidate.name === name)) {
    onHostModule(seam.file, (exports, distDir) => {
      setHostDist(distDir);
      const missing = missingFrom(seam, exports);
      status.seamFound(name, distDir, missing);
      if (missing.length === 0) {
        use(exports[name] as never, exports);
        return;
      }
      if (seam.optional !== true) log(featureOff(seam.feature, missing));
    });
  }
}
