/** `node --require mux-stop-hooks/register`: hooks for a Mux that knows nothing of them. */
import { homedir } from "node:os";
import { isMainThread } from "node:worker_threads";
import { attachService, attachSession } from "@/host/attachStop";
import { missingFrom, SEAMS, type Feature } from "@/host/capabilities";
import { Checkouts } from "@/host/Checkouts";
import { rememberHostDist } from "@/host/hostDist";
import { say } from "@/host/hostLog";
import { HostWorkspaces } from "@/host/HostWorkspaces";
import { onHostModule, watchModules, type ModuleExports } from "@/host/loader";
import { withoutPreload } from "@/host/preload";
import { StopGate } from "@/host/StopGate";

const FEATURES: Record<Feature, string> = {
  stop: "Stop hooks",
  "subagent-stop": "SubagentStop hooks",
  run: "waiting for hooks in `mux run`",
  trust: "the host's trust",
  remote: "finding the workspace",
};

// Workers of the host answer no stops.
if (isMainThread) attach();

function attach(): void {
  withoutPreload(process.env, __filename);
  const workspaces = new HostWorkspaces();
  const checkouts = new Checkouts();
  const gate = new StopGate({
    workspaces,
    checkouts,
    engine: () => import("@/host/hostEngine"),
    place: { env: process.env, home: homedir() },
    say,
  });
  onSeam("AIService", (exports) => {
    attachService(exports.AIService as Parameters<typeof attachService>[0], gate);
  });
  onSeam("AgentSession", (exports) => {
    attachSession(exports.AgentSession as Parameters<typeof attachSession>[0], gate, workspaces);
  });
  onSeam("createRuntimeForWorkspace", (exports) => {
    checkouts.useHelpers(exports);
  });
  watchModules();
}

/** Where something is missing, what needs it is off, and one line says so. */
function onSeam(name: string, use: (exports: ModuleExports) => void): void {
  for (const seam of SEAMS.filter((candidate) => candidate.name === name)) {
    onHostModule(seam.file, (exports, distDir) => {
      rememberHostDist(distDir);
      const missing = missingFrom(seam, exports);
      if (missing.length === 0) {
        use(exports);
        return;
      }
      say(`${FEATURES[seam.feature]} are off: this host has no ${missing.join(", no ")}`);
    });
  }
}
