/** TypeScript of the documentation, which is type-checked in one call and run block by block. */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundleProgram } from "@test/helpers/process/childScript";
import { prepareTypeCheck, typeErrors } from "@test/helpers/docs/checkTypes";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

const PACKAGE = join(REPOSITORY, "src/index.ts");
const PATHS = {
  "mux-stop-hooks": [PACKAGE],
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

/** Runs a block in the example's project, and returns its output. */
export async function runTypeScript({ project }: ExampleProject, fence: Fence): Promise<string> {
  const file = join(dirname(project.dir), "example.mts");
  const program = join(dirname(project.dir), "example.mjs");
  await writeFile(file, fence.text);
  await writeFile(program, await bundleProgram(file, { "mux-stop-hooks": PACKAGE }));
  const env = { PATH: process.env.PATH, HOME: project.home };
  const { stdout } = await execFileAsync(process.execPath, [program], { cwd: project.dir, env });
  return stdout;
}
