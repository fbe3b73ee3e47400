import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { Tool } from "@/node/services/session/aiServiceTypes";
import { bashTool, fileEditTool, fileWriteTool } from "@/node/services/tools/sessionTools";
import { makeGate } from "@test/helpers/process/processes";
import { passed } from "@test/helpers/hooks/session";
import { tempDir } from "@test/helpers/tempDir";

const runtime = new LocalRuntime();
let root: string;
let project: string;

beforeEach(async () => {
  root = await tempDir();
  project = join(root, "a project");
  await mkdir(project);
});

async function use(tool: Tool, input: unknown, abortSignal = new AbortController().signal) {
  const result = await tool.execute(input, { toolCallId: "call-1", abortSignal });
  return result as Record<string, unknown>;
}

describe("bash", () => {
  const run = (script: string, more = {}, signal?: AbortSignal) =>
    use(bashTool({ runtime, projectDir: project }), { script, ...more }, signal);

  test("runs in the project, and returns its output, its exit code, and an error for a signal and the time limit", async () => {
    const result = await run("pwd; echo oops >&2");
    expect(result).toMatchObject({ success: true, exitCode: 0, output: `${project}\n\noops\n` });
    expect(await run("exit 3")).toMatchObject({ success: false, exitCode: 3 });
    expect((await run("kill -SEGV $$")).error).toContain("SIGSEGV");
    expect((await run("sleep 60", { timeout_secs: 0.1 })).error).toContain("timeout_secs");
  });

  test("limits the output", async () => {
    const { output } = await run("yes | head -c 10000000");
    expect((output as string).length).toBeLessThan(50_000);
  });

  test("returns at once on an interrupt, and ends a script that ignores it (H22)", async () => {
    const [running, held] = [await makeGate(project, "running"), await makeGate(project, "held")];
    let isGone = false;
    const gone = passed(held).then(() => (isGone = true));
    const abort = new AbortController();
    const script = "trap '' TERM; exec 9> held; echo > running; sleep 60";
    const result = run(script, {}, abort.signal);
    await passed(running);
    abort.abort();
    expect(await result).toMatchObject({ success: false, error: "interrupted" });
    expect(isGone).toBe(false);
    await gone;
  });

  test("rejects invalid input", async () => {
    const bash = bashTool({ runtime, projectDir: project });
    for (const input of [undefined, null, {}, { script: "" }, { script: "x", timeout_secs: -1 }]) {
      expect(await use(bash, input)).toMatchObject({ success: false });
    }
  });
});

describe("files", () => {
  const write = (file_path: string, content = "new") =>
    use(fileWriteTool({ runtime, projectDir: project }), { file_path, content });
  const edit = (file_path: string, old_string: string, new_string: string) =>
    use(fileEditTool({ runtime, projectDir: project }), { file_path, old_string, new_string });

  test("creates a file with its folders", async () => {
    expect(await write("src/deep/a.ts")).toEqual({ success: true });
    expect(await readFile(join(project, "src/deep/a.ts"), "utf8")).toBe("new");
    expect(await write(join(project, "b.ts"))).toEqual({ success: true });
  });

  test("replaces text that occurs once, as plain text, and keeps the file executable", async () => {
    const file = join(project, "run.sh");
    await writeFile(file, "echo $& once\n");
    await chmod(file, 0o755);
    expect(await edit("run.sh", "once", "$& twice")).toEqual({ success: true });
    expect(await readFile(file, "utf8")).toBe("echo $& $& twice\n");
    expect((await stat(file)).mode & 0o111).not.toBe(0);
  });

  test.each([
    ["occurs twice", "a a", /occurs 2 times/],
    ["does not occur", "b", /occurs 0 times/],
  ])("does not replace text that %s", async (_what, content, expected) => {
    await writeFile(join(project, "a.txt"), content);
    expect((await edit("a.txt", "a", "x")).error).toMatch(expected);
    expect(await readFile(join(project, "a.txt"), "utf8")).toBe(content);
  });

  test("does not edit files that are not text or too large", async () => {
    await writeFile(join(project, "binary"), Buffer.from([0x61, 0xff, 0xfe]));
    await writeFile(join(project, "large"), "a".repeat(5 * 1024 * 1024));
    await makeGate(project, "fifo");
    for (const name of ["binary", "large", "fifo", "missing", "."]) {
      expect(await edit(name, "a", "x")).toMatchObject({ success: false });
    }
    expect(await readFile(join(project, "binary"))).toEqual(Buffer.from([0x61, 0xff, 0xfe]));
  });

  test.each([
    ["above the project", "../outside.txt"],
    ["beside it, with its name as a prefix", "../a project 2/x"],
    ["absolute", "/tmp/mux-hooks-outside.txt"],
    ["through a linked folder", "link/x"],
    ["into a new folder behind a link", "link/new/x"],
    ["the project folder itself", "."],
  ])("rejects a path that leaves the project: %s", async (_what, path) => {
    await mkdir(join(root, "a project 2"));
    await symlink(join(root, "a project 2"), join(project, "link"));
    for (const refused of [await write(path), await edit(path, "a", "b")]) {
      expect(refused).toMatchObject({ success: false });
      expect(refused.error).toContain("outside the project");
    }
  });

  test("does not write through a link", async () => {
    await writeFile(join(root, "outside.txt"), "a");
    await symlink("../outside.txt", join(project, "inside.txt"));
    expect((await write("inside.txt")).error).toContain("symbolic link");
    expect(await readFile(join(root, "outside.txt"), "utf8")).toBe("a");
  });
});
