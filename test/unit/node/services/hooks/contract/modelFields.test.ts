import { expect, test } from "vitest";
import { modelFields } from "@/node/services/hooks/contract/makeInput";

test("returns a field for each known fact (H13)", () => {
  const facts = { model: "anthropic:claude", thinkingLevel: "low", contextWindowUsed: 0.25 };
  expect(modelFields(facts)).toEqual({
    model: "anthropic:claude",
    effort: { level: "low" },
    context_usage: 0.25,
  });
});

test.each([
  {},
  { model: "", thinkingLevel: "off" },
  { model: 1, thinkingLevel: {}, contextWindowUsed: { inputTokens: 5 } },
  { contextWindowUsed: 1.5 },
  { contextWindowUsed: Number.NaN },
])("leaves out what is unknown or unusable: %j", (facts) => {
  expect(modelFields(facts)).toEqual({});
});
