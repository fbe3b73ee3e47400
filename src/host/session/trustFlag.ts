/** What is known of the build of the host that this process runs. */
import { hasTrustFlag } from "@/host/session/trust";

let dist: string | undefined;
let trustFlag = false;

/** Where it lies, once one of its modules was seen. */
export function setHostDist(dir: string): void {
  dist ??= dir;
}

/** One of its modules asks whether projects are trusted. */
export function rememberTrustFlag(): void {
  trustFlag = true;
}

/** Whether the host keeps a trust flag for projects (H31). */
export function knowsTrust(): boolean {
  return trustFlag || (dist !== undefined && hasTrustFlag(dist));
}
