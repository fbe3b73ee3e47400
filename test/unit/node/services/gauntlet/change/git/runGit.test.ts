import { describe, expect, test, vi } from "vitest";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";
import { tempDir } from "@test/helpers/tempDir";

/** Returns those of these settings that git reads from its environment and not from a file. */
async function settingsOf(runtime: HookRuntime, cwd: string): Promise<string[]> {
  const args = [
    "config",
    "--show-scope",
    "--get-regexp",
    String.raw`^(safe\.directory|filter\..*)$`,
  ];
  const { stdout } = (await execGit(runtime, { cwd, args }))._unsafeUnwrap();
  return stdout.split("\n").filter((line) => line.startsWith("command\t"));
}

describe("the configuration in GIT_CONFIG_* of this process (G20c)", () => {
  function configure(...settings: (readonly [string, string])[]): void {
    vi.stubEnv("GIT_CONFIG_COUNT", String(settings.length));
    for (const [i, [key, value]] of settings.entries()) {
      vi.stubEnv(`GIT_CONFIG_KEY_${i}`, key);
      vi.stubEnv(`GIT_CONFIG_VALUE_${i}`, value);
    }
  }

  test("applies to this machine as far as it is safe.directory", async () => {
    const dir = await tempDir();
    configure(
      ["safe.directory", "/one"],
      ["filter.spy.clean", "touch spied"],
      ["Safe.Directory", "/two"]
    );
    expect(await settingsOf(createTestRuntime(), dir)).toEqual([
      "command\tsafe.directory /one",
      "command\tsafe.directory /two",
    ]);
  });

  test("does not apply to another machine", async () => {
    const machine = new OtherMachine(await tempDir());
    configure(["safe.directory", "/one"]);
    expect(await settingsOf(machine, "/")).toEqual([]);
  });
});
