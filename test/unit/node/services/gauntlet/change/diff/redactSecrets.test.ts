import { describe, expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { expectLinear } from "@test/helpers/process/cpuTime";
import { isWithheld, redactSecrets } from "@/node/services/gauntlet/change/diff/redactSecrets";

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
    ["Hugging Face", `hf_${"aB".repeat(17)}`],
    ["SendGrid", `SG.${"a1".repeat(11)}.${"b2".repeat(21)}c`],
    ["Telegram", `123456789:AA${"h1".repeat(16)}x`],
    ["Azure", `AccountKey=${"aB1/".repeat(21)}aa==`],
    [
      "a webhook",
      `hooks.slack.com/services/T${"0A".repeat(4)}/B${"1B".repeat(4)}/${"xY".repeat(12)}`,
    ],
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
    ["DB_PASSWORD=", "hunter2", ""],
    ["+export ADMIN_PWD=", "pa$$word", ""],
    ["   12 +SMTP_PASS=", "swordfish", ""],
    ["postgres://u:", "p", "@host/db"],
    ["https://user:", "s3cret", "@example.com/x"],
    ["Authorization: Bearer ", "mF_9.B5f-4.1JqM", '"'],
    ["Authorization: Basic ", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", '"'],
    ['secret: "', "short1234", '"'],
    [":secret => '", "abcd1234efgh5678ijkl", "'"],
  ])("masks only the value of %s%s%s", (before, value, after) => {
    expect(redactSecrets(`${before}${value}${after}`)).toEqual({
      text: `${before}[masked]${after}`,
      count: 1,
    });
  });

  test.each(["", "RSA ", "OPENSSH "])("masks the body of a %sprivate key", (kind) => {
    const text = `${key(kind, "\n+MIIE\n+abc=\n")}\n${key(kind, "\n      -x/z\n   12  xyz\n")}`;
    const lines = "\n      -[masked]\n   12  [masked]\n";
    expect(redactSecrets(text)).toEqual({
      text: `${key(kind, "\n+[masked]\n+[masked]\n")}\n${key(kind, lines)}`,
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
    'secret: "short"',
    "postgres://user:${PASSWORD}@host/db",
    "DB_PASSWORD=$SECRET_FROM_ENV",
    "DB_PASSWORD=<your password>",
    "MAX_TOKENS=4096",
    "USE_TOKEN=true",
    "a bearer of bad news",
    "secretary of state: abcd1234efgh5678ijkl",
    "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
    "AKIA is a prefix, and so is sk-",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    "",
  ])("leaves %j as it is", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});

test("isWithheld leaves out generated files, secrets, snapshots and vendored code, unless the gate names them (G12a)", () => {
  const generated = ["Cargo.lock", "go.sum", "dist/a.min.js", "deep/a.mjs.map"];
  expect([...generated, "packages/app/yarn.lock"].filter((path) => !isWithheld(path))).toEqual([]);
  for (const path of [".env", "a/.env.local", "vendor/x/a.go", "a/b.snap", "a_pb2.py"]) {
    expect(isWithheld(path)).toBe(true);
    expect(isWithheld(path, ["src", "."])).toBe(true);
  }
  expect(isWithheld("vendor/x/a.go", ["vendor/x"])).toBe(false);
  expect(isWithheld("vendor/x/a.go", ["vendor"])).toBe(false);
  expect(isWithheld("src/a.snap", ["src/**/*.snap"])).toBe(false);
  expect(isWithheld(".env.example", [".env.example"])).toBe(false);
  const others = ["src/environment.ts", "src/vendor.ts", "src/snap.ts", "my-package-lock.json"];
  others.push("go.sum/a.md", "admin.js", "a.min.js.txt", "world.map");
  expect(others.filter((path) => isWithheld(path))).toEqual([]);
});

test.each([
  "-----BEGIN PRIVATE KEY-----\n",
  "postgres://a:",
  "a+a",
  "bearer ",
  "A_KEY=",
  'token:"',
  "password=",
  "eyJaaaaaaaaaa.",
])("takes linear time for 1 MiB of %j", async (piece) => {
  const text = piece.repeat(Math.floor(MIB / piece.length));
  await expectLinear(() => redactSecrets(text));
});
