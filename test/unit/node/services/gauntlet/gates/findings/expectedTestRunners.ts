/** The findings and tests that the parsers have to find in the outputs of the test runners of Ruby, PHP and Java. */
import type { ExpectedFindings } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

export const TEST_RUNNERS: Readonly<Record<string, ExpectedFindings>> = {
  "minitest.txt": {
    format: "minitest",
    lines: [
      "test/test_sums.rb:13 a message. Expected: 1 Actual: 2 [texts > trims it all]",
      "test/test_sums.rb:5 Expected: 3 Actual: 4 [SumsTest > test_adds]",
      "/project/sums.rb:4 RuntimeError: not ready [SumsTest > test_checks]",
      "/project/sums.rb:4 RuntimeError: not ready [texts > nested > reads]",
    ],
    ids: [
      "texts > trims it all",
      "SumsTest > test_adds",
      "SumsTest > test_checks",
      "texts > nested > reads",
    ],
    tests: { passed: 1, failed: 4, skipped: 1, names: [] },
  },
  "minitest-verbose.txt": {
    format: "minitest",
    lines: [
      "test/test_sums.rb:13 a message. Expected: 1 Actual: 2 [texts > trims it all]",
      "test/test_sums.rb:5 Expected: 3 Actual: 4 [SumsTest > test_adds]",
      "/project/sums.rb:4 RuntimeError: not ready [SumsTest > test_checks]",
      "/project/sums.rb:4 RuntimeError: not ready [texts > nested > reads]",
    ],
    ids: [
      "texts > trims it all",
      "SumsTest > test_adds",
      "SumsTest > test_checks",
      "texts > nested > reads",
    ],
    tests: { passed: 1, failed: 4, skipped: 1, names: ["SumsTest > test_passes"] },
  },
  "minitest-passes.txt": {
    format: "minitest",
    lines: [],
    tests: {
      ...{ passed: 5, failed: 0, skipped: 1 },
      names: [
        "texts > trims it all",
        "SumsTest > test_passes",
        "SumsTest > test_adds",
        "SumsTest > test_checks",
        "texts > nested > reads",
      ],
    },
  },
  "gradle-broken.txt": {
    format: "gradle",
    lines: [
      "/project/broken/src/main/java/com/example/Broken.java:5 incompatible types: String cannot be converted to int",
    ],
  },
  "gradle-full.txt": {
    format: "gradle",
    lines: [
      "com/example/Helper.java:5 IllegalStateException: not ready [com.example.SumsTest > raises]",
      "com/example/SumsTest.java:14 AssertionError: the sum expected:<4> but was:<3> [com.example.SumsTest > adds]",
      "com/example/SumsTest.java:37 AssertionError: expected:<1> but was:<2> [com.example.SumsTest$Pairs > isOne[2 - b]]",
    ],
    ids: [
      "com.example.SumsTest > raises",
      "com.example.SumsTest > adds",
      "com.example.SumsTest$Pairs > isOne[2 - b]",
    ],
    tests: {
      passed: 2,
      failed: 3,
      skipped: 1,
      names: ["com.example.SumsTest$Pairs > isOne[1 - b]", "com.example.texts.FineTest > passes"],
    },
  },
  "gradle-junit5.txt": {
    format: "gradle",
    lines: [
      "SumsTest.java:15 AssertionFailedError [SumsTest > adds()]",
      "SumsTest.java:21 IllegalStateException [SumsTest > raises (in the library)]",
      "SumsTest.java:27 AssertionFailedError [SumsTest > pairs(int, int) > [2] 2, 3]",
      "SumsTest.java:38 AssertionFailedError [SumsTest > Inner > deep()]",
    ],
    ids: [
      "SumsTest > adds()",
      "SumsTest > raises (in the library)",
      "SumsTest > pairs(int, int) > [2] 2, 3",
      "SumsTest > Inner > deep()",
    ],
    tests: { passed: 2, failed: 4, skipped: 1, names: [] },
  },
  "gradle-passes.txt": {
    format: "gradle",
    lines: [],
    tests: {
      passed: 5,
      failed: 0,
      skipped: 1,
      names: [
        "com.example.SumsTest > raises",
        "com.example.SumsTest > adds",
        "com.example.SumsTest$Pairs > isOne[1 - b]",
        "com.example.texts.FineTest > passes",
      ],
    },
  },
  "gradle.txt": {
    format: "gradle",
    lines: [
      "com/example/SumsTest.java:19 IllegalStateException [com.example.SumsTest > raises]",
      "com/example/SumsTest.java:14 AssertionError [com.example.SumsTest > adds]",
      "com/example/SumsTest.java:37 AssertionError [com.example.SumsTest$Pairs > isOne[2 - b]]",
    ],
    ids: [
      "com.example.SumsTest > raises",
      "com.example.SumsTest > adds",
      "com.example.SumsTest$Pairs > isOne[2 - b]",
    ],
    tests: { passed: 2, failed: 3, skipped: 1, names: [] },
  },
  "phpunit-12.txt": {
    format: "phpunit",
    lines: [
      "/project/src/Helper.php:8 RuntimeException: not ready [App\\SumsTest::testRaises]",
      "/project/tests/SumsTest.php:16 Failed asserting that 4 is identical to 3. [App\\SumsTest::testPairs with data set #0]",
      "/project/src/Helper.php:15 warning: Undefined variable $text",
    ],
    ids: ["App\\SumsTest > testRaises", "App\\SumsTest > testPairs with data set #0"],
    tests: { passed: 2, failed: 2, skipped: 1, names: [] },
  },
  "phpunit-broken.txt": {
    format: "phpunit",
    lines: ['/project/broken/BrokenTest.php:2 Uncaught Error: Class "Missing" not found'],
  },
  "phpunit-ok.txt": {
    format: "phpunit",
    lines: [],
    tests: { passed: 2, failed: 0, skipped: 0, names: [] },
  },
  "phpunit-passes.txt": {
    format: "phpunit",
    lines: [],
    tests: { passed: 7, failed: 0, skipped: 2, names: [] },
  },
  "phpunit.txt": {
    format: "phpunit",
    lines: [
      "/project/src/Helper.php:8 RuntimeException: not ready [App\\SumsTest::testRaises]",
      "/project/tests/SumsTest.php:10 Failed asserting that 3 is identical to 4. [App\\SumsTest::testAdds]",
      '/project/tests/SumsTest.php:16 Failed asserting that 3 is identical to 2. [App\\SumsTest::testPairs with data set "with (brackets)"]',
      "/project/tests/SumsTest.php:16 Failed asserting that 4 is identical to 3. [App\\SumsTest::testPairs with data set #0]",
      "/project/tests/TextsTest.php:10 the texts differ Failed asserting that two strings are identical. [App\\TextsTest::testText]",
      "/project/tests/TextsTest.php:13 warning: This test did not perform any assertions [App\\TextsTest::testRisky]",
    ],
    ids: [
      "App\\SumsTest > testRaises",
      "App\\SumsTest > testAdds",
      'App\\SumsTest > testPairs with data set "with (brackets)"',
      "App\\SumsTest > testPairs with data set #0",
      "App\\TextsTest > testText",
      "App\\TextsTest > testRisky",
    ],
    tests: { passed: 2, failed: 5, skipped: 2, names: [] },
  },
  "rspec-broken.txt": {
    format: "rspec",
    lines: [
      "./broken/broken_spec.rb:1 LoadError: cannot load such file -- not_installed",
      './broken/syntax_spec.rb:2 SyntaxError: /project/broken/syntax_spec.rb:2: syntax error, unexpected end-of-input, expecting `end\' it "ends" ^',
    ],
    tests: { passed: 0, failed: 0, skipped: 0, names: [] },
  },
  "rspec-documentation-passes.txt": {
    format: "rspec",
    lines: [],
    tests: {
      passed: 6,
      failed: 0,
      skipped: 2,
      names: [
        "Sums passes",
        "Sums#add adds",
        "Sums#add with zero adds 0",
        "Sums#add with zero adds 1",
        "texts raises in the library",
        "texts has several",
      ],
    },
  },
  "rspec-documentation.txt": {
    format: "rspec",
    lines: [
      "./spec/hook_spec.rb:2 RuntimeError: no database [hook needs it]",
      "./spec/sums_spec.rb:6 expected: 4 got: 3 [Sums#add adds]",
      "./spec/sums_spec.rb:12 expected: 2 got: 1 [Sums#add with zero adds 1]",
      "./lib/sums.rb:7 ArgumentError: not ready [texts raises in the library]",
      './spec/texts_spec.rb:10 expected: "b" got: "a" [texts has several]',
      './spec/texts_spec.rb:11 expected: "d" got: "c" [texts has several]',
    ],
    ids: [
      "hook needs it",
      "Sums#add adds",
      "Sums#add with zero adds 1",
      "texts raises in the library",
      "texts has several",
      "texts has several",
    ],
    tests: {
      passed: 2,
      failed: 5,
      skipped: 2,
      names: ["Sums passes", "Sums#add with zero adds 0"],
    },
  },
  "rspec-passes.txt": {
    format: "rspec",
    lines: [],
    tests: { passed: 6, failed: 0, skipped: 2, names: [] },
  },
  "rspec.txt": {
    format: "rspec",
    lines: [
      "./spec/hook_spec.rb:2 RuntimeError: no database [hook needs it]",
      "./spec/sums_spec.rb:6 expected: 4 got: 3 [Sums#add adds]",
      "./spec/sums_spec.rb:12 expected: 2 got: 1 [Sums#add with zero adds 1]",
      "./lib/sums.rb:7 ArgumentError: not ready [texts raises in the library]",
      './spec/texts_spec.rb:10 expected: "b" got: "a" [texts has several]',
      './spec/texts_spec.rb:11 expected: "d" got: "c" [texts has several]',
    ],
    ids: [
      "hook needs it",
      "Sums#add adds",
      "Sums#add with zero adds 1",
      "texts raises in the library",
      "texts has several",
      "texts has several",
    ],
    tests: { passed: 2, failed: 5, skipped: 2, names: [] },
  },
  "surefire-broken.txt": {
    format: "surefire",
    lines: [
      "/project/broken/src/main/java/com/example/Broken.java:8:5 cannot find symbol",
      "/project/broken/src/main/java/com/example/Broken.java:5:16 incompatible types: java.lang.String cannot be converted to int",
    ],
  },
  "surefire-passes.txt": {
    format: "surefire",
    lines: [],
    tests: { passed: 7, failed: 0, skipped: 1, names: [] },
  },
  "surefire-quiet.txt": {
    format: "surefire",
    lines: [
      "com/example/Helper.java:5 IllegalStateException: not ready [raises]",
      "com/example/SumsTest.java:15 AssertionFailedError: expected: <4> but was: <3> [adds]",
      "com/example/SumsTest.java:27 AssertionFailedError: a - b: not equal ==> expected: <2> but was: <3> [pairs(int, int)[2]]",
      "com/example/SumsTest.java:38 AssertionFailedError: expected: <a b> but was: <a c> [deep]",
      "com/example/texts/TextsTest.java:11 AssertionFailedError: no database ==> expected: <true> but was: <false> [com.example.texts.TextsTest]",
    ],
    ids: [
      "com.example.SumsTest > raises",
      "com.example.SumsTest > adds",
      "com.example.SumsTest > pairs(int, int)[2]",
      "com.example.SumsTest > deep",
    ],
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
  "surefire.txt": {
    format: "surefire",
    lines: [
      "com/example/Helper.java:5 IllegalStateException: not ready [raises]",
      "com/example/SumsTest.java:15 AssertionFailedError: expected: <4> but was: <3> [adds]",
      "com/example/SumsTest.java:27 AssertionFailedError: a - b: not equal ==> expected: <2> but was: <3> [pairs(int, int)[2]]",
      "com/example/SumsTest.java:38 AssertionFailedError: expected: <a b> but was: <a c> [deep]",
      "com/example/texts/TextsTest.java:11 AssertionFailedError: no database ==> expected: <true> but was: <false> [com.example.texts.TextsTest]",
    ],
    ids: [
      "com.example.SumsTest > raises",
      "com.example.SumsTest > adds",
      "com.example.SumsTest > pairs(int, int)[2]",
      "com.example.SumsTest > deep",
    ],
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
};
