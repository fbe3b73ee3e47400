/**
 * Prints every message of the program as a Markdown table: the file, the function that it is in, and the text with its
 * parameters. A message is a text of three words or more.
 *
 *     node scripts/messages.mjs
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const MESSAGE = /[A-Za-z]{2,}\s+\S*[a-z]{2,}\s+\S*[a-z]/;

console.log("| file | function | message |\n| --- | --- | --- |");
for (const name of readdirSync("src", { recursive: true }).map(String).sort()) {
  if (!name.endsWith(".ts")) continue;
  const text = readFileSync(join("src", name), "utf8");
  print(name, "", ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
}

/** @param {ts.Node} node of a function, or of a whole file if there is none */
function print(file, owner, node) {
  if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
  const text = textOf(node);
  if (text !== undefined && MESSAGE.test(text)) {
    const shown = text.replace(/\n/g, "⏎").replace(/\|/g, "\\|");
    console.log(`| ${file} | ${owner} | ${shown} |`);
  }
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
  const isConstant = ts.isVariableDeclaration(node) && owner === "";
  const inside = isNamed || isConstant ? node.name.getText() : owner;
  ts.forEachChild(node, (child) => print(file, inside, child));
}

/** Returns the text of a literal. A parameter is shown as `{name}`. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(
    ({ expression, literal }) => `{${shorten(expression.getText())}}${literal.text}`
  );
  return node.head.text + spans.join("");
}

function shorten(expression) {
  if (expression === "shownCommand()") return "mux-stop-hooks";
  const text = expression.replace(/\s+/g, " ");
  return text.length > 40 ? "…" : text;
}
