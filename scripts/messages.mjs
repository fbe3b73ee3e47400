/**
 * Prints every message of the program as a Markdown table: the module, the name, and the text with its parameters.
 *
 *     node scripts/messages.mjs
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const modules = readdirSync("src", { recursive: true })
  .map((name) => join("src", String(name)))
  .filter((file) => /\/messages(?:\/[^/]+)?\.ts$/.test(file))
  .sort();

console.log("| module | message | text |\n| --- | --- | --- |");
for (const file of modules) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true
  );
  for (const statement of source.statements) {
    for (const [name, body] of exportsOf(statement)) {
      const texts = [...new Set(textsIn(body))];
      if (texts.length === 0) continue;
      const shown = texts.map((text) => text.replace(/\n/g, "⏎").replace(/\|/g, "\\|"));
      console.log(`| ${file.slice("src/".length)} | ${name} | ${shown.join("<br>")} |`);
    }
  }
}

/**
 * Returns the names and bodies of the functions and constants that a statement declares.
 *
 * @returns {[string, ts.Node][]}
 */
function exportsOf(statement) {
  if (ts.isFunctionDeclaration(statement)) return [[statement.name.text, statement]];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.map((each) => [each.name.getText(), each]);
}

/** Returns the texts in a node. A parameter is shown as `{name}`. */
function textsIn(node) {
  if (ts.isStringLiteralLike(node)) return isType(node) ? [] : [node.text];
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => `{${shorten(expression.getText())}}${literal.text}`
    );
    return [node.head.text + spans.join(""), ...node.templateSpans.flatMap(nestedTexts)];
  }
  const found = [];
  ts.forEachChild(node, (child) => void found.push(...textsIn(child)));
  return found;
}

function nestedTexts({ expression }) {
  return textsIn(expression).filter((text) => /\S\s\S/.test(text));
}

function isType({ parent }) {
  return ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent);
}

function shorten(expression) {
  if (expression === "ownCommand()") return "mux-stop-hooks";
  const text = expression.replace(/\s+/g, " ");
  return text.length > 40 ? "…" : text;
}
