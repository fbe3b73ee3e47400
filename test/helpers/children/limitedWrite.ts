/** Writes a MiB over a file, and prints the result. */
import { MIB } from "@/common/limits";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";

// The signal of a limit on file sizes would end this process before the write fails.
process.on("SIGXFSZ", () => undefined);

const [path = ""] = process.argv.slice(2);
const written = await new LocalFiles().writeFile(path, "x".repeat(MIB));
console.log(JSON.stringify(written.isErr() ? written.error : "written"));
