/**
 * Reduces Claude Code's settings to the parts that have an effect here, in the claude dialect, and applies their
 * restrictions: turns off the hooks that they forbid, and limits the variables of http hooks (H39). Source of the
 * semantics: https://code.claude.com/docs/en/settings, "Hook configuration".
 */
import type { FoundHook, ParsedSettings } from "@/node/services/hooks/settings/parseSettings";
import type { HookHandler } from "@/node/services/hooks/contract/types";
import type { SettingsSource } from "@/node/services/hooks/settings/readHookFiles";

/**
 * Reduces settings of Claude Code to the parts that count: hooks, in the claude dialect unless they name another,
 * `disableAllHooks`, and the keys of plugins (H9, H38, H39).
 */
export function claudeSettings(parsed: ParsedSettings): ParsedSettings {
  const { hooks, unsupported, claude, diagnostics } = parsed;
  const { disableAllHooks } = parsed.values;
  const translated = hooks.map((hook): FoundHook => ({
    ...hook,
    handler: { dialect: "claude", ...hook.handler },
  }));
  const values = disableAllHooks === undefined ? {} : { disableAllHooks };
  return { hooks: translated, unsupported, values, claude, diagnostics };
}

/**
 * Applies the restrictions in Claude Code's settings to its hooks.
 *
 * @param sources of Claude Code, in layer order; without trust, only the restrictions of the user's files count
 */
export function restrictClaude(
  sources: readonly SettingsSource[],
  trusted: boolean
): SettingsSource[] {
  const managed = sources.filter(({ isManaged }) => isManaged === true);
  const files = sources.filter(
    ({ layer, plugin }) => plugin === undefined && (trusted || layer === "user")
  );
  const deciding =
    managed.find(({ settings }) => settings.values.disableAllHooks === true) ??
    files.findLast(({ settings }) => settings.values.disableAllHooks !== undefined);
  const isOff = deciding?.settings.values.disableAllHooks === true;
  const allOff =
    managed.find(({ off }) => off !== undefined)?.off ??
    (isOff ? `turned off by disableAllHooks in ${deciding.file}` : undefined);
  const only = managed.find(({ settings }) => settings.claude?.isManagedOnly === true);
  const listing = files.filter(({ settings }) => settings.claude?.urls !== undefined);
  const urls = listing.flatMap(({ settings }) => settings.claude?.urls ?? []);
  const lists = files.flatMap(({ settings }) => settings.claude?.envVars ?? []);
  const isLimited = files.some(({ settings }) => settings.claude?.envVars !== undefined);
  const envVars = isLimited ? new Set(lists) : undefined;

  const restrict = (handler: HookHandler): { handler: HookHandler; off?: string } => {
    if (handler.type !== "http") return { handler };
    if (listing.length > 0 && !urls.some((pattern) => matchesUrl(pattern, handler.url)))
      return {
        handler,
        off: `its URL is not in allowedHttpHookUrls of Claude Code's settings (${listing.map(({ file }) => file).join(", ")})`,
      };
    if (envVars === undefined) return { handler };
    const allowedEnvVars = handler.allowedEnvVars?.filter((name) => envVars.has(name));
    return { handler: { ...handler, allowedEnvVars } };
  };
  return sources.map((source) => {
    const { settings, plugin } = source;
    const switchOf = (from: SettingsSource) =>
      plugin && from.settings.claude?.plugins.get(plugin.id)?.isOn;
    const disabling = managed.find((each) => switchOf(each) === false);
    const isForced = disabling === undefined && managed.some((each) => switchOf(each) === true);
    const off =
      allOff ??
      (disabling && forbiddenByPolicy("enabledPlugins", disabling.file)) ??
      (only && !isForced ? forbiddenByPolicy("allowManagedHooksOnly", only.file) : undefined);
    const hooks = settings.hooks.map((hook) => ({ ...hook, ...restrict(hook.handler) }));
    return { ...source, settings: { ...settings, hooks }, ...(off === undefined ? {} : { off }) };
  });
}

/**
 * Returns whether a URL matches a pattern in which `*` is any text. Host names are compared without case and without a
 * dot at the end. A user name in the URL does not count, so that it cannot look like a host.
 */
function matchesUrl(pattern: string, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, pathname, search, hash } = new URL(url);
  const rest = `${pathname}${search}${hash}`;
  const base = `${protocol}//${withoutDot(host)}`;
  const wanted = /^([a-z*]+:\/\/)([^/?#]*)(.*)$/is.exec(pattern);
  const [, scheme = "", authority = "", path = pattern] = wanted ?? [];
  const normal = `${scheme.toLowerCase()}${withoutDot(authority.toLowerCase())}${path}`;
  return matches(normal, base + rest) || (rest === "/" && matches(normal, base));
}

function withoutDot(host: string): string {
  return host.replace(/\.(?=:|$)/, "");
}

function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** @param key of managed settings that forbids the hook, such as `allowManagedHooksOnly` */
function forbiddenByPolicy(key: string, file: string): string {
  return `forbidden by ${key} in the managed settings of Claude Code (${file})`;
}
