/**
 * A host whose files are slow, since every thread that writes them is busy. Runs a program that prints more than the
 * host buffers for the disk, and prints its result. Requires UV_THREADPOOL_SIZE=2.
 */
import { pbkdf2 } from "node:crypto";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { MIB } from "@/common/limits";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";

const [folder = "/", script = "true"] = process.argv.slice(2);
const running = new LocalRuntime().exec({
  command: { script: `echo > ready; read -r _ < gate; ${script}` },
  cwd: folder,
  logTo: { path: `${folder}/log`, keepBytes: 64 * MIB },
});
await readFile(`${folder}/ready`);
for (const salt of ["a", "b"]) pbkdf2("", salt, 2_000_000, 64, "sha512", () => undefined);
writeFileSync(`${folder}/gate`, "\n");
console.log(JSON.stringify(await running));
