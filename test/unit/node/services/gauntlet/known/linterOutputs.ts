/** Prints what some linters print about the problems of a model, in the form of `fixtures/toolOutputs`. */
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import type { Shown, Tool } from "@test/unit/node/services/gauntlet/known/testOutputs";

const linter = (format: OutputFormat, extension: string, print: Tool["print"]): Tool => ({
  ...{ format, kind: "problems", print },
  path: (name) => `${format}/${name}.${extension}`,
});

function eslint({ dir, failed }: Shown): string {
  const files = [...new Set(failed.map(({ path }) => path))].map((file) => {
    const own = failed.filter(({ path }) => path === file);
    const lines = own.map(({ line, name, message }) => `  ${line}:7  error  ${message}  ${name}`);
    return `${dir}/${file}\n${lines.join("\n")}\n`;
  });
  return `
${files.join("\n")}
✖ ${failed.length} problem${failed.length === 1 ? "" : "s"} (${failed.length} errors, 0 warnings)

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

function tsc({ failed }: Shown): string {
  return failed
    .map(
      ({ path, line, name, message }) =>
        `${path}(${line},7): error ${code(name, "TS")}: ${message}\n`
    )
    .join("");
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
  linter("oxlint", "jsx", oxlint),
  linter("ruff", "py", ruff),
  linter("tsc", "ts", tsc),
  { ...linter("prettier", "css", prettier), isByFile: true },
];
