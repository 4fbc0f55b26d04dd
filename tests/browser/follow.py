#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a study and the list of studies of `dlrun serve` in headless Chromium while results come in, and reports what
does not follow.

  follow.py [BIN]     the folder of dlrun; build/release/bin

The study asks for trials by hand, so each result comes when the test tells it. Ends with 1 if there was a finding.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import look

STUDY = """\
study: hand
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}, y: {type: float, low: 0, high: 1}}
search: {sampler: random}
limits: {trials: 8}
trial: {kind: asked}
"""
PATIENCE = 30_000  # milliseconds; only a page that does not follow takes that long


class Study:
    """A store with a study whose results are told one by one, and a server of its pages."""

    def __init__(self, folder, bin_folder):
        self.dlrun, self.folder = Path(bin_folder) / "dlrun", folder
        (folder / "study.yaml").write_text(STUDY)
        self.environment = {**os.environ, "DLRUN_STORE": str(folder / "store")}
        self.tell(0, 0.5)
        self.server, self.address = self.serve("hand")
        self.list, self.index = self.serve()

    def serve(self, *studies):
        """A server of these studies, or of all, and its address."""
        server = subprocess.Popen([self.dlrun, "serve", *studies, "-q"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        return server, server.stdout.readline().strip()

    def run(self, *arguments):
        subprocess.run([self.dlrun, *arguments], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def tell(self, trial, value):
        """Asks for the next trial and tells its result."""
        self.run("ask", "study.yaml", "-q")
        self.run("tell", "hand", str(trial), f"value={value}", "-q")

    def end(self):
        self.server.terminate()
        self.server.wait()


def points(page):
    return page.evaluate("() => document.querySelector('figure[data-plot=history] .canvas').data"
                         ".filter(trace => trace.mode?.includes('markers')).reduce((sum, trace) => sum + trace.x.length, 0)")


def watch(page):
    """Keeps what the console, requests and scripts complain of."""
    found = []
    page.on("console", lambda message: message.type in ("error", "warning") and found.append(f"console: {message.text[:300]}"))
    page.on("pageerror", lambda error: found.append(f"uncaught: {str(error)[:300]}"))
    return found


def check(page, study):
    """Sentences about what went wrong, in order."""
    found = watch(page)
    foreign = lambda request: request.url.startswith(("data:", "blob:", study.address.rsplit("/study/")[0]))
    page.on("request", lambda request: foreign(request) or found.append(f"request: {request.url[:200]}"))
    page.goto(study.address)
    page.wait_for_function("() => document.querySelector('figure[data-plot=history]').dataset.drawn", timeout=PATIENCE)
    page.locator("details.trials > summary").click()
    page.evaluate("() => { window.sameHistory = document.querySelector('figure[data-plot=history]'); }")
    study.tell(1, 0.25)
    page.locator(".headline", has_text="Trial 1 is the best").wait_for(timeout=PATIENCE)
    page.wait_for_function("() => document.querySelector('figure[data-plot=history]').dataset.drawn", timeout=PATIENCE)
    page.wait_for_timeout(500)
    if not page.evaluate("() => window.sameHistory === document.querySelector('figure[data-plot=history]')"):
        found.append("the figure of the history was replaced, not drawn anew")
    if points(page) != 2:
        found.append(f"the history has {points(page)} points after two results")
    if not page.locator("details.trials").evaluate("fold => fold.open"):
        found.append("the open table of trials was closed")
    study.end()
    page.locator(".live", has_text="dlrun serve has ended").wait_for(timeout=PATIENCE)
    return [text for text in found if "ERR_CONNECTION_REFUSED" not in text]


def check_index(page, study):
    """The list of studies follows: a result is seen in its table, and a new study becomes a link."""
    found = watch(page)
    page.goto(study.index)
    page.locator("td", has_text="0.25").first.wait_for(timeout=PATIENCE)
    page.locator("main a", has_text="hand").focus()
    study.tell(2, 0.125)
    page.locator("td", has_text="0.125").first.wait_for(timeout=PATIENCE)
    if page.evaluate("() => document.activeElement.textContent") != "hand":
        found.append("the focused link of the list lost the focus")
    study.run("ask", "study.yaml", "--set", "study=second", "-q")
    page.locator("main a", has_text="second").wait_for(timeout=PATIENCE)
    return found


def main():
    look.enter(look.HERE / "requirements.txt")
    from playwright.sync_api import sync_playwright
    bin_folder = Path(sys.argv[1] if len(sys.argv) > 1 else look.HERE.parents[1] / "build/release/bin").resolve()
    with tempfile.TemporaryDirectory(prefix="dlrun-follow-") as folder, sync_playwright() as playwright:
        study = Study(Path(folder), bin_folder)
        browser = playwright.chromium.launch(executable_path=look.CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        try:
            found = check(browser.new_page(), study) + check_index(browser.new_page(), study)
        finally:
            study.server.kill()
            study.list.kill()
            browser.close()
    print("\n".join(found) or "the page follows its study, and the list its studies")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
