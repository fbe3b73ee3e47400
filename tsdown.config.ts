import { defineConfig, type UserConfig } from "tsdown";

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
} as const;

/** What starts at every stop of an agent: CommonJS, for the loader of modules alone takes as long as an answer. */
const stopHook = {
  ...common,
  format: "cjs",
  outDir: "dist/cli",
  outExtensions: () => ({ js: ".cjs" }),
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
} satisfies UserConfig;

export default defineConfig([
  // What programs import: its dependencies are theirs to deduplicate.
  { ...common, entry: { index: "src/index.ts" }, dts: true, clean: true },
  // What people start: in few files, for loading dozens of modules takes longer than most commands.
  {
    ...common,
    entry: { muxHooks: "src/cli/muxHooks.ts", agentGauntlet: "src/cli/gauntlet/main.ts" },
    outDir: "dist/cli",
    dts: false,
    clean: false,
    deps: { alwaysBundle: [/./], onlyBundle: false },
    // jsonc-parser's "main" cannot be bundled.
    shims: true, // write-file-atomic wants a __filename.
    inputOptions: { resolve: { mainFields: ["module", "main"] } },
  },
  // Each is a bundle by itself, so that what one of them lacks is not loaded for another's sake.
  { ...stopHook, entry: { stopHookProcess: "src/cli/gauntlet/stopHook/stopHookProcess.ts" } },
  { ...stopHook, outDir: "dist/host", entry: { register: "src/host/register.ts" } },
  { ...stopHook, entry: { stopHookRest: "src/cli/gauntlet/stopHook/stopHookRest.ts" } },
]);
