/** A host without free file descriptors survives, and each hook that cannot start is a warning. */
import { expect, test } from "vitest";
import { runInFreshNode } from "@test/helpers/process/freshNode";

test.each([
  [1, 3],
  [64, 20],
])(
  "a host with few file descriptors survives %i hooks with %i free (H23a)",
  async (hooks, free) => {
    const result = await runInFreshNode(
      "exhaustedHost",
      [String(free), String(hooks)],
      "ulimit -n 160"
    );
    const { kinds, last } = result as { kinds: string[]; last: string };
    expect(kinds).toHaveLength(hooks);
    expect(kinds.filter((kind) => kind !== "EMFILE" && kind !== "exited")).toEqual([]);
    expect(kinds).toContain("EMFILE");
    expect(last).toBe("exited");
  }
);

test("a host survives if the watcher of its programs cannot be started (H23a)", async () => {
  expect(await runInFreshNode("unwatchedPrograms")).toEqual(["exited", "exited"]);
});
