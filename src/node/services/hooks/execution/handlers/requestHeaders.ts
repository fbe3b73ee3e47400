/** The headers of an http handler's request, with the variables that they may refer to (H42). */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isWithheld } from "@/node/services/hooks/execution/environment";
import type { HttpHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** For the user. */
  readonly warnings: readonly string[];
}

/** Headers that describe the connection or the body, which belong to the HTTP client. */
const RESERVED = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Returns the headers to send. A reference to a variable that the hook may not read becomes the empty string. */
export function requestHeaders(
  hook: ConfiguredHook,
  { headers = {}, allowedEnvVars = [], dialect }: HttpHandler,
  { env, passEnv }: { env: Readonly<NodeJS.ProcessEnv>; passEnv: readonly string[] }
): RequestHeaders {
  const allowed = new Set(allowedEnvVars);
  const sent: Record<string, string> = {};
  const warnings: string[] = [];
  const valueOf = (header: string, name: string): string => {
    const value = isWithheld(name, hook, passEnv) ? undefined : env[name];
    if (allowed.has(name) && value !== undefined) return value;
    warnings.push(
      allowed.has(name)
        ? `the header ${JSON.stringify(header)} refers to $${name}, which is not set for this hook, so it was sent without it`
        : variableNotListed(header, name, dialect === "claude")
    );
    return "";
  };
  for (const [name, template] of Object.entries(headers)) {
    const header = name.toLowerCase();
    if (RESERVED.has(header)) {
      warnings.push(
        `the header ${JSON.stringify(name)} belongs to the connection and was not sent; remove it from "headers"`
      );
      continue;
    }
    const value = template
      .replaceAll(REFERENCE, (_, braced?: string, bare?: string) =>
        valueOf(name, braced ?? bare ?? "")
      )
      .replaceAll(/[\r\n\0]/g, "");
    if (isValid(name, value)) sent[header] = value;
    else
      warnings.push(
        `the header ${JSON.stringify(name)} is not a valid header and was not sent; correct its name and value`
      );
  }
  return { headers: sent, warnings };
}

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** @param isClaude whether Claude Code's settings may have removed the variable from the list (H39) */
function variableNotListed(header: string, name: string, isClaude: boolean): string {
  const list = isClaude
    ? `"allowedEnvVars", or "httpHookAllowedEnvVars" in Claude Code's settings,`
    : `"allowedEnvVars"`;
  return `the header ${JSON.stringify(header)} refers to $${name}, which ${list} does not contain, so it was sent without it`;
}
