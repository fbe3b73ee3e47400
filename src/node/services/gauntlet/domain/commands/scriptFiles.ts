/**
 * Names the files in which npm, make, just and task define scripts and tasks, each in the order in which its program
 * looks for them. `init` and the comparison of scripts at a stop (G20d) read them.
 */
export const SCRIPT_FILES = {
  npm: ["package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
} as const;

export type ScriptTool = keyof typeof SCRIPT_FILES;
