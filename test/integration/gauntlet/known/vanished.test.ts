/** Tests that ran at the last pass of a check and no longer run (G48). */
import { describe, expect, test } from "vitest";
import { KnownProject, type KnownOptions } from "@test/helpers/gauntlet/knownProject";
import { restoring } from "@test/helpers/restoring";

const NAMES = ["adds", "divides", "multiplies", "subtracts"];

function tests(names: readonly string[]): string {
  return names.map((name) => `${name}: true\n`).join("");
}

function junit(names: readonly string[], file = "math.test.txt"): string {
  const cases = names.map((name) => `<testcase name="${name}" classname="math" file="${file}"/>`);
  return `<testsuites><testsuite name="math">${cases.join("")}</testsuite></testsuites>\n`;
}

const NODE: KnownOptions = {
  check: "command: sh node-test.sh\n",
  files: { "math.test": tests(NAMES), "math.js": "1;\n" },
};
const JUNIT: KnownOptions = {
  check: "command: cp report.txt report.xml\nfindings: junit:report.xml\n",
  files: { "report.txt": junit(NAMES), "math.test.txt": "1\n", ".gitignore": "report.xml\n" },
};

/** Returns a project whose check has passed with all tests. */
const passed = restoring(
  async (options: KnownOptions): Promise<KnownProject> => {
    const known = await KnownProject.create(options);
    await known.newTurn();
    await known.project.write("math.js", "2;\n");
    expect(await known.stop()).toMatchObject({ status: "passed" });
    await known.newTurn();
    return known;
  },
  ({ project }) => [project.dir]
);

async function expectSilent(known: KnownProject): Promise<void> {
  const { status, personMessage } = await known.stop();
  expect(status).toBe("passed");
  expect(personMessage).toBeUndefined();
}

const THREE =
  'check:.:it: 4 tests that ran at the last pass no longer run: "adds", "divides", "multiplies" … and 1 more';

describe("tests that no longer run are named once, with three names", () => {
  test.each([
    ["deleted", tests(["other"])],
    ["renamed", tests(NAMES.map((name) => `${name} well`))],
    ["skipped", tests([...NAMES.map((name) => `skip ${name}`), "other"])],
  ])("with node --test, if they were %s", async (_, text) => {
    const known = await passed(NODE);
    await known.project.write("math.test", text);
    const { status, personMessage } = await known.stop();
    expect(status).toBe("passed");
    expect(personMessage).toContain(THREE);
    await known.newTurn();
    await known.project.write("math.js", "3;\n");
    expect((await known.stop()).personMessage).toBeUndefined();
  });

  test("with a report in the format of JUnit", async () => {
    const known = await passed(JUNIT);
    await known.project.write("report.txt", junit(["other"]));
    await known.project.write("math.test.txt", "2\n");
    const { personMessage } = await known.stop();
    expect(personMessage).toContain(THREE.replaceAll(/"(?=[a-z])/g, '"math > '));
  });

  test("after a run by hand, which an agent may have started", async () => {
    const known = await passed(NODE);
    await known.project.write("math.test", tests(["other"]));
    expect((await known.project.run({ env: known.env })).status).toBe("passed");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("no_changes");
    expect(personMessage).toContain(THREE);
    await known.newTurn();
    expect((await known.stop()).personMessage).toBeUndefined();
  });
});

describe("no test is named", () => {
  test("if only its parameter changed", async () => {
    const known = await passed({
      ...JUNIT,
      files: { ...JUNIT.files, "report.txt": junit(["adds[1]", "adds[2]"]) },
    });
    await known.project.write("report.txt", junit(["adds[3]"]));
    await known.project.write("math.test.txt", "2\n");
    await expectSilent(known);
  });

  test("if its file was moved", async () => {
    const known = await passed(JUNIT);
    await known.project.git("mv", "math.test.txt", "moved.test.txt");
    await known.project.write("report.txt", junit(NAMES, "moved.test.txt"));
    await expectSilent(known);
  });

  test("if its file did not change", async () => {
    const known = await passed(JUNIT);
    await known.project.write("report.txt", junit(["other"]));
    await expectSilent(known);
  });

  test("by a check that ran only some files", async () => {
    const known = await passed({ ...NODE, check: "command: sh node-test.sh '*' {files}\n" });
    await known.project.write("other.test", tests(["other"]));
    await expectSilent(known);
  });
});

test("two projects of a repository do not share their tests", async () => {
  const known = await KnownProject.create({
    ...NODE,
    files: {
      ...NODE.files,
      "sub/.gauntlet/config.yml": "base_branch: main\nentry_points: [{ path: ., checks: [it] }]\n",
      "sub/.gauntlet/checks/it.yml": "command: sh ../node-test.sh\n",
      "sub/other.test": tests(["other"]),
    },
  });
  const { project } = known;
  await known.newTurn();
  await project.write("math.js", "2;\n");
  await project.write("sub/other.js", "2;\n");
  expect(await known.stop({ from: "sub" })).toMatchObject({ status: "passed" });
  expect(await known.stop()).toMatchObject({ status: "passed" });
  await project.write("sub/other.js", "3;\n");
  expect((await known.stop({ from: "sub" })).personMessage).toBeUndefined();
});
