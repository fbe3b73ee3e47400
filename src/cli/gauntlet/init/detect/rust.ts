/** Cargo packages and workspaces. */
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { Detected } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

export async function suggestRust(project: ProjectFolder): Promise<Detected> {
  if (project.find("Cargo.toml") === undefined) return { suggestions: [] };
  const toml = await project.toml("Cargo.toml");
  const all = Object.keys(objectAt(toml, "workspace")).length > 0 ? " --workspace" : "";
  const base = { reason: reasons.file("Cargo.toml"), entryPoint: ".", origin: "default" } as const;
  return {
    suggestions: [
      { ...base, kind: "test", tool: "cargo", command: `cargo test${all}` },
      {
        ...base,
        kind: "lint",
        tool: "clippy",
        command: `cargo clippy${all} --all-targets -- -D warnings`,
        program: "cargo-clippy",
      },
      {
        ...base,
        kind: "format",
        tool: "rustfmt",
        command: "cargo fmt --all --check",
        program: "cargo-fmt",
      },
    ],
  };
}
