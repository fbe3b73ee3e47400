/** Reads files of a project for the detection of its checks, and values in their data, which may have any form. */
import { tryOr } from "@/common/errors";
import { posix } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { objectOf, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { commandTexts, parsed } from "@/node/services/gauntlet/shell/scriptsAndTasks";

/** Larger files are not read: each library takes time and memory that grow with the file. */
const MAX_FILE_BYTES = 512 * KIB;

/** The files of a project, which may have any content. A file that cannot be parsed counts as empty. */
export class ProjectFolder {
  /** The files of scripts, such as package.json and the Makefile. Each is read once. */
  readonly scripts = parsed(async (path) => (await this.text(path)) || undefined);

  private constructor(
    private readonly files: Files,
    /** Absolute. */
    readonly dir: string,
    private readonly names: ReadonlySet<string>
  ) {}

  static async open(files: Files, dir: string): Promise<ProjectFolder> {
    const names = await files.list(dir);
    return new ProjectFolder(files, dir, new Set(names.unwrapOr([])));
  }

  /** Returns the first of these names that is an entry of the folder itself. */
  find(...names: readonly string[]): string | undefined {
    return names.find((name) => this.names.has(name));
  }

  /** Returns the first entry of the folder, by name, that matches. */
  match(pattern: RegExp): string | undefined {
    return this.matchAll(pattern)[0];
  }

  /** Returns the names of the entries of the folder that match, sorted. */
  matchAll(pattern: RegExp): string[] {
    return [...this.names].sort().filter((name) => pattern.test(name));
  }

  /** @param path relative to the folder */
  async hasFile(path: string): Promise<boolean> {
    const [stat] = await this.files.stat([posix.join(this.dir, path)]);
    return stat?.kind === "file";
  }

  /** Returns the names of the entries of a folder, sorted. */
  async list(path: string): Promise<string[]> {
    const names = await this.files.list(posix.join(this.dir, path));
    return [...names.unwrapOr([])].sort();
  }

  /** Returns the names of the folders in a folder, sorted. */
  async folders(path: string): Promise<string[]> {
    const names = await this.list(path);
    const stats = await this.files.stat(names.map((name) => posix.join(this.dir, path, name)));
    return names.filter((_, i) => stats[i]?.kind === "directory");
  }

  /** Returns the text, or an empty text if the file does not exist, is too large or cannot be read. */
  async text(path: string): Promise<string> {
    const read = await this.files.readFile(posix.join(this.dir, path), {
      maxBytes: MAX_FILE_BYTES + 1,
    });
    const bytes = read.unwrapOr(new Uint8Array());
    return bytes.length > MAX_FILE_BYTES ? "" : Buffer.from(bytes).toString("utf8");
  }

  /** Parses JSON with comments and trailing commas, or TOML, by the end of the name; else YAML. */
  async data(path: string): Promise<JsonObject> {
    const text = await this.text(path);
    const parse = (): unknown =>
      /\.jsonc?$/.test(path)
        ? parseJsonc(text, [], { allowTrailingComma: true })
        : path.endsWith(".toml")
          ? parseToml(text, { maxDepth: 100 })
          : parseYaml(text, { logLevel: "silent", maxAliasCount: 100 });
    return objectOf(tryOr(parse, undefined));
  }

  /** Returns a command and the texts of all scripts that it runs. */
  async textsOf(command: string, folder = "."): Promise<string[]> {
    return await commandTexts(command, folder, this.scripts);
  }
}

/** Returns the value at the keys if it is an object, else an empty one. */
export function objectAt(value: unknown, ...keys: readonly string[]): JsonObject {
  return keys.reduce(
    (inner, key) => objectOf(Object.hasOwn(inner, key) ? inner[key] : undefined),
    objectOf(value)
  );
}

/** Returns the strings of a list; none if the value is not a list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
