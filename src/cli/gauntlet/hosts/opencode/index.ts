/**
 * The agent host opencode, which has no hooks in settings files: installs a plugin file that imports the engine of this
 * package, and examines the plugin and trust in the hooks for `doctor` (G29). Hosts that load plugins of opencode, such
 * as Kilo Code, use the same installation.
 */
import { realpath } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { userAndProject } from "@/cli/gauntlet/hosts/hostParts";
import { good, notOwnFile } from "@/cli/gauntlet/doctor/finding";
import { examineTrust } from "@/cli/gauntlet/hosts/mux/index";
import type { HookHost, HookInstallation } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import {
  PACKAGE_NAME,
  readManifest,
  describeMissingDependency,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import type { HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import { programForHome } from "@/cli/gauntlet/init/hooks/packageCopy";
import { fileDiagnostic } from "@/common/diagnostics";
import { parseJson } from "@/common/json";
import { clip, visible } from "@/common/safeText";

/** The plugin, relative to the folder of this package. */
const MODULE = "dist/opencode.js";
const WRITTEN = /^export \{ default \} from ("[^"\n]*\/dist\/opencode\.js");\n$/;
const SHOWN_CHARS = 40;

/** The syntax of the plugin file, which is one hook as a whole. A file with other text is not written by `init`. */
const pluginSyntax: HookSyntax = {
  commandKey: "module",
  list: (source) => {
    const module = moduleIn(source);
    const fields = module === undefined ? {} : { type: "command", module };
    return source === "" ? [] : [{ line: 1, command: module ?? "", fields }];
  },
  add: (file, source, _, { module }) =>
    source === "" ? ok(textOf(module)) : err(fileDiagnostic("error", file, notOwnFile(file))),
  change: (source, _, change) => {
    const fields = { type: "command", module: moduleIn(source) };
    const after = change(fields);
    if (after === fields) return source;
    return after === undefined ? "" : textOf(after.module);
  },
  isEmpty: (source) => source === "",
  check: () => undefined,
};

export const opencodeHost: HookHost = {
  name: "opencode",
  about:
    "until the gates pass | a toast, or a line on stderr | none | that of the project's hooks | with opencode 1.18.33",
  install: pluginOf("opencode", "opencode", ".opencode"),
};

/** Returns the installation for a program that loads plugins of opencode. */
export function pluginOf(title: string, program: string, folder: string): HookInstallation {
  return {
    ...{ title, programs: [program], folders: [folder] },
    files: userAndProject(
      `${folder}/plugins`,
      "agent-gauntlet.js",
      "XDG_CONFIG_HOME",
      `.config/${program}/plugins`
    ),
    format: () => Promise.resolve(pluginSyntax),
    stop: { event: "", args: "", earlierArgs: [], fields: {} },
    engine: {
      situations:
        "a message | checked | a toast, or stderr | nothing | nothing runs | not sent | `chat.message`",
      parse: (program) => ({ program, args: "" }),
      findPrograms: async (place, isShared) => {
        const inHome = await findModule(place);
        const personal = inHome.unwrapOr("");
        return { personal, inHome, shared: isShared ? await findSharedModule(place) : undefined };
      },
      pathOf: (module, file) => posix.resolve(posix.dirname(file), module),
      tryPath: async (path, place) => {
        const { version } = await readManifest(place, posix.join(posix.dirname(path), ".."));
        return good(
          typeof version === "string"
            ? `the plugin is version ${visible(clip(version, SHOWN_CHARS))}`
            : "the plugin file exists"
        );
      },
    },
    examine: async (hooks, place) => {
      const isInstalled = hooks.some(({ handler }) => handler.command !== "");
      return isInstalled ? [await examineTrust(place)] : [];
    },
  };
}

function moduleIn(source: string): string | undefined {
  const [, literal] = WRITTEN.exec(source) ?? [];
  const module = literal === undefined ? undefined : parseJson(literal).unwrapOr(undefined);
  return typeof module === "string" ? module : undefined;
}

function textOf(module: unknown): string {
  return `export { default } from ${JSON.stringify(module)};\n`;
}

/** Returns the absolute path of the module, or why it cannot be used. */
async function findModule(place: InitPlace): Promise<Result<string, string>> {
  const moduleOf = (bin: string): string => posix.join(posix.dirname(bin), "..", MODULE);
  const own = await realpath(place.program).catch(() => place.program);
  return await ifExists(place, moduleOf(own), moduleOf(await programForHome(place)));
}

/** Returns a path that is valid in every clone, relative to the plugin, or why there is none. */
async function findSharedModule(place: InitPlace): Promise<Result<string, string>> {
  const independent = await describeMissingDependency(place);
  if (independent !== undefined) return err(independent);
  const path = posix.join("node_modules", PACKAGE_NAME, MODULE);
  return await ifExists(place, posix.join(place.projectDir, path), posix.join("../..", path));
}

/** Returns the name if the file exists, or a message. */
async function ifExists(
  { runtime }: InitPlace,
  path: string,
  name: string
): Promise<Result<string, string>> {
  const [stat] = await runtime.stat([path]);
  if (stat?.kind === "file") return ok(name);
  return err(
    `the plugin for opencode is missing: ${path} does not exist; install this package again, or run "make build" in its folder`
  );
}
