import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { NO_DEFINITIONS, type Definitions } from "@/node/services/hooks/settings/hookDefinitions";
import {
  readTrustRecord,
  trustStorePath,
  type TrustStore,
} from "@/node/services/hooks/trust/trustRecord";
import type { TrustRequest } from "@/node/services/hooks/trust/trustPolicy";
import * as decisions from "@/node/services/hooks/trust/trustDecisions";
import { putFile, tempDir } from "@test/helpers/tempDir";

const NOW = new Date("2026-08-01T12:00:00Z");
const TRUSTED = { trusted: true, isRecorded: true };

/** Creates a store with these scripts of /p, in this order. */
async function newStore(...trusted: string[]): Promise<TrustStore> {
  const store = { files: new LocalFiles(), path: trustStorePath(join(await tempDir(), ".mux")) };
  for (const script of trusted) await decisions.recordTrust(store, request(script), NOW);
  return store;
}

function definitions(script: string): Definitions {
  return { ...NO_DEFINITIONS, scripts: { ".mux/stop": script } };
}

function request(script: string, fields: Partial<TrustRequest> = {}): TrustRequest {
  const items = [{ text: "Stop: x", origin: "s.json:1" }];
  return { projectDir: "/p", items, definitions: definitions(script), purpose: "turn", ...fields };
}

async function decide(
  store: TrustStore,
  asked: TrustRequest,
  options: Partial<decisions.StoredTrustOptions> = {}
) {
  return await decisions.storedTrust({ ...store, env: {}, ...options }).decide(asked);
}

test("leaves the lock of a process that has just replaced an old one (H31)", async () => {
  const store = await newStore("a");
  const lock = `${store.path}.lock`;
  await writeFile(lock, "");
  await utimes(lock, 0, 0);
  // Another process replaces it after this one has seen that it is old.
  const { files } = store;
  const create = files.createFile.bind(files);
  vi.spyOn(files, "createFile").mockImplementation(async (path, text) => {
    if (path === `${lock}.old`) await utimes(lock, new Date(), new Date());
    const created = await create(path, text);
    if (path === `${lock}.old`) setImmediate(() => void rm(lock));
    return created;
  });
  const remove = vi.spyOn(files, "remove");
  await decisions.recordTrust(store, request("c"), NOW);
  expect(remove.mock.calls.map(([path]) => path).slice(0, 1)).toEqual([`${lock}.old`]);
});

test("runs no hooks of a project that was never trusted (H32)", async () => {
  const store = await newStore();
  expect(await decide(store, request("a"))).toEqual({
    trusted: false,
    message:
      '1 hook of this project does not run: the project is not trusted with "mux-stop-hooks hooks trust"; run "mux-stop-hooks hooks trust --show" in /p to list what would run, and "mux-stop-hooks hooks trust" to allow it',
  });
  await decisions.recordTrust(store, request("a", { projectDir: "/other" }), NOW);
  expect(await decide(store, request("a"))).toMatchObject({ trusted: false });
  const nothing = request("", { definitions: NO_DEFINITIONS });
  expect(await decide(store, nothing)).toEqual({ trusted: true });
});

test("keeps several sets, and reports a change from one to another once (H31)", async () => {
  const store = await newStore("a", "b");
  expect(await decide(store, request("a", { purpose: "look" }))).toMatchObject(TRUSTED);
  expect(await decide(store, request("a"))).toMatchObject({
    ...TRUSTED,
    notice: expect.stringContaining(".mux/stop: changed since the hooks ran last") as string,
  });
  expect(await decide(store, request("a"))).toMatchObject(TRUSTED);
  expect(await decide(store, request("c"))).toMatchObject({ instead: definitions("a") });
});

test("uses the definitions that ran last as the plan after a restart within a turn (H7)", async () => {
  const store = await newStore("a", "b");
  expect(await decide(store, request("a", { purpose: "restart" }))).toMatchObject({
    ...TRUSTED,
    instead: definitions("b"),
    notice: expect.stringContaining("restarted during this turn") as string,
  });
});

test("keeps the newest 20 sets of a project, or only the new one with `only` (H31)", async () => {
  const store = await newStore();
  for (let n = 0; n < 21; n++) await decisions.recordTrust(store, request(`${n}`), NOW);
  expect(await decide(store, request("0"))).toHaveProperty("instead");
  expect(await decide(store, request("1"))).not.toHaveProperty("instead");
  await decisions.recordTrust(store, request("x"), new Date(NOW.getTime() + 60_000), {
    only: true,
  });
  // The clock was ahead.
  await decisions.recordTrust(store, request("x"), NOW);
  const { projects } = (await readTrustRecord(store))._unsafeUnwrap();
  expect(projects["/p"]).toMatchObject([{ trustedAt: NOW.toISOString() }]);
  expect(await decide(store, request("20"))).toMatchObject({ instead: definitions("x") });
  expect((await decisions.lastTrusted(store, "/p", undefined))._unsafeUnwrap()).toEqual(
    definitions("x")
  );
});

test("records the first definitions of a project without confirmation under a host's flag (H31)", async () => {
  const store = await newStore();
  const flag = { recordsFirst: true };
  expect(await decide(store, request("a", { purpose: "look" }), flag)).toEqual({ trusted: true });
  expect(await decide(store, request("a"), flag)).toMatchObject(TRUSTED);
  expect(await decide(store, request("b"), flag)).toMatchObject({ instead: definitions("a") });
});

test("uses the record of its project for a checkout without one (H31)", async () => {
  const store = await newStore("a");
  const worktree = request("a", { projectDir: "/worktree" });
  expect(await decide(store, worktree, { findProject: () => Promise.resolve("/p") })).toMatchObject(
    TRUSTED
  );
  expect(await decide(store, worktree)).toMatchObject({ trusted: false });
});

test("names a command for another machine, and trusts a container with the definitions of the project on this one (H31)", async () => {
  const store = await newStore("b");
  const far = await decide(store, request("a", { projectDir: "ssh://box/p%20(1)" }));
  expect(far).toHaveProperty("message", expect.stringContaining("--workspace 'ssh://box/p%20(1)'"));
  const local = { recordsFirst: true, localProject: "/p" };
  const inContainer = (script: string) =>
    decide(store, request(script, { projectDir: "docker://lab/p" }), local);
  expect(await inContainer("a")).toMatchObject(TRUSTED);
  expect(await inContainer("b")).not.toHaveProperty("instead");
  const notice = expect.stringContaining('trust" in /p on this machine') as string;
  expect(await inContainer("c")).toMatchObject({ instead: definitions("b"), notice });
  await decisions.refuseGates(store, "/p");
  const gates = { ...NO_DEFINITIONS, builtins: { gauntlet: { dir: "", files: {} } } };
  const other = request("", { projectDir: "docker://lab/q", definitions: gates });
  const withoutGates = { trusted: true, instead: NO_DEFINITIONS };
  expect(await decide(store, other, local)).toEqual(withoutGates);
  const ofWorktree = request("", { projectDir: "/worktree", definitions: gates });
  const findProject = () => Promise.resolve("/p");
  expect(await decide(store, ofWorktree, { findProject })).toEqual(withoutGates);
});

test("refuses only the gates, revokes trust for only one project, and accepts a second call (G24a)", async () => {
  const store = await newStore("a");
  await decisions.trustGates(store, "/p", {}, NOW);
  await decisions.refuseGates(store, "/p");
  expect(await decide(store, request("a"))).toMatchObject(TRUSTED);
  await decisions.recordTrust(store, request("b", { projectDir: "/q" }), NOW);
  expect((await decisions.revokeTrust(store, "/p"))._unsafeUnwrap()).toBe(true);
  expect((await decisions.revokeTrust(store, "/p"))._unsafeUnwrap()).toBe(false);
  expect(await decide(store, request("a"))).toMatchObject({ trusted: false });
  expect(await decide(store, request("b", { projectDir: "/q" }))).toMatchObject(TRUSTED);
});

test("keeps a revocation, also of gates in another folder, until they are trusted again (G24a)", async () => {
  const store = await newStore();
  const gates = { builtins: { gauntlet: { dir: "..", files: {} } } };
  const definitions = { ...NO_DEFINITIONS, ...gates };
  await decisions.recordTrust(store, { projectDir: "/r/sub", definitions }, NOW);
  await decisions.revokeTrust(store, "/r/sub");
  for (let i = 0; i < 101; i++) await decisions.noteWaiting(store, `/other${i}`, NOW);
  const revoked = async () => (await readTrustRecord(store))._unsafeUnwrap().revoked;
  expect(await revoked()).toEqual(["/r/sub", "/r"]);
  await decisions.noteWaiting(store, "/r", NOW);
  await decisions.recordTrust(store, { projectDir: "/r/sub", definitions }, NOW);
  expect((await readTrustRecord(store))._unsafeUnwrap().waiting).not.toContain("/r");
  expect(await revoked()).toEqual(["/r/sub"]);
  await decisions.trustGates(store, "/r/sub", {}, NOW);
  expect(await revoked()).toEqual([]);
});

test("stores the definitions so that only the owner can read them, regardless of the old mode (H31)", async () => {
  const store = await newStore();
  await putFile(store.path, '{"version": 2, "projects": {}}', 0o666);
  await decisions.recordTrust(store, request("a"), NOW);
  expect(JSON.parse(await readFile(store.path, "utf8"))).toEqual({
    version: 2,
    projects: { "/p": [{ definitions: definitions("a"), trustedAt: NOW.toISOString() }] },
  });
  expect((await stat(store.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(store.path))).toEqual(["hook-trust.json"]);
});

test("reads a record of the first version, and requires new trust for its projects (H31)", async () => {
  const store = await newStore();
  const projects = { "/p": { digest: "x", trustedAt: "" }, "/q": { digest: "y", trustedAt: "" } };
  await store.files.writeFile(store.path, JSON.stringify({ version: 1, projects }));
  const message = expect.stringContaining("trusted with an older version") as string;
  expect(await decide(store, request("a"))).toMatchObject({ trusted: false, message });
  await decisions.recordTrust(store, request("a"), NOW);
  expect(await decide(store, request("a"))).toMatchObject(TRUSTED);
  expect(await decide(store, request("a", { projectDir: "/q" }))).toMatchObject({ message });
});

test("records eight concurrent changes (H31)", async () => {
  const store = await newStore();
  const names = Array.from({ length: 8 }, (_, n) => `/p${n}`);
  const recorded = await Promise.all(
    names.map((projectDir) => decisions.recordTrust(store, request("a", { projectDir }), NOW))
  );
  expect(recorded.filter((result) => result.isErr())).toEqual([]);
  for (const projectDir of names) {
    expect(await decide(store, request("a", { projectDir }))).toMatchObject(TRUSTED);
  }
});

test("takes over a lock that its process has abandoned (H31)", async () => {
  const store = await newStore();
  const lock = `${store.path}.lock`;
  await store.files.writeFile(lock, "");
  await utimes(lock, 0, 0);
  expect((await decisions.recordTrust(store, request("a"), NOW)).isOk()).toBe(true);
  expect(await decide(store, request("a"))).toMatchObject(TRUSTED);
});

describe("a store that cannot be used", () => {
  test.each([
    ["is not JSON", "{"],
    ["is empty", ""],
    ["is of another version", '{"version": 3, "projects": {}}'],
    ["has a record of another format", '{"version": 2, "projects": {"/p": true}}'],
    ["is too large", " ".repeat(33 * 1024 * 1024)],
  ])("because it %s trusts no project, reports it, and is not overwritten", async (_, text) => {
    const store = await newStore();
    await store.files.writeFile(store.path, text);
    expect(await decide(store, request("a"))).toMatchObject({
      trusted: false,
      message: expect.stringContaining(`${store.path}, cannot be used`) as string,
    });
    const recorded = await decisions.recordTrust(store, request("a"), NOW);
    expect(recorded._unsafeUnwrapErr()).toContain("fix or remove it");
    expect((await decisions.revokeTrust(store, "/p")).isErr()).toBe(true);
    expect(await readFile(store.path, "utf8")).toBe(text);
  });

  test("because its folder is a file returns an error with its path, and a folder in its place trusts no project", async () => {
    const store = await newStore();
    await store.files.writeFile(dirname(store.path), "a file");
    const recorded = await decisions.recordTrust(store, request("a"), NOW);
    expect(recorded._unsafeUnwrapErr()).toContain(store.path);
    const folder = await newStore();
    await mkdir(folder.path, { recursive: true });
    expect(await decide(folder, request("a"))).toMatchObject({ trusted: false });
  });
});
