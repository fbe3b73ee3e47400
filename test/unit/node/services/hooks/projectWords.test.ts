import { describe, expect, test } from "vitest";
import { namedPaths, resolveWord } from "@/node/services/hooks/projectWords";

const DIR = "/home/u/my $project";

test.each([
  [".mux/stop", `${DIR}/.mux/stop`],
  ["./.mux/stop", `${DIR}/.mux/stop`],
  ["$MUX_PROJECT_DIR/.mux/stop", `${DIR}/.mux/stop`],
  ["${CLAUDE_PROJECT_DIR}/a/../.mux/stop", `${DIR}/.mux/stop`],
  ["${CLAUDE_PROJECT_DIR:-.}/x", `${DIR}/x`],
  ["$MUX_PROJECT_DIRECTORY/x", `${DIR}/$MUX_PROJECT_DIRECTORY/x`],
  ["/usr/bin/make", "/usr/bin/make"],
])("%j is the file %j", (word, path) => {
  expect(resolveWord(word, DIR)).toBe(path);
});

describe("paths that a command may name (H31)", () => {
  test.each([
    ["./check.sh --all", "check.sh"],
    ["python3 'my hooks/stop.py'", "my hooks/stop.py"],
    ['"$MUX_PROJECT_DIR"/.mux/hooks/stop.sh', ".mux/hooks/stop.sh"],
    ['"${CLAUDE_PROJECT_DIR}/stop.sh"', "stop.sh"],
    ['"$ROOT/stop.sh"', "stop.sh"],
    ['"$(git rev-parse --show-toplevel)/hooks/stop.sh"', "hooks/stop.sh"],
    ["$(pwd)/hooks/stop.sh", "hooks/stop.sh"],
    ["node --config=conf/a.json x", "conf/a.json"],
    ["bash -c 'cd . && ./a.sh; ./b.sh'", "b.sh"],
    ["cat < prompts/review.md", "prompts/review.md"],
    ["FILE=lib/a.sh run", "lib/a.sh"],
    ['cd "$CLAUDE_PROJECT_DIR"/hooks && ./stop.sh', "hooks/stop.sh"],
    ["(cd a; cd b; sh c.sh)", "b/c.sh"],
    [`${DIR.replace("$", "\\$").replace(" ", "\\ ")}/x.sh`, "x.sh"],
  ])("are found in %j", (command, path) => {
    expect(namedPaths({ type: "command", command }, DIR)).toContain(`${DIR}/${path}`);
  });

  test.each(["make > out.log", "make >>out.log 2>&1", "sh -c 'make > out.log' | x"])(
    "are not those that %j only writes to",
    (command) => {
      expect(namedPaths({ type: "command", command }, DIR)).not.toContain(`${DIR}/out.log`);
    }
  );

  test("are found in the arguments of a program without a shell", () => {
    const handler = {
      type: "command" as const,
      command: "node",
      args: ["${CLAUDE_PROJECT_DIR}/a b.js", "-r=./c.js"],
    };
    expect(namedPaths(handler, DIR)).toEqual(
      expect.arrayContaining([`${DIR}/node`, `${DIR}/a b.js`, `${DIR}/c.js`])
    );
  });

  test("are found where the shell is one of them", () => {
    const handler = { type: "command" as const, command: "x", shell: "./bin/sh" };
    expect(namedPaths(handler, DIR)).toContain(`${DIR}/bin/sh`);
  });

  test("never leave the project, which is none of them itself", () => {
    const command =
      "cd ..; cd /etc; /bin/sh ../x ~/y . .. / $MUX_PROJECT_DIR ${MUX_PROJECT_DIR}/../z";
    for (const path of namedPaths({ type: "command", command }, DIR) ?? []) {
      expect(path.startsWith(`${DIR}/`)).toBe(true);
    }
  });
});
