// A plugin of the bundler: writes the licenses of all bundled packages to one file, as they require.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = "-".repeat(80);

/**
 * Returns one plugin for all bundles of a build. Each bundle writes the file again with the packages of all bundles
 * before it, so that the last one completes it.
 *
 * @param {string} file
 */
export function licenses(file) {
  /** @type {Map<string, string>} */
  const sections = new Map();
  return {
    name: "licenses",
    /** @param {{ dir?: string }} _options @param {Record<string, any>} bundle */
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => output.moduleIds ?? []);
      for (const id of modules) {
        const folder = packageFolder(id);
        if (folder !== undefined && !sections.has(folder)) sections.set(folder, sectionOf(folder));
      }
      writeFileSync(file, textOf([...sections.values()]));
    },
  };
}

/**
 * Returns the folder of the installed package that a module belongs to.
 *
 * @param {string} id
 */
export function packageFolder(id) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0];
}

/** @param {string} folder */
function sectionOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((entry) => LICENSE_FILE.test(entry));
  if (files.length === 0) throw new Error(`${folder} has no license file, so it cannot be bundled`);
  const texts = files.sort().map((entry) => readFileSync(join(folder, entry), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}

/** @param {string[]} sections */
function textOf(sections) {
  const first = "The files of this folder contain code of the following packages.";
  return `${[first, ...sections.sort()].join(`\n\n${RULE}\n`)}\n`;
}
