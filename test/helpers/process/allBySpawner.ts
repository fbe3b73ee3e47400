/** Runs all programs by a spawner in test files that are imported after this module. */
import { beforeAll } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { way } from "@test/helpers/localRuntime";
import { runBySpawner } from "@test/helpers/process/spawner";

beforeAll(ensureBuilt, 120_000);
way.run = runBySpawner();
