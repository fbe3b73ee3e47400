/**
 * A program with a session over SSH: `sshHost.ts CONFIG waits|ends`. Prints `ready` once the session runs. With `ends`
 * it exits at the end of its standard input; with `waits` it runs as long as the session.
 */
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";

const [, , config = "", how] = process.argv;
const shell = new SshShell({ target: { host: "box" }, config });
const session = await shell.open(
  how === "waits" ? 'echo ready; cat >/dev/null; echo over >"$HOME/seen"' : "echo ready"
);
session.stdout.on("data", () => {
  console.log("ready");
});
if (how === "ends") process.stdin.resume();
