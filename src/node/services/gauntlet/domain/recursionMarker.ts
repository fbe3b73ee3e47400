/** Recognizes a gauntlet that runs inside of a check or a reviewer, so that it returns without running gates (G24). */

/** The variable that every check and reviewer gets. Its value is the ID of the process that runs the gates. */
export const RECURSION_MARKER = "GAUNTLET_STOP_HOOK_ACTIVE";

const MAX_ANCESTORS = 100;

/**
 * Returns whether the process that the variable names is an ancestor of this one. Without /proc, it is enough that there
 * is a value: the ancestors are not known. Process 1 does not count, although it may run gates in a container: users set
 * the variable to 1. The caller then runs no gates either, and reports that the variable is set.
 *
 * @param read returns the text of a file of this machine, or undefined
 */
export async function isInsideGate(
  marker: string,
  read: (path: string) => Promise<string | undefined>
): Promise<boolean> {
  let pid = String(process.pid);
  for (let i = 0; i < MAX_ANCESTORS && Number(pid) > 1; i++) {
    const stat = await read(`/proc/${pid}/stat`);
    if (stat === undefined) return i === 0;
    if (pid === marker) return true;
    // The second field is the name of the program in parentheses, which may itself contain parentheses.
    pid = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "";
  }
  return false;
}
