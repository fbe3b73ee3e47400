import { expect, test } from "vitest";
import { MarkedStream } from "@/node/runtime/remote/exec/MarkedStream";

test("passes on the bytes between the marks, regardless of its chunks", () => {
  const whole = Buffer.from("banner <be <begin>one <en <end two<end>behind");
  for (let size = 1; size <= whole.length; size++) {
    let taken = "";
    let behind = "";
    const stream = new MarkedStream([
      ["<begin>", (bytes) => (taken += bytes.toString())],
      ["<end>", (bytes) => (behind += bytes.toString())],
    ]);
    for (let at = 0; at < whole.length; at += size) stream.push(whole.subarray(at, at + size));
    expect(stream.passed).toBe(2);
    expect([taken, behind]).toEqual(["one <en <end two", "behind"]);
  }
});

test("passes on all received bytes if the stream breaks off", () => {
  let taken = "";
  const take = (bytes: Buffer) => (taken += bytes.toString());
  const stream = new MarkedStream([
    ["<", take],
    [">>", take],
  ]);
  stream.push(Buffer.from("x<one>"));
  expect(stream.passed).toBe(1);
  stream.close();
  expect(taken).toBe("one>");
});
