import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
} as const;

/** CommonJS, for the loader of modules alone takes as long as many an answer. */
const commonJs = {
  ...common,
  format: "cjs",
  outDir: "dist/cli",
  outExtensions: () => ({ js: ".cjs" }),
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
} satisfies UserConfig;

const host = { ...commonJs, outDir: "dist/host" } satisfies UserConfig;

/** What starts at every stop of an agent: the less there is to read, the sooner it answers. */
const gauntlet = {
  ...commonJs,
  inputOptions: {
    resolve: {
      ...commonJs.inputOptions.resolve,
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

export default defineConfig([
  // What programs import: its dependencies are theirs to deduplicate.
  { ...common, entry: { index: "src/index.ts" }, dts: true, clean: true },
  // What people start: in few files, for loading dozens of modules takes longer than most commands.
  {
    ...common,
    entry: { muxHooks: "src/cli/muxHooks.ts" },
    outDir: "dist/cli",
    dts: false,
    clean: false,
    deps: { alwaysBundle: [/./], onlyBundle: false },
    // jsonc-parser's "main" cannot be bundled.
    shims: true, // write-file-atomic wants a __filename.
    inputOptions: { resolve: { mainFields: ["module", "main"] } },
  },
  { ...host, entry: { register: "src/host/register.ts" } },
  // By themselves, for the sooner they are read the sooner the first hook starts.
  { ...host, entry: { spawnerThread: "src/node/runtime/process/spawner/spawnerThread.ts" } },
  { ...host, entry: { spawnerProcess: "src/node/runtime/process/spawner/spawnerProcess.ts" } },
  // Each is a bundle by itself, so that what one of them lacks is not loaded for another's sake.
  { ...gauntlet, entry: { agentGauntlet: "src/cli/gauntlet/main.ts" } },
  { ...gauntlet, entry: { stopHookProcess: "src/cli/gauntlet/stopHook/stopHookProcess.ts" } },
  { ...gauntlet, entry: { turnStartProcess: "src/cli/gauntlet/stopHook/turnStartProcess.ts" } },
  // The second comes where the first does not suffice, so they have what both need only once.
  {
    ...gauntlet,
    entry: {
      stopHookRest: "src/cli/gauntlet/stopHook/stopHookRest.ts",
      plainRun: "src/cli/gauntlet/defaultRun.ts",
    },
  },
]);
