/** Trust in the hooks of a project (H31 and H32). */
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustStorePath, type TrustStore } from "@/node/services/hooks/trust/trustRecord";
import { loadHookSettings } from "@/node/services/hooks/settingsLoader";
import { recordTrust, revokeTrust, storedTrust } from "@/node/services/hooks/trust/trustDecisions";
import type { TrustPolicy } from "@/node/services/hooks/trust/trustPolicy";
import type { TrustState } from "@/node/services/hooks/contract/types";
import { HookProject, group, type RanStop } from "@test/helpers/hooks/hookProject";

const LOCAL = ".mux/settings.local.json";

/** A clone with hooks in every location that a checkout can contain, and a user with one hook. */
class Clone {
  private constructor(
    readonly project: HookProject,
    readonly store: TrustStore
  ) {}

  static async create(): Promise<Clone> {
    const project = await HookProject.create();
    await project.configure(stopHooks("echo project >> runs", "sh lib/check.sh"));
    await project.write(LOCAL, JSON.stringify(stopHooks("echo local >> runs")));
    await project.write(".mux/stop", "#!/bin/sh\necho script >> runs\n", 0o755);
    await project.write("lib/check.sh", "echo check >> runs");
    const root = join(project.home, ".mux");
    const store = { files: project.runtime, path: trustStorePath(root) };
    const user = JSON.stringify(stopHooks("echo user >> runs"));
    await project.runtime.writeFile(join(root, "settings.json"), user);
    return new Clone(project, store);
  }

  /** Runs a stop, and returns the hooks that ran in alphabetical order, because they run concurrently. */
  async stop(): Promise<{ ran: string[]; result: RanStop }> {
    await this.project.write("runs", "");
    const result = await this.project.stop({
      load: { ...this.project.load, trust: this.policy() },
    });
    return { ran: (await this.project.read("runs")).split("\n").filter(Boolean).sort(), result };
  }

  /** Returns the hooks that a stop would run, in alphabetical order. */
  async plan(trust: TrustPolicy | undefined = this.policy()): Promise<string[]> {
    const { runtime, dir, load } = this.project;
    const settings = await loadHookSettings(runtime, dir, { ...load, trust });
    if (settings.disableAllHooks) return [];
    const lines = settings.hooks.map(({ handler, script }) =>
      script === undefined ? String(handler.command) : Buffer.from(script.bytes).toString()
    );
    return lines
      .map((line) => /echo (\w+) >>|lib\/(\w+)/.exec(line)?.slice(1).join("") ?? "")
      .sort();
  }

  policy(env: NodeJS.ProcessEnv = {}): TrustPolicy {
    return storedTrust({ ...this.store, env });
  }

  /** Records trust like `mux-stop-hooks hooks trust`, and returns the state before. */
  async trust(): Promise<TrustState | undefined> {
    let state: TrustState | undefined;
    const trust: TrustPolicy = {
      decide: async (request) => {
        state = await this.policy().decide(request);
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

test("case 124: runs only the user's hooks in a fresh clone, all once it is trusted, and again only the user's once revoked", async () => {
  const clone = await Clone.create();
  const { ran, result } = await clone.stop();
  expect(ran).toEqual(["user"]);
  const reason = 'the project is not trusted with "mux-stop-hooks hooks trust"';
  expect(result.skipped?.map(({ hook, reason: why }) => [hook.name, why])).toEqual([
    ["project:Stop[0]", reason],
    ["project:Stop[1]", reason],
    ["local:Stop[0]", reason],
    ["script:Stop[0]", reason],
  ]);
  expect(await clone.trust()).toEqual({
    trusted: false,
    message: `4 hooks of this project do not run: ${reason}; run "mux-stop-hooks hooks trust --show" in ${clone.project.dir} to list what would run, and "mux-stop-hooks hooks trust" to allow it`,
  });
  expect((await clone.stop()).ran).toEqual(ALL);
  await revokeTrust(clone.store, clone.project.dir);
  expect(await clone.plan()).toEqual(["user"]);
});

test("case 124: ignores the other settings of an untrusted clone as well (H31)", async () => {
  const clone = await Clone.create();
  await clone.project.configure({ ...stopHooks("x"), disableAllHooks: true });
  expect(await clone.plan()).toEqual(["user"]);
  await clone.trust();
  expect(await clone.plan()).toEqual([]);
});

test("case 124: MUX_HOOKS_TRUST=always, and a program that calls the API, trust a clone (H31)", async () => {
  const clone = await Clone.create();
  for (const value of ["always", "1", "true", ""]) {
    const plan = await clone.plan(clone.policy({ MUX_HOOKS_TRUST: value }));
    expect(plan).toEqual(value === "always" ? ALL : ["user"]);
  }
  const { runtime, dir, load } = clone.project;
  expect((await loadHookSettings(runtime, dir, load)).hooks).toHaveLength(ALL.length);
});

test.each<[string, (project: HookProject) => Promise<unknown>, string]>([
  ["a command", (project) => project.configure(stopHooks("echo other")), ".mux/settings.json"],
  ["a script", (project) => project.write(".mux/stop", "#!/bin/sh\n", 0o755), ".mux/stop"],
  ["a script's mode", (project) => chmod(project.path(".mux", "stop"), 0o644), ".mux/stop"],
  ["a switch", (project) => project.write(LOCAL, '{"disableAllHooks": true}'), LOCAL],
])(
  "case 125: keeps running the trusted definitions after %s changed (H31)",
  async (_, change, name) => {
    const clone = await Clone.create();
    await clone.trust();
    await change(clone.project);
    expect(await clone.plan()).toEqual(ALL);
    const state = await clone.trust();
    expect(state).toMatchObject({
      trusted: true,
      notice: `${name}: changed and not trusted yet, so the hooks of the project run with the definitions that you trusted before; run "mux-stop-hooks hooks trust" in ${clone.project.dir} to review and trust the change`,
    });
    expect(await clone.plan()).not.toEqual(ALL);
  }
);

test("case 125: keeps running the trusted definitions after all of them were removed (H31)", async () => {
  const clone = await Clone.create();
  await clone.trust();
  await rm(clone.project.path(".mux"), { recursive: true });
  expect(await clone.plan()).toEqual(ALL);
});

test("case 125: does not require new trust if a file that a command names changes (H31)", async () => {
  const clone = await Clone.create();
  await clone.trust();
  await writeFile(clone.project.path("lib", "check.sh"), "echo other >> runs");
  expect(await clone.plan()).toEqual(ALL);
  expect(await clone.trust()).toMatchObject({ trusted: true, isRecorded: true });
});
