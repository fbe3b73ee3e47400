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

/** For each message, whether the turn that it begins is the user's. */
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
  { what: "a summary alone", sent: [summary(), { message: "Hello" }], own: [false, true] },
  {
    what: "a summary in between",
    sent: [summary({ text: "Continue" }), resume],
    own: [false, false],
  },
  {
    what: "a summary in between, in older words",
    sent: [summary({ text: "Continue" }, "continueMessage"), resume, resume],
    own: [false, false, true],
  },
  {
    what: "a summary and a message",
    sent: [summary({ text: "Hello" }), { message: "Hello" }],
    own: [true, true],
  },
  {
    what: "a summary and a picture",
    sent: [summary({ text: "Continue", fileParts: [{}] }), resume],
    own: [true, true],
  },
  {
    what: "a summary, and something typed meanwhile",
    sent: [summary({ text: "Continue" }), { message: "Continue\nand hurry" }, resume],
    own: [false, true, true],
  },
])("$what: whose turns these are (H25)", ({ sent, own }) => {
  expect(turnsOf(sent)).toEqual(own);
});

test("another try that comes to nothing leaves nothing behind (H25)", () => {
  const session = {} as HostAgentSession;
  const turns = new UserTurns();
  turns.retried(session);
  turns.retryOver(session);
  expect(turns.begins(session)).toBe(false);
  turns.retried(session);
  expect(turns.begins(session)).toBe(true);
});
