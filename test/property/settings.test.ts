/** Loading settings never throws, for any content of the repository (H5). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hooks, SettingsProject } from "@test/helpers/hooks/settingsProject";

/** Text that resembles settings enough to be parsed beyond the first brace. */
const almostSettings = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."{}[]:,\"'/*\\\n\r\t -.019e".split(""), "//", "/*", "*/", "\uFEFF", "\0"),
      fc.constantFrom('"hooks"', '"Stop"', '"SubagentStop"', '"matcher"', '"type"', '"command"'),
      fc.constantFrom('"timeout"', '"stopHooks"', '"__proto__"', "null", "true", "NaN", "1e999"),
      fc.string({ unit: "binary", maxLength: 4 })
    ),
    { maxLength: 60 }
  )
  .map((parts) => parts.join(""));

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
