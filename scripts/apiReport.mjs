// `make api`: writes docs/reference/api.txt, the public API of each entry, from the types in dist/. A test compares it, so
// that no change of the API goes unnoticed.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const repository = fileURLToPath(new URL("..", import.meta.url));
const dist = join(repository, "dist");
export const reportPath = join(repository, "docs/reference/api.txt");
export const ENTRIES = {
  index: "mux-stop-hooks",
  gauntlet: "mux-stop-hooks/gauntlet",
  session: "mux-stop-hooks/session",
};

/** Returns for each entry its exports: the text of the declaration, and the types that it needs and no entry exports. */
export function readApi() {
  const names = readdirSync(dist).filter((name) => name.endsWith(".d.ts"));
  const files = new Map(
    names.map((name) => [name, readModule(readFileSync(join(dist, name), "utf8"))])
  );
  const exportsOf = (entry) =>
    new Map(
      [...files.get(`${entry}.d.ts`).exports].map(([name, local]) => [
        name,
        find(files, `${entry}.d.ts`, local),
      ])
    );
  const main = new Set([...exportsOf("index").values()].map(({ node }) => node));
  return Object.keys(ENTRIES).map((entry) => {
    const found = exportsOf(entry);
    const known = new Set([...main, ...[...found.values()].map(({ node }) => node)]);
    const declarations = [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { node, file }]) => ({
        name,
        isType:
          node !== undefined &&
          (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)),
        text:
          node === undefined
            ? `${name} of another package`
            : [node, ...basesOf(files, file, node, known)].map(printed).join("\n"),
        hidden: node === undefined ? [] : hiddenTypes(files, file, node, known),
      }));
    return { entry: ENTRIES[entry], declarations };
  });
}

export function formatApi(api) {
  const sections = api.map(({ entry, declarations }) =>
    [`# ${entry}`, ...declarations.map(({ text }) => text)].join("\n\n")
  );
  return `${sections.join("\n\n\n")}\n`;
}

/** Reads the declarations, the imports and the exports of one file. */
function readModule(text) {
  const source = ts.createSourceFile("a.d.ts", text, ts.ScriptTarget.Latest, true);
  const module = { declarations: new Map(), imports: new Map(), exports: new Map() };
  for (const node of source.statements) {
    if (ts.isImportDeclaration(node)) {
      const from = node.moduleSpecifier.text.replace("./", "").replace(/\.js$/, ".d.ts");
      for (const { name, propertyName = name } of node.importClause?.namedBindings?.elements ??
        []) {
        module.imports.set(name.text, { from, name: propertyName.text });
      }
    } else if (ts.isExportDeclaration(node)) {
      for (const { name, propertyName = name } of node.exportClause.elements)
        module.exports.set(name.text, propertyName.text);
    } else if (ts.isVariableStatement(node)) {
      for (const one of node.declarationList.declarations)
        module.declarations.set(one.name.text, one);
    } else if (node.name !== undefined) module.declarations.set(node.name.text, node);
  }
  return module;
}

/** Returns a declaration by its name in a file. It is undefined for another package, and for a name of the language. */
function find(files, file, name) {
  const { declarations, imports } = files.get(file);
  const imported = imports.get(name);
  if (imported === undefined) return { file, node: declarations.get(name) };
  const from = files.get(imported.from);
  return from === undefined
    ? { file }
    : find(files, imported.from, from.exports.get(imported.name));
}

function hiddenTypes(files, file, node, known) {
  const hidden = new Set();
  const visit = (child) => {
    if (isPrivate(child)) return;
    const name = ts.isTypeReferenceNode(child)
      ? child.typeName
      : ts.isTypeQueryNode(child)
        ? child.exprName
        : ts.isExpressionWithTypeArguments(child)
          ? child.expression
          : undefined;
    const target =
      name === undefined || !ts.isIdentifier(name) ? undefined : find(files, file, name.text);
    if (target?.node !== undefined && !known.has(target.node)) {
      // The members of a base are those of the declaration itself.
      if (ts.isExpressionWithTypeArguments(child))
        for (const each of hiddenTypes(files, target.file, target.node, known)) hidden.add(each);
      else hidden.add(name.text);
    }
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return [...hidden];
}

/** Returns the declarations that a declaration extends, and that no entry exports. */
function basesOf(files, file, node, known) {
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => find(files, file, expression.text))
  );
  return bases.flatMap((base) =>
    base?.node === undefined || known.has(base.node)
      ? []
      : [base.node, ...basesOf(files, base.file, base.node, known)]
  );
}

function isPrivate(node) {
  return (
    node.name?.kind === ts.SyntaxKind.PrivateIdentifier ||
    (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false)
  );
}

const printer = ts.createPrinter({ removeComments: true });

function printed(node) {
  const omit = (context) => (root) =>
    ts.visitEachChild(root, (child) => (isPrivate(child) ? undefined : child), context);
  const { transformed } = ts.transform(node, [omit]);
  return printer.printNode(ts.EmitHint.Unspecified, transformed[0], node.getSourceFile());
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url))
  writeFileSync(reportPath, formatApi(readApi()));
