/** Repeats the tests of programs with a spawner that starts them for the host. */
import "@test/helpers/process/allBySpawner";
import "@test/integration/localRuntime.test";
import "@test/integration/processFacts.test";
