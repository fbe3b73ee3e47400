/** All hosts of the scenarios that hosts share. */
import { claude } from "@test/hosts/rig/claude";
import { codex } from "@test/hosts/rig/codex";
import { copilot } from "@test/hosts/rig/copilot";
import { gemini } from "@test/hosts/rig/gemini";
import type { HostDriver } from "@test/hosts/rig/hostDriver";
import { commandOf } from "@test/hosts/rig/installed";
import { qwen } from "@test/hosts/rig/qwen";

const DRIVERS: readonly HostDriver[] = [codex, gemini, qwen, claude, copilot];

/** Returns the hosts that are installed and chosen, with their names. */
export function testedDrivers(): [string, HostDriver][] {
  return DRIVERS.filter(({ name }) => commandOf(name) !== undefined).map((driver) => [
    driver.name,
    driver,
  ]);
}
