import { execFileSync } from "node:child_process";
import { mkdir, open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { folderWith } from "@test/helpers/tempDir";
import { configured, MINIMAL, problemsOf } from "@test/unit/node/services/gauntlet/config/project";

const KIB = 1024;

/** Files that, without limits, keep a parser busy for a minute, exhaust its memory or crash the process. */
describe("a hostile configuration", () => {
  it.each([
    ["sixty thousand brackets", "[".repeat(60_000), "nested deeper than 64 levels"],
    [
      "lines of increasing depth",
      Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
      "nested deeper than 64 levels",
    ],
    ["aliases of aliases", `a: &a0 [x]\n${bomb(9)}`, "more than 10000 values"],
    ["an alias within itself", "a: &a [*a]\n", "nested deeper than 64 levels"],
    ["an alias within itself many times over", "a: &a [*a, *a, *a, *a]\n", "levels"],
    ["a file above the limit", `# ${"x".repeat(256 * KIB)}`, "larger than 256 KiB"],
    ["forty thousand keys", keys(40_000), "config.yml:1:1: this YAML is larger than 64 KiB"],
    ["six thousand keys", keys(6_000), "and 5951 further problems in this file"],
    ["twelve thousand aliases", `a: &a 1\nb: [${"*a,".repeat(12_000)}]`, "more than 10000 values"],
    ["forty thousand closing brackets", "]".repeat(40_000), "and 450 further problems"],
    [
      "one long line",
      `zz: [${"1,".repeat(30_000)}]`,
      "config.yml:1:1: this YAML has more than 30000 tokens",
    ],
    ["invalid UTF-8", Uint8Array.from([0x61, 0x3a, 0x20, 0xff, 0xfe]), "it is not UTF-8"],
  ])("reports %s", async (_, text, expected) => {
    const problems = await problemsOf(await configured(text));
    expect(problems.join("\n")).toContain(expected);
    expect(problems.every((problem) => problem.length < 1_000)).toBe(true);
  });

  it("treats a key called __proto__ like any other", async () => {
    const dir = await configured(`__proto__: {polluted: 1}\nconstructor: 1\n${MINIMAL}`);
    const heads = (await problemsOf(dir)).map((problem) => problem.split("\n")[0]);
    expect(heads).toEqual([
      "warning: .gauntlet/config.yml:1:1: __proto__: unknown key (ignored)",
      "warning: .gauntlet/config.yml:2:1: constructor: unknown key (ignored)",
    ]);
    expect({}).not.toHaveProperty("polluted");
  });

  it("keeps a value under __proto__ as an own key, and gives no other key a value (G5)", () => {
    const source = new SourceFile(
      "c.yml",
      "__proto__: {stop_hook: {enabled: false}}\na: 1\n",
      YAML
    );
    const plain = parseYaml(source, new DiagnosticList())!.toPlain() as Record<string, unknown>;
    expect(Object.keys(plain)).toEqual(["__proto__", "a"]);
    expect(plain.stop_hook).toBeUndefined();
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });

  it("reports FIFOs in place of files", async () => {
    const dir = await folderWith({ ".gauntlet/checks/keep.yml": "command: x\n" });
    execFileSync("mkfifo", [".gauntlet/config.yml", ".gauntlet/checks/a.yml"], { cwd: dir });
    const problems = (await problemsOf(dir)).join("\n");
    expect(problems).toContain(".gauntlet/config.yml:1:1: it cannot be read: ");
    expect(problems).toContain("is a FIFO, a socket or a device");
  });

  it("reports folders in place of files, and files in place of folders", async () => {
    const dir = await folderWith({ ".gauntlet/checks": "", ".gauntlet/reviews/r.md/x": "" });
    await mkdir(join(dir, ".gauntlet/config.yml"));
    const problems = (await problemsOf(dir)).join("\n");
    expect(problems).toContain("config.yml is a folder, not a file");
    expect(problems).toContain("error: .gauntlet/checks:1:1: it cannot be listed: ENOTDIR");
  });

  it("reports a file of a gibibyte, an endless file, and a link to itself", async () => {
    const dir = await configured("entry_points: [{path: ., checks: [big, endless, round]}]\n");
    const checks = join(dir, ".gauntlet/checks");
    await mkdir(checks);
    const big = await open(join(checks, "big.yml"), "w");
    await big.truncate(1024 ** 3);
    await big.close();
    await symlink("/dev/zero", join(checks, "endless.yml"));
    await symlink("round.yml", join(checks, "round.yml"));
    const problems = await problemsOf(dir);
    expect(problems).toEqual([
      expect.stringContaining("big.yml:1:1: it is larger than 256 KiB"),
      expect.stringContaining("endless.yml:1:1: it cannot be read: "),
      expect.stringContaining("round.yml:1:1: it cannot be read: ELOOP"),
    ]);
  });

  it("reports more than 500 gates", async () => {
    const names = Array.from({ length: 501 }, (_, i) => `.gauntlet/checks/${1000 + i}.yml`);
    const files = Object.fromEntries(names.map((name) => [name, "command: x\n"]));
    const dir = await folderWith({ ...files, ".gauntlet/config.yml": MINIMAL });
    expect(await problemsOf(dir)).toEqual([
      "error: .gauntlet/checks:1:1: it contains 501 gates, but at most 500 can be read",
    ]);
    expect((await loadGauntletConfig(new LocalFiles(), dir)).kind).toBe("invalid");
  });

  it("reports gates that exceed 1 MiB together", async () => {
    const names = Array.from({ length: 5 }, (_, i) => `.gauntlet/reviews/${i}.md`);
    const files = Object.fromEntries(names.map((name) => [name, "x".repeat(250 * KIB)]));
    const dir = await folderWith({ ...files, ".gauntlet/config.yml": MINIMAL });
    expect(await problemsOf(dir)).toEqual([
      "error: .gauntlet:1:1: its files together are larger than 1 MiB, so none of them is read",
    ]);
  });
});

/** Returns YAML whose number of values grows tenfold with each line. */
function bomb(lines: number): string {
  return Array.from(
    { length: lines },
    (_, i) => `a${i}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(", ")}]\n`
  ).join("");
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, i) => `${i.toString(36)}:\n`).join("");
}
