/** A host that ends while a program runs. Before that it prints the process IDs in the program's file `pids`. */
import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";

const [folder = "/", script = "true"] = process.argv.slice(2);
watch(folder, () => {
  void readFile(`${folder}/pids`, "utf8").then((pids) => {
    if (!pids.endsWith("ready\n")) return;
    console.log(JSON.stringify(pids.split("\n").slice(0, -2).map(Number)));
    process.exit();
  });
});
await new LocalRuntime().exec({ command: { script }, cwd: folder });
