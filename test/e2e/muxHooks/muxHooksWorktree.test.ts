/** Trust in a linked worktree, which is that of its main checkout for a host and for every command (H31). */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GitProject } from "@test/helpers/gitProject";
import { group, HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { tempDir } from "@test/helpers/tempDir";

const untrusted = { env: { MUX_HOOKS_TRUST: "" } };
const settings = JSON.stringify({ hooks: { Stop: [group(["echo R >&2; exit 2"])] } });

test("every command gives the answer of a host, and a .git file that the repository does not name has no trust (H31)", async () => {
  const git = await GitProject.create({ ".mux/settings.json": settings });
  const main = await HookProject.create({ at: git.dir });
  const dir = join(await tempDir(), "tree");
  git.git("worktree", "add", "--quiet", dir);
  await muxHooks(main, ["trust", "--yes"], untrusted);
  const call = (...args: string[]) => muxHooks({ dir, home: main.home }, args, untrusted);
  const record = join(main.home, ".mux", "hook-trust.json");
  for (const args of [["list"], ["test", "Stop"], ["trust", "--show"]]) {
    const { stdout } = await call(...args);
    expect(stdout).toContain(`Trusted by the record of ${git.dir} in ${record}.`);
    expect(stdout).not.toContain("not trusted");
  }
  expect((await call("test", "Stop")).code).toBe(3);
  const doctor = await call("doctor");
  expect(doctor.stdout).toContain(
    `trusted by mux-stop-hooks, with the record of ${git.dir} in ${record}.`
  );
  const revoked = await call("trust", "--revoke");
  expect(revoked.code).toBe(1);
  expect(revoked.stderr).toContain(`run "mux-stop-hooks hooks trust --revoke" in ${git.dir}`);

  const pointer = await readFile(join(dir, ".git"), "utf8");
  const forged = await HookProject.create();
  await forged.write(".mux/settings.json", settings);
  await forged.write(".git", pointer);
  await forged.write("fake/commondir", join(git.dir, ".git"));
  await forged.write("fake/gitdir", join(forged.dir, ".git"));
  for (const text of [pointer, `gitdir: ${forged.path("fake")}\n`]) {
    await writeFile(forged.path(".git"), text);
    const { stdout } = await muxHooks({ dir: forged.dir, home: main.home }, ["list"], untrusted);
    expect(stdout).toContain("not trusted");
  }
  expect((await call("list")).stdout).not.toContain("not trusted");
});
