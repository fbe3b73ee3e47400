import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { index: "src/index.ts", "cli/muxHooks": "src/cli/muxHooks.ts" },
  format: "esm",
  platform: "node",
  target: "node20",
  dts: true,
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
  clean: true,
});
