/** What `doctor` found. */
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { SettingsEdit } from "@/cli/settingsText";

export interface Finding {
  readonly kind: "good" | "info" | "problem";
  readonly text: string;
  /** What the user can do; present for a problem whose text does not say it. */
  readonly next?: string;
}

export interface HostReport {
  readonly host: HookHost;
  /** Whether the host is on this machine. */
  readonly isFound: boolean;
  /** Whether the host has a hook of its own, in any file. */
  readonly isInstalled: boolean;
  readonly findings: readonly Finding[];
  /** The edits that `init` would make for a hook with a problem. */
  readonly repairs: readonly SettingsEdit[];
}

export function good(text: string): Finding {
  return { kind: "good", text };
}

export function info(text: string): Finding {
  return { kind: "info", text };
}

export function problem(text: string, next?: string): Finding {
  return next === undefined ? { kind: "problem", text } : { kind: "problem", text, next };
}
