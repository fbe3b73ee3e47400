/** The files that define scripts and tasks by name, each in the order in which its program looks for them (G20d). */
export const SCRIPT_FILES = {
  npm: ["package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
} as const;

export type ScriptTool = keyof typeof SCRIPT_FILES;
