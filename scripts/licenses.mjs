// A plugin of the bundler: writes the licenses of all bundled packages to one file, as they require.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = "-".repeat(80);

/**
 * The texts of licenses whose packages may lack a file with it.
 *
 * @type {Record<string, (holder: string) => string>}
 */
const STANDARD_TEXTS = {
  ISC: (holder) => `Copyright (c) ${holder}

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
  MIT: (holder) => `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
};

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
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8")
  );
  const files = readdirSync(folder).filter((entry) => LICENSE_FILE.test(entry));
  const standard = STANDARD_TEXTS[license]?.(author?.name ?? author ?? `the authors of ${name}`);
  if (files.length === 0 && standard === undefined) {
    throw new Error(`${folder} has no license file, so it cannot be bundled`);
  }
  const texts =
    files.length === 0
      ? [standard]
      : files.sort().map((entry) => readFileSync(join(folder, entry), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}

/** @param {string[]} sections */
function textOf(sections) {
  const first = "The files of this folder contain code of the following packages.";
  return `${[first, ...sections.sort()].join(`\n\n${RULE}\n`)}\n`;
}
