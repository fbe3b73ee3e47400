import type { HostStatus } from "@/host/HostStatusFile";

/** The status of this process as if it were a Mux with hooks. */
export const HOST_STATUS: HostStatus = {
  pid: process.pid,
  startedAt: "2026-11-22T00:00:00.000Z",
  plugin: "1.2.3",
  host: { version: "9.8.7", dist: "/x" },
  seams: { AIService: "attached" },
};
