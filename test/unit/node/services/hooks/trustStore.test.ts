import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/LocalFiles";
import type { TrustRequest } from "@/node/services/hooks/trustPolicy";
import {
  recordTrust,
  revokeTrust,
  storedTrust,
  trustStorePath,
  type TrustStore,
} from "@/node/services/hooks/trustStore";
import { tempDir } from "@test/helpers/tempDir";

const NOW = new Date("2026-08-01T12:00:00Z");
const TRUSTED = { trusted: true };

async function newStore(): Promise<TrustStore> {
  return { files: new LocalFiles(), path: trustStorePath(join(await tempDir(), ".mux")) };
}

function request(digest: string, fields: Partial<TrustRequest> = {}): TrustRequest {
  const items = [{ text: "Stop: x", origin: "s.json:1" }];
  return { projectDir: "/p", items, digest: () => Promise.resolve(digest), ...fields };
}

async function decide(store: TrustStore, asked: TrustRequest, env: NodeJS.ProcessEnv = {}) {
  return await storedTrust({ ...store, env }).decide(asked);
}

test("a project is trusted as it was recorded, and asked about once it changes (H31, H32)", async () => {
  const store = await newStore();
  expect(await decide(store, request("a"))).toEqual({
    trusted: false,
    message:
      '1 hook of this project does not run: it has not been trusted; in /p, "mux-hooks trust --show" lists what would run and "mux-hooks trust" allows it',
  });
  expect((await recordTrust(store, request("a"), NOW)).isOk()).toBe(true);
  expect(await decide(store, request("a"))).toEqual(TRUSTED);
  expect(await decide(store, request("b"))).toMatchObject({
    trusted: false,
    message: expect.stringContaining("has changed since it was trusted") as string,
  });
  expect(await decide(store, request("a", { projectDir: "/other" }))).toMatchObject({
    trusted: false,
  });
});

test("trust is taken back for one project alone, and taking it back twice is no error", async () => {
  const store = await newStore();
  await recordTrust(store, request("a"), NOW);
  await recordTrust(store, request("b", { projectDir: "/q" }), NOW);
  expect((await revokeTrust(store, "/p"))._unsafeUnwrap()).toBe(true);
  expect((await revokeTrust(store, "/p"))._unsafeUnwrap()).toBe(false);
  expect(await decide(store, request("a"))).toMatchObject({ trusted: false });
  expect(await decide(store, request("b", { projectDir: "/q" }))).toEqual(TRUSTED);
});

test("the store is a small file that nobody else reads", async () => {
  const store = await newStore();
  await recordTrust(store, request("a"), NOW);
  expect(JSON.parse(await readFile(store.path, "utf8"))).toEqual({
    version: 1,
    projects: { "/p": { digest: "a", trustedAt: "2026-08-01T12:00:00.000Z" } },
  });
  expect((await stat(store.path)).mode & 0o777).toBe(0o600);
});

test("MUX_HOOKS_TRUST=always skips the question, any other value does not (H31)", async () => {
  const store = await newStore();
  expect(await decide(store, request("a"), { MUX_HOOKS_TRUST: "always" })).toEqual(TRUSTED);
  for (const value of ["1", "true", "never", ""]) {
    expect(await decide(store, request("a"), { MUX_HOOKS_TRUST: value })).not.toEqual(TRUSTED);
  }
});

describe("a store that cannot be used", () => {
  test.each([
    ["is no JSON", "{"],
    ["is empty", ""],
    ["is of another version", '{"version": 2, "projects": {}}'],
    ["has a record of another shape", '{"version": 1, "projects": {"/p": true}}'],
    ["is far too large", " ".repeat(5 * 1024 * 1024)],
  ])("because it %s trusts nothing, says so, and is not written over", async (_, text) => {
    const store = await newStore();
    await store.files.writeFile(store.path, text);
    expect(await decide(store, request("a"))).toMatchObject({
      trusted: false,
      message: expect.stringContaining(`${store.path}, cannot be used`) as string,
    });
    const recorded = await recordTrust(store, request("a"), NOW);
    expect(recorded._unsafeUnwrapErr()).toContain("mend or remove it");
    expect((await revokeTrust(store, "/p")).isErr()).toBe(true);
    expect(await readFile(store.path, "utf8")).toBe(text);
  });

  test("because it is a folder trusts nothing", async () => {
    const store = await newStore();
    await mkdir(store.path, { recursive: true });
    expect(await decide(store, request("a"))).toMatchObject({ trusted: false });
  });

  test("because its place cannot be written is an error that names it", async () => {
    const store = await newStore();
    await store.files.writeFile(dirname(store.path), "a file");
    const recorded = await recordTrust(store, request("a"), NOW);
    expect(recorded._unsafeUnwrapErr()).toContain(store.path);
  });
});

test("a digest that cannot be made is no trust, and is not recorded (H31)", async () => {
  const store = await newStore();
  await recordTrust(store, request("a"), NOW);
  const unreadable = request("", { digest: () => Promise.reject(new Error("too large")) });
  expect(await decide(store, unreadable)).toMatchObject({
    trusted: false,
    message: expect.stringContaining("does not run: too large;") as string,
  });
  expect((await recordTrust(store, unreadable, NOW))._unsafeUnwrapErr()).toBe("too large");
  expect(await decide(store, request("a"))).toEqual(TRUSTED);
});
