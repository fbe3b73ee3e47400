// Maven's Surefire with JUnit 5, and Gradle with JUnit 4: failures, errors, a nested class, parameters, skipped tests,
// and sources that cannot be compiled. Both run offline, with the plugins that are in their local repositories.
import { join } from "node:path";
import { project, versions } from "./project.mjs";

const SUREFIRE = "3.5.6";
const JUPITER = "5.14.4";

const helper = (isRight) =>
  `package com.example;\n\nclass Helper {\n    static int value() {\n        ${isRight ? "return 1;" : 'throw new IllegalStateException("not ready");'}\n    }\n}\n`;

const jupiterSums = (expected) =>
  `package com.example;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Disabled;\nimport org.junit.jupiter.api.DisplayName;\nimport org.junit.jupiter.api.Nested;\nimport org.junit.jupiter.api.Test;\nimport org.junit.jupiter.params.ParameterizedTest;\nimport org.junit.jupiter.params.provider.CsvSource;\n\nclass SumsTest {\n    @Test\n    void adds() {\n        assertEquals(${expected}, 1 + 2);\n    }\n\n    @Test\n    @DisplayName("raises (in the library)")\n    void raises() {\n        assertEquals(1, Helper.value());\n    }\n\n    @ParameterizedTest\n    @CsvSource({"1, 1", "2, ${expected - 1}"})\n    void pairs(int a, int b) {\n        assertEquals(a, b, "a - b: not equal");\n    }\n\n    @Test\n    @Disabled("not ready")\n    void skipped() {}\n\n    @Nested\n    class Inner {\n        @Test\n        void deep() {\n            assertEquals("a\\nb", "a\\n${expected === 3 ? "b" : "c"}");\n        }\n    }\n}\n`;
const jupiterTexts = (isRight) =>
  `package com.example.texts;\n\nimport static org.junit.jupiter.api.Assertions.assertTrue;\n\nimport org.junit.jupiter.api.BeforeAll;\nimport org.junit.jupiter.api.Test;\n\nclass TextsTest {\n    @BeforeAll\n    static void connect() {\n        assertTrue(${isRight}, "no database");\n    }\n\n    @Test\n    void passes() {}\n}\n`;
const passing =
  "package com.example;\n\nimport org.junit.jupiter.api.Test;\n\nclass FineTest {\n    @Test\n    void passes() {}\n}\n";

function pom(more) {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>scratch</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
${more}
</project>
`;
}

const dependency = (group, name, version) =>
  `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version><scope>test</scope></dependency>`;
/** Maven 3.8 needs a version of plexus-utils that its local repository may not have. */
const PLEXUS = `<dependencies><dependency><groupId>org.codehaus.plexus</groupId><artifactId>plexus-utils</artifactId><version>4.1.0</version></dependency></dependencies>`;
const plugin = (name, version) =>
  `<plugin><artifactId>${name}</artifactId><version>${version}</version>${PLEXUS}</plugin>`;

/** Returns the tools that are not available. */
export function surefire() {
  const tests = (expected, isRight) => ({
    "src/test/java/com/example/SumsTest.java": jupiterSums(expected),
    "src/test/java/com/example/Helper.java": helper(isRight),
    "src/test/java/com/example/FineTest.java": passing,
    "src/test/java/com/example/texts/TextsTest.java": jupiterTexts(isRight),
  });
  const files = (folder, all) =>
    Object.entries(all).map(([path, text]) => [join(folder, path), text]);
  const build = `  <dependencies>${dependency("org.junit.jupiter", "junit-jupiter", JUPITER)}</dependencies>
  <build><plugins>
    ${plugin("maven-surefire-plugin", SUREFIRE)}
    ${plugin("maven-compiler-plugin", "3.15.0")}
    ${plugin("maven-resources-plugin", "3.5.0")}
  </plugins></build>`;
  const { run, save } = project("maven", {
    ...Object.fromEntries([
      ...files("failing", tests(4, false)),
      ...files("passing", tests(3, true)),
    ]),
    "failing/pom.xml": pom(build),
    "passing/pom.xml": pom(build),
    "broken/pom.xml": pom(build),
    "broken/src/main/java/com/example/Broken.java":
      'package com.example;\n\nclass Broken {\n    int text() {\n        return "text";\n    }\n\n    Missing missing;\n}\n',
  });
  const mvn = (folder, ...args) => run("mvn", ["-o", "-B", "-f", folder, ...args, "test"]);
  const passed = mvn("passing");
  if (passed.status !== 0) {
    console.log(passed.text.slice(-2000));
    return ["surefire"];
  }
  versions["maven-surefire-plugin"] = SUREFIRE;
  save("surefire-passes.txt", passed);
  save("surefire.txt", mvn("failing"));
  save("surefire-quiet.txt", mvn("failing", "-q"));
  save("surefire-broken.txt", mvn("broken"));
  return [];
}

const junit4Sums = (expected, isRight) =>
  `package com.example;\n\nimport static org.junit.Assert.assertEquals;\n\nimport java.util.Arrays;\nimport org.junit.Ignore;\nimport org.junit.Test;\nimport org.junit.runner.RunWith;\nimport org.junit.runners.Parameterized;\n\npublic class SumsTest {\n    @Test\n    public void adds() {\n        assertEquals("the sum", ${expected}, 1 + 2);\n    }\n\n    @Test\n    public void raises() {\n        assertEquals(1, Helper.value());\n    }\n\n    @Ignore\n    @Test\n    public void skipped() {}\n\n    @RunWith(Parameterized.class)\n    public static class Pairs {\n        @Parameterized.Parameter public int value;\n\n        @Parameterized.Parameters(name = "{0} - b")\n        public static Iterable<Object> values() {\n            return Arrays.asList(1, ${isRight ? 1 : 2});\n        }\n\n        @Test\n        public void isOne() {\n            assertEquals(1, value);\n        }\n    }\n}\n`;
const junit4Fine =
  "package com.example.texts;\n\nimport org.junit.Test;\n\npublic class FineTest {\n    @Test\n    public void passes() {}\n}\n";

/** Gradle 4 of Debian, with its JUnit 4. Returns the tools that are not available. */
export function gradle() {
  const build = (more) =>
    `apply plugin: "java"\ndependencies { testCompile files("/usr/share/java/junit4.jar", "/usr/share/java/hamcrest-core.jar") }\n${more}`;
  const tests = (folder, expected, isRight, more) => ({
    [`${folder}/settings.gradle`]: 'rootProject.name = "scratch"\n',
    [`${folder}/build.gradle`]: build(more),
    [`${folder}/src/test/java/com/example/SumsTest.java`]: junit4Sums(expected, isRight),
    [`${folder}/src/test/java/com/example/Helper.java`]: helper(isRight),
    [`${folder}/src/test/java/com/example/texts/FineTest.java`]: junit4Fine,
  });
  const verbose =
    'test { testLogging { events "passed", "skipped", "failed"; exceptionFormat "full" } }\n';
  const { run, save } = project("gradle", {
    ...tests("failing", 4, false, ""),
    ...tests("verbose", 4, false, verbose),
    ...tests("passing", 3, true, verbose),
    ...tests("broken", 3, true, ""),
    "broken/src/main/java/com/example/Broken.java":
      'package com.example;\n\nclass Broken {\n    int text() {\n        return "text";\n    }\n}\n',
  });
  const gradle = (folder) =>
    run("gradle", ["-p", folder, "--offline", "--no-daemon", "--console", "plain", "test"]);
  const passed = gradle("passing");
  if (passed.status !== 0) return ["gradle"];
  versions.gradle = /Gradle (\S+)/.exec(run("gradle", ["--version"]).text)?.[1];
  save("gradle-passes.txt", passed);
  save("gradle.txt", gradle("failing"));
  save("gradle-full.txt", gradle("verbose"));
  save("gradle-broken.txt", gradle("broken"));
  return [];
}
