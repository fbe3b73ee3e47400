// Measures what the tests notice: changes one place in each of 40 files of src/ that a seed draws. Runs the test files that
// name the file in an import, then those that load it in any way, then all, until a test fails. Works in a clone.
// MUTANTS_FILES limits it to some files: MUTANTS_FILES="src/cli/*.ts".
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const repository = fileURLToPath(new URL("..", import.meta.url));
const seed = Number(process.env.MUTANTS_SEED ?? 1);
const count = Number(process.env.MUTANTS ?? 40);

let state = seed;
function random(below) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const SWAPS = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.LessThanToken, ">="],
  [ts.SyntaxKind.GreaterThanToken, "<="],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
]);

/** Lists the places of a file that can be changed, each with its new text. */
function mutationsOf(source) {
  const found = [];
  const add = (node, to) => {
    if (node.getText(source) !== to)
      found.push({ start: node.getStart(source), end: node.end, to });
  };
  const visit = (node) => {
    const text = node.getText(source);
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node) && SWAPS.has(node.operatorToken.kind)) {
      add(node.operatorToken, SWAPS.get(node.operatorToken.kind));
    } else if (ts.isIfStatement(node)) {
      add(node.expression, `!(${node.expression.getText(source)})`);
    } else if (ts.isConditionalExpression(node)) {
      add(node.condition, `!(${node.condition.getText(source)})`);
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
      add(node, ";");
    } else if (ts.isReturnStatement(node) && node.expression !== undefined) {
      add(node.expression, "undefined");
    } else if (ts.isNumericLiteral(node)) {
      add(node, `(${text} + 1)`);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "true");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Draws one change in each of `count` files. */
function draw(clone) {
  const pattern = process.env.MUTANTS_FILES ?? "src/*.ts";
  const listed = execFileSync("git", ["ls-files", pattern], { cwd: clone, encoding: "utf8" });
  const files = listed.trim().split("\n");
  const mutants = [];
  while (mutants.length < count && files.length > 0) {
    const [file] = files.splice(random(files.length), 1);
    const text = readFileSync(join(clone, file), "utf8");
    const places = mutationsOf(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    if (places.length > 0) mutants.push({ file, text, ...places[random(places.length)] });
  }
  return mutants;
}

function fails(clone, ...args) {
  const vitest = join(clone, "node_modules/.bin/vitest");
  const common = ["--run", "--bail=1", "--project=local", "--reporter=dot"];
  const { status } = spawnSync(vitest, [...args, ...common], { cwd: clone, stdio: "ignore" });
  return status !== 0;
}

/** Lists the test files that import a file of src/ by its name. */
function importersOf(clone, file) {
  const name = `"@/${file.slice("src/".length, -".ts".length)}"`;
  const args = ["grep", "--files-with-matches", "--fixed-strings", name, "--", "test/*.test.ts"];
  const { stdout } = spawnSync("git", args, { cwd: clone, encoding: "utf8" });
  return stdout.split("\n").filter((path) => path !== "");
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
const clone = join(folder, "clone");
execFileSync("git", ["clone", "--quiet", repository, clone]);
symlinkSync(join(repository, "node_modules"), join(clone, "node_modules"));
console.log(`MUTANTS_SEED=${seed}`);

/** Makes one change, and returns whether the tests of one of the steps notice it. */
function isKilled({ file, text, start, end, to }, ...steps) {
  writeFileSync(join(clone, file), text.slice(0, start) + to + text.slice(end));
  const killed = steps.some((args) => fails(clone, ...args));
  writeFileSync(join(clone, file), text);
  return killed;
}

function describe({ file, text, start, end, to }) {
  const line = text.slice(0, start).split("\n").length;
  const change = `${text.slice(start, end)} -> ${to}`.replaceAll(/\s+/g, " ");
  return `${file}:${line}  ${change.slice(0, 100)}`;
}

const mutants = draw(clone);
const unnoticed = mutants.filter((mutant) => {
  const importers = importersOf(clone, mutant.file);
  const steps = importers.length === 0 ? [] : [["run", ...importers]];
  const killed = isKilled(mutant, ...steps, ["related", mutant.file]);
  console.log(`${killed ? "killed  " : "unnoticed"}  ${describe(mutant)}`);
  return !killed;
});
console.log(
  `${mutants.length - unnoticed.length} of ${mutants.length} by the tests that load the file`
);
const survivors = unnoticed.filter((mutant) => !isKilled(mutant, ["run"]));
for (const mutant of survivors) console.log(`SURVIVED   ${describe(mutant)}`);
rmSync(folder, { recursive: true, force: true });
console.log(`${mutants.length - survivors.length} of ${mutants.length} killed`);
