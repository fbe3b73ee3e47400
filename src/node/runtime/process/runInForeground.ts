import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import { err, ok, type Result } from "neverthrow";
import type { Exit, Program } from "@/node/runtime/process/spawnGroup";
import { explainStartFailure } from "@/node/runtime/process/startFailure";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/**
 * Runs a program in our place: it has our terminal and our streams, and gets the signals that come for us.
 *
 * @returns how it ended, or why it could not be started
 */
export async function runInForeground(program: Program): Promise<Result<Exit, string>> {
  const { file, args, cwd, env } = program;
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(file, args, { cwd, env, stdio: "inherit" });
      const passOn = (signal: NodeJS.Signals): void => {
        // What is typed at a terminal comes to the program by itself.
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
