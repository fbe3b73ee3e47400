import { expect, test } from "vitest";
import { isPublicAddress } from "@/node/services/hooks/execution/handlers/httpRequest";

test.each(["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])(
  "%s is public (H42)",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  }
);

test.each([
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1"],
  ...["172.31.255.255", "192.168.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:8.8.8.8", "::ffff:7f00:1", "64:ff9b::7f00:1", "fc00::1", "fd12::1"],
  ...["fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::"],
  ...["", "example.com", "1.1.1"],
])("%s is not public (H42)", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
