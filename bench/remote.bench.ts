import { execa } from "execa";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { join } from "node:path";
import { inTurns, ratioOf, type Benchmark, type Figure } from "./lib";

const stdin = `${JSON.stringify({ last_assistant_message: "x".repeat(2000) })}\n`;

/** The options that a hook is started with: a limit, its input, and some names removed from the environment. */
const hook = {
  command: { script: "true" },
  cwd: "/",
  stdin,
  timeoutMs: 60_000,
  env: { MUX_PROJECT_DIR: "/", MUX_STOP_HOOK_ACTIVE: "false" },
  unsetEnv: ["OTEL_*", "BASH_ENV"],
};

/** Compares a hook on another machine with a plain `ssh` to the same machine, over an existing connection. */
async function remoteHook(): Promise<Figure[]> {
  if (!hasSshd) {
    console.log("skip  remote-hook*: ssh or sshd is missing");
    return [];
  }
  const sshd = await Sshd.start();
  const config = sshd.config;
  const shell = new SshShell({ target: { host: sshd.alias }, config });
  let sessions = 0;
  const runtime = new RemoteRuntime(
    {
      label: shell.label,
      open: (...line) => (sessions++, shell.open(...line)),
      dispose: () => shell.dispose(),
    },
    new LocalFiles()
  );
  const master = ["-F", config, "-T", "-S", join(sshd.folder, "bare"), "-o", "BatchMode=yes"];
  try {
    await execa("ssh", [...master, "-M", "-N", "-f", sshd.alias], { stdio: "ignore" });
    let started = 0;
    const bare = () => execa("ssh", [...master, sshd.alias, "bash -c true"], { input: stdin });
    const ours = async () => {
      started++;
      const { end } = await runtime.exec(hook);
      if (end.kind !== "exited") throw new Error(JSON.stringify(end));
    };
    const turns = await inTurns({ floor: bare, ours }, 100);
    const claim = "one command hook over SSH";
    return [
      { id: "remote-hook", claim: `${claim}, against ssh by hand`, ...ratioOf(turns) },
      {
        id: "remote-hook-sessions",
        claim: `sessions of ${claim}`,
        value: sessions / started,
        unit: "sessions",
      },
    ];
  } finally {
    await execa("ssh", [...master, "-O", "exit", sshd.alias], { reject: false });
    await runtime.dispose();
    await sshd.dispose();
  }
}

export const benchmarks: Benchmark[] = [
  { ids: ["remote-hook", "remote-hook-sessions"], measure: remoteHook },
];
