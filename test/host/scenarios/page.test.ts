/** What a person reads on Mux's own page. The screenshots are in `.cache/pages`. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { repository } from "@test/helpers/built";
import { type Chat, TOKEN } from "@test/host/rig/HostServer";
import { hosts } from "@test/host/rig/hosts";
import { type OpenedChat, shareServer } from "@test/host/rig/shareServer";
import { agree, alwaysBlock, stopHook } from "@test/host/rig/stopHooks";

const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SCREENSHOTS = join(repository, ".cache", "pages");

const [host] = hosts;
const dist = process.env.MUX_DIST ?? "";
// A checkout of Mux has a template of the page in its root.
const folder = existsSync(join(dist, "dist")) ? join(dist, "dist") : dist;
const hasPage = existsSync(join(folder, "index.html"));
const lacks = [
  ...(hasPage && dist !== "" ? [] : ["no page was built in MUX_DIST"]),
  ...(existsSync(BROWSER) ? [] : [`there is no ${BROWSER}`]),
];
const title = "the page" + (lacks.length === 0 ? "" : ` (skipped: ${lacks.join(", ")})`);

const replies = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));

describe.skipIf(lacks.length > 0)(title, () => {
  const openShared = shareServer(host!);
  let browser: Browser;
  let isIntroduced = false;

  beforeAll(async () => {
    await mkdir(SCREENSHOTS, { recursive: true });
    // Chromium refuses to run as root in its sandbox.
    browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());

  test("shows a running hook, its output, a block and a pass (H24)", async () => {
    const opened = await openShared(replies);
    const settings = stopHook({ command: opened.hook.command, statusMessage: "Run the tests" });
    // The next test replaces them. All tests have the same project.
    await opened.rig.write(opened.rig.path(".mux", "settings.json"), JSON.stringify(settings));
    const page = await openPage(opened);
    await opened.chat.send("Say hello");
    const run = await opened.hook.runs();
    run.answer("echo 'test 1 passes'; read -r go <&3; echo 'test 2 fails' >&2; exit 2");
    await read(page, "Stop hook: Run the tests", "executing");
    await page.getByText("Stop hook: Run the tests").click();
    await read(page, "test 1 passes");
    await page.screenshot({ path: join(SCREENSHOTS, "running.png") });

    run.answer("go");
    const second = await opened.hook.runs();
    await read(page, "failed", "the agent was sent back to work");
    await read(page, "[Stop hook requested continuation]", "test 2 fails", "AUTO");
    await page.screenshot({ path: join(SCREENSHOTS, "blocked.png") });

    second.answer("echo Good.; exit 0");
    await read(page, "Two.", "completed");
    await page.screenshot({ path: join(SCREENSHOTS, "passed.png") });
  });

  test("shows that the agent stops at the limit (H26)", async () => {
    const opened = await openShared(replies, alwaysBlock);
    const page = await openPage(opened);
    await opened.chat.send("Say hello");
    await ends(opened.chat, "Four.");
    await read(page, "mux-stop-hooks: the agent stops now, after 3 continuations");
    await page.screenshot({ path: join(SCREENSHOTS, "limit.png") });
  });

  test("shows a hook that fails (H23)", async () => {
    const failing = stopHook("echo 'no such server' >&2; exit 1", agree);
    const opened = await openShared(replies, failing);
    const page = await openPage(opened);
    await opened.chat.send("Say hello");
    await ends(opened.chat, "One.");
    await read(page, "mux-stop-hooks:", "exit code 1: no such server", "Stop hook 2 of 2: exit 0");
    await page.screenshot({ path: join(SCREENSHOTS, "failed.png") });
  });

  async function openPage({ server, chat }: OpenedChat): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1800, height: 1000 } });
    const page = await context.newPage();
    await page.addInitScript(
      'localStorage.setItem("tutorialState", `{"disabled":true,"completed":{}}`)'
    );
    onTestFailed(async () => {
      await page.screenshot({ path: join(SCREENSHOTS, "failure.png") });
    });
    // A card that is sent before the page listens is not shown.
    const isListening = new Promise<void>((resolve) => {
      page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => {
          if (payload.includes("caught-up")) resolve();
        })
      );
    });
    await page.goto(`${server.url}/workspace/${chat.workspaceId}?token=${TOKEN}`);
    // The first visit begins with an introduction.
    if (!isIntroduced) await page.getByRole("button", { name: "Skip" }).click({ timeout: 60_000 });
    isIntroduced = true;
    await isListening;
    return page;
  }
});

/** Waits until the page shows these texts, in any place. */
async function read(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await page.getByText(text).first().waitFor({ state: "visible", timeout: 60_000 });
  }
  expect(await page.locator("body").innerText()).toContain(texts[0]);
}

/** Waits for the turn with this text. */
async function ends(chat: Chat, text: string): Promise<void> {
  while ((await chat.answer()) !== text);
}
