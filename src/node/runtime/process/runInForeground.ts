import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import { err, ok, type Result } from "neverthrow";
import type { Exit } from "@/node/runtime/process/spawnGroup";
import type { Program } from "@/node/runtime/process/startChild";
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
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(file, args, { cwd, env, stdio: "inherit" });
      const passOn = (signal: NodeJS.Signals): void => {
        // A terminal sends these signals to the program itself.
        const isTyped = signal === "SIGINT" || signal === "SIGQUIT";
        if (!(isTyped && isatty(0))) child.kill(signal);
      };
      const settle = (end: () => void): void => {
        for (const signal of PASSED_ON) process.off(signal, passOn);
        end();
      };
      for (const signal of PASSED_ON) process.on(signal, passOn);
      child.once("error", (error) => {
        settle(() => {
          reject(error);
        });
      });
      child.once("exit", (code, signal) => {
        settle(() => {
          resolve(ok({ code, signal }));
        });
      });
    });
  } catch (thrown) {
    return err((await explainStartFailure(program, thrown)).message);
  }
}
