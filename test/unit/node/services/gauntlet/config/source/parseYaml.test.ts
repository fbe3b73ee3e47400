import { describe, expect, it } from "vitest";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

describe("parseYaml", () => {
  it.each([
    ["too long", `# ${"x".repeat(64 * 1024)}`, "this YAML is larger than 64 KiB"],
    ["of too many tokens", `zz: [${"1,".repeat(30_000)}]`, "more than 30000 tokens"],
  ])("reports a text that is %s at its first character", (_, text, message) => {
    const problems = new DiagnosticList();
    expect(parseYaml(new SourceFile("c.yml", text, YAML), problems)).toBeUndefined();
    expect(problems.all).toEqual([
      expect.objectContaining({
        ...{ severity: "error", file: "c.yml", line: 1, column: 1, length: 1 },
        message: expect.stringContaining(message) as string,
      }),
    ]);
  });
});
