import { expect, test } from "vitest";
import { formatDiagnostic } from "@/common/diagnostics";
import { parseSettings } from "@/node/services/hooks/settings/parseFile";
import { setHandlerKey, setTopLevelKey } from "@/node/services/hooks/settings/editHooks";

function setTop(source: string, value = true): string {
  return setTopLevelKey("s.json", source, "importClaudeHooks", value)._unsafeUnwrap();
}

/** Sets `enabled` of the nth handlers of the file. */
function setEnabled(source: string, handlers: readonly number[], value: boolean): string {
  const { hooks } = parseSettings("s.json", source)._unsafeUnwrap();
  const places = handlers.map((n) => hooks[n]!);
  return setHandlerKey("s.json", source, places, "enabled", value)._unsafeUnwrap();
}

test.each(["", " \n", "\uFEFF"])("turns %j into a complete file", (source) => {
  expect(setTop(source)).toBe('{\n  "importClaudeHooks": true\n}\n');
});

test("keeps comments, order and the format of the file", () => {
  expect(setTop('{\r\n\t// one\r\n\t"a": 1, // two\r\n}\r\n')).toBe(
    '{\r\n\t// one\r\n\t"a": 1, // two\r\n\t"importClaudeHooks": true,\r\n}\r\n'
  );
  expect(setTop('\uFEFF{ "a": [1] /* one */ }')).toBe(
    '\uFEFF{ "a": [1], /* one */ "importClaudeHooks": true }'
  );
});

test("replaces a value where it is", () => {
  expect(setTop('{\n  "importClaudeHooks": /* no */ false,\n  "b": 2\n}')).toBe(
    '{\n  "importClaudeHooks": /* no */ true,\n  "b": 2\n}'
  );
});

test("sets a key of several handlers, and of no other", () => {
  const source = `{
  "hooks": {
    "Stop": [
      // both
      { "hooks": [{ "type": "command", "command": "a" }, { "type": "command", "command": "b", "enabled": true }] },
      {
        "hooks": [
          {
            "type": "command",
            "command": "c" // last
          }
        ]
      }
    ]
  }
}
`;
  expect(setEnabled(source, [0, 1, 2], false)).toBe(`{
  "hooks": {
    "Stop": [
      // both
      { "hooks": [{ "type": "command", "command": "a", "enabled": false }, { "type": "command", "command": "b", "enabled": false }] },
      {
        "hooks": [
          {
            "type": "command",
            "command": "c", // last
            "enabled": false
          }
        ]
      }
    ]
  }
}
`);
  expect(setEnabled(source, [], false)).toBe(source);
});

test.each([
  ["{", "s.json:1:2: close brace expected at the end of the file"],
  ["[]", "s.json:1:1: expected an object, found a list"],
])("does not change %j", (source, problem) => {
  const edited = setTopLevelKey("s.json", source, "a", true);
  expect(formatDiagnostic(edited._unsafeUnwrapErr())).toBe(problem);
});
