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

test.each([
  { what: "a message", sent: [{ message: "Hello" }], own: [true] },
  {
    what: "a message of the host",
    sent: [{ message: "Go on", internal: { synthetic: true } }],
    own: [false],
  },
  {
    what: "a continuation",
    sent: [{ message: "More", muxMetadata: { stopHookActive: true } }],
    own: [false],
  },
  { what: "a compaction alone", sent: [summary(), { message: "Hello" }], own: [false, true] },
  {
    what: "a compaction within a turn",
    sent: [summary({ text: "Continue" }), resume],
    own: [false, false],
  },
  {
    what: "a compaction within a turn, under the older name",
    sent: [summary({ text: "Continue" }, "continueMessage"), resume, resume],
    own: [false, false, true],
  },
  {
    what: "a compaction with a message",
    sent: [summary({ text: "Hello" }), { message: "Hello" }],
    own: [true, true],
  },
  {
    what: "a compaction with an image",
    sent: [summary({ text: "Continue", fileParts: [{}] }), resume],
    own: [true, true],
  },
  {
    what: "a compaction with text typed meanwhile",
    sent: [summary({ text: "Continue" }), { message: "Continue\nand hurry" }, resume],
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
