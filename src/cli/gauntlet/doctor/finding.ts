/**
 * The type of a finding of `doctor`, with functions that make findings, and texts that several findings share. Also
 * shortens paths for the messages of `doctor` and `init`.
 */
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { shortPath } from "@/cli/render/formatText";
import { shownCommand } from "@/common/ownCommandName";
import { visible } from "@/common/safeText";

export interface Finding {
  readonly kind: "good" | "info" | "problem";
  readonly text: string;
  /** The next step for the user; present for a problem whose text does not describe it. */
  readonly next?: string;
}

export const good = (text: string): Finding => ({ kind: "good", text });
export const info = (text: string): Finding => ({ kind: "info", text });
export const problem = (text: string, next?: string): Finding => ({ kind: "problem", text, next });

export const INSTALL_DEPENDENCIES = "install the dependencies of the project";
export const runFix = (): string => `run "${shownCommand()} doctor --fix" to update the command`;

/** Returns a path or a `file:line` as the user would write it. */
export function nameIn({ projectDir, home }: Pick<InitPlace, "projectDir" | "home">, path: string) {
  return visible(shortPath(path, projectDir, home));
}

/** Returns the message about a file that only this package should use, but that `init` did not write. */
export const notOwnFile = (path: string): string =>
  `${path} exists, but init did not write it; move or rename it first`;
