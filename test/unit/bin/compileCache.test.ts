import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "@test/helpers/tempDir";

type Environment = Readonly<Record<string, string | undefined>>;

const { privateFolder } = createRequire(import.meta.url)("../../../bin/compileCache.cjs") as {
  privateFolder: (env: Environment) => string | undefined;
};

test("creates a folder of the user's cache that others cannot read", async () => {
  const home = await tempDir();
  const folder = join(home, ".cache/mux-stop-hooks/compiled");
  expect(privateFolder({ HOME: home })).toBe(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(privateFolder({ HOME: home, XDG_CACHE_HOME: join(home, "c") })).toBe(
    join(home, "c/mux-stop-hooks/compiled")
  );
});

test("returns nothing if others can write to the folder, or if it is a link", async () => {
  const home = await tempDir();
  const folder = privateFolder({ HOME: home }) ?? "";
  await chmod(folder, 0o770);
  expect(privateFolder({ HOME: home })).toBeUndefined();

  const linked = await tempDir();
  await mkdir(join(linked, ".cache/mux-stop-hooks"), { recursive: true });
  await chmod(folder, 0o700);
  await symlink(folder, join(linked, ".cache/mux-stop-hooks/compiled"));
  expect(privateFolder({ HOME: linked })).toBeUndefined();
});

test.each([
  [".cache", 0o777],
  [".cache/mux-stop-hooks", 0o707],
])(
  "returns nothing if others can replace the folder, because %s has mode %o",
  async (name, mode) => {
    const home = await tempDir();
    expect(privateFolder({ HOME: home })).toBe(join(home, ".cache/mux-stop-hooks/compiled"));
    await chmod(join(home, name), mode);
    expect(privateFolder({ HOME: home })).toBeUndefined();
  }
);

test.each<Environment>([{}, { HOME: "" }, { HOME: "." }, { HOME: "/dev/null" }])(
  "returns nothing for %j",
  (env) => {
    expect(privateFolder(env)).toBeUndefined();
  }
);
