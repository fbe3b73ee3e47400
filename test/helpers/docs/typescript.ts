/** TypeScript of the documentation, which is type-checked in one call and run block by block. */
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { prepareTypeCheck, typeErrors } from "@test/helpers/docs/checkTypes";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

const PATHS = {
  "mux-stop-hooks": [join(REPOSITORY, "src/index.ts")],
  "mux-stop-hooks/*": [join(REPOSITORY, "src/*.ts")],
  "@/*": [join(REPOSITORY, "src/*")],
};

/** Returns every type error in the blocks, with its place on the page. */
export async function checkTypes(fences: readonly Fence[]): Promise<string[]> {
  const dir = await tempDir();
  await prepareTypeCheck(dir);
  const project = {
    extends: join(REPOSITORY, "tsconfig.json"),
    compilerOptions: { paths: PATHS },
    include: ["*.mts", join(REPOSITORY, "src/*.d.ts")],
  };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(project));
  const files = fences.map((_, i) => `${i}.mts`);
  await Promise.all(files.map((name, i) => writeFile(join(dir, name), fences[i]!.text)));
  const errors = await typeErrors(dir, files);
  return errors.map((error) => {
    const [, index = "", message = ""] = /(\d+)\.mts:\d+:\d+: (.*) \[Error/.exec(error) ?? [];
    return `${fences[Number(index)]?.place ?? error}: ${message}`;
  });
}

/** A program with its first arguments, and the folder of a package: `make test-install` sets them. */
const [RUNTIME = process.execPath, ...RUNTIME_ARGS] =
  process.env.EXAMPLES_RUNTIME?.split(" ") ?? [];
const INSTALLED = process.env.EXAMPLES_PACKAGE ?? REPOSITORY;

/** Runs a block in the example's project with the built package, and returns its output. */
export async function runTypeScript({ project }: ExampleProject, fence: Fence): Promise<string> {
  const folder = dirname(project.dir);
  const program = join(folder, "example.mjs");
  const { transform } = await import("esbuild");
  const { code } = await transform(fence.text, { loader: "ts", target: "node20" });
  await mkdir(join(folder, "node_modules"), { recursive: true });
  const installed = join(folder, "node_modules/mux-stop-hooks");
  if (!existsSync(installed)) await symlink(INSTALLED, installed);
  await writeFile(program, code);
  // Deno looks only for packages that a manifest names.
  if (INSTALLED !== REPOSITORY) {
    const manifest = { dependencies: { "mux-stop-hooks": "*" } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  }
  const env = { PATH: process.env.PATH, HOME: project.home };
  const { stdout } = await execFileAsync(RUNTIME, [...RUNTIME_ARGS, program], {
    cwd: project.dir,
    env,
  });
  return stdout;
}
