// RSpec and PHPUnit: failures, errors, a nested group, parameters, skipped tests, and files that cannot be loaded.
import { project, versions } from "./project.mjs";

/** Returns the tools that are not available. */
export function rspec() {
  const sums = (expected) =>
    `require "sums"\n\nRSpec.describe Sums do\n  describe "#add" do\n    it "adds" do\n      expect(Sums.new.add(1, 2)).to eq(${expected})\n    end\n\n    context "with zero" do\n      [0, 1].each do |value|\n        it "adds #{value}" do\n          expect(Sums.new.add(0, value)).to eq(value * ${expected - 2})\n        end\n      end\n    end\n  end\n\n  it "passes" do\n  end\n\n  xit "is skipped" do\n  end\n\n  it "is pending" do\n    pending("not ready")\n    expect(1).to eq(2)\n  end\nend\n`;
  const texts = (method) =>
    `require "sums"\n\nRSpec.describe "texts" do\n  it "raises in the library" do\n    Sums.new.${method}\n  end\n\n  it "has several" do\n    aggregate_failures do\n      expect("a").to eq("${method === "fail_now" ? "b" : "a"}")\n      expect("c").to eq("${method === "fail_now" ? "d" : "c"}")\n    end\n  end\nend\n`;
  const hook =
    'RSpec.describe "hook" do\n  before(:context) { raise "no database" }\n  it "needs it" do\n  end\nend\n';
  const files = {
    "lib/sums.rb":
      'class Sums\n  def add(a, b)\n    a + b\n  end\n\n  def fail_now\n    raise ArgumentError, "not ready"\n  end\n\n  def fine\n  end\nend\n',
    "spec/sums_spec.rb": sums(4),
    "spec/texts_spec.rb": texts("fail_now"),
    "spec/hook_spec.rb": hook,
    "broken/broken_spec.rb": 'require "not_installed"\n\nRSpec.describe "broken" do\nend\n',
    "broken/syntax_spec.rb": 'RSpec.describe "syntax" do\n  it "ends"\n',
    "passing/sums_spec.rb": sums(3),
    "passing/texts_spec.rb": texts("fine"),
  };
  const { run, save } = project("rspec", files);
  const version = run("rspec", ["--version"]);
  if (version.status !== 0) return ["rspec"];
  versions.rspec = /rspec-core (\S+)/.exec(version.text)?.[1];
  save("rspec.txt", run("rspec", ["spec"]));
  save("rspec-documentation.txt", run("rspec", ["--format", "documentation", "spec"]));
  save("rspec-broken.txt", run("rspec", ["broken"]));
  save("rspec-passes.txt", run("rspec", ["passing"]));
  save("rspec-documentation-passes.txt", run("rspec", ["-fd", "passing"]));
  return [];
}

/** Returns the tools that are not available. */
export function minitest() {
  const { run, save } = project("minitest", {
    "sums.rb":
      'module Sums\n  PASSES = ENV["PASSES"] == "1"\n  def self.add(a, b) = a + b + (PASSES ? 0 : 1)\n  def self.check = PASSES || raise("not ready")\nend\n',
    "test/test_sums.rb": `require "minitest/autorun"
require_relative "../sums"

class SumsTest < Minitest::Test
  def test_adds = assert_equal(3, Sums.add(1, 2))
  def test_checks = assert(Sums.check)
  def test_passes = assert(true)
  def test_later = skip("later")
end

describe "texts" do
  it "trims it all" do
    _(Sums.add(0, 1)).must_equal 1, "a message"
  end
  describe "nested" do
    before { Sums.check }
    it("reads") { _(1).must_equal 1 }
  end
end
`,
  });
  const version = run("ruby", ["-e", 'require "minitest"; print Minitest::VERSION']);
  if (version.status !== 0) return ["minitest"];
  versions.minitest = version.text;
  const test = (args, env) =>
    run("ruby", ["-Itest", "test/test_sums.rb", "--seed=1", ...args], env);
  save("minitest.txt", test([]));
  save("minitest-verbose.txt", test(["-v"]));
  save("minitest-passes.txt", test(["-v"], { PASSES: "1" }));
  return [];
}

/** Returns the tools that are not available. */
export function phpunit() {
  const sums = (expected, raised) =>
    `<?php\nnamespace App;\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass SumsTest extends TestCase\n{\n    public function testAdds(): void\n    {\n        $this->assertSame(${expected}, 1 + 2);\n    }\n\n    /** @dataProvider pairs */\n    public function testPairs(int $a, int $b): void\n    {\n        $this->assertSame($a, $b);\n    }\n\n    public function pairs(): array\n    {\n        return ["same" => [1, 1], "with (brackets)" => [2, ${expected - 1}], [3, ${expected}]];\n    }\n\n    public function testRaises(): void\n    {\n        $this->assertNotNull(Helper::${raised}());\n    }\n\n    public function testSkipped(): void\n    {\n        $this->markTestSkipped("not ready");\n    }\n\n    public function testIncomplete(): void\n    {\n        $this->markTestIncomplete("later");\n    }\n}\n`;
  const texts = (risky) =>
    `<?php\nnamespace App;\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass TextsTest extends TestCase\n{\n    public function testText(): void\n    {\n        $this->assertSame("a\\nb", "a\\n${risky ? "c" : "b"}", "the texts differ");\n    }\n\n    public function testRisky(): void\n    {\n${risky ? "" : "        $this->assertTrue(true);\n"}    }\n}\n`;
  const helper =
    '<?php\nnamespace App;\n\nclass Helper\n{\n    public static function fails(): int\n    {\n        throw new \\RuntimeException("not ready");\n    }\n\n    public static function fine(): int\n    {\n        return 1;\n    }\n}\n';
  const { run, save } = project("phpunit", {
    "bootstrap.php": '<?php\nrequire __DIR__ . "/src/Helper.php";\n',
    "src/Helper.php": helper,
    "tests/SumsTest.php": sums(4, "fails"),
    "tests/TextsTest.php": texts(true),
    "broken/BrokenTest.php": "<?php\nclass BrokenTest extends Missing\n{\n}\n",
    "passing/SumsTest.php": sums(3, "fine"),
    "passing/TextsTest.php": texts(false),
  });
  const version = run("phpunit", ["--version"]);
  if (version.status !== 0) return ["phpunit"];
  versions.phpunit = /PHPUnit (\S+)/.exec(version.text)?.[1];
  const phpunit = (...args) =>
    run("phpunit", ["--do-not-cache-result", "--bootstrap", "bootstrap.php", ...args]);
  save("phpunit.txt", phpunit("tests"));
  save("phpunit-broken.txt", phpunit("broken"));
  save("phpunit-passes.txt", phpunit("passing"));
  save("phpunit-ok.txt", phpunit("passing/TextsTest.php"));
  return [];
}
