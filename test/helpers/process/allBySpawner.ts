/** To be imported before the test files whose programs a spawner is to run. */
import { beforeAll } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { way } from "@test/helpers/localRuntime";
import { runBySpawner } from "@test/helpers/process/spawner";

beforeAll(ensureBuilt, 120_000);
way.run = runBySpawner();
