/**
 * Reads the trust in a project that Mux itself records, and finds out whether this version of Mux records any. If it
 * does, its trust flag decides whether the hooks of a project run (H31).
 */
import { tryOr } from "@/common/errors";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseObject } from "@/common/json";
import type { HostMetadata } from "@/host/muxTypes";

/** Returns whether this build of the host has trust flags, which its hook for new workspaces reads. */
export function hasTrustFlag(distDir: string): boolean {
  const hook = join(distDir, "node", "runtime", "initHook.js");
  return tryOr(() => readFileSync(hook, "utf8"), "").includes("trusted");
}

/** Reads the trust flag. @param root the user root, whose `config.json` lists projects as pairs of path and settings */
export function isTrustedByHost(root: string, { projectPath, kind }: HostMetadata): boolean {
  // A workspace without a project is the host's own folder.
  if (kind === "scratch") return true;
  const projects = new Map(readProjects(root));
  const path = projectPath.replace(/\/+$/, "");
  const owner = projects.get(path)?.parentProjectPath;
  return projects.get(typeof owner === "string" ? owner : path)?.trusted === true;
}

function readProjects(root: string): [string, Record<string, unknown>][] {
  // An unreadable configuration trusts no project.
  const text = tryOr(() => readFileSync(join(root, "config.json"), "utf8"), "");
  const { projects } = parseObject(text);
  const pairs = Array.isArray(projects) ? projects.filter((pair) => Array.isArray(pair)) : [];
  return pairs.flatMap(([path, settings]: unknown[]): [string, Record<string, unknown>][] =>
    typeof path === "string" && isJsonObject(settings) ? [[path, settings]] : []
  );
}

/** The build folder of the host in this process, and whether one of its modules checks trust. */
let dist: string | undefined;
let trustFlag = false;

/** Sets the build's folder, when the first of its modules is loaded. */
export function setHostDist(dir: string): void {
  dist ??= dir;
}

/** Records that one of the host's modules checks whether projects are trusted. */
export function rememberTrustFlag(): void {
  trustFlag = true;
}

/** Returns whether the host keeps a trust flag for projects (H31). */
export function knowsTrust(): boolean {
  return trustFlag || (dist !== undefined && hasTrustFlag(dist));
}
