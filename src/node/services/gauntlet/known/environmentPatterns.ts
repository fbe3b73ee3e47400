/**
 * Lists patterns of the lines in which programs report a missing program, package, browser, toolchain, key or host
 * (G49). They match from the start of a line, except for keys, and take linear time on lines of a limited length.
 */
import { MODEL_KEYS } from "@/common/modelKeyVariables";

export type EnvironmentKind = "key" | "program" | "packages" | "network" | "browser" | "toolchain";

/** A pattern. Its group `name` has what is missing; `host` has the machine that was not reached. */
export interface EnvironmentRow {
  readonly kind: EnvironmentKind;
  /** The name of what is missing, if the pattern has no such group. */
  readonly name?: string;
  readonly pattern: RegExp;
  /** Whether `name` is a module, which may be a folder or a file of the project. */
  readonly isModule?: boolean;
}

const NAME = String.raw`['"‘\x60]?(?<name>[^\s:'"‘’\x60$\\]{1,120})['"’\x60]?`;
const HOST = String.raw`['"‘\x60]?(?<host>[\w.:%[\]-]{1,253}?)['"’\x60]?`;
/** The name of a shell or a script, with the number of the line. */
const SHELL = String.raw`[^\s:]{1,120}:(?: line \d{1,6}:| \d{1,6}:|\d{1,6}:)?`;
const URL = String.raw`['"]?https?:\/\/(?<host>[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])[^\s'"]{0,300}['"]?`;
/** Reports of a resolver or a connection. */
const UNREACHED = String.raw`(?:[Nn]ame or service not known|[Tt]emporary failure in name resolution|[Nn]o such host|[Nn]odename nor servname provided|[Uu]nknown host|[Nn]etwork is unreachable|[Nn]o route to host|[Cc]onnect(?:ion)? timed out|[Cc]onnection refused)`;
const CODES = "(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ECONNREFUSED)";
/** Only with the name of a machine, because a server of the project may have a certificate of its own. */
const CERTIFICATE = String.raw`(?:unable to get (?:local )?issuer certificate|unable to verify the first certificate|self[- ]signed certificate|(?:SSL|server) certificate|tls: failed to verify|x509: certificate|PKIX path building failed)`;

/** Creates rows from patterns for the beginning of a line. @param name that of the rows, if they have no such group */
const rows = (
  kind: EnvironmentKind,
  patterns: readonly string[],
  name?: string
): EnvironmentRow[] =>
  patterns.map((pattern) => ({ kind, name, pattern: new RegExp(`^(?:${pattern})`, "u") }));

const rowsByName = (
  kind: EnvironmentKind,
  byName: Readonly<Record<string, readonly string[]>>
): EnvironmentRow[] =>
  Object.entries(byName).flatMap(([name, patterns]) => rows(kind, patterns, name));

const moduleRows = (patterns: readonly string[]): EnvironmentRow[] =>
  rows("program", patterns).map((row) => ({ ...row, isModule: true }));

/** A key that is withheld from checks (G11). */
export const KEY_ROWS: readonly EnvironmentRow[] = [
  { kind: "key", pattern: new RegExp(`\\b(?<name>${MODEL_KEYS.join("|")})\\b`, "u") },
];

/** Reports of a shell that could not start a program. They count only if something exited with 126 or 127. */
export const LAUNCH_ROWS: readonly EnvironmentRow[] = [
  ...rows("program", [
    // dash, busybox, bash, and scripts of them; `exec foo` has one more word.
    `${SHELL} (?:exec: )?${NAME}: (?:command )?not found$`,
    `${SHELL} ${NAME}: (?:No such file or directory|Permission denied|inaccessible or not found)$`,
    `${SHELL} ${NAME}: cannot execute: required file not found$`,
  ]),
  ...rows("toolchain", [
    `${SHELL} ${NAME}: (?:cannot execute binary file(?:: Exec format error)?|Exec format error)$`,
  ]),
  ...rows("program", [
    // zsh, and the shell of Yarn Berry.
    `(?:${SHELL} )?command not found: ${NAME}$`,
    `${SHELL} (?:no such file or directory|permission denied): ${NAME}$`,
    // fish.
    `fish: (?:Unknown command:|Unknown command) ${NAME}$`,
    `(?:timeout|nice|nohup|stdbuf): failed to run command ${NAME}: No such file or directory$`,
    `bundler: command not found: ${NAME}$`,
  ]),
  ...rows("toolchain", [
    `[^\\s:]{1,200}: error while loading shared libraries: ${NAME}: cannot open shared object file`,
  ]),
];

/** Reports of a program that starts another one. */
export const STARTER_ROWS: readonly EnvironmentRow[] = [
  ...moduleRows([String.raw`(?:\S{0,200}\/)?python[\d.]{0,8}: No module named ${NAME}$`]),
  ...rows("program", [
    String.raw`npx canceled due to missing packages(?: and no YES option: \["(?<name>[^\s"\]]{1,120})")?`,
    "could not determine executable to run$",
    // pnpm, Yarn 1 and bun.
    `(?:\\[?ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\\]? {1,2})?Command "(?<name>[^\\s"]{1,120})" not found\\.?$`,
    `Could not find an existing ${NAME} binary to run\\b`,
    String.raw`Could not find (?:gem )?${NAME}(?: \([^)]{1,60}\))? in (?:any of the (?:gem )?sources|locally installed gems|rubygems repository)`,
    `no such (?:sub)?command: ${NAME}$`,
  ]),
  ...rows("toolchain", [
    `'?${NAME} is not installed for the toolchain `,
    `the ${NAME} component which provides the command '[^\\s']{1,80}' is not available`,
    `(?:custom )?toolchain ${NAME} (?:specified in override file '[^']{1,300}' )?is not installed$`,
    String.raw`(?:cgo: C compiler "[^"]{1,120}" not found: )?exec: "(?<name>[^\s"]{1,120})": executable file not found in \$PATH$`,
    String.raw`go(?:\.mod|\.work)? requires go >= (?<name>[\w.]{1,20}) \(running go [\w.]{1,20}`,
    String.raw`(?:cannot )?download (?<name>go[\w.]{1,20}) for [\w/]{1,40}: toolchain not available`,
    String.raw`\S{0,300}go\.mod:\d{1,5}: invalid go version '(?<name>[\w.]{1,20})': must match format`,
    String.raw`\S{0,300}: 'minversion' requires pytest-(?<name>[\w.]{1,20}), actual pytest-`,
    String.raw`(?:Fatal error compiling: )?(?:error: )?release version (?<name>\d{1,3}) not supported`,
    String.raw`(?:Fatal error compiling: )?(?:error: )?invalid target release: (?<name>[\d.]{1,6})`,
    String.raw`(?:[^\s]{1,300} )?(?:error )?NETSDK1045: The current \.NET SDK does not support targeting (?<name>\.NET[\w .]{0,20}?\d[\d.]{0,5}?)\.(?: |$)`,
    `(?:error )?\\S{1,120}: The engine "(?<name>[\\w.-]{1,40})" is incompatible with this module`,
  ]),
  ...rowsByName("toolchain", {
    rust: ["rustup could not choose a version of "],
    java: [
      "(?:The )?JAVA_HOME (?:environment variable )?is (?:not set|not defined correctly|set to an invalid directory)",
      "(?:No matching toolchains found for requested specification|Cannot find a Java installation on your machine)",
    ],
    ".NET": [
      "(?:A compatible \\.NET SDK was not found|No \\.NET SDKs were found|You must install or update \\.NET to run this application)",
    ],
    node: ["(?:code EBADENGINE$|ERR_PNPM_UNSUPPORTED_ENGINE\\b)"],
  }),
  // pnpm and Yarn, before they start a script.
  ...rowsByName("packages", {
    pnpm: [
      String.raw`\[?ERR_PNPM_(?:ABORTED_REMOVE_MODULES_DIR(?:_NO_TTY)?|UNEXPECTED_(?:VIRTUAL_)?STORE|VERIFY_DEPS_BEFORE_RUN|NO_OFFLINE_(?:META|TARBALL)|BAD_PM_VERSION)\b`,
    ],
    yarn: [
      String.raw`(?:Usage Error: )?(?:Couldn't find the node_modules state file\b|The project in \S{1,300} doesn't seem to have been installed\b)`,
    ],
  }),
  ...rowsByName("program", {
    docker: [
      "(?:docker: )?Cannot connect to the Docker daemon at ",
      "(?:docker: )?permission denied while trying to connect to the Docker (?:daemon|API) ",
      "Could not find a (?:valid Docker environment|working container runtime strategy)",
    ],
  }),
];

/** Reports that a module is not installed. They count unless the project has it, or the change names it. */
export const MODULE_ROWS: readonly EnvironmentRow[] = [
  ...moduleRows([
    "Cannot find (?:module|package) '(?<name>[@\\w][^\\s']{0,200})'",
    'Failed to resolve import "(?<name>[@\\w][^\\s"]{0,200})" from "',
    "No module named '(?<name>[\\w.]{1,200})'",
    "cannot load such file -- (?<name>[\\w/-]{1,200})",
  ]),
];

export const BROWSER_ROWS: readonly EnvironmentRow[] = [
  ...rows("browser", [
    String.raw`(?:[\w.]{1,60}: )?Executable doesn't exist at \S{0,300}?(?<name>chrom\w{1,20}|firefox|webkit)`,
    String.raw`Could not find (?<name>Chrome|Chromium|Firefox)(?: \(ver\. [\w.]{1,40}\)|\. |$)`,
    "No (?<name>Chrome|Chromium|Firefox) binary found\\b|No binary for (?:\\w{1,20}) browser on your platform",
  ]),
  ...rowsByName("browser", {
    playwright: [
      String.raw`(?:[\w.]{1,60}: )?(?:browserType\.launch: )?Host system is missing dependencies to run browsers`,
    ],
    cypress: ["(?:The cypress npm package is installed, but the )?Cypress binary is missing"],
  }),
];

export const NETWORK_ROWS: readonly EnvironmentRow[] = [
  ...rows("network", [
    `getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ${HOST}(?::\\d{1,5})?[,)]?$`,
    `\\[?ERR_PNPM_META_FETCH_FAIL\\]? {1,2}GET ${URL}: `,
    `(?:ENOTFOUND|EAI_AGAIN): .{0,80}getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ${HOST}$`,
    `connect ${CODES} ${HOST}(?::\\d{1,5})?(?: - Local \\(\\S{1,60}\\))?$`,
    `request to ${URL} failed, reason: .{0,80}?(?:${CODES}|${CERTIFICATE}|network|timeout)`,
    `code (?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)$`,
    `(?:<urlopen error )?\\[Errno -?(?:2|3|8|101|110|113)\\] ${UNREACHED}>?$`,
    String.raw`HTTPS?ConnectionPool\(host='(?<host>[^']{1,253})', port=\d{1,5}\): (?:Max retries exceeded|Failed to (?:resolve|establish))`,
    String.raw`<urllib3[^>]{1,120}>: Failed to (?:resolve '(?<host>[^']{1,253})'|establish a new connection: \[Errno -?(?:2|3|101|110|113)\])`,
    String.raw`HTTPS?Connection\(host='(?<host>[^']{1,253})', port=\d{1,5}\): Failed to (?:resolve|establish)`,
    `(?:unable to access '[^']{1,300}': )?Could not resolve host(?:name)?:? ${HOST}(?:: ${UNREACHED})?\\.?$`,
    `unable to access ${URL}: (?:Failed to connect to|.{0,80}?${CERTIFICATE}|.{0,80}?from proxy after CONNECT)`,
    `unable to resolve host address ${HOST}$`,
    `Temporary failure resolving ${HOST}$`,
    `connect to host ${HOST} port \\d{1,5}: ${UNREACHED}$`,
    `Failed to connect to ${HOST} port \\d{1,5}`,
    `\\[\\d{1,2}\\] Could not (?:resolve hostname|connect to server) \\(.{0,80}?(?:host:?|to) ${HOST}(?: port|\\)|$)`,
    String.raw`(?:\S{1,200} ){0,3}(?:Get|Post|Put|Head|Patch|Delete) "https?:\/\/[^"\s]{1,300}": dial tcp: lookup (?<host>[\w.-]{1,253})[^:]{0,60}(?::\d{1,5})?: (?:no such host|server misbehaving|i\/o timeout|.{0,60}network is unreachable)`,
    String.raw`(?:\S{1,200} ){0,3}dial tcp: lookup (?<host>[\w.-]{1,253})[^:]{0,60}(?::\d{1,5})?: (?:no such host|server misbehaving|i\/o timeout)`,
    String.raw`(?:\S{1,200} ){0,3}(?:Get|Post|Put|Head|Patch|Delete) "https?:\/\/(?<host>[\w.-]{1,253})[^"\s]{0,300}": (?:dial tcp [\d.:[\]a-f]{1,60}: (?:connect: (?:network is unreachable|connection refused|no route to host)|i\/o timeout)|.{0,40}?${CERTIFICATE})`,
    String.raw`.{0,300}?Could not transfer artifact \S{1,200} from\/to \S{1,60} \(https?:\/\/(?<host>[\w.-]{1,253})[^)]{0,300}\): .{0,300}?(?:${UNREACHED}|${CERTIFICATE})`,
    String.raw`Could not (?:GET|HEAD) '?https?:\/\/(?<host>[\w.-]{1,253})`,
    String.raw`java\.net\.UnknownHostException: (?<host>[\w.-]{1,253})`,
    String.raw`(?<host>[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}): ${UNREACHED}$`,
  ]),
  ...rowsByName("network", {
    GOPROXY: [".{0,300}module lookup disabled by GOPROXY=off"],
    proxy: [
      String.raw`tunneling socket could not be established, (?:cause=|statusCode=)`,
      String.raw`(?:Received HTTP code (?:403|407|502|503) from proxy after CONNECT|CONNECT tunnel failed, response (?:403|407|502|503))`,
    ],
  }),
];
