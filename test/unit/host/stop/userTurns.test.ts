import { expect, test } from "vitest";
import type { HostAgentSession, HostInternal, HostSendOptions } from "@/host/muxTypes";
import { UserTurns } from "@/host/stop/userTurns";

interface Sent {
  readonly message: string;
  readonly muxMetadata?: unknown;
  readonly internal?: HostInternal;
}

const summary = (followUpContent?: object, name = "followUpContent"): Sent => ({
  message: "Sum it all up",
  muxMetadata: { type: "compaction-request", parsed: { [name]: followUpContent } },
});
const resume: Sent = { message: "Continue" };

/** Returns for each message whether the turn that it begins is the user's. */
function turnsOf(messages: readonly Sent[]): boolean[] {
  const session = {} as HostAgentSession;
  const turns = new UserTurns();
  return messages.map(({ message, muxMetadata, internal }) => {
    const options: HostSendOptions = muxMetadata === undefined ? {} : { muxMetadata };
    turns.messageSent(session, message, options, internal);
    return turns.begins(session);
  });
}

const hello = { message: "Hello" };
const goOn = { message: "Go on", internal: { synthetic: true } };
const continued = { message: "More", muxMetadata: { stopHookActive: true } };
const hurry = { message: "Continue\nand hurry" };
const next = { text: "Continue" };
const image = { text: "Continue", fileParts: [{}] };

test.each<{ what: string; sent: readonly Sent[]; own: boolean[] }>([
  { what: "a message", sent: [hello], own: [true] },
  { what: "a message of the host", sent: [goOn], own: [false] },
  { what: "a continuation", sent: [continued], own: [false] },
  { what: "a compaction alone", sent: [summary(), hello], own: [false, true] },
  { what: "a compaction within a turn", sent: [summary(next), resume], own: [false, false] },
  {
    what: "a compaction within a turn, under the older name",
    sent: [summary(next, "continueMessage"), resume, resume],
    own: [false, false, true],
  },
  {
    what: "a compaction with a message",
    sent: [summary({ text: "Hello" }), hello],
    own: [true, true],
  },
  { what: "a compaction with an image", sent: [summary(image), resume], own: [true, true] },
  {
    what: "a compaction with text typed meanwhile",
    sent: [summary(next), hurry, resume],
    own: [false, true, true],
  },
])("recognizes the user's turns after $what (H25)", ({ sent, own }) => {
  expect(turnsOf(sent)).toEqual(own);
});

test("a retry without effect does not begin a turn of the user (H25)", () => {
  const session = {} as HostAgentSession;
  const turns = new UserTurns();
  turns.retried(session);
  turns.retryOver(session);
  expect(turns.begins(session)).toBe(false);
  turns.retried(session);
  expect(turns.begins(session)).toBe(true);
});
