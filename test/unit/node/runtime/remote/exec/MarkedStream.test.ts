import { expect, test } from "vitest";
import { MarkedStream } from "@/node/runtime/remote/exec/MarkedStream";

test("passes on the bytes between the marks, regardless of its chunks", () => {
  const whole = Buffer.from("banner <be <begin>one <en <end two<end>behind");
  for (let size = 1; size <= whole.length; size++) {
    let taken = "";
    let behind = "";
    const stream = new MarkedStream("<begin>", "<end>", (bytes) => (taken += bytes.toString()));
    for (let at = 0; at < whole.length; at += size) {
      behind += stream.push(whole.subarray(at, at + size))?.toString() ?? "";
    }
    expect([taken, behind]).toEqual(["one <en <end two", "behind"]);
  }
});

test("passes on all received bytes if the stream breaks off", () => {
  let taken = "";
  const stream = new MarkedStream("<", ">>", (bytes) => (taken += bytes.toString()));
  stream.push(Buffer.from("x<one>"));
  expect(stream.hasBegun()).toBe(true);
  stream.close();
  expect(taken).toBe("one>");
});
