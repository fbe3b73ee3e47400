/** A parser for the Markdown of the documentation: headings, fenced blocks, hidden setup, links. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

/** A fenced block: ` ```bash hook verdict=continues ` is the language `bash`, the kind `hook` and one option. */
export interface Fence {
  readonly type: "fence";
  /** `docs/hooks.md:12` */
  readonly place: string;
  readonly language: string;
  /** The first word after the language that is not an option, or an empty string. */
  readonly kind: string;
  readonly options: ReadonlyMap<string, string>;
  /** The content, which ends with a line break. */
  readonly text: string;
}

/** `<!-- given: command -->`: a part of an example that readers do not need to see. */
export interface Given {
  readonly type: "given";
  readonly place: string;
  readonly command: string;
}

/** A heading with everything up to the next one. */
export interface Section {
  readonly title: string;
  readonly line: number;
  readonly blocks: readonly (Fence | Given)[];
}

export interface Link {
  readonly place: string;
  readonly target: string;
}

export interface Page {
  /** The path from the root of the repository. */
  readonly name: string;
  readonly sections: readonly Section[];
  readonly links: readonly Link[];
  readonly anchors: ReadonlySet<string>;
}

/** Lists every page of the documentation. */
export function findPages(): string[] {
  const docs = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" });
  const pages = docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name));
  return ["README.md", "AGENTS.md", "CHANGELOG.md", "test/README.md", ...pages.sort()];
}

export function readPage(name: string): Page {
  return parsePage(name, readFileSync(join(REPOSITORY, name), "utf8"));
}

const REFERENCE = {
  gauntlet: ["gauntlet", "gates", "state", "stop", "known", "commands", "init"],
  hooks: ["hooks", "hook-runs", "claude-hooks"],
};

/** Returns all pages of the rules of gates, or of hooks, in one text. */
export function readReference(of: keyof typeof REFERENCE): string {
  const paths = REFERENCE[of].map((name) => join(REPOSITORY, "docs/reference", `${name}.md`));
  return paths.map((path) => readFileSync(path, "utf8")).join("\n");
}

export function parsePage(name: string, text: string): Page {
  const sections: (Section & { blocks: (Fence | Given)[] })[] = [];
  const links: Link[] = [];
  const slugs = new Map<string, number>();
  const anchors = new Set<string>();
  let open: { fence: Fence; indent: string; marks: string } | undefined;

  text.split("\n").forEach((line, i) => {
    const place = `${name}:${i + 1}`;
    if (open !== undefined) {
      if (line.trim() === open.marks) open = undefined;
      else appendTo(open.fence, line.replace(open.indent, ""));
      return;
    }
    const heading = /^#{1,6} (.*)/.exec(line)?.[1];
    if (heading !== undefined || sections.length === 0) {
      sections.push({ title: heading ?? "(top)", line: i + 1, blocks: [] });
    }
    if (heading !== undefined) anchors.add(uniqueSlug(heading, slugs));
    const section = sections.at(-1)!;
    const fence = /^(\s*)(`{3,}|~{3,})(.*)/.exec(line);
    const given = /^<!-- given: (.*) -->$/.exec(line)?.[1];
    if (fence !== null) {
      const [, indent = "", marks = "", info = ""] = fence;
      open = { fence: makeFence(place, info), indent, marks };
      section.blocks.push(open.fence);
    } else if (given !== undefined) {
      section.blocks.push({ type: "given", place, command: given });
    } else {
      links.push(...linksIn(line, place));
    }
  });
  if (open !== undefined) throw new Error(`${open.fence.place}: this block does not end`);
  return { name, sections, links, anchors };
}

function makeFence(place: string, info: string): Fence {
  const [language = "", ...words] = info.trim().split(/\s+/);
  const options = words.flatMap((word) => {
    const [, key, value] = /^([\w-]+)=(.*)$/.exec(word) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  const kind = words.find((word) => !word.includes("=")) ?? "";
  return { type: "fence", place, language, kind, options: new Map(options), text: "" };
}

function appendTo(fence: Fence & { text: string }, line: string): void {
  fence.text += `${line}\n`;
}

function linksIn(line: string, place: string): Link[] {
  const prose = line.replaceAll(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ place, target }));
}

/** Returns the anchor that GitHub gives a heading. */
function uniqueSlug(heading: string, seen: Map<string, number>): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  const slug = text.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "").replaceAll(" ", "-");
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
