/** The reviews that a configuration may name with `builtin:` (G4). */
export const BUILTIN_PROMPTS: ReadonlyMap<string, string> = new Map([
  [
    "code-quality",
    `Whether the code does what it means to, and whether the next person can tell.

- Logic: conditions that are turned round, off by one, cases that a branch forgets, wrong order, wrong unit, state that
  two callers share, races, work that is awaited nowhere, resources that are never let go.
- Contracts: callers that were not changed along with a signature, results whose meaning changed, documentation and
  names that now say something false.
- Boundaries: empty, missing, huge, repeated, concurrent and malformed input where this code is the one to meet it.
- Cost: work that grows faster than its input, input held in memory whole without a bound, a query or a process per
  element.
- Design: the same knowledge in two places, dead code, a special case where the rule itself could be mended, an
  abstraction with one user and no need.

Style that a tool could settle is no violation.`,
  ],
  [
    "security",
    `Whether somebody who controls some of the input gains something by this change.

- Follow each value from outside (request, file, environment, repository content, output of another program) to where
  it is used: shell, query, path, template, deserialiser, regular expression, redirect, log.
- Authority: missing or weaker checks of who may do this, checks on the wrong side, confused deputies, tokens that are
  valid too long or for too much.
- Secrets: keys and tokens in the code, in logs, in messages, in the environment of programs that need none; comparison
  that takes a telling time.
- Files and processes: paths that leave their folder, symbolic links that are followed, check and use apart, modes that
  are too wide, temporary files with known names.
- Cryptography and randomness: home-made, out of date, predictable.
- Dependencies and build: new code that is downloaded and run, loosened pins, disabled checks.
- Exhaustion: input that makes it use memory, time, disk or processes without a bound.

Say who attacks, from where, and what is gained. Without such a way it is no violation.`,
  ],
  [
    "error-handling",
    `Whether it behaves well when things go wrong.

- Failures that are swallowed: empty handlers, results nobody looks at, promises that are dropped, exit codes ignored,
  defaults that hide that something is missing.
- Failures that go too far: one bad element ends the whole, an exception crosses a border that promises none, an
  optional part takes the rest down with it.
- Half-done work: what is left on disk, in a database or in memory when a step in the middle fails or the process dies;
  locks, handles and timers that are not let go; retries of what must not be done twice.
- Waiting: no limit on a call to something outside, cancellation that is not passed on, retries without pause or end.
- Messages: they do not say what was tried, with what, why it failed and what to do next; or they say a secret.
- Wrong class: a mistake of the user told as a fault of the program, or the other way round; everything caught where
  one thing was expected.`,
  ],
  [
    "test-integrity",
    `Whether the tests would fail if the code were wrong.

- Tests that were weakened to pass: assertions removed or loosened, expected values changed to what the code happens
  to give, cases skipped, narrowed or deleted, limits raised, snapshots renewed without cause, retries around a flaw.
- Tests that cannot fail: no assertion, assertions on the mock instead of the code, a promise not awaited, a handler
  that swallows the failure, a condition around the assertion, the code's own result compared with itself.
- Code that notices it is being tested: branches on test names, on environment variables, on the very values of a test;
  hard-coded answers.
- Behaviour that this change brings in and no test would notice losing; most of all failure paths and borders.
- Tests that depend on time, order, network, machine or on each other.
- Checks of other kinds that are turned down or off: linter rules, type checks, coverage, CI steps, ignore comments.

A missing test is a violation only where you can name the fault that would go unnoticed.`,
  ],
]);
