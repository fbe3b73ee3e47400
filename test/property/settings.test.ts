/** Loading settings never throws, for any content of the repository (H5). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { hookTimeoutMs } from "@/node/services/hooks/contract/hookFacts";
import { invokedPrograms, namedProgram } from "@/node/services/hooks/shell/invokedPrograms";
import { parseSettings } from "@/node/services/hooks/settings/parseFile";
import { command, hooks, SettingsProject } from "@test/helpers/hooks/settingsProject";

/** Text that resembles settings enough to be parsed beyond the first brace. */
const almostSettings = fc
  .array(
    fc.oneof(
      fc.constantFrom(...chars("{}[]:,\"'/*\\\n\r\t -.019e"), "//", "/*", "*/", "\uFEFF", "\0"),
      fc.constantFrom('"hooks"', '"Stop"', '"SubagentStop"', '"matcher"', '"type"', '"command"'),
      fc.constantFrom('"timeout"', '"stopHooks"', '"__proto__"', "null", "true", "NaN", "1e999"),
      fc.string({ unit: "binary", maxLength: 4 })
    ),
    { maxLength: 60 }
  )
  .map((parts) => parts.join(""));

/** Settings of the right structure with arbitrary values. */
const wrongSettings = fc
  .record(
    {
      hooks: fc.oneof(
        fc.anything(),
        fc.record(
          {
            Stop: fc.array(fc.oneof(fc.anything(), fc.record({ hooks: fc.array(anyHandler()) })), {
              maxLength: 3,
            }),
            SubagentStop: fc.array(
              fc.record({ matcher: fc.anything(), hooks: fc.array(anyHandler()) }),
              { maxLength: 3 }
            ),
          },
          { requiredKeys: [] }
        )
      ),
      disableAllHooks: fc.anything(),
      stopHooks: fc.oneof(
        fc.anything(),
        fc.record({ maxContinuations: fc.anything(), timeout: fc.anything() })
      ),
      hookEnv: fc.oneof(fc.anything(), fc.record({ pass: fc.anything() })),
      importClaudeHooks: fc.anything(),
      gauntlet: fc.anything(),
    },
    { requiredKeys: [] }
  )
  .map((settings) =>
    JSON.stringify(settings, (_, value: unknown) => (typeof value === "bigint" ? null : value))
  );

function anyHandler(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.anything(),
    fc.record(
      {
        type: fc.constantFrom("command", "http", "prompt", "builtin", "agent", "constructor"),
        command: fc.oneof(fc.string(), fc.anything()),
        url: fc.oneof(fc.webUrl(), fc.anything()),
        prompt: fc.string(),
        name: fc.string(),
        timeout: fc.oneof(fc.double(), fc.anything()),
        args: fc.oneof(fc.array(fc.string()), fc.anything()),
        headers: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.anything()),
        enabled: fc.oneof(fc.boolean(), fc.anything()),
      },
      { requiredKeys: ["type"] }
    )
  );
}

test("any bytes in a file of the project leave the user's hooks and a limit in place", async () => {
  const project = await SettingsProject.create({ user: hooks("mine") });
  const files = ["project/.mux/settings.json", "project/.mux/settings.local.json", "project/.git"];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        almostSettings.map((text) => new TextEncoder().encode(text))
      ),
      async (file, bytes) => {
        await project.write(file, bytes);
        const settings = await project.load();
        expect(settings.hooks[0]?.name).toBe("user:Stop[0]");
        expect(settings.maxContinuations).toBeGreaterThan(0);
      }
    ),
    { numRuns: 50 }
  );
});

test("parsed settings of any shape match their types", () => {
  fc.assert(
    fc.property(fc.oneof(wrongSettings, almostSettings), (text) => {
      const parsed = parseSettings("s.json", text);
      if (parsed.isErr()) {
        expect(parsed.error.line).toBeGreaterThan(0);
        expect(parsed.error.message).not.toBe("");
        return;
      }
      const { hooks: found, values, diagnostics } = parsed.value;
      for (const { handler, line, column } of found) {
        expect(["command", "http", "prompt", "builtin"]).toContain(handler.type);
        const limit = hookTimeoutMs(handler, values["stopHooks.timeout"]);
        expect(limit).toBeGreaterThan(0);
        expect(limit).toBeLessThanOrEqual(86_400_000);
        expect(Math.min(line, column)).toBeGreaterThan(0);
      }
      for (const diagnostic of diagnostics) {
        expect(formatDiagnostic(diagnostic)).toMatch(/^s\.json:\d+:\d+: /);
        expect(formatDiagnostic(diagnostic).length).toBeLessThan(1_000);
      }
      for (const name of values["hookEnv.pass"] ?? []) expect(typeof name).toBe("string");
    }),
    { numRuns: 50 }
  );
});

test("any command line gives programs and paths within the project", () => {
  const lines = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(
        fc.constantFrom(...chars("'\"\\$`;&|<>(){}# \n=/."), "npx", "-p", "bash", "-c", "${", "a")
      )
      .map((parts) => parts.join(""))
  );
  fc.assert(
    fc.property(lines, fc.option(fc.array(fc.string())), (line, args) => {
      const handler = {
        type: "command" as const,
        command: line,
        ...(args === null ? {} : { args }),
      };
      for (const { program } of invokedPrograms(handler)) expect(typeof program).toBe("string");
      expect(namedProgram({ fromProject: true, handler }, "/p") ?? "/p/").toMatch(/^\/p\//);
    }),
    { numRuns: 50 }
  );
});

test("equal settings in two layers run once, for any command (H3)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
      async (lines) => {
        const same = hooks(...lines.map((line) => command(line)));
        const project = await SettingsProject.create({ user: same, project: same, local: same });
        const { hooks: merged } = await project.load();
        expect(merged).toHaveLength(new Set(lines).size);
        expect(merged.every(({ layer }) => layer === "user")).toBe(true);
      }
    ),
    { numRuns: 6 }
  );
});

function chars(text: string): string[] {
  return Array.from(text);
}
