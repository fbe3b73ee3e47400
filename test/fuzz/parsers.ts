/** Every parser of untrusted text, with the tokens of its grammar. */
import { hookTimeoutMs, hookTitle } from "@/node/services/hooks/contract/hookFacts";
import { recognizeHost } from "@/cli/gauntlet/hosts/index";
import { ObjectGatherer } from "@/cli/gauntlet/stopHook/readStdin";
import { plainText, terminalText, visible } from "@/common/safeText";
import { isJsonObject, parseJson } from "@/common/json";
import { KIB } from "@/common/limits";
import { parseSshTarget } from "@/node/runtime/ssh/sshTarget";
import { explainSsh } from "@/node/runtime/ssh/sshCommand";
import { cleanFinding, findingLine } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { parseJunit } from "@/node/services/gauntlet/gates/findings/formats/junit";
import { matchAllFormats } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputChunks } from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput } from "@/node/services/gauntlet/gates/findings/readReports";
import type { RawFinding } from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { CHECK_REPORT_FORMATS } from "@/node/services/gauntlet/domain/findings/finding";
import { LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import { readEntryPoints } from "@/node/services/gauntlet/config/readEntryPoints";
import { readReviewFile } from "@/node/services/gauntlet/config/readGates";
import { formatDiagnostic as formatProblem } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { formatDiagnostic } from "@/common/diagnostics";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { checkSchema, configSchema } from "@/node/services/gauntlet/domain/configSchemas";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import { readAnswer } from "@/node/services/gauntlet/reviews/answers/parseAnswer";
import { unwrapAny } from "@/node/services/gauntlet/reviews/answers/cliOutput";
import * as verdicts from "@/node/services/hooks/execution/verdict";
import { findMatcherProblem, matchAgentType } from "@/node/services/hooks/contract/agentMatcher";
import { invokedPrograms, namedProgram } from "@/node/services/hooks/shell/invokedPrograms";
import { parseSettings } from "@/node/services/hooks/settings/parseSettings";
import { mergeSettings } from "@/node/services/hooks/settings/mergeLayers";
import { continuationsInTurn, parseRows, partsOf } from "@/node/services/hooks/transcript/chatRows";
import { MuxRowConverter } from "@/node/services/hooks/transcript/claude/MuxRowConverter";
import { CONTROL_CHARACTERS, RAW_CHARACTERS } from "@test/helpers/rawCharacters";

export interface FuzzedParser {
  readonly name: string;
  /** Parses a text. Throws if a property is violated. */
  readonly read: (text: string) => void;
  /** What Node's own parser does in `read`. Its growth is not ours to bound. */
  readonly floor?: (text: string) => void;
  readonly tokens: readonly string[];
  /** Text before and after a repeated token. */
  readonly frames: readonly (readonly [string, string])[];
  /** The largest input of a growth measurement. */
  readonly maxChars: number;
  /** Whether every input takes milliseconds, so that fewer are tried. */
  readonly isSlow?: boolean;
}

const CONTROLS = ["\u001b", "\u001b[31m", "\u001b]0;", "\u0007", "\u009b", "\0", "\r", "\u202e"];
const JSON_TOKENS = '{"a": " \\ [ ] { } , : 1 1e9 null "a":1,'.split(" ");
const COMMAND_TOKENS = [...`' " \\ $( ) ; | > # \n`.split(" "), "sh -c ", "a=b ", "exec "];

function expectSafe(text: string): void {
  if (RAW_CHARACTERS.test(text))
    throw new Error(`a control character is left in ${JSON.stringify(text)}`);
}

const HANDLER_TYPES = ["command", "http", "prompt", "builtin"];
const MAX_LIMIT_MS = 86_400_000;

function readSettingsText(text: string): void {
  const parsed = parseSettings("/p/.mux/settings.json", text);
  if (parsed.isErr()) {
    expectSafe(parsed.error.message);
    if (parsed.error.line < 1) throw new Error("an error has no place");
    return;
  }
  const { hooks: found, values, diagnostics } = parsed.value;
  for (const { handler, line, column } of found) {
    const limitMs = hookTimeoutMs(handler, values["stopHooks.timeout"]);
    const isValid = HANDLER_TYPES.includes(handler.type) && limitMs > 0 && limitMs <= MAX_LIMIT_MS;
    if (!isValid || line < 1 || column < 1) throw new Error(JSON.stringify({ handler, line }));
  }
  for (const diagnostic of diagnostics) {
    const shown = formatDiagnostic(diagnostic);
    expectSafe(`${diagnostic.keyPath} ${diagnostic.message}`);
    if (!/^\/p\/\.mux\/settings\.json:\d+:\d+: [^]{1,900}$/.test(shown)) throw new Error(shown);
  }
  if (values["hookEnv.pass"]?.every((name) => typeof name === "string") === false) {
    throw new Error("a name of a variable is no text");
  }
  const source = {
    layer: "project",
    file: "/p/.mux/settings.json",
    settings: parsed.value,
  } as const;
  const options = { projectDir: "/p", trusted: true, builtins: [] };
  for (const { handler } of mergeSettings([source], options).hooks) hookTitle(handler);
}

function readHookOutput(text: string): void {
  const output = { text, bytes: text.length, truncated: false };
  const context = { event: "Stop", name: "h", timeoutMs: 1_000, origin: undefined } as const;
  for (const code of [0, 1, 2]) {
    const result = {
      end: { kind: "exited", code },
      stdout: output,
      stderr: output,
      durationMs: 1,
    } as const;
    verdicts.interpretExit(result, context);
  }
  verdicts.launchFailureOf("h", text);
  explainSsh(text, { host: "h" });
}

function readForeignText(text: string): void {
  if (CONTROL_CHARACTERS.test(plainText(text)))
    throw new Error("plainText leaves a control character");
  expectSafe(visible(text));
  expectSafe(terminalText(text.replaceAll("\u001b", "").replaceAll("\r", "")));
}

function readCommandLine(command: string): void {
  for (const args of [undefined, [command]]) {
    const handler = { type: "command" as const, command, ...(args && { args }) };
    invokedPrograms(handler);
    const named = namedProgram({ fromProject: true, handler }, "/p");
    if (named?.startsWith("/p/") === false) throw new Error(`${named} is not in the project`);
  }
  verdicts.quotingHint(command, "/with blank");
}

function readStopInput(text: string): void {
  const gatherer = new ObjectGatherer();
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  gatherer.push(bytes.subarray(0, half));
  gatherer.push(bytes.subarray(half));
  const fields = parseJson(gatherer.text ?? "").unwrapOr(undefined);
  if (isJsonObject(fields)) recognizeHost(fields, {}).readInput(fields);
}

function readReviewAnswer(text: string): void {
  const answer = readAnswer(unwrapAny(text), { nonce: "", prompt: text.slice(0, 100) });
  if (answer.isOk() && answer.value.status === "pass" && answer.value.violations.length > 0) {
    throw new Error("a pass has violations");
  }
}

function readGauntletYaml(text: string): void {
  const problems = new DiagnosticList(true);
  const source = new SourceFile("config.yml", text, YAML);
  const node = parseYaml(source, problems);
  const schemas = [configSchema, checkSchema];
  const values = node && schemas.map((schema) => validateNode(node, schema, problems));
  if (values?.includes(undefined) !== false && !problems.hasErrors) {
    throw new Error("a refused file has no error");
  }
  if (node !== undefined) {
    // The same text as the team's file and as the user's own.
    const local = new LocalConfig(node, problems);
    const files = { checks: [], reviews: [], hashes: new Map(), local };
    readEntryPoints(local.settings(node), files, problems);
    local.report();
  }
  const lines = text.split("\n");
  for (const problem of problems.all) {
    const { line, column, sourceLine } = problem;
    const found = lines[line - 1];
    const isThere = found?.startsWith(sourceLine) === true && column <= found.length + 1;
    const shown = formatProblem(problem);
    if (!isThere || shown.split("\n").length > 3) throw new Error(`not in the file: ${shown}`);
  }
}

function readFrontMatter(text: string): void {
  const problems = new DiagnosticList(true);
  const file = { name: "r", file: "r.md", source: new SourceFile("r.md", text, YAML) };
  if (
    readReviewFile(file, new LocalConfig(undefined, problems), problems) === undefined &&
    !problems.hasErrors
  ) {
    throw new Error("a refused file has no error");
  }
}

function readMatcher(text: string): void {
  const problem = findMatcherProblem(text.trim());
  if (problem !== undefined) expectSafe(problem);
  const match = matchAgentType(text, "explore");
  if ("problem" in match) expectSafe(match.problem);
}

function readTranscript(text: string): void {
  const rows = parseRows(text);
  rows.forEach(partsOf);
  continuationsInTurn(rows);
  const projection = new MuxRowConverter();
  for (const row of rows) projection.add(row, { sessionId: "w", cwd: "/p" });
}

function parseLines(text: string): void {
  for (const line of text.split("\n")) parseJson(line);
}

function expectSafeFindings(found: readonly RawFinding[]): void {
  for (const raw of found) expectSafe(findingLine(cleanFinding(raw, raw.file)));
}

function readJsonReport(text: string): void {
  for (const format of CHECK_REPORT_FORMATS) {
    if (format !== "junit") expectSafeFindings(parseOutput(format, text).found);
  }
}

const NO_FRAME: readonly [string, string] = ["", ""];
const HANDLER = '{"type":"command","command":"x"},';

export const PARSERS: readonly FuzzedParser[] = [
  {
    name: "settings",
    read: readSettingsText,
    tokens: [
      ...'/* */ // \n {"hooks":{"Stop":[ "timeout":-1, "timeout":1e999, "matcher": "__proto__":'.split(
        " "
      ),
      ...'"type":"http", "type":3, "args":[ "stopHooks":{"timeout": "hookEnv":{"pass":['.split(" "),
      HANDLER,
      ...JSON_TOKENS,
      ...CONTROLS,
    ],
    frames: [
      NO_FRAME,
      ["{", "}"],
      ['{"hooks":{"Stop":[{"hooks":[', "]}]}}"],
      ['{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x/","headers":{', "}}]}]}}"],
      ['{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"', '"}]}]}}'],
      ['{"hooks":{"SubagentStop":[{"matcher":"', '","hooks":[]}]}}'],
    ],
    maxChars: 256 * KIB,
  },
  {
    name: "hook output",
    read: readHookOutput,
    tokens: [
      ..."usage: \n|error: |can't open file |[Errno |cannot open |make: |\n| ".split("|"),
      ...[...JSON_TOKENS, '"decision":"block",', '"reason":" "', " line 1", "Connection to a"],
      ...CONTROLS,
    ],
    frames: [NO_FRAME, ['{"decision":"block","reason":"', '"}'], ["usage: ", ""]],
    maxChars: 256 * KIB,
  },
  {
    name: "foreign text",
    read: readForeignText,
    tokens: [..."#;?; 0 ; [ ] \\ P \u009d a \u200b \u{e0041} \n \r\n".split(" "), ...CONTROLS],
    frames: [NO_FRAME, ["\u001b", ""], ["\u001b[", ""], ["\u001b]", ""]],
    maxChars: 256 * KIB,
  },
  {
    name: "command line",
    read: readCommandLine,
    tokens: [...COMMAND_TOKENS, "$MUX_PROJECT_DIR/a ", "${MUX_PROJECT_DIR", "npx ", "&&", "<", "x"],
    frames: [NO_FRAME, ['"', ""], ["sh -c '", "'"]],
    maxChars: 256 * KIB,
  },
  {
    name: "stop-hook input",
    read: readStopInput,
    tokens: [...JSON_TOKENS, '"stop_hook_active":true', '"cwd":"/a"', " ", "\n", "\u00e9"],
    frames: [NO_FRAME, ['{"cwd":"', '"}'], ["{", "}"]],
    maxChars: 1_024 * KIB,
  },
  {
    name: "review answer",
    read: readReviewAnswer,
    tokens: [
      ...[...JSON_TOKENS, "```json\n", "```\n", "prose ", "\n", '"violations"'],
      ...'{"status":"pass","violations":[ {"status":"fail" {"issue":"x"}, {"type":"result","result":"'.split(
        " "
      ),
    ],
    frames: [
      NO_FRAME,
      ['{"status":"fail","violations":[', '{"issue":"x"}]}'],
      ['{"result":"', '"}'],
    ],
    maxChars: 512 * KIB,
  },
  {
    name: "gauntlet YAML",
    read: readGauntletYaml,
    tokens: [
      ..."[]{},:-?|>&*!%@#'\"\t \n\0\uFEFF\ud800é\\".split(""),
      ..."\r\n|\n  |: |- |&a |*a|!!binary |---\n|...\n|<<: |? |a: 1\n|[a]\n|- - ".split("|"),
      ..."entry_points path checks env command timeout null 1e9 __proto__ a".split(" "),
      "- {path: .}\n",
    ],
    frames: [
      NO_FRAME,
      ["entry_points:\n- path: .\n  checks: [", "]\n"],
      ['base_branch: "', '"\n'],
      ["a:\n", ""],
    ],
    maxChars: 64 * KIB,
  },
  {
    name: "review front matter",
    read: readFrontMatter,
    tokens: [
      ..."---\n ...\n \n \r\n \t -".split(" "),
      "--- ",
      "num_reviews: 2\n",
      "text ",
      " ",
      "model: x\n",
    ],
    frames: [NO_FRAME, ["---\n", "\n---\nprompt"], ["---\nmodel: x\n---\n", ""]],
    maxChars: 64 * KIB,
  },
  {
    name: "matcher",
    read: readMatcher,
    tokens: [..."( ) (a+)+ [ ] \\ * + {9} | a , (?: (?<= .".split(" "), " ", ...CONTROLS],
    frames: [NO_FRAME, ["(a+)+", "$"], ["[", "]"]],
    maxChars: 8 * KIB,
    isSlow: true,
  },
  {
    name: "ssh target",
    read: (text) => void parseSshTarget(text),
    tokens: [..."ssh:// user @ host : 22 / [ ] ::1 % - ~ \0 é".split(" "), " "],
    frames: [NO_FRAME, ["ssh://", "/p"], ["ssh://u@", ":22/p"]],
    maxChars: 256 * KIB,
  },
  {
    name: "transcript rows",
    read: readTranscript,
    floor: parseLines,
    tokens: [
      '{"role":"user"}\n',
      '{"role":"user","metadata":{"muxMetadata":{"stopHookActive":true}}}\n',
      '{"type":"text","text":"a"},',
      '{"type":"dynamic-tool","toolName":"todo_write","input":{"todos":[{}]},"output":{}},',
      ..."1\\tx\\n \n \r".split(" "),
      ...[
        '{"type":"dynamic-tool","toolName":"file_edit_replace_lines","output":{"diff":"@@ -1 +1 @@"}},',
        "@@ -1,2 +1,2 @@\\n",
      ],
      ...JSON_TOKENS,
    ],
    frames: [
      NO_FRAME,
      ['{"role":"assistant","parts":[', "]}\n"],
      ['{"role":"assistant","parts":[', '{"type":"text","text":""}]}\n'],
      [
        '{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"file_edit_replace_lines","output":{"diff":"',
        '"}}]}\n',
      ],
      [
        '{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"file_read","output":{"content":"',
        '"}}]}\n',
      ],
      ['{"role":"assistant","metadata":{"model":"', '"}}\n'],
    ],
    // Below this size, memory and caches let the time of JSON.parse itself grow by more than its input.
    maxChars: 4_096 * KIB,
  },
  {
    name: "output of checks",
    read: (text) => {
      expectSafeFindings(matchAllFormats(outputChunks(text)));
    },
    tokens: [
      ...["a.ts", "(1,2): error TS1: x", ":1:2 - error TS1: x", ":1:2: ", " [Error/a]", "\n"],
      ...["  1:2  error  x  rule", " ", "  ", ".go", ":1: x", "    a_test.go:1: x", "error[E1]: x"],
      ..." --> a.rs:1:2|thread 'x' panicked at a.rs:1:2:|FAILED a.py::b - c|___ a ___".split("|"),
      ..."a.py:1: x|E   x|--- FAIL: T|=== RUN T|FAIL\ta/b\t0.1s|panic: x|\t/a.go:1".split("|"),
      ...CONTROLS,
    ],
    frames: [
      NO_FRAME,
      ["a", ": x [Error/a]"],
      ["src/a.js\n  1:2  error  x", ""],
      ["src/a.js\n  1:2  error  x", "  rule"],
      ["FAILED a.py::", " - x"],
    ],
    maxChars: 1_024 * KIB,
  },
  {
    name: "JUnit report",
    read: (text) => {
      expectSafeFindings(parseJunit(text).found);
    },
    tokens: [
      ...["<testsuites>", '<testsuite name="a/b.ts">', '<testcase name="a" classname="b.ts">'],
      ...["</testcase>", "</testsuite>", '<failure message="x">', "</failure>", "<error/>", "<"],
      ...'<![CDATA[|]]>|<!--|-->|<!DOCTYPE a [|<!ENTITY b "c">|&b;|&#1;|&lt;| |('.split("|"),
      ..."at f (a.js:1:2)\n| ❯ a.ts:1:2\n|a.py:1: x\n|panicked at a.rs:1:2\n".split("|"),
      ...CONTROLS,
    ],
    frames: [
      NO_FRAME,
      ["<testsuite><testcase><failure>", "</failure></testcase></testsuite>"],
      ["<testsuite><testcase><failure>at ", ":1:2)</failure></testcase></testsuite>"],
    ],
    maxChars: 512 * KIB,
  },
  {
    name: "JSON report",
    read: readJsonReport,
    tokens: [
      ...[...JSON_TOKENS, '[{"filePath":"a","messages":[', '{"Issues":[', '{"runs":[{"results":['],
      ...['"filename":"a",', '"location":{"row":1},', '"message":{"text":"x"},', '"ruleIndex":0,'],
      ...['"Pos":{"Filename":"a","Line":1},', '"uri":"file:///a%20b"', "\n[{", '\n{"', "\n", " "],
      ...CONTROLS,
    ],
    frames: [NO_FRAME, ["[", "]"], ['{"runs":[{"results":[', "]}]}"], ['[{"message":"', '"}]']],
    maxChars: 256 * KIB,
  },
];
