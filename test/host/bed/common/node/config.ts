/** The host's data about its user, its projects and its workspaces. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Metadata } from "@test/host/bed/common/node/types";

interface Project {
  workspaces: unknown[];
  trusted?: boolean;
}

export class Config {
  /** The workspaces, which are kept when the host ends. */
  readonly workspaces: Map<string, Metadata>;

  /** @param rootDir the folder of the sessions; `run` has one of its own */
  constructor(
    readonly userRoot = process.env.MUX_ROOT ?? join(homedir(), ".mux"),
    readonly rootDir = userRoot
  ) {
    const known = existsSync(this.#workspacesFile)
      ? (JSON.parse(readFileSync(this.#workspacesFile, "utf8")) as [string, Metadata][])
      : [];
    this.workspaces = new Map(known);
  }

  getSessionDir(workspaceId: string): string {
    return join(this.rootDir, "sessions", workspaceId);
  }

  /** The model provider's URL from `providers.jsonc`. */
  get modelUrl(): string {
    const file = readFileSync(join(this.userRoot, "providers.jsonc"), "utf8");
    const providers = JSON.parse(file) as { anthropic: { baseUrl: string } };
    return providers.anthropic.baseUrl;
  }

  addWorkspace(fields: Omit<Metadata, "id" | "runtimeConfig"> & Partial<Metadata>): Metadata {
    const metadata = { id: newId(), runtimeConfig: { type: "local" }, ...fields };
    this.setWorkspace(metadata.id, metadata);
    return metadata;
  }

  /** @param metadata undefined if the workspace no longer exists */
  setWorkspace(id: string, metadata?: Metadata): void {
    if (metadata === undefined) this.workspaces.delete(id);
    else this.workspaces.set(id, metadata);
    writeFileSync(this.#workspacesFile, JSON.stringify([...this.workspaces]));
  }

  /** The projects of `config.json`, by path. */
  get projects(): Map<string, Project> {
    const file = readFileSync(join(this.userRoot, "config.json"), "utf8");
    const { projects } = JSON.parse(file) as { projects: [string, Project][] };
    return new Map(projects);
  }

  get #workspacesFile(): string {
    return join(this.rootDir, "workspaces.json");
  }
}

export function newId(): string {
  return randomBytes(5).toString("hex");
}
