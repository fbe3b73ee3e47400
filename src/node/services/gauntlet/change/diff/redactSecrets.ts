/**
 * Masks likely secrets in the texts that a reviewer gets, and decides by name of which files it gets no content, such
 * as lock files, generated code and `.env` (G12, G12a).
 */
import { posix } from "node:path";

/**
 * Returns whether the content of a file is not sent to a reviewer. Only its name decides, because a marker in its text
 * could be there to hide it.
 *
 * @param entryPoints the paths of the gate's entry points as written; a kind of file that one of them names is sent
 */
export function isWithheld(path: string, entryPoints: readonly string[] = []): boolean {
  return KINDS.some(
    (isOfKind) =>
      isOfKind(path) && !entryPoints.some((named) => isOfKind(`${named}/`) || isOfKind(named))
  );
}

/** Matches a file in a build folder, which is not sent if git does not track it. */
export const BUILD_FOLDER = /(?:^|\/)dist\//;

const LOCK_FILES: ReadonlySet<string> = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "Cargo.lock",
  "Gemfile.lock",
  "Pipfile.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "composer.lock",
  "mix.lock",
  "pubspec.lock",
  "Podfile.lock",
  "Package.resolved",
  "packages.lock.json",
  "gradle.lockfile",
  "flake.lock",
  "go.sum",
]);
const KINDS: readonly ((path: string) => boolean)[] = [
  (path) => LOCK_FILES.has(posix.basename(path)),
  ...[
    /\.(?:min\.(?:js|css)|(?:js|css|mjs|cjs)\.map)$/,
    /(?:^|\/)\.env(?:\.[^/]*)?$/,
    /(?:^|\/)vendor\//,
    /\.snap$/,
    /(?:\.generated\.[^/.]+|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.g\.dart|\.designer\.cs)$/i,
  ].map((pattern) => (path: string) => pattern.test(path)),
];

/** Masks values that are secret by their format, their position or the name before them. Keeps all line ends. */
export function redactSecrets(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const mask = (): string => {
    count++;
    return MASK;
  };
  const maskIf =
    (isSecret: (value: string) => boolean) => (all: string, before: string, value: string) =>
      isSecret(value) ? `${before}${mask()}` : all;
  const masked = text
    .replace(PRIVATE_KEY, (_, head: string, body: string) => {
      count++;
      return `${head}${body.replaceAll(KEY_LINE, `$1${MASK}`)}`;
    })
    .replace(KNOWN_SHAPES, mask)
    .replace(IN_URL, maskIf(isLiteral))
    .replace(
      IN_HEADER,
      maskIf((value) => isLiteral(value) && entropy(value) >= 2.5)
    )
    .replace(
      IN_ENV_FILE,
      maskIf((value) => isLiteral(value) && !/^(?:true|false|\d{1,5})$/.test(value))
    )
    .replace(QUOTED_VALUE, maskIf(isUnusual))
    .replace(NAMED_VALUE, maskIf(isRandom));
  return { text: masked, count };
}

const MASK = "[masked]";

/** The lines of a key and those of a diff, which begin with a number and a sign. */
const KEY_LINE = /^((?: {0,5}\d{0,9} )?[-+ ]?)\S.*$/gm;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)((?:[\sA-Za-z0-9+/=:,.\\]|-(?!----)){1,20000})/g;

/** Prefixes and lengths as the issuers of the keys document them. */
const KNOWN_SHAPES = new RegExp(
  [
    String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{36,255}\b`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{50,255}\b`,
    String.raw`\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,64}\b`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,250}\b`,
    String.raw`\bxapp-\d-[A-Za-z0-9-]{20,250}\b`,
    String.raw`\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,100}`,
    String.raw`\bdiscord(?:app)?\.com/api/webhooks/\d{15,22}/[A-Za-z0-9_-]{40,100}`,
    String.raw`\bsk-[A-Za-z0-9_-]{20,250}\b`,
    String.raw`\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,250}\b`,
    String.raw`\bwhsec_[A-Za-z0-9+/=]{24,100}`,
    String.raw`\bAIza[A-Za-z0-9_-]{35}`,
    String.raw`\bya29\.[A-Za-z0-9_-]{20,500}`,
    String.raw`\bGOCSPX-[A-Za-z0-9_-]{28}`,
    String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
    String.raw`\bpypi-[A-Za-z0-9_-]{50,250}`,
    String.raw`\brubygems_[a-f0-9]{48}\b`,
    String.raw`\bdckr_pat_[A-Za-z0-9_-]{20,60}`,
    String.raw`\b(?:hf|api_org)_[A-Za-z0-9]{30,60}\b`,
    String.raw`\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}`,
    String.raw`\b\d{8,10}:A[A-Za-z0-9_-]{34}\b`,
    String.raw`\bAccountKey=[A-Za-z0-9+/]{40,100}={0,2}`,
    String.raw`\bSharedAccessKey=[A-Za-z0-9+/]{40,100}={0,2}`,
    String.raw`\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`,
    String.raw`\bdop_v1_[a-f0-9]{64}\b`,
    String.raw`\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`,
    String.raw`\bkey-[0-9a-f]{32}\b`,
    String.raw`\bSK[0-9a-f]{32}\b`,
    String.raw`\bhv[sb]\.[A-Za-z0-9_-]{24,250}`,
    String.raw`\bsntry[su]_[A-Za-z0-9+/=_-]{40,300}`,
    String.raw`\blin_api_[A-Za-z0-9]{40}\b`,
    String.raw`\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b`,
    String.raw`\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}`,
  ].join("|"),
  "g"
);

const NAME =
  "(?:password|passwd|passphrase|pwd|secret|token|api_?-?key|access_?-?key|account_?-?key|private_?-?key|secret_?-?key|credentials?)";
const IN_URL = /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'`]{0,100}:)([^\s/@"'`]{1,200})(?=@)/gi;
const IN_HEADER = /(\b(?:bearer|basic)\s{1,3})([A-Za-z0-9+/_=.~-]{8,2000})/gi;
/** `DB_PASSWORD=…`, also after `export` and in a diff. */
const IN_ENV_FILE = new RegExp(
  String.raw`((?<![^\s+-])[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)=["']?)([^\s"']{4,512})`,
  "g"
);
const QUOTED_VALUE = new RegExp(
  String.raw`(${NAME}["']?\s{0,3}(?:=>|:=|[:=])\s{0,3}["'\x60])([^\s"'\x60]{6,512})(?=["'\x60])`,
  "gi"
);
const NAMED_VALUE = new RegExp(
  String.raw`(${NAME}["']?\s{0,3}(?:=>|:=|[:=])\s{0,3}["']?)([A-Za-z0-9+/_=.-]{16,512})`,
  "gi"
);

/** Returns false for a reference to a value and for a placeholder. */
function isLiteral(value: string): boolean {
  return !/^[$<({%]|\$\{|\{\{|^\[masked|^(?:x+|\*+|\.+)$|^process\.|^your[-_]|^change[-_]?me/i.test(
    value
  );
}

/** Returns whether a quoted value is a literal, and more than a word or a name. */
function isUnusual(value: string): boolean {
  if (!isLiteral(value)) return false;
  return /\d|[^\w.-]/.test(value) || (value.length >= 12 && entropy(value) >= 3.5);
}

/** Returns true for letters mixed with at least three digits, unlike words and function calls in code. */
function isRandom(value: string): boolean {
  if (/[.](?=[a-z_])/i.test(value) && !/\d/.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  return digits >= 3 && /[A-Za-z]/.test(value) && digits < value.length;
}

/** Returns the entropy of the characters, in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / value.length);
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0);
}
