/** Facts about the host's build that runs in this process. */
import { hasTrustFlag } from "@/host/session/trust";

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
