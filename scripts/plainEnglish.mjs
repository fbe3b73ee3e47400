/**
 * Reports words and sentence openings that the project's style avoids, in comments, messages, test titles and pages.
 * Exits with 1 if a class has more hits than its limit.
 *
 *     node scripts/plainEnglish.mjs [--all]
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

/** `limit`: the maximum share of the texts, in percent. `allow`: correct uses, with the reason. */
const CLASSES = [
  {
    name: "say, tell, hear, speak, word",
    limit: 0.5,
    pattern:
      /\b(?:say|says|said|saying|tell|tells|told|telling|hear|hears|heard|speak|speaks|spoke|spoken|worded)\b/gi,
    allow: [/\btell(?:s|ing)? (?:\S+ ){1,4}(?:from|apart)\b/i], // To distinguish.
  },
  {
    name: "nobody, whoever, whatever, somebody",
    limit: 0.3,
    pattern: /\b(?:nobody|whoever|whatever|somebody|whichever)\b/gi,
    allow: [/\bnobody\b.*\/nonexistent|user `?nobody`?/i], // The account of that name.
  },
  {
    name: "opens with What, Whoever, Nothing, Of",
    limit: 1,
    pattern: /^(?:What|Whoever|Whatever|Nothing|Nobody|Somebody|Of|Whose)\b(?!.*\?$)/g,
    allow: [],
  },
  {
    name: "stand, lie, lack, mend",
    limit: 0.5,
    pattern: /\b(?:stands|stood|lies|lay|lacks|lacked|lacking|mend|mends|mended|mending)\b/gi,
    allow: [/\bstands? for\b|\bstandard\b/i], // An abbreviation or a variable stands for a value.
  },
  {
    name: "riddles",
    limit: 0.3,
    pattern:
      /\b(?:far side|near side|far end|keepers?|strays?|strangers?|the dead|(?:is|are) no more\b(?! than)|let go of|lost sight of)\b/gi,
    allow: [],
  },
];

const SUBJECTS = {
  comments:
    /^(?:src|test|bench|scripts|bin)\/.*\.(?:[cm]?[jt]s|sh)$|^[^/]*\.(?:[cm]?[jt]s)$|^Makefile$/,
  messages: /^src\/.*\.ts$/,
  titles: /^test\/.*\.ts$/,
  pages: /^(?:README|CHANGELOG|AGENTS|docs\/|test\/README).*\.md$|^(?:docs\/.*|[^/]*)\.md$/,
};

/** Matches a comment: a block, consecutive lines, or the end of a line of code. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|(?<=[;,{}()] )\/\/ .*/gm;

const files = listFiles().filter((name) => name !== "" && !name.startsWith("fixtures/"));

/** @typedef {{ file: string, line: number, text: string }} Sentence */

/** @type {Record<string, Sentence[]>} */
const texts = { comments: [], messages: [], titles: [], pages: [] };

for (const file of files) {
  if (SUBJECTS.pages.test(file)) texts.pages.push(...pageSentences(file, read(file)));
  else if (/\.(?:[cm]?[jt]s)$/.test(file)) readCode(file);
  else if (SUBJECTS.comments.test(file)) texts.comments.push(...shellComments(file, read(file)));
}

report();

/** Uses git, or lists the folders if this is no repository, as after the download of an archive. */
function listFiles() {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  if (status === 0) return stdout.split("\n");
  const entries = readdirSync(".", { withFileTypes: true }).filter(
    ({ name }) => !/^(?:\.|node_modules$|dist$|coverage$)/.test(name)
  );
  return entries.flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    const below = readdirSync(entry.name, { recursive: true, withFileTypes: true });
    const found = below.filter((each) => each.isFile());
    return found.map(({ parentPath, name }) => `${parentPath}/${name}`);
  });
}

function read(file) {
  return readFileSync(file, "utf8");
}

function readCode(file) {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const { text } = source;
  const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  if (SUBJECTS.comments.test(file)) {
    for (const { 0: comment, index } of text.matchAll(COMMENT)) {
      texts.comments.push(...sentences(file, lineOf(index), commentText(comment)));
    }
  }
  const isTest = SUBJECTS.titles.test(file);
  const visit = (node) => {
    const literal = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (literal && (isTest ? isTitle(node) : isMessage(node))) {
      const list = isTest ? texts.titles : texts.messages;
      list.push(...sentences(file, lineOf(node.getStart(source)), plainLiteral(node)));
    }
    ts.forEachChild(node, visit);
  };
  if (isTest || SUBJECTS.messages.test(file)) visit(source);
}

function isTitle(node) {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  let callee = call.expression;
  while (!ts.isIdentifier(callee)) {
    const next = callee.expression ?? callee.tag;
    if (next === undefined) return false;
    callee = next;
  }
  return /^(?:it|test|describe)$/.test(callee.text);
}

/** Returns whether a literal has three words or more and is not part of an import or a type. */
function isMessage(node) {
  if (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent)) return false;
  return /[A-Za-z]{2,}\s+\S*[a-z]{2,}\s+\S*[a-z]/.test(node.getText());
}

function plainLiteral(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("X");
}

function commentText(raw) {
  return raw
    .trim()
    .replace(/^\/\*\*?|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\/+|\*(?!\*))\s?/, ""))
    .join("\n");
}

function shellComments(file, text) {
  return text.split("\n").flatMap((line, i) => {
    const comment = /^\s*#(?!!)\s?(.*)$/.exec(line)?.[1] ?? /\s##?\s(.*)$/.exec(line)?.[1];
    return comment === undefined ? [] : sentences(file, i + 1, comment);
  });
}

function pageSentences(file, text) {
  const found = [];
  let inFence = false;
  let paragraph = [];
  let start = 1;
  const end = () => {
    if (paragraph.length > 0) found.push(...sentences(file, start, paragraph.join("\n")));
    paragraph = [];
  };
  text.split("\n").forEach((line, i) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      end();
      inFence = !inFence;
    } else if (inFence || /^\s*$|^\s*<!--/.test(line)) end();
    else if (/^\s*\|/.test(line)) {
      end();
      for (const cell of line.split("|")) found.push(...sentences(file, i + 1, cell));
    } else {
      if (/^\s*(?:[-*#>]|\d+\.)\s/.test(line)) end();
      if (paragraph.length === 0) start = i + 1;
      paragraph.push(line.replace(/^\s*(?:[-*>]|#+|\d+\.)\s+/, ""));
    }
  });
  end();
  return found;
}

/** Splits a text into sentences. Replaces code in backticks and quoted output, to which the style does not apply. */
function sentences(file, line, text) {
  return text
    .replace(/`[^`]*`/g, "CODE")
    .replace(/"[^"\n]*"/g, "QUOTE")
    .split(/(?<=[.!?:;])\s+|\n\s*\n|\n\s*(?=[-*@]\s?)/)
    .map((part) =>
      part
        .replace(/\s+/g, " ")
        .replace(/^(?:[-*@]\s*)?(?:\*\*)?/, "")
        .trim()
    )
    .filter((part) => /[A-Za-z]{2}/.test(part))
    .map((part) => ({ file, line, text: part }));
}

function report() {
  let failed = false;
  const all = process.argv.includes("--all");
  for (const { name, limit, pattern, allow } of CLASSES) {
    for (const [subject, list] of Object.entries(texts)) {
      const hits = list.filter(({ text }) => {
        pattern.lastIndex = 0;
        return pattern.test(text) && !allow.some((use) => use.test(text));
      });
      const share = list.length === 0 ? 0 : (100 * hits.length) / list.length;
      const isOver = share > limit;
      failed ||= isOver;
      console.log(
        `${isOver ? "over " : ""}${name}: ${hits.length} of ${list.length} ${subject}, ${share.toFixed(2)} % (limit ${limit} %)`
      );
      if (!isOver && !all) continue;
      for (const { file, line, text } of hits)
        console.log(`  ${file}:${line}: ${text.slice(0, 160)}`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}
