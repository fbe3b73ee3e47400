import { expect, test } from "vitest";
import { continuationsInTurn } from "@/index";

const user = (metadata: object = {}) => ({ role: "user", parts: [], metadata });
const assistant = { role: "assistant", parts: [], metadata: {} };
const continuation = user({ synthetic: true, muxMetadata: { stopHookActive: true } });
const report = user({ synthetic: true });
const summary = user({ muxMetadata: { type: "compaction-request" } });

const compacted = { role: "assistant", metadata: { compacted: "user" } };
const partial = { role: "assistant", metadata: { partial: true } };
const limit = [1, 2, 3].flatMap(() => [assistant, continuation]);

test.each([
  { rows: [], count: 0 },
  { rows: [user(), assistant], count: 0 },
  { rows: [user(), assistant, continuation, assistant, continuation], count: 2 },
  { rows: [continuation, assistant, user(), assistant, continuation], count: 1 },
  { rows: [user(), assistant, continuation, report, assistant], count: 1 },
  { rows: [user(), assistant, continuation, summary, assistant], count: 1 },
  { rows: [user(), assistant, continuation, assistant, report, assistant], count: 0 },
  { rows: [user(), assistant, continuation, assistant, report, assistant, continuation], count: 1 },
  { rows: [user(), assistant, continuation, assistant, report, continuation], count: 2 },
  { rows: [user(), assistant, continuation, compacted, report, assistant], count: 1 },
  { rows: [user(), assistant, continuation, partial, report, assistant], count: 1 },
  { rows: [user(), ...limit, assistant, report, assistant], count: 3 },
  { rows: [user(), assistant, user({ muxMetadata: { stopHookActive: "true" } })], count: 0 },
  { rows: [user(), null, "x", continuation, 3], count: 1 },
])("counts the marked rows since the user's last message: $count (H27)", ({ rows, count }) => {
  expect(continuationsInTurn(rows)).toBe(count);
});
