import { describe, expect, test } from "vitest";
import { isGenerated, redactSecrets } from "@/node/services/gauntlet/change/diff/redactSecrets";

const key = (kind: string, body: string): string =>
  `-----BEGIN ${kind}PRIVATE KEY-----${body}-----END ${kind}PRIVATE KEY-----`;

describe("redactSecrets (G12)", () => {
  test.each<[string, string]>([
    ["AWS", `AKIA${"A1".repeat(8)}`],
    ["AWS, temporary", `ASIA${"A1".repeat(8)}`],
    ["GitHub", `ghp_${"a1".repeat(18)}`],
    ["GitHub, fine-grained", `github_pat_${"a1".repeat(25)}`],
    ["GitLab", `glpat-${"a1".repeat(10)}`],
    ["Slack", `xoxb-${"1a".repeat(5)}`],
    ["a model's provider", `sk-ant-${"x9".repeat(10)}`],
    ["Stripe", `sk_live_${"a1".repeat(10)}`],
    ["Google", `AIza${"a1".repeat(17)}b`],
    ["npm", `npm_${"a1".repeat(18)}`],
    ["a JSON web token", `eyJ${"a".repeat(10)}.eyJ${"b".repeat(10)}.${"c".repeat(10)}`],
  ])("masks the token of %s wherever it is", (_, secret) => {
    const masked = redactSecrets(`+fetch("${secret}");\n+${secret}\n`);
    expect(masked).toEqual({ text: `+fetch("[masked]");\n+[masked]\n`, count: 2 });
  });

  test.each([
    ['password = "', "s3cr3tValue12345678", '"'],
    ["API_KEY=", "abcd1234efgh5678ijkl", ""],
    ["api-key: ", "abcd1234efgh5678ijkl", ";"],
    ['"clientSecret": "', "0a1b2c3d4e5f6g7h+/==", '",'],
    ["ACCESS_KEY = '", "aaaaaaaaaaaaa123", "'"],
    ["credentials=", "abc.123.def.456.ghi", " "],
    ['token := "', "abcd1234efgh5678ijkl", '"'],
    [":secret => '", "abcd1234efgh5678ijkl", "'"],
  ])("masks only the value of %s%s%s", (before, value, after) => {
    expect(redactSecrets(`${before}${value}${after}`)).toEqual({
      text: `${before}[masked]${after}`,
      count: 1,
    });
  });

  test.each(["", "RSA ", "OPENSSH "])("masks the body of a %sprivate key", (kind) => {
    const text = `${key(kind, "\n+MIIE\n+abc=\n")}\n${key(kind, "\nxyz\n")}`;
    expect(redactSecrets(text)).toEqual({
      text: `${key(kind, "[masked]")}\n${key(kind, "[masked]")}`,
      count: 2,
    });
  });

  test("counts a known token once if it is also the value of a secret name", () => {
    const text = `token = ghp_${"a1".repeat(18)}`;
    expect(redactSecrets(text)).toEqual({ text: "token = [masked]", count: 1 });
  });

  test.each([
    "const token = request.headers.authorization;",
    "password: userPasswordFieldOfTheForm",
    "token = 12345678901234567890",
    'secret: "short1234"',
    "secretary of state: abcd1234efgh5678ijkl",
    "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
    "AKIA is a prefix, and so is sk-",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    "",
  ])("leaves %j as it is", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});

describe("isGenerated (G12a)", () => {
  test.each([
    "package-lock.json",
    "packages/app/yarn.lock",
    "Cargo.lock",
    "go.sum",
    "dist/app.min.js",
    "a.min.css",
    "a.js.map",
    "deep/a.mjs.map",
  ])("%s is generated", (path) => {
    expect(isGenerated(path)).toBe(true);
  });

  test.each([
    "package.json",
    "my-package-lock.json",
    "go.sum/readme.md",
    "cargo.lock",
    "admin.js",
    "src/map.js",
    "a.min.js.txt",
    "world.map",
  ])("%s is not generated", (path) => {
    expect(isGenerated(path)).toBe(false);
  });
});
