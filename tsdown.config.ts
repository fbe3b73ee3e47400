import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { licenses } from "./scripts/licenses.mjs";
import { shellText } from "./scripts/shellText.mjs";

const bundledLicenses = licenses(
  fileURLToPath(new URL("dist/THIRD-PARTY-LICENSES.txt", import.meta.url))
);

/** The bundler's helpers. In a shared chunk they may make two chunks require each other. */
const HELPERS = { name: "helpers", test: /rolldown\/runtime/ };
/** Everything that a start loads in one file: each file takes Node a third of a millisecond to find. */
const START = { name: "start", tags: ["$initial" as const] };

/** Defines `__filename` and `__dirname`, which CommonJS packages in a bundle may use. */
const ESM = { shims: true } as const;

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  plugins: [shellText, bundledLicenses] as UserConfig["plugins"],
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
} as const;

/**
 * The programs. They are CommonJS, because loading ESM alone takes as long as many complete responses. They are
 * minified, because most of their start-up time is spent reading source.
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
      // Its build for Node is CommonJS, which cannot be tree-shaken.
      alias: {
        yaml: fileURLToPath(new URL("node_modules/yaml/browser/dist/index.js", import.meta.url)),
      },
    },
  },
  minify: {
    // Keeps the names of functions in stack traces.
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
  outputOptions: { codeSplitting: { groups: [HELPERS, START] } },
} satisfies UserConfig;

/** Modules of agent hosts that only `init` and `doctor` load. Shared modules would need a chunk of their own. */
const ONLY_INIT =
  /hosts\/(?:claude\/examinePlugin|codex\/trust|kimi\/tomlHookSyntax|kiro\/kiroSyntax)$/;

/** A program whose start loads the entry alone. */
const small = {
  ...program,
  inputOptions: { ...program.inputOptions, external: ONLY_INIT },
  outputOptions: { codeSplitting: { groups: [HELPERS] } },
} satisfies UserConfig;

const host = { ...program, outDir: "dist/host" } satisfies UserConfig;

/**
 * The plugin of opencode, which loads ESM. It includes its dependencies, because opencode may load it from a folder
 * without them. The engine is in chunks of its own, which are loaded at the first message.
 */
const plugin = {
  ...program,
  format: "esm",
  outDir: "dist",
  outExtensions: common.outExtensions,
  ...ESM,
  dts: true,
  outputOptions: { chunkFileNames: "opencode/[name]-[hash].js" },
} satisfies UserConfig;

/** The library. A dependency whose types it returns is not bundled, so that a program has one version of each class. */
const library = {
  ...common,
  entry: { index: "src/index.ts", gauntlet: "src/gauntlet.ts", session: "src/session.ts" },
  ...ESM,
  dts: true,
  clean: true,
  deps: { alwaysBundle: [/^(?!neverthrow$)/], onlyBundle: false },
  inputOptions: program.inputOptions,
} satisfies UserConfig;

/** A single file that includes the bundler's helpers. */
const alone = { ...host, outputOptions: {} } satisfies UserConfig;

export default defineConfig([
  library,
  { ...program, entry: { muxHooks: "src/cli/muxHooks.ts" } },
  { ...plugin, entry: { opencode: "src/opencode/plugin.ts" } },
  { ...host, entry: { register: "src/host/register.ts" } },
  // Separate bundles: the sooner they are read, the sooner the first hook starts.
  { ...alone, entry: { spawnerThread: "src/node/runtime/process/spawner/spawnerThread.ts" } },
  { ...alone, entry: { spawnerProcess: "src/node/runtime/process/spawner/spawnerProcess.ts" } },
  // Separate bundles, so that none of them loads code that only another one needs.
  { ...program, entry: { agentGauntlet: "src/cli/gauntlet/program.ts" } },
  { ...small, entry: { stopHookProcess: "src/cli/gauntlet/stopHook/stopHookProcess.ts" } },
  { ...small, entry: { turnStartProcess: "src/cli/gauntlet/stopHook/turnStartProcess.ts" } },
  {
    ...program,
    entry: {
      stopDecision: "src/cli/gauntlet/stopHook/decideStopHook.ts",
      plainRunProcess: "src/cli/gauntlet/plainRunProcess.ts",
    },
  },
]);
