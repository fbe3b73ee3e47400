// `go test` and `cargo test` with names of passed tests, subtests, skipped tests, and runs in which all tests pass.
import { join } from "node:path";
import { project } from "./project.mjs";

/** Returns the tools that are not available. */
export function goTests() {
  const sums = (expected) =>
    `package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tfor _, one := range []struct {\n\t\tname string\n\t\ta, b int\n\t}{{"small", 1, 2}, {"large: a/b", 2, ${expected - 1}}} {\n\t\tt.Run(one.name, func(t *testing.T) {\n\t\t\tif one.a+1 != one.b {\n\t\t\t\tt.Errorf("%d is not %d", one.a+1, one.b)\n\t\t\t}\n\t\t})\n\t}\n}\n\nfunc TestSkipped(t *testing.T) { t.Skip("not ready") }\n\nfunc TestSilent(t *testing.T) {\n\tif ${expected} != 4 {\n\t\tt.Fail()\n\t}\n}\n\nfunc TestPasses(t *testing.T) { t.Log("a note") }\n`;
  const texts = (right) =>
    `package texts\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif ${right} != 1 {\n\t\tt.Fatal("several\\nlines")\n\t}\n}\n`;
  const { run, save } = project("goTests", {
    "go.mod": "module example.com/scratch\n\ngo 1.19\n",
    "failing/sums/sums_test.go": sums(5),
    "failing/texts/texts_test.go": texts(2),
    "failing/none/none.go": "package none\n",
    "passing/sums/sums_test.go": sums(4),
    "passing/texts/texts_test.go": texts(1),
    "passing/none/none.go": "package none\n",
    "built/built_test.go":
      'package built\n\nimport "testing"\n\nfunc TestA(t *testing.T) { missing() }\n',
  });
  if (run("go", ["version"]).status !== 0) return ["go"];
  const go = (...args) => run("go", ["test", "-count=1", ...args]);
  save("go-test-names.txt", go("-v", "./failing/..."));
  save("go-test-names-quiet.txt", go("./failing/...", "./built", "./passing/texts"));
  save("go-test-passes.txt", go("-v", "./passing/..."));
  save("go-test-passes-quiet.txt", go("./passing/..."));
  return [];
}

/** Returns the tools that are not available. */
export function cargoTests() {
  const cargo = (name) => `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n`;
  const sums = (expected) =>
    `/// Adds.\n///\n/// \`\`\`\n/// assert_eq!(sums::add(1, 2), ${expected});\n/// \`\`\`\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    mod inner {\n        #[test]\n        fn adds() {\n            assert_eq!(crate::add(1, 2), ${expected}, "the sum\\nis wrong");\n        }\n    }\n    #[test]\n    fn returns_an_error() -> Result<(), String> {\n        if ${expected} == 3 { Ok(()) } else { Err("not equal".into()) }\n    }\n    #[test]\n    #[should_panic(expected = "no such")]\n    fn panics() {\n        if ${expected} == 3 { panic!("no such value") }\n    }\n    #[test]\n    fn joins() {\n        let thread = std::thread::spawn(|| if ${expected} == 3 {} else { panic!("in a thread") });\n        thread.join().unwrap();\n    }\n    #[test]\n    #[ignore]\n    fn skipped() {}\n    #[test]\n    fn passes() {}\n}\n`;
  const { dir, run, save } = project("cargoTests", {
    "failing/Cargo.toml": '[workspace]\nmembers = ["sums", "texts"]\nresolver = "2"\n',
    "failing/sums/Cargo.toml": cargo("sums"),
    "failing/sums/src/lib.rs": sums(4),
    "failing/sums/tests/whole.rs": "#[test]\nfn works() {\n    assert!(sums::add(1, 2) == 4);\n}\n",
    "failing/texts/Cargo.toml": cargo("texts"),
    "failing/texts/src/lib.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn passes() {}\n}\n",
    "passing/Cargo.toml": cargo("sums"),
    "passing/src/lib.rs": sums(3),
    "passing/tests/whole.rs": "#[test]\nfn works() {\n    assert!(sums::add(1, 2) == 3);\n}\n",
  });
  if (run("cargo", ["--version"]).status !== 0) return ["cargo"];
  const test = (folder, ...args) =>
    run("cargo", ["test", "--manifest-path", `${folder}/Cargo.toml`, "--no-fail-fast", ...args], {
      CARGO_TARGET_DIR: join(dir, "target"),
      CARGO_NET_OFFLINE: "true",
    });
  save("cargo-test-names.txt", test("failing", "--workspace"));
  save("cargo-test-quiet.txt", test("failing", "-q", "-p", "sums", "--lib"));
  save("cargo-test-passes.txt", test("passing"));
  return [];
}
