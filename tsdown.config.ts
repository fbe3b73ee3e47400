import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { shellText } from "./scripts/shellText.mjs";

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  plugins: [shellText] as (typeof shellText)[],
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
} as const;

/**
 * Programs: CommonJS, because the loader of modules alone takes as long as many an answer, and minified, because most of
 * their start is reading source.
 */
const program = {
  ...common,
  format: "cjs",
  outDir: "dist/cli",
  outExtensions: () => ({ js: ".cjs" }),
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  inputOptions: {
    resolve: {
      // jsonc-parser's "main" cannot be bundled.
      mainFields: ["module", "main"],
      // What it has for Node is CommonJS, of which nothing can be left out.
      alias: {
        yaml: fileURLToPath(new URL("node_modules/yaml/browser/dist/index.js", import.meta.url)),
      },
    },
  },
  minify: {
    // Stack traces go on naming functions.
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
  // The bundler's own helpers lie in a chunk by themselves: in another one they may make two require each other.
  outputOptions: { codeSplitting: { groups: [{ name: "helpers", test: /rolldown\/runtime/ }] } },
} satisfies UserConfig;

const host = { ...program, outDir: "dist/host" } satisfies UserConfig;

/** One file, with the bundler's helpers in it. */
const alone = { ...host, outputOptions: {} } satisfies UserConfig;

export default defineConfig([
  // What programs import: its dependencies are theirs to deduplicate.
  { ...common, entry: { index: "src/index.ts" }, dts: true, clean: true },
  { ...program, entry: { muxHooks: "src/cli/muxHooks.ts" } },
  { ...host, entry: { register: "src/host/register.ts" } },
  // By themselves, for the sooner they are read the sooner the first hook starts.
  { ...alone, entry: { spawnerThread: "src/node/runtime/process/spawner/spawnerThread.ts" } },
  { ...alone, entry: { spawnerProcess: "src/node/runtime/process/spawner/spawnerProcess.ts" } },
  // Each is a bundle by itself, so that what one of them lacks is not loaded for another's sake.
  { ...program, entry: { agentGauntlet: "src/cli/gauntlet/main.ts" } },
  { ...program, entry: { stopHookProcess: "src/cli/gauntlet/stopHook/stopHookProcess.ts" } },
  { ...program, entry: { turnStartProcess: "src/cli/gauntlet/stopHook/turnStartProcess.ts" } },
  // The second comes where the first does not suffice, so they have what both need only once.
  {
    ...program,
    entry: {
      stopHookRest: "src/cli/gauntlet/stopHook/stopHookRest.ts",
      plainRun: "src/cli/gauntlet/defaultRun.ts",
    },
  },
]);
