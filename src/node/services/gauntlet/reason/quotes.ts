/** Marks text that is not the gauntlet's own, so that it cannot pass for instructions of the gauntlet (G26). */
import { clip, visible } from "@/common/text";
import { exitedWith, killedBy, timedOut } from "@/node/services/gauntlet/messages/shared";
import { CONFIG_BROKEN, gateHangs, NO_LONGER_APPLIES } from "@/node/services/gauntlet/messages/run";

export const PREFIX = "      | ";
const MAX_NAME_CHARS = 200;

/** Quotes each line. */
export function quoted(text: string): string {
  return text.replaceAll(/^/gm, PREFIX);
}

/** Returns the number of characters of a whole text when it is quoted. */
export function quotedLength(text: string): number {
  return text === "" ? 0 : quoted(text).length + 1;
}

/** Returns a name of a gate, a folder or a file. One with spaces or unusual characters is in quotation marks. */
export function shownName(name: string, max = MAX_NAME_CHARS): string {
  const text = clip(visible(name), max);
  return PLAIN_NAME.test(text) ? text : `"${text.replaceAll('"', "'")}"`;
}

const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_@.,+:=#~*%/()[\]…-]+$/u;

/** Returns whether the message of a gate has no text of a program, a file or a configuration. */
export function isOwnMessage(message: string): boolean {
  return OWN_MESSAGES.has(message.replaceAll(/\bSIG[A-Z\d]+|\d+(?:\.\d+)?/g, "0"));
}

/** All numbers and signals are 0. */
const OWN_MESSAGES: ReadonlySet<string> = new Set([
  ...[exitedWith(0), killedBy("0"), timedOut(0), gateHangs(0, 0)],
  ...[NO_LONGER_APPLIES, CONFIG_BROKEN],
]);
