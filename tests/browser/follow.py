#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a study and the list of studies of `dlrun serve` in headless Chromium while results come in, and reports what
does not follow.

  follow.py [BIN]     the folder of dlrun; build/release/bin

The study asks for trials by hand, so each result comes when the test tells it. Ends with 1 if there was a finding.
"""
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import hands
import look
import make_sample
import sample_data

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


def choose_and_leave(page, study, found):
    """A field that the reader left alone, but that has the focus, does not keep the page from following."""
    field = page.locator("details.trials input")
    field.fill("completed")
    study.tell(2, 0.2)
    page.locator(".headline", has_text="Trial 2 is the best").wait_for(timeout=PATIENCE)
    if not field.evaluate("field => field === document.activeElement && field.value === 'completed'"):
        found.append("the text filter lost its text or the focus when the page followed")


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
    choose_and_leave(page, study, found)
    study.end()
    page.locator(".live", has_text="dlrun serve has ended").wait_for(timeout=PATIENCE)
    return [text for text in found if "ERR_CONNECTION_REFUSED" not in text]


def check_index(page, study):
    """The list of studies follows: a result is seen in its table, and a new study becomes a link."""
    found = watch(page)
    page.goto(study.index)
    page.locator("td", has_text="0.2").first.wait_for(timeout=PATIENCE)
    page.locator("main a", has_text="hand").focus()
    study.tell(3, 0.125)
    page.locator("td", has_text="0.125").first.wait_for(timeout=PATIENCE)
    if page.evaluate("() => document.activeElement.textContent") != "hand":
        found.append("the focused link of the list lost the focus")
    study.run("ask", "study.yaml", "--set", "study=second", "-q")
    page.locator("main a", has_text="second").wait_for(timeout=PATIENCE)
    return found


def take(page, study):
    """The page takes in newer data of its study, as it does when it follows."""
    packed = base64.b64encode(gzip.compress(json.dumps({"version": 1, "studies": [study]}).encode())).decode()
    page.evaluate("""async (packed) => {
      document.getElementById("data").textContent = packed;
      dlrunPage.forget();
      await dlrunPage.adoptFigures();
    }""", packed)
    page.wait_for_timeout(700)


def chosen(page, plot, number=0):
    return page.locator(f"figure[data-plot={plot}] select").nth(number).evaluate("select => select.selectedOptions[0]?.textContent")


def ranks_of(page):
    """Number of the trial that the plot of ranks shows, whose nodes are named by it."""
    names = page.evaluate("() => document.querySelector('figure[data-plot=ranks] .canvas').layout.yaxis.ticktext")
    return names[0]


def sample(trials, best, layers):
    """A study whose ranks are those of these trials, the best first; a node is named as its trial."""
    study = sample_data.search("clustered", 12, sample_data.SPACE[:3], 16)
    sample_data.add_ranks(study, ["rank 0"])
    numbers = [best] + [one for one in trials if one != best]
    study["best"] = best
    study["ranks"]["trials"] = numbers
    study["ranks"]["nodes"] = [[i, f"rank of {one}", *study["ranks"]["nodes"][i][2:]] for i, one in enumerate(numbers)]
    sample_data.add_placement(study, [f"layer{i}" for i in range(layers)])
    return study


def check_controls(page, folder):
    """Controls whose options change with newer data still name what the plot shows."""
    import plotly
    source = (Path(plotly.__file__).parent / "package_data/plotly.min.js").read_text()
    found = watch(page)
    (folder / "sample.html").write_text(make_sample.page([sample([3], 3, 5)], source, False))
    page.goto((folder / "sample.html").as_uri())
    for plot in ("ranks", "graph"):
        hands.drawn(page, plot)
    expect = lambda what, now, wanted: now == wanted or found.append(f"{what}: {now}, not {wanted}")
    take(page, sample([2, 3, 4], 3, 5))
    expect("a control of ranks came with the second trial", chosen(page, "ranks"), "ranks of trial 3, the best")
    take(page, sample([2, 3, 4, 7], 7, 9))
    expect("ranks of a new best trial", (chosen(page, "ranks"), ranks_of(page)), ("ranks of trial 7, the best", "rank of 7"))
    expect("decided layers of a larger graph", page.locator("figure[data-plot=graph] output").inner_text()[:6], "9 of 9")
    page.locator("figure[data-plot=ranks] select").select_option(label="ranks of trial 3")
    take(page, sample([1, 2, 3, 4, 7, 8], 8, 9))
    expect("ranks of a chosen trial", (chosen(page, "ranks"), ranks_of(page)), ("ranks of trial 3", "rank of 3"))
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
            found += check_controls(browser.new_page(), Path(folder))
        finally:
            study.server.kill()
            study.list.kill()
            browser.close()
    print("\n".join(found) or "the page follows its study, and the list its studies")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
