/** Commands that start the same build in the ways in which users start Mux. */
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createPackageWithOptions } from "@electron/asar";
import { muxHooksBin, repository } from "@test/helpers/built";
import { execFileAsync } from "@test/helpers/process/processes";
import type { HostRig } from "@test/host/rig/HostRig";
import { putFile } from "@test/helpers/tempDir";

type HostBuild = Pick<HostRig, "folder" | "dist">;

/** The words before the host's own arguments. */
export type Command = readonly string[];

const attach: Command = [process.execPath, muxHooksBin, "attach", "--"];
const VERSION = "0.28.2";

/** Installs the forwarding package `mux` as npm does: a script that requires the package beside it. */
export async function forwardingPackage(rig: HostRig): Promise<Command> {
  const modules = join(rig.folder, "lib", "node_modules");
  await packageBuild(rig, join(modules, "@coder", "xum"));
  const bin = join(modules, "mux", "bin", "mux.js");
  await putFile(bin, '#!/usr/bin/env node\nrequire("@coder/xum/dist/cli/index.js");\n', 0o755);
  return [...attach, bin];
}

/** Runs the server of an AppImage, which has to be mounted first. */
export async function appImage(rig: HostRig): Promise<Command> {
  const executable = await installDesktop(rig);
  const image = join(rig.folder, "Xum-0.28.2.AppImage");
  await putFile(
    image,
    `#!/bin/sh\n[ "$1" = --appimage-mount ] || exit 1\necho '${dirname(executable)}'\nexec sleep 600\n`,
    0o755
  );
  return [...attach, image];
}

/** Starts the app itself, after `mux-stop-hooks hooks desktop install`. */
export async function desktopWindow(rig: HostRig): Promise<Command> {
  const executable = await installDesktop(rig);
  const words = [muxHooksBin, "desktop", "install", "--yes", "--app", executable];
  await execFileAsync(process.execPath, words, { cwd: rig.project, env: rig.env });
  return [executable];
}

/**
 * Creates a packaged app in the layout of electron-builder: an executable, and `resources/app.asar` with the build.
 *
 * @returns the path of the executable
 */
export async function installDesktop(rig: HostBuild): Promise<string> {
  const folder = join(rig.folder, "opt", "Xum");
  const executable = join(folder, "xum");
  const emulation = join(repository, "test", "host", "rig", "electron.cjs");
  const asar = createRequire(import.meta.url).resolve("@electron/asar");
  await putFile(
    executable,
    `#!/bin/sh
export EMULATED_APP="$0" EMULATED_ASAR='${asar}'
[ -n "$ELECTRON_RUN_AS_NODE" ] && exec '${process.execPath}' --require '${emulation}' "$@"
exec '${process.execPath}' '${emulation}' "$@"
`,
    0o755
  );
  await packDesktop(rig, join(folder, "resources"), VERSION);
  return executable;
}

/** Writes the archive of one version, as an installer or an update does. */
export async function packDesktop(rig: HostBuild, resources: string, version: string) {
  const content = join(rig.folder, `content-${version}`);
  await packageBuild(rig, content, version);
  await writeFile(join(content, "dist", "engine.wasm"), "\0asm");
  await mkdir(resources, { recursive: true });
  await createPackageWithOptions(content, join(resources, "app.asar"), { unpack: "*.wasm" });
}

async function packageBuild(rig: HostBuild, folder: string, version = VERSION): Promise<void> {
  await cp(rig.dist, join(folder, "dist"), { recursive: true });
  const entry = join(folder, "dist", "cli", "index.js");
  const source = await readFile(entry, "utf8");
  if (!source.startsWith("#!")) await putFile(entry, `#!/usr/bin/env node\n${source}`, 0o755);
  await chmod(entry, 0o755);
  const manifest = {
    ...{ name: "@coder/xum", version, main: "dist/cli/index.js", productName: "Xum" },
    bin: { xum: "dist/cli/index.js", mux: "dist/cli/index.js" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
}
