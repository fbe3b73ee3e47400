/** TypeScript of the documentation: checked by the compiler all at once, and run each for itself. */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { bundleProgram } from "@test/helpers/process/childScript";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";

const PACKAGE = join(REPOSITORY, "src/index.ts");
const PATHS = {
  "mux-stop-hooks": [PACKAGE],
  "@/*": [join(REPOSITORY, "src/*")],
};

/** Every complaint of the compiler about the blocks, each with its place on the page. */
export function checkTypes(fences: readonly Fence[]): string[] {
  const config = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, REPOSITORY);
  const options: ts.CompilerOptions = { ...config.options, paths: PATHS };
  const blocks = new Map(fences.map((fence, i) => [join(REPOSITORY, `example-${i}.mts`), fence]));
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    readFile: (path) => blocks.get(path)?.text ?? disk.readFile(path),
    fileExists: (path) => blocks.has(path) || disk.fileExists(path),
    getSourceFile: (path, target) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, target);
    },
  };
  const program = ts.createProgram([...blocks.keys()], options, host);
  return [...blocks].flatMap(([path, { place }]) => {
    const source = program.getSourceFile(path);
    return ts.getPreEmitDiagnostics(program, source).map(({ messageText }) => {
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}

/** Runs a block in the example's project and answers with what it prints. */
export async function runTypeScript({ project }: ExampleProject, fence: Fence): Promise<string> {
  const file = join(dirname(project.dir), "example.mts");
  const program = join(dirname(project.dir), "example.mjs");
  await writeFile(file, fence.text);
  await writeFile(program, await bundleProgram(file, { "mux-stop-hooks": PACKAGE }));
  const env = { PATH: process.env.PATH, HOME: project.home };
  const { stdout } = await execFileAsync(process.execPath, [program], { cwd: project.dir, env });
  return stdout;
}
