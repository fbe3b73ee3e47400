import { expect, test } from "vitest";
import { explainSsh } from "@/node/runtime/ssh/sshCommand";

const TARGET = { user: "me", host: "box", port: 2222 };

test.each([
  [
    "ssh: connect to host box port 2222: Connection refused\r\n",
    "ECONNREFUSED: box refused the connection; check that sshd runs on it and listens on the port that you use",
  ],
  [
    "ssh: Could not resolve hostname box: Name or service not known",
    "ENOTFOUND: the host name box cannot be resolved; use a name from ~/.ssh/config or from DNS",
  ],
  [
    "ssh: connect to host box port 22: No route to host",
    "EHOSTUNREACH: box cannot be reached from this machine; check the network and the VPN",
  ],
  [
    "Connection timed out during banner exchange\nConnection to 127.0.0.1 port 9 timed out",
    "ETIMEDOUT: box did not respond in time; check that the machine is on, and check the network",
  ],
  [
    "Timeout, server box not responding.",
    "ETIMEDOUT: the connection to box was lost because box stopped responding",
  ],
  [
    "me@box: Permission denied (publickey,password).",
    'EAUTH: box refused the login (it accepts publickey,password); ssh runs without prompts, so add a key with ssh-add or in ~/.ssh/config, and check that "ssh -p 2222 me@box" connects without a prompt',
  ],
  [
    "No ED25519 host key is known for [box]:2222 and you have requested strict checking.\nHost key verification failed.",
    'EHOSTKEY: the host key of box is not known on this machine; run "ssh -p 2222 me@box" once in a terminal and accept the key',
  ],
  [
    "Bad owner or permissions on /home/me/.ssh/config",
    'ECONFIG: ssh rejects /home/me/.ssh/config because other users may write to it; run "chmod go-w /home/me/.ssh/config"',
  ],
  [
    "Can't open user config file /nowhere: No such file or directory",
    "ECONFIG: Can't open user config file /nowhere: No such file or directory",
  ],
  [
    "kex_exchange_identification: read: Connection reset by peer",
    "ECONNRESET: the connection to box was closed unexpectedly",
  ],
  [
    "Something\x1b[31m new\u0007\n",
    'ECONNRESET: the connection to box failed with “Something new”; run "ssh -p 2222 me@box" in a terminal to see why',
  ],
  [
    "",
    'ECONNRESET: the connection to box failed without a message; run "ssh -p 2222 me@box" in a terminal to see why',
  ],
])("explains %j", (stderr, explanation) => {
  const { code, message } = explainSsh(stderr, TARGET);
  expect(`${code}: ${message}`).toBe(explanation);
});
