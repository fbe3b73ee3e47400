/** Runs all programs by a spawner in test files that are imported after this module. */
import "@test/helpers/freshBuild";
import { way } from "@test/helpers/localRuntime";
import { runBySpawner } from "@test/helpers/process/spawner";

way.run = runBySpawner();
