/** Texts about the files that checks write (G20c). */

/** The message of a gate that does not run. */
export function reportIsTracked(setting: string, files: readonly string[]): string {
  return `Could not be started: "${setting}" in its "findings" matches files that git tracks (${files.join(", ")}), so changes of them would not be checked; let the check write its reports to a folder of their own, or, if these files are reports, remove them from git with "git rm --cached"`;
}

/**
 * A warning of a run.
 *
 * @param gates the names of the checks that may have written the files
 * @param lines their lines for `.gitignore`
 * @param rest the number of files that are not named
 */
export function writesOutputs(
  gates: readonly string[],
  files: readonly string[],
  lines: readonly string[],
  rest: number
): string {
  const names = gates.map((name) => `"${name}"`).join(" or ");
  const more = rest > 0 ? ` and ${rest} more` : "";
  const add = lines.map((line) => `"${line}"`).join(", ");
  return `the check ${names} writes ${files.join(", ")}${more}, which git does not ignore; add ${add} to .gitignore`;
}

/** An error of the configuration. */
export function reportIsInput(setting: string, field: "files" | "inputs", glob: string): string {
  return `expected a report that the check does not read: "${setting}" overlaps with "${glob}" in its "${field}", and changes of a report are not checked`;
}
