/** Keeps generated files and secrets out of a reviewer's diff. */
import { posix } from "node:path";

/** Returns whether a file is generated, by name only: a marker in its text could be there to hide it. */
export function isGenerated(path: string): boolean {
  const name = posix.basename(path);
  return LOCK_FILES.has(name) || GENERATED.test(name);
}

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
const GENERATED = /\.(?:min\.(?:js|css)|(?:js|css|mjs|cjs)\.map)$/;

/** Masks values that are secret by their format or by the name before them. */
export function redactSecrets(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const mask = (): string => {
    count++;
    return MASK;
  };
  let masked = text.replace(
    PRIVATE_KEY,
    (_, head: string, tail: string) => `${head}${mask()}${tail}`
  );
  masked = masked.replace(KNOWN_SHAPES, mask);
  masked = masked.replace(NAMED_VALUE, (all: string, before: string, value: string) =>
    isRandom(value) ? `${before}${mask()}` : all
  );
  return { text: masked, count };
}

const MASK = "[masked]";

const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,20000}(-----END [A-Z ]{0,40}PRIVATE KEY-----)/g;

const KNOWN_SHAPES = new RegExp(
  [
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{36,255}\b`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{50,255}\b`,
    String.raw`\bglpat-[A-Za-z0-9_-]{20,64}\b`,
    String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,250}\b`,
    String.raw`\bsk-[A-Za-z0-9_-]{20,250}\b`,
    String.raw`\b[rs]k_live_[A-Za-z0-9]{20,250}\b`,
    String.raw`\bAIza[A-Za-z0-9_-]{35}\b`,
    String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
    String.raw`\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}`,
  ].join("|"),
  "g"
);

const NAMED_VALUE =
  /((?:password|passwd|secret|token|api_?-?key|access_?-?key|private_?-?key|credentials?)["']?\s{0,3}(?:=>|:=|[:=])\s{0,3}["']?)([A-Za-z0-9+/_=.-]{16,512})/gi;

/** Returns true for letters mixed with at least three digits, unlike words and function calls in code. */
function isRandom(value: string): boolean {
  if (/[.](?=[a-z_])/i.test(value) && !/\d/.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  return digits >= 3 && /[A-Za-z]/.test(value) && digits < value.length;
}
