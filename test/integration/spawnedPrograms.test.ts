/** What is true of programs that the host starts is true of those that a spawner starts for it. */
import "@test/helpers/process/allBySpawner";
import "@test/integration/localRuntime.test";
import "@test/integration/processFacts.test";
