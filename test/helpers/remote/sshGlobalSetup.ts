/** One sshd for all test files of the project `ssh`. */
import type { TestProject } from "vitest/node";
import { Sshd } from "@test/helpers/remote/sshd";

declare module "vitest" {
  export interface ProvidedContext {
    /** The ssh_config in which the host `box` is that sshd. */
    sshConfig: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { PATH = "" } = process.env;
  const sshd = await Sshd.start({ env: { PATH }, settings: ["MaxStartups 100"] });
  project.provide("sshConfig", sshd.config);
  return () => sshd.dispose();
}
