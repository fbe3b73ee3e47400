/** `mux-hooks attach -- mux server …`: starts Mux with the hooks, and is otherwise not there. */
import { createRequire } from "node:module";
import { constants } from "node:os";
import { resolve } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { EXIT } from "@/cli/exitCodes";
import { findHostBuild } from "@/cli/mux/hostBuild";
import { findHostProgram, type HostProgram } from "@/cli/mux/hostProgram";
import { complain } from "@/cli/render/complain";
import { passThrough } from "@/node/runtime/process/passThrough";
import type { Program } from "@/node/runtime/process/spawnGroup";

/** @returns the exit code of what was started; of one that a signal ended, as shells have it */
export async function attach(
  command: string,
  args: readonly string[],
  context: CliContext
): Promise<number> {
  const found = await findHostProgram(command, context);
  if (found.isErr()) return complain(context, found.error);
  const program = await start(found.value, args, context);
  if (program.isErr()) return complain(context, program.error);
  const ended = await passThrough(program.value);
  if (ended.isErr()) return complain(context, ended.error);
  const { code, signal } = ended.value;
  if (signal !== null) return 128 + constants.signals[signal];
  return code ?? EXIT.failure;
}

async function start(
  program: HostProgram,
  args: readonly string[],
  { cwd, env }: CliContext
): Promise<Result<Program, string>> {
  const preload = findPreload();
  if (preload === undefined) return err("it is not built yet: run make build");
  if (program.kind === "wrapper") {
    const options = [env.NODE_OPTIONS, `--require ${JSON.stringify(preload)}`];
    const NODE_OPTIONS = options.filter(Boolean).join(" ");
    return ok({ file: program.file, args, cwd, env: { ...env, NODE_OPTIONS } });
  }
  const { node, flags, entry } = program;
  const started = entry === undefined ? args : [entry, ...args];
  const script = started.find((arg) => !arg.startsWith("-"));
  if (script === undefined || (await findHostBuild(resolve(cwd, script))) === undefined) {
    return err(
      `${script ?? node} is not Mux: there is no dist/node/services/agentSession.js around it; give the path of Mux's dist/cli/index.js`
    );
  }
  return ok({ file: node, args: [...flags, "--require", preload, ...started], cwd, env });
}

function findPreload(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("mux-stop-hooks/register");
  } catch {
    return undefined;
  }
}
