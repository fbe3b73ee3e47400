/** Mounts an AppImage with its `--appimage-mount` option, which prints the folder and unmounts it on exit. */
import { ownCommand } from "@/common/ownCommand";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";

export interface MountedImage {
  /** Absolute. */
  readonly folder: string;
  /** Unmounts the image. Resolves when it is unmounted. */
  unmount(): Promise<void>;
}

const LIMIT_MS = 30_000;

/** @returns an error message with the next step if the image cannot be mounted */
export async function mountAppImage(
  file: string,
  env: NodeJS.ProcessEnv
): Promise<Result<MountedImage, string>> {
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
      `${file} cannot be mounted (${describeError(thrown)}); unpack it with "${file} --appimage-extract", then run "${ownCommand()} hooks attach -- squashfs-root/AppRun"`
    );
  }
}
