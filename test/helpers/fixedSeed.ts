/** Random tests try the same values in each run, so that none fails only once. `TEST_SEED` changes the values. */
import { configureGlobal } from "fast-check";

configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
