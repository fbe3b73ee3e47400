/** Prints what linters print about the problems of a model, in the form of `fixtures/toolOutputs`. */
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import type {
  Shown,
  ShownProblem,
  Tool,
} from "@test/unit/node/services/gauntlet/known/testOutputs";

const linter = (format: OutputFormat, extension: string, print: Tool["print"]): Tool => ({
  ...{ format, kind: "problems", print },
  path: (name) => `${format}/${name}.${extension}`,
});

/** Prints the problems of each file below its name. */
function byFile(failed: readonly ShownProblem[], print: (one: ShownProblem) => string): string[][] {
  const files = [...new Set(failed.map(({ path }) => path))];
  return files.map((file) => [file, ...failed.filter(({ path }) => path === file).map(print)]);
}

function eslint({ dir, failed }: Shown): string {
  const files = byFile(
    failed,
    ({ line, name, message }) => `  ${line}:7  error  ${message}  ${name}`
  );
  return `
${files.map(([file = "", ...lines]) => `${dir}/${file}\n${lines.join("\n")}\n`).join("\n")}
✖ ${failed.length} problem${failed.length === 1 ? "" : "s"} (${failed.length} errors, 0 warnings)

`;
}

function biome({ failed, seed }: Shown): string {
  const items = failed.map(
    ({
      path,
      line,
      name,
      message,
      code,
    }) => `${path}:${line}:5 lint/suspicious/${name}  FIXABLE  ━━━━━━━━━━━━━━━━

  × ${message}
  
  > ${line} │ ${code}
      │     ^^^^^^
  
`
  );
  return `${items.join("\n")}
Checked 5 files in ${seed}ms. No fixes applied.
Found ${failed.length} errors.
lint ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
`;
}

function oxlint({ failed, seed }: Shown): string {
  const items = failed.map(
    ({ path, line, name, message, code }) => `
  x eslint(${name}): ${message}
   ,-[${path}:${line}:5]
 ${line} | ${code}
   :     ^^^|^^
   \`----
  help: Consider removing this declaration.
`
  );
  return `${items.join("")}
Found 0 warnings and ${failed.length} errors.
Finished in ${seed}ms on 4 files with 96 rules using 2 threads.
`;
}

/** Rules are words elsewhere, and a letter with digits in Ruff and tsc. */
const code = (name: string, prefix: string): string =>
  `${prefix}${1000 + ((name.length * 7 + name.charCodeAt(3)) % 9000)}`;

function ruff({ failed }: Shown): string {
  const items = failed.map(
    ({ path, line, name, message }) => `${path}:${line}:8: ${code(name, "F")} [*] ${message}`
  );
  return `${items.join("\n")}
Found ${failed.length} errors.
[*] ${failed.length} fixable with the \`--fix\` option.
`;
}

function mypy({ failed }: Shown): string {
  const items = failed.map(
    ({ path, line, name, message }) => `${path}:${line}: error: ${message}  [${name}]`
  );
  return `${items.join("\n")}
Found ${failed.length} errors in 2 files (checked 3 source files)
`;
}

function pyright({ dir, failed }: Shown): string {
  const files = byFile(
    failed,
    ({ path, line, name, message }) =>
      `  ${dir}/${path}:${line}:12 - error: ${message} (report${name.replaceAll("-", "")})`
  );
  return `${files.map(([file = "", ...lines]) => `${dir}/${file}\n${lines.join("\n")}`).join("\n")}
${failed.length} errors, 0 warnings, 0 informations
`;
}

function tsc({ failed }: Shown): string {
  return failed
    .map(
      ({ path, line, name, message }) =>
        `${path}(${line},7): error ${code(name, "TS")}: ${message}\n`
    )
    .join("");
}

function goVet({ failed }: Shown): string {
  return [
    "# example.com/scratch/vet",
    ...failed.map(({ path, line, message }) => `${path}:${line}:2: ${message}`),
    "",
  ].join("\n");
}

function prettier({ failed }: Shown): string {
  const files = [...new Set(failed.map(({ path }) => path))];
  const end =
    files.length === 1
      ? "Code style issues found in the above file. Run Prettier with --write to fix."
      : `Code style issues found in ${files.length} files. Run Prettier with --write to fix.`;
  return [
    "Checking formatting...",
    ...files.map((file) => `[warn] ${file}`),
    `[warn] ${end}`,
    "",
  ].join("\n");
}

export const LINTERS: readonly Tool[] = [
  linter("eslint-stylish", "js", eslint),
  linter("biome", "ts", biome),
  linter("oxlint", "jsx", oxlint),
  linter("ruff", "py", ruff),
  linter("mypy", "pyi", mypy),
  linter("pyright", "py", pyright),
  linter("tsc", "ts", tsc),
  { ...linter("go", "go", goVet), path: (name) => `vet/${name}.go` },
  { ...linter("prettier", "css", prettier), isByFile: true },
];
