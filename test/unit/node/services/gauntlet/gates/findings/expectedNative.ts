/** The findings and tests that the parsers have to find in the outputs of Go, Rust and .NET. */
import type { ExpectedFindings } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

export const NATIVE: Readonly<Record<string, ExpectedFindings>> = {
  "cargo-check.txt": {
    format: "rustc",
    lines: [
      "crates/bad/src/lib.rs:3:18 mismatched types [E0308]",
      "crates/bad/src/lib.rs:4:5 cannot find function `missing` in this scope [E0425]",
    ],
  },
  "cargo-test-names.txt": {
    format: "rustc",
    lines: [
      "sums/src/lib.rs:15:13 assertion `left == right` failed: the sum [tests::inner::adds]",
      "sums/src/lib.rs:29:64 in a thread [tests::joins]",
      "sums/src/lib.rs:30:23 called `Result::unwrap()` on an `Err` value: Any { .. } [tests::joins]",
      "sums/src/lib.rs:24:8 test did not panic as expected [tests::panics]",
      'Error: "not equal" [tests::returns_an_error]',
      "sums/tests/whole.rs:3:5 assertion failed: sums::add(1, 2) == 4 [works]",
      "sums/src/lib.rs:5:1 assertion `left == right` failed [sums/src/lib.rs - add (line 3)]",
    ],
    ids: [
      "sums > tests > inner > adds",
      "sums > tests > joins",
      "sums > tests > joins",
      "sums > tests > panics",
      "sums > tests > returns_an_error",
      "whole > works",
      "sums > sums/src/lib.rs - add (line 3)",
    ],
    tests: {
      passed: 2,
      failed: 6,
      skipped: 1,
      names: ["sums > tests > passes", "texts > tests > passes"],
    },
  },
  "cargo-test-passes.txt": {
    format: "rustc",
    lines: [],
    tests: {
      passed: 7,
      failed: 0,
      skipped: 1,
      names: [
        "sums > tests > inner > adds",
        "sums > tests > panics",
        "sums > tests > passes",
        "sums > tests > joins",
        "sums > tests > returns_an_error",
        "whole > works",
        "sums > src/lib.rs - add (line 3)",
      ],
    },
  },
  "cargo-test-quiet.txt": {
    format: "rustc",
    lines: [
      "sums/src/lib.rs:15:13 assertion `left == right` failed: the sum [tests::inner::adds]",
      "sums/src/lib.rs:29:64 in a thread [tests::joins]",
      "sums/src/lib.rs:30:23 called `Result::unwrap()` on an `Err` value: Any { .. } [tests::joins]",
      "sums/src/lib.rs:24:8 test did not panic as expected [tests::panics]",
      'Error: "not equal" [tests::returns_an_error]',
    ],
    ids: [
      "tests > inner > adds",
      "tests > joins",
      "tests > joins",
      "tests > panics",
      "tests > returns_an_error",
    ],
    tests: { passed: 1, failed: 4, skipped: 1, names: [] },
  },
  "cargo-test.txt": {
    format: "rustc",
    lines: [
      "crates/good/src/lib.rs:9:9 assertion `left == right` failed [tests::adds]",
      "crates/good/src/lib.rs:13:9 not ready [tests::fails]",
    ],
    ids: ["good > tests > adds", "good > tests > fails"],
    tests: { passed: 1, failed: 2, skipped: 0, names: ["good > tests > passes"] },
  },
  "dotnet-build.txt": {
    format: "dotnet",
    lines: [
      "/project/Lib/Lib.csproj Unable to find package Missing.Package. No packages exist with this id in source(s): local [NU1101]",
      "/project/Lib/Sums.cs:5:16 The name 'missing' does not exist in the current context [CS0103]",
      "/project/Lib/Sums.cs:9:20 Cannot implicitly convert type 'string' to 'int' [CS0029]",
    ],
  },
  "dotnet-test-normal.txt": {
    format: "dotnet",
    lines: [],
    tests: {
      passed: 5,
      failed: 0,
      skipped: 1,
      names: [
        "Tests.SumsTest > Adds",
        "Tests.SumsTest > Pairs(a: 1, b: 1)",
        "Tests.SumsTest > Pairs(a: 2, b: 2)",
        "Tests.SumsTest+Inner > Raises",
        "Tests.TextsTest > Passes",
      ],
    },
  },
  "dotnet-test.txt": {
    format: "dotnet",
    lines: [
      "/project/Lib/Sums.cs:4:13 warning: The variable 'unused' is assigned but its value is never used [CS0219]",
      "/project/Tests/SumsTest.cs:10 Assert.Equal() Failure: Values differ Expected: 4 Actual: 3 [Tests.SumsTest.Adds]",
      "/project/Tests/SumsTest.cs:18 Assert.Equal() Failure: Values differ Expected: 2 Actual: 3 [Tests.SumsTest.Pairs(a: 2, b: 3)]",
      "/project/Lib/Helper.cs:7 System.InvalidOperationException : not ready [Tests.SumsTest+Inner.Raises]",
    ],
    ids: [
      "Tests.SumsTest > Adds",
      "Tests.SumsTest > Pairs(a: 2, b: 3)",
      "Tests.SumsTest+Inner > Raises",
    ],
    tests: { passed: 2, failed: 3, skipped: 1, names: [] },
  },
  "go-build.txt": {
    format: "go",
    lines: [
      "broken/broken.go:4:2 x declared but not used",
      "broken/broken.go:5:9 undefined: undefinedName",
    ],
  },
  "go-test-names-quiet.txt": {
    format: "go",
    lines: [
      "built/built_test.go:5:28 undefined: missing",
      "sums_test.go:12 3 is not 4 [TestSum/large:_a/b]",
      "failed [TestSilent]",
      "texts_test.go:7 several [TestSum]",
    ],
    ids: [
      "example.com/scratch/failing/sums > TestSum > large:_a > b",
      "example.com/scratch/failing/sums > TestSilent",
      "example.com/scratch/failing/texts > TestSum",
    ],
    tests: { passed: 0, failed: 4, skipped: 0, names: [] },
  },
  "go-test-names.txt": {
    format: "go",
    lines: [
      "sums_test.go:12 3 is not 4 [TestSum/large:_a/b]",
      "failed [TestSilent]",
      "texts_test.go:7 several [TestSum]",
    ],
    ids: [
      "example.com/scratch/failing/sums > TestSum > large:_a > b",
      "example.com/scratch/failing/sums > TestSilent",
      "example.com/scratch/failing/texts > TestSum",
    ],
    tests: {
      passed: 2,
      failed: 4,
      skipped: 1,
      names: [
        "example.com/scratch/failing/sums > TestSum > small",
        "example.com/scratch/failing/sums > TestPasses",
      ],
    },
  },
  "go-test-passes-quiet.txt": {
    format: "go",
    lines: [],
  },
  "go-test-passes.txt": {
    format: "go",
    lines: [],
    tests: {
      passed: 6,
      failed: 0,
      skipped: 1,
      names: [
        "example.com/scratch/passing/sums > TestSum",
        "example.com/scratch/passing/sums > TestSum > small",
        "example.com/scratch/passing/sums > TestSum > large:_a > b",
        "example.com/scratch/passing/sums > TestSilent",
        "example.com/scratch/passing/sums > TestPasses",
        "example.com/scratch/passing/texts > TestSum",
      ],
    },
  },
  "go-test-verbose.txt": {
    format: "go",
    lines: [
      "sums_test.go:7 Sum(1, 2) = 4, want 3 [TestSum]",
      "sums_test.go:10 not equal [TestSum/inner_test]",
    ],
    ids: [
      "example.com/scratch/inner/sums > TestSum",
      "example.com/scratch/inner/sums > TestSum > inner_test",
    ],
    tests: {
      passed: 1,
      failed: 2,
      skipped: 0,
      names: ["example.com/scratch/inner/sums > TestPasses"],
    },
  },
  "go-test.txt": {
    format: "go",
    lines: [
      "sums_test.go:7 Sum(1, 2) = 4, want 3 [TestSum]",
      "sums_test.go:10 not equal [TestSum/inner_test]",
      "/project/crash/crash_test.go:7 panic: runtime error: index out of range [3] with length 0 [TestCrash]",
    ],
    ids: [
      "example.com/scratch/inner/sums > TestSum",
      "example.com/scratch/inner/sums > TestSum > inner_test",
      "example.com/scratch/crash > TestCrash",
    ],
    tests: { passed: 0, failed: 3, skipped: 0, names: [] },
  },
  "go-vet.txt": {
    format: "go",
    lines: [
      "broken/broken.go:5:9 undeclared name: undefinedName",
      'vetted/vetted.go:6:2 fmt.Printf format %d has arg "text" of wrong type string',
    ],
  },
  "rustc.txt": {
    format: "rustc",
    lines: ["main.rs:2:18 mismatched types [E0308]"],
  },
};
