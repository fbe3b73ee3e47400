/** Logs in the format of common tools, whose useful lines are few. */

const times = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));

/** A missing toolchain: the advice is one line, and the same trace is printed three times. */
export function rustupLog(): string {
  const trace = [
    "stack backtrace:",
    ...times(
      16,
      (i) => `   ${i}: rustup_init::config::Cfg::find_toolchain_${i}::h5d0e9f1a2b3c4d5e`
    ),
    ...times(16, (i) => `  ${i + 16}: std::rt::lang_start::{{closure}}::h0a1b2c3d4e5f6a7b`),
    "             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/rt.rs:195:18",
  ];
  return [
    "info: syncing channel updates for '1.99.0-x86_64-unknown-linux-gnu'",
    "error: toolchain '1.99.0-x86_64-unknown-linux-gnu' is not installed",
    "help: run 'rustup toolchain install 1.99.0-x86_64-unknown-linux-gnu' to install it",
    "",
    ...trace,
    ...trace,
    ...trace,
    "note: some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.",
  ].join("\n");
}

/** 58 failures of an end-to-end suite whose browser is missing. */
export function playwrightLog(): string {
  const failures = times(58, (i) =>
    [
      `  ${i + 1}) [chromium] › tests/shop-${i}.spec.ts:${i + 3}:5 › buys article ${i} ─────────────`,
      "",
      "    Error (PlaywrightError) {",
      '      message: "browserType.launch: Executable doesn\'t exist",',
      "    }",
      "        at Browser.launch (/srv/shop/node_modules/playwright-core/lib/browser.js:102:15)",
      `        at open (/srv/shop/tests/shop-${i}.spec.ts:9:11)`,
    ].join("\n")
  );
  return [
    "Running 58 tests using 4 workers",
    ...failures,
    '  hint: run "npx playwright install" to download new browsers',
    "  58 failed",
  ].join("\n");
}

/** An exception below a web framework, in the format of Python. */
export function pytestLog(): string {
  const frames = times(40, (i) =>
    [
      `  File "/srv/.venv/lib/python3.12/site-packages/flask/app_${i}.py", line ${i + 7}, in dispatch`,
      "    return self.view_functions[rule.endpoint](**view_args)",
    ].join("\n")
  );
  return [
    "Traceback (most recent call last):",
    '  File "/srv/shop/cart.py", line 31, in total',
    "    return sum(item.price for item in items)",
    ...frames,
    "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'",
    "3 failed, 12 passed in 0.31s",
  ].join("\n");
}
