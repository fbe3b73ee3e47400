import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSshTarget, sshByHand, sshLabel, type SshTarget } from "@/node/runtime/ssh/sshTarget";

describe("ssh://[user@]host[:port]/path", () => {
  test.each<[string, SshTarget]>([
    ["ssh://box/srv/app", { host: "box", path: "/srv/app" }],
    [
      "ssh://me@box.example.org:2222/srv",
      { user: "me", host: "box.example.org", port: 2222, path: "/srv" },
    ],
    ["ssh://me@[::1]:2222/srv", { user: "me", host: "::1", port: 2222, path: "/srv" }],
    ["ssh://[fe80::1%25eth0]/", { host: "fe80::1%eth0", path: "/" }],
    ["ssh://box", { host: "box", path: "~" }],
    ["ssh://box/~", { host: "box", path: "~" }],
    ["ssh://box/~/app", { host: "box", path: "~/app" }],
    ["ssh://box/~other/app", { host: "box", path: "/~other/app" }],
    ["ssh://box//srv", { host: "box", path: "//srv" }],
    ["ssh://box/a%20b/%23?x#y", { host: "box", path: "/a b/#?x#y" }],
    ["ssh://10.0.0.7/x@y:z", { host: "10.0.0.7", path: "/x@y:z" }],
    ["ssh://mein_rechner-größe.lan/x", { host: "mein_rechner-größe.lan", path: "/x" }],
  ])("parses %s", (text, target) => {
    expect(parseSshTarget(text)._unsafeUnwrap()).toEqual(target);
  });

  test.each([
    ["ssh:/box/x", "expected ssh://[user@]host[:port]/path"],
    ["http://box/x", "expected ssh://[user@]host[:port]/path"],
    ["ssh:///x", "the host must be"],
    ["ssh://-oProxyCommand=reboot/x", "the host must be"],
    ["ssh://%2doProxyCommand=reboot/x", "the host must be"],
    ["ssh://a b/x", "the host must be"],
    ["ssh://$(reboot)/x", "the host must be"],
    ["ssh://%40box/x", "the host must be"],
    ["ssh://[box]/x", "the host must be"],
    ["ssh://[::1%25$(reboot)]/x", "the host must be"],
    ["ssh://::1/x", "the host must be"],
    ["ssh://box:/x", "the port must be"],
    ["ssh://box:0/x", "the port must be"],
    ["ssh://box:65536/x", "the port must be"],
    ["ssh://box:1e3/x", "the port must be"],
    ["ssh://me:secret@box/x", "a password is not supported"],
    ["ssh://-l@box/x", "the user must be a plain name"],
    ["ssh://@box/x", "the user must be a plain name"],
    ["ssh://`reboot`@box/x", "the user must be a plain name"],
    ["ssh://box/%ff", "the path is not percent-encoded UTF-8"],
    ["ssh://box/%00", "contains a line break or a NUL byte"],
    ["ssh://box/a%0Ab", "contains a line break or a NUL byte"],
    ["ssh://box/a\nb", "contains a line break or a NUL byte"],
  ])("rejects %s", (text, why) => {
    expect(parseSshTarget(text)._unsafeUnwrapErr()).toContain(why);
  });

  test("parses every target that it has printed", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.][A-Za-z0-9_.+-]{0,20}$/);
    const targets = fc.record(
      {
        user: name,
        host: fc.oneof(name, fc.ipV4(), fc.ipV6()),
        port: fc.integer({ min: 1, max: 65_535 }),
        path: fc.string({ unit: "binary" }).map((text) => `/${text.replaceAll(/[\0\r\n]/g, "")}`),
      },
      { requiredKeys: ["host", "path"] }
    );
    fc.assert(
      fc.property(targets, (target) => {
        fc.pre(!/^\/~(\/|$)/.test(target.path));
        const written = sshLabel(target) + encodeURI(target.path);
        expect(parseSshTarget(written)._unsafeUnwrap()).toEqual(target);
      })
    );
  });

  test("accepts no user or host that ssh or a shell would interpret", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (user, host) => {
        parseSshTarget(`ssh://${user}@${host}/`).map((target) => {
          expect(`${target.user ?? ""} ${target.host}`).toMatch(
            /^[^\s-][^\s$`'"\\;&|<>(){}*?!]* [^\s-][^\s$`'"\\;&|<>(){}*?!]*$/
          );
        });
      }),
      { numRuns: 2_000 }
    );
  });

  test("prints the command to connect by hand", () => {
    const target = { user: "me", host: "::1", port: 22, path: "~" };
    expect(sshByHand(target)).toBe("ssh -p 22 me@::1");
    expect(sshByHand({ host: "box" })).toBe("ssh box");
    expect(sshLabel({ host: "box" })).toBe("ssh://box");
  });
});
