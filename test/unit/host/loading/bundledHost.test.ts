import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { MIB } from "@/common/limits";
import { isBundledHost, loadBundle } from "@/host/loading/bundledHost";
import type { Patch } from "@/host/loading/muxMembers";
import { folderWith, tempDir } from "@test/helpers/tempDir";

/** Modules as a minifier writes them: each is a function that is called when it is first needed. */
const SERVICE = `
var s=m((e)=>{"use strict";Object.defineProperty(e,"__esModule",{value:!0});e.AIService=e.Other=void 0;
var E=require("node:events"),a=class extends E.EventEmitter{isStreaming(){return!1}stopStream(){}getWorkspaceMetadata(){}};e.AIService=a});`;
const SESSION = `
var n=m((e)=>{"use strict";e.AgentSession=void 0;
var a=class{queueMessage(){}sendMessage(){}streamWithHistory(){}dispose(){}};e.AgentSession=a});`;
const BUNDLE = `"use strict";var m=(t,e)=>()=>(e||t((e={exports:{}}).exports,e),e.exports);`;
const MAIN = `
globalThis.bundled=new(s().AIService),n();`;

let written: MockInstance<typeof process.stderr.write>;
beforeEach(() => {
  written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => {
  written.mockRestore();
  Reflect.deleteProperty(globalThis, "bundled");
});

const said = (): string[] => written.mock.calls.map(([text]) => String(text));
const ofEveryObject = (): string[] => Object.getOwnPropertyNames(Object.prototype);
const before = ofEveryObject();

async function bundle(...parts: string[]): Promise<string> {
  const name = "server-bundle.cjs";
  return join(await folderWith({ [name]: [BUNDLE, ...parts].join("") }), name);
}

function patches(): { patchOf: (file: string) => Patch | undefined; seen: [string, string][] } {
  const seen: [string, string][] = [];
  const names = new Map([
    ["node/services/aiService.js", "AIService"],
    ["node/services/agentSession.js", "AgentSession"],
  ]);
  return {
    seen,
    patchOf: (file) => {
      const name = names.get(file);
      if (name === undefined) return undefined;
      return (exports, distDir) => {
        seen.push([name, distDir]);
        const { prototype } = exports[name] as { prototype: { patched?: string } };
        prototype.patched = name;
      };
    },
  };
}

/** Loads a bundle with these parts, and records what its patches get. */
async function loaded(...parts: string[]) {
  const file = await bundle(...parts);
  const { patchOf, seen } = patches();
  loadBundle(file, load(file), patchOf);
  return { file, seen };
}

const load = (file: string) => (): void => {
  createRequire(import.meta.url)(file);
};

describe("loading a bundle", () => {
  test("leaves exports and all other objects unchanged", async () => {
    const { file } = await loaded(SERVICE, SESSION, MAIN, ";module.exports=[s(),{},n()]");
    const [exports, other] = createRequire(import.meta.url)(file) as [object, object];
    const plain = { configurable: true, enumerable: true, writable: true };
    expect(Object.getOwnPropertyDescriptor(exports, "AIService")).toMatchObject(plain);
    expect(Object.keys(exports)).toEqual(["Other", "AIService"]);
    expect("AIService" in other).toBe(false);
    expect(ofEveryObject()).toEqual(before);
  });

  test("ignores values that only have the same name", async () => {
    const other =
      'globalThis.x={};x.AgentSession="a string";x.AIService=class{};delete globalThis.x;';
    const { seen } = await loaded(other, SERVICE, SESSION, MAIN);
    expect(seen.map(([name]) => name)).toEqual(["AIService", "AgentSession"]);
  });

  test("logs missing classes in one line", async () => {
    await loaded(SERVICE, "globalThis.bundled=s();");
    expect(said()).toEqual([
      "[mux-stop-hooks] this bundle of Mux (server-bundle.cjs) has no AgentSession; hooks that need this are off\n",
    ]);
  });

  test("logs an error of a patch, and loads the rest", async () => {
    const file = await bundle(SERVICE, SESSION, MAIN);
    const { patchOf, seen } = patches();
    const failing: Patch = () => {
      throw new Error("sealed");
    };
    loadBundle(file, load(file), (name) =>
      name.endsWith("aiService.js") ? failing : patchOf(name)
    );
    expect(seen.map(([name]) => name)).toEqual(["AgentSession"]);
    expect(said().join("")).toContain("AIService");
    expect(said().join("")).toContain("sealed");
  });

  test("restores Object.prototype if the bundle itself fails", async () => {
    await expect(loaded('throw new Error("broken");')).rejects.toThrow("broken");
    expect(ofEveryObject()).toEqual(before);
  });
});

describe("isBundledHost", () => {
  const SIGNS = "streamWithHistory(){}getWorkspaceMetadata(){}";
  const filled = (text: string): string => `${text}/*${" ".repeat(MIB)}*/`;

  const write = async (text: string): Promise<string> =>
    join(await folderWith({ "any-name.js": text }), "any-name.js");

  test("recognizes a bundled host by its content, regardless of its name", async () => {
    expect(isBundledHost(await write(filled(SIGNS)))).toBe(true);
    expect(isBundledHost(await write(SIGNS))).toBe(false);
    expect(isBundledHost(await write(filled("streamWithHistory(){}")))).toBe(false);
  });

  test("rejects unreadable files, including a pipe without a writer", async () => {
    const dir = await tempDir();
    const pipe = join(dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await mkdir(join(dir, "folder"));
    for (const path of [pipe, join(dir, "folder"), join(dir, "missing")]) {
      expect(isBundledHost(path)).toBe(false);
    }
  });
});
