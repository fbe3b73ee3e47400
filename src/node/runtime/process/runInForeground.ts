/**
 * Starts programs for the command `hooks attach`: runs one as a child that has the terminal and the streams of this
 * process and gets its signals, and mounts AppImages.
 */
import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import { shownCommand } from "@/common/ownCommandName";
import type { Exit, Program } from "@/node/runtime/process/spawnGroup";
import { explainStartFailure } from "@/node/runtime/process/startFailure";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/**
 * Runs a program in place of this one: it has this process's terminal and streams, and gets the signals sent to this
 * process.
 *
 * @returns how it ended, or why it could not be started
 */
export async function runInForeground(program: Program): Promise<Result<Exit, string>> {
  const { file, args, cwd, env } = program;
  let passOn: (signal: NodeJS.Signals) => void = () => undefined;
  try {
    const child = spawn(file, args, { cwd, env, stdio: "inherit" });
    passOn = (signal) => {
      // A terminal sends these signals to the program itself.
      const isTyped = signal === "SIGINT" || signal === "SIGQUIT";
      if (!(isTyped && isatty(0))) child.kill(signal);
    };
    for (const signal of PASSED_ON) process.on(signal, passOn);
    // `once` rejects with the `error` event.
    const [code, signal] = (await once(child, "exit")) as [Exit["code"], Exit["signal"]];
    return ok({ code, signal });
  } catch (thrown) {
    return err((await explainStartFailure(program, thrown)).message);
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

const LIMIT_MS = 30_000;

/**
 * Mounts an AppImage with its `--appimage-mount` option, which prints the folder and unmounts it on exit.
 *
 * @returns the absolute folder, and a function that resolves when the image is unmounted; or an error message with the
 * next step
 */
export async function mountAppImage(
  file: string,
  env: NodeJS.ProcessEnv
): Promise<Result<{ readonly folder: string; unmount(): Promise<void> }, string>> {
  const child = spawn(file, ["--appimage-mount"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 1_000);
  });
  const ended = once(child, "exit");
  const unmount = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const printed = once(lines, "line").then(([line]) => String(line).trim());
    const gone = ended.then(() =>
      Promise.reject(new Error(complaint.trim() || "its process ended"))
    );
    const folder = await pTimeout(Promise.race([printed, gone]), { milliseconds: LIMIT_MS });
    return ok({ folder, unmount });
  } catch (thrown) {
    child.kill("SIGKILL");
    return err(
      `${file} cannot be mounted (${describeError(thrown)}); unpack it with "${file} --appimage-extract", then run "${shownCommand()} hooks attach -- squashfs-root/AppRun"`
    );
  }
}
