/**
 * The machine of a test file's workspaces: this one, or another one in the projects `remote` and `ssh`. Both use the
 * remote protocol: `remote` starts its login shell directly, and `ssh` through a real sshd on loopback.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { ExecRequest, ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import { matcherOf } from "@/node/runtime/envMatcher";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { newRuntime } from "@test/helpers/localRuntime";
import { LocalShell } from "@test/helpers/remote/localShell";

const NOT_HERE = Object.assign(() => undefined, { each: () => () => undefined });

const where = process.env.TEST_RUNTIME;

export const isRemote = where === "remote" || where === "ssh";

/**
 * Runs tests only on this machine: those of decisions that do not depend on the machine, those whose child processes use
 * a local runtime, and those with thousands of files, which measure git rather than the runtime.
 */
export const testHere = isRemote ? (NOT_HERE as unknown as typeof test) : test;
export const describeHere = isRemote ? (NOT_HERE as unknown as typeof describe) : describe;

export interface TestRuntimeOptions {
  /** The environment of programs. Over SSH only its differences from the tests' environment apply. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** Like `createTestRuntime`, with the runtime of a command on this machine, which takes less CPU. */
export function commandRuntime(env: Readonly<NodeJS.ProcessEnv>): HookRuntime {
  return isRemote ? createTestRuntime({ env }) : new FastStartRuntime({ env });
}

export function createTestRuntime({ env = process.env }: TestRuntimeOptions = {}): HookRuntime {
  if (!isRemote) return newRuntime(env);
  shell ??= where === "ssh" ? openSsh() : openLogin();
  const runtime = new FarTestRuntime(shell, env);
  runtimes.push(runtime);
  return runtime;
}

/** Returns the transcript path that a hook gets, which on another machine is that of a copy (H34). */
export function whereHooksFind(transcript: string): unknown {
  return isRemote ? expect.stringMatching(/^\/.*\.jsonl$/) : transcript;
}

/** One shell for all workspaces of a test file. */
let shell: RemoteShell | undefined;
const runtimes: RemoteRuntime[] = [];

if (isRemote) {
  afterAll(async () => {
    await Promise.all(runtimes.map((runtime) => runtime.dispose()));
    await shell?.dispose();
  });
}

function openSsh(): RemoteShell {
  return new SshShell({ target: { host: "box" }, config: inject("sshConfig") });
}

function openLogin(): RemoteShell {
  const home = mkdtempSync(join(tmpdir(), "mux-home-"));
  afterAll(() => {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return new LocalShell({ env: { ...process.env, HOME: home } });
}

class FarTestRuntime extends RemoteRuntime {
  readonly #own: readonly [name: string, value: string | undefined][];

  constructor(door: RemoteShell, env: Readonly<NodeJS.ProcessEnv>) {
    super(
      { label: door.label, open: door.open.bind(door), dispose: () => Promise.resolve() },
      new LocalFiles()
    );
    this.#own = Object.entries(env).filter(([name, value]) => process.env[name] !== value);
  }

  override exec(request: ExecRequest): Promise<ExecResult> {
    const { unsetEnv = [], passEnv = [] } = request;
    const [isUnset, isPassed] = [matcherOf(unsetEnv), matcherOf(passEnv)];
    const env: Record<string, string> = {};
    const absent: string[] = [];
    for (const [name, value] of this.#own) {
      if (value === undefined) absent.push(name);
      else if (isPassed(name) || !isUnset(name)) env[name] = value;
    }
    return super.exec({
      ...request,
      env: { ...env, ...request.env },
      unsetEnv: [...unsetEnv, ...absent],
    });
  }
}
