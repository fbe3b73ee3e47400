import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasTrustFlag, isTrustedByHost } from "@/host/session/muxProjectTrust";
import { folderWith, tempDir } from "@test/helpers/tempDir";

const rootWith = (config: string): Promise<string> => folderWith({ "config.json": config });

const PROJECT = { name: "lab", projectPath: "/p/a" };

const A = "/p/a";
const trusted = { trusted: true };
const child = { parentProjectPath: "/p" };

test.each<[boolean, Record<string, object>]>([
  [true, { [A]: trusted }],
  [false, { [A]: { trusted: false } }],
  [false, { [A]: {} }],
  [false, { "/p/b": trusted }],
  [true, { [A]: child, "/p": trusted }],
  [false, { [A]: { ...child, ...trusted }, "/p": {} }],
])("the host's trust flag is %s for %j (H31)", async (isTrusted, projects) => {
  const root = await rootWith(JSON.stringify({ projects: Object.entries(projects) }));
  expect(isTrustedByHost(root, PROJECT)).toBe(isTrusted);
  expect(isTrustedByHost(root, { ...PROJECT, projectPath: "/p/a/" })).toBe(isTrusted);
});

test.each(["", "{", "[]", '{"projects": {}}', '{"projects": [7, ["/p/a"], ["/p/a", 7]]}'])(
  "a configuration like %s trusts no project",
  async (config) => {
    expect(isTrustedByHost(await rootWith(config), PROJECT)).toBe(false);
  }
);

test("a workspace without a project belongs to the host and is trusted", async () => {
  const root = await rootWith("{}");
  expect(isTrustedByHost(root, { ...PROJECT, kind: "scratch" })).toBe(true);
});

test("detects by its hook for new workspaces whether a build supports trust", async () => {
  const dist = await tempDir();
  expect(hasTrustFlag(dist)).toBe(false);
  await mkdir(join(dist, "node", "runtime"), { recursive: true });
  const hook = join(dist, "node", "runtime", "initHook.js");
  await writeFile(hook, "function run(params) { params.skip; }");
  expect(hasTrustFlag(dist)).toBe(false);
  await writeFile(hook, "function run(params) { if (!params.trusted) return; }");
  expect(hasTrustFlag(dist)).toBe(true);
});
