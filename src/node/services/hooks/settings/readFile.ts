/** Reads the settings of a file that was found, only if it has changed (H5, H7). */
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { KIB, MAX_SETTINGS_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import type { CachedSettings, MachineView } from "@/node/services/hooks/settings/cache/machineView";
import {
  EMPTY_SETTINGS,
  parseSettings,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import type { FoundFile } from "@/node/services/hooks/settings/paths";
import { notFile, notReadable } from "@/node/services/hooks/messages/shared";

/**
 * Returns the settings of a file. Never fails: an unreadable file is an empty layer with a diagnostic.
 *
 * @param budget of the checkout that the file came with
 */
export async function readSettings(
  { files, memory }: MachineView,
  { path, stat }: FoundFile,
  budget?: CheckoutBudget
): Promise<ParsedSettings> {
  if (stat.kind === "failed") return unusable(path, notReadable(stat.failure.message));
  if (stat.kind !== "file") return unusable(path, notFile(stat.kind === "directory"));
  if (stat.size > MAX_SETTINGS_BYTES) return tooLarge(path);
  const refusal = budget?.refuse(path, stat.size);
  if (refusal !== undefined) return unusable(path, refusal);
  const cached = await memory.settings.get(path, stat, (before) => read(files, path, before));
  return cached.match(
    ({ settings }) => settings,
    (settings) => settings
  );
}

async function read(
  files: Pick<Files, "readFile">,
  path: string,
  before: CachedSettings | undefined
): Promise<Result<CachedSettings, ParsedSettings>> {
  const bytes = await files.readFile(path, { maxBytes: MAX_SETTINGS_BYTES + 1 });
  if (bytes.isErr()) return err(unusable(path, notReadable(bytes.error.message)));
  if (bytes.value.length > MAX_SETTINGS_BYTES) return err(tooLarge(path));
  const parsed = parseSettings(path, new TextDecoder().decode(bytes.value));
  return ok(
    parsed.match(
      (settings) => ({ settings, lastGood: settings }),
      (problem) => ({ settings: standIn(problem, before?.lastGood), lastGood: before?.lastGood })
    )
  );
}

/** Returns the settings of a broken file as they last parsed, so that a typo does not turn hooks off. */
function standIn(problem: Diagnostic, lastGood: ParsedSettings | undefined): ParsedSettings {
  const describe = lastGood === undefined ? ignoredUntilFixed : unchangedUntilFixed;
  const diagnostic = { ...problem, message: describe(problem.message) };
  return { ...(lastGood ?? EMPTY_SETTINGS), diagnostics: [diagnostic] };
}

function tooLarge(path: string): ParsedSettings {
  return unusable(
    path,
    `larger than ${MAX_SETTINGS_BYTES / KIB} KiB, the maximum size of a settings file`
  );
}

function unusable(file: string, message: string): ParsedSettings {
  return { ...EMPTY_SETTINGS, diagnostics: [fileDiagnostic("error", file, message)] };
}

function ignoredUntilFixed(problem: string): string {
  return `${problem}; the file is ignored until it is fixed`;
}

/** The file has parsed before in this process. */
function unchangedUntilFixed(problem: string): string {
  return `${problem}; until it is fixed, the previous content of the file is used`;
}
