import { describe } from "vitest";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import { farMachines } from "@test/helpers/remote/farMachines";
import { LocalShell } from "@test/helpers/remote/localShell";
import { describeFiles } from "@test/helpers/remote/filesSuite";

const machines = await farMachines();

describe.each(machines)("RemoteFiles with $name", ({ path }) => {
  describeFiles(new RemoteFiles(new LocalShell({ env: { ...process.env, PATH: path } })));
});
