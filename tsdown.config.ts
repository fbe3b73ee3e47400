import { defineConfig } from "tsdown";

const common = {
  format: "esm",
  platform: "node",
  target: "node20",
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
} as const;

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
]);
