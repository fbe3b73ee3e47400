/** Runs the commands that copy the engine into Mux, in a stub of Mux's tree with Mux's compiler options. */
import { mkdir, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { OXLINT, prepareTypeCheck } from "@test/helpers/docs/checkTypes";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";
import { putFile, tempDir } from "@test/helpers/tempDir";

/** The options of Mux's tsconfig.json that change what the compiler accepts. */
const COMPILER_OPTIONS = {
  target: "ES2020",
  lib: ["ES2023", "DOM", "DOM.Iterable", "ES2022.Intl"],
  module: "ESNext",
  moduleResolution: "bundler",
  jsx: "react-jsx",
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  esModuleInterop: true,
  skipLibCheck: true,
  forceConsistentCasingInFileNames: true,
  resolveJsonModule: true,
  allowJs: true,
  types: ["node"],
  paths: { "@/*": ["./src/*"], "@shared/*": ["./src/*"] },
};

const MODULES = join(REPOSITORY, "node_modules");

/** Files that Mux has in the same folders. */
const STUBS: Readonly<Record<string, string>> = {
  "src/node/services/hooks.ts": "export function findHook(): void {}\n",
  "src/node/services/agentPlugins/hookService.ts": "export class HookService {}\n",
  "src/node/runtime/Runtime.ts":
    "export interface Runtime { exec(command: string, options: { cwd: string }): Promise<unknown> }\n",
  "src/node/runtime/LocalRuntime.ts":
    'import type { Runtime } from "./Runtime";\nexport declare const local: Runtime;\n',
  "src/node/runtime/RemoteRuntime.ts": "export {};\n",
  "src/node/runtime/SSHRuntime.ts": "export {};\n",
  "src/node/agent.ts":
    'import { findHook } from "@/node/services/hooks";\nimport { StopHookController } from "@/node/services/hooks/index";\nexport const both = [findHook, StopHookController];\n',
};

/** Fails with the compiler's errors, or if a command overwrites a file of Mux. */
export async function runLift(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  const mux = await tempDir();
  const files = {
    ...STUBS,
    "tsconfig.json": JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["src/**/*"] }),
    // Mux's package manager.
    "bin/bun": `#!/bin/sh
if [ "$1" = add ]; then
  shift
  for name; do ln -s "${MODULES}/$name" node_modules; done
else
  # oxlint looks for its type checker in the working folder's packages, then on the PATH.
  PATH="${MODULES}/.bin:$PATH" "${OXLINT}" -c types.json -A all src >&2
fi
`,
  };
  for (const [name, text] of Object.entries(files)) await putFile(join(mux, name), text, 0o755);
  await prepareTypeCheck(mux);
  // Mux has no other packages of ours than these.
  await unlink(join(mux, "node_modules"));
  await mkdir(join(mux, "node_modules"));
  for (const name of ["@types", "jsonc-parser", "undici-types", "zod"]) {
    await symlink(join(MODULES, name), join(mux, "node_modules", name));
  }
  const env = { ...process.env, HOOKS: REPOSITORY, PATH: `${mux}/bin:${process.env.PATH ?? ""}` };
  const script = `set -o pipefail\n${fence.text}\nsha256sum ${Object.keys(STUBS).join(" ")}`;
  const before = await sums(mux);
  const { stdout } = await execFileAsync("bash", ["-ec", script], { cwd: mux, env });
  if (!stdout.endsWith(before)) {
    throw new Error(`${fence.place}: a file of Mux was overwritten\n${stdout}`);
  }
}

async function sums(dir: string): Promise<string> {
  const { stdout } = await execFileAsync("sha256sum", Object.keys(STUBS), { cwd: dir });
  return stdout;
}
