/**
 * Blocks that show a terminal with GNU parallel and other hosts, each of which has a clone of the project in its home.
 */
import { basename } from "node:path";
import { BuildHosts } from "@test/helpers/host/buildHosts";
import { runConsole } from "@test/helpers/docs/console";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { exampleEnv } from "@test/helpers/docs/gauntlet";
import type { Fence } from "@test/helpers/docs/markdown";

export async function runSpread(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  const names = fence.options.get("hosts")?.split(",") ?? [];
  const { PATH = "" } = await exampleEnv(example);
  const hosts = await BuildHosts.start(names, { PATH });
  try {
    await hosts.clone(example.project.dir, basename(example.project.dir));
    await hosts.trust(basename(example.project.dir));
    await runConsole(example, fence, hosts.env);
  } finally {
    await hosts.dispose();
  }
}
