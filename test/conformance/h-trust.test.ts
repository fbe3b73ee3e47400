/** Trust in the hooks of a project (H31 and H32). */
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustStorePath, type TrustStore } from "@/node/services/hooks/trust/file";
import { recordTrust, revokeTrust, storedTrust } from "@/node/services/hooks/trust/store";
import type { TrustPolicy } from "@/node/services/hooks/trust/trustPolicy";
import type { TrustState } from "@/node/services/hooks/contract/types";
import { HookProject, group, type RanStop } from "@test/helpers/hooks/hookProject";

/** A clone with hooks in every location that a checkout can contain, and a user with one hook. */
class Clone {
  private constructor(
    readonly project: HookProject,
    readonly store: TrustStore
  ) {}

  static async create(): Promise<Clone> {
    const project = await HookProject.create();
    await project.configure(stopHooks("echo project >> runs", "sh lib/check.sh"));
    await project.write(
      ".mux/settings.local.json",
      JSON.stringify(stopHooks("echo local >> runs"))
    );
    await project.write(".mux/stop", "#!/bin/sh\necho script >> runs\n", 0o755);
    await project.write("lib/check.sh", "echo check >> runs");
    const root = join(project.home, ".mux");
    const store = { files: project.runtime, path: trustStorePath(root) };
    const user = JSON.stringify(stopHooks("echo user >> runs"));
    await project.runtime.writeFile(join(root, "settings.json"), user);
    return new Clone(project, store);
  }

  /** Runs a stop, and returns the hooks that ran in alphabetical order, because they run concurrently. */
  async stop(env: NodeJS.ProcessEnv = {}): Promise<{ ran: string[]; result: RanStop }> {
    await this.project.write("runs", "");
    const trust = storedTrust({ ...this.store, env });
    const result = await this.project.stop({ load: { ...this.project.load, trust } });
    return { ran: (await this.project.read("runs")).split("\n").filter(Boolean).sort(), result };
  }

  /** Records trust like `mux-stop-hooks hooks trust`, and returns the state before. */
  async trust(): Promise<TrustState | undefined> {
    let state: TrustState | undefined;
    const trust: TrustPolicy = {
      decide: async (request) => {
        state = await storedTrust({ ...this.store, env: {} }).decide(request);
        (await recordTrust(this.store, request, new Date(0)))._unsafeUnwrap();
        return { trusted: false, message: "only looking" };
      },
    };
    await this.project.stop({ load: { ...this.project.load, trust } });
    return state;
  }
}

const ALL = ["check", "local", "project", "script", "user"];

function stopHooks(...lines: string[]) {
  return { hooks: { Stop: [group(lines)] } };
}

test("case 124: runs the user's hooks but not the project's in a fresh clone", async () => {
  const clone = await Clone.create();
  const { ran, result } = await clone.stop();
  expect(ran).toEqual(["user"]);
  expect(result.skipped?.map(({ hook, reason }) => [hook.name, reason])).toEqual([
    ["project:Stop[0]", 'the project is not trusted with "mux-stop-hooks hooks trust"'],
    ["project:Stop[1]", 'the project is not trusted with "mux-stop-hooks hooks trust"'],
    ["local:Stop[0]", 'the project is not trusted with "mux-stop-hooks hooks trust"'],
    ["script:Stop[0]", 'the project is not trusted with "mux-stop-hooks hooks trust"'],
  ]);
});

test("case 124: reports how to trust a clone, and runs all hooks once it is trusted", async () => {
  const clone = await Clone.create();
  const before = await clone.trust();
  expect(before).toEqual({
    trusted: false,
    message: `4 hooks of this project do not run: the project is not trusted with "mux-stop-hooks hooks trust"; run "mux-stop-hooks hooks trust --show" in ${clone.project.dir} to list what would run, and "mux-stop-hooks hooks trust" to allow it`,
  });
  expect((await clone.stop()).ran).toEqual(ALL);
});

test("case 124: does not run project hooks after trust is revoked", async () => {
  const clone = await Clone.create();
  await clone.trust();
  await revokeTrust(clone.store, clone.project.dir);
  expect((await clone.stop()).ran).toEqual(["user"]);
});

test("case 124: ignores the other settings of an untrusted clone as well (H31)", async () => {
  const clone = await Clone.create();
  await clone.project.configure({ ...stopHooks("x"), disableAllHooks: true });
  expect((await clone.stop()).ran).toEqual(["user"]);
  await clone.trust();
  expect((await clone.stop()).ran).toEqual([]);
});

test("case 124: MUX_HOOKS_TRUST=always trusts a clone without confirmation", async () => {
  const clone = await Clone.create();
  expect((await clone.stop({ MUX_HOOKS_TRUST: "always" })).ran).toEqual(ALL);
});

test("case 124: trusts the project if a program calls the API (H31)", async () => {
  const clone = await Clone.create();
  await clone.project.write("runs", "");
  await clone.project.stop();
  expect((await clone.project.read("runs")).split("\n").filter(Boolean).sort()).toEqual(ALL);
});

test.each<[string, (project: HookProject) => Promise<unknown>, string]>([
  [
    "a command",
    (project) => project.configure(stopHooks("echo other >> runs")),
    ".mux/settings.json",
  ],
  [
    "a script",
    (project) => project.write(".mux/stop", "#!/bin/sh\necho x >> runs\n", 0o755),
    ".mux/stop",
  ],
  ["a script's mode", (project) => chmod(project.path(".mux", "stop"), 0o644), ".mux/stop"],
  [
    "a switch",
    (project) => project.write(".mux/settings.local.json", '{"disableAllHooks": true}'),
    ".mux/settings.local.json",
  ],
])(
  "case 125: keeps running the trusted definitions after %s changed (H31)",
  async (_, change, name) => {
    const clone = await Clone.create();
    await clone.trust();
    await change(clone.project);
    expect((await clone.stop()).ran).toEqual(ALL);
    const state = await clone.trust();
    expect(state).toMatchObject({
      trusted: true,
      notice: expect.stringContaining(`${name}: changed and not trusted yet`) as string,
    });
    expect((await clone.stop()).ran).not.toEqual(ALL);
  }
);

test("case 125: keeps running the trusted definitions after all of them were removed (H31)", async () => {
  const clone = await Clone.create();
  await clone.trust();
  await rm(clone.project.path(".mux"), { recursive: true });
  expect((await clone.stop()).ran).toEqual(ALL);
});

test("case 125: does not require new trust if a file that a command names changes (H31)", async () => {
  const clone = await Clone.create();
  await clone.trust();
  await writeFile(clone.project.path("lib", "check.sh"), "echo other >> runs");
  const { ran } = await clone.stop();
  expect(ran).toEqual(["local", "other", "project", "script", "user"]);
  expect(await clone.trust()).toMatchObject({ trusted: true, isRecorded: true });
});
