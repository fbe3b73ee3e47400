import { expect, test } from "vitest";
import { explainSsh } from "@/node/runtime/ssh/sshErrors";

const TARGET = { user: "me", host: "box", port: 2222 };

test.each([
  [
    "ssh: connect to host box port 2222: Connection refused\r\n",
    "ECONNREFUSED",
    "box refused the connection; is sshd running there, and on that port?",
  ],
  [
    "ssh: Could not resolve hostname box: Name or service not known",
    "ENOTFOUND",
    "there is no host box; give a name of ~/.ssh/config, or one that the network knows",
  ],
  [
    "ssh: connect to host box port 22: No route to host",
    "EHOSTUNREACH",
    "there is no way to box from here; is the network or the VPN up?",
  ],
  [
    "Connection timed out during banner exchange\nConnection to 127.0.0.1 port 9 timed out",
    "ETIMEDOUT",
    "box did not answer in time; is it switched on, and the network up?",
  ],
  [
    "Timeout, server box not responding.",
    "ETIMEDOUT",
    "the connection to box was lost: it no longer answered",
  ],
  [
    "me@box: Permission denied (publickey,password).",
    "EAUTH",
    "box refused the login (it takes publickey,password), and nobody is there to be asked; give it a key that needs no answer, by ssh-add or in ~/.ssh/config, until “ssh -p 2222 me@box” works without a question",
  ],
  [
    "No ED25519 host key is known for [box]:2222 and you have requested strict checking.\nHost key verification failed.",
    "EHOSTKEY",
    "the host key of box is not known here; run “ssh -p 2222 me@box” once by hand and accept it",
  ],
  [
    "Bad owner or permissions on /home/me/.ssh/config",
    "ECONFIG",
    "ssh refuses /home/me/.ssh/config, since others may write to it; run chmod go-w /home/me/.ssh/config",
  ],
  [
    "Can't open user config file /nowhere: No such file or directory",
    "ECONFIG",
    "Can't open user config file /nowhere: No such file or directory",
  ],
  [
    "kex_exchange_identification: read: Connection reset by peer",
    "ECONNRESET",
    "the connection to box was cut",
  ],
  [
    "Something\x1b[31m new\u0007\n",
    "ECONNRESET",
    "there is no connection to box: ssh says “Something new”; try “ssh -p 2222 me@box” by hand",
  ],
  [
    "",
    "ECONNRESET",
    "there is no connection to box: ssh says nothing; try “ssh -p 2222 me@box” by hand",
  ],
])("explains %j", (stderr, code, message) => {
  expect(explainSsh(stderr, TARGET)).toEqual({ code, message });
});
