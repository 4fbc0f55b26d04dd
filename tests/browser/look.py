#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of `dlrun report --html` in headless Chromium and reports what a reader would stumble over.

  look.py FILE.html... [--shots DIR] [--once | --untimed]

Each page is opened offline, in light and in dark, at 1280 and at 360 pixels, and scrolled from top to bottom. Findings
are: errors and warnings of the console, uncaught errors, requests to anything but the file itself, dialogs, elements
that came out of the data's text, figures that were not drawn, a page that is wider than its window, controls that do not
work (see hands.py), and findings of axe-core that are more than minor, with all folds open. Prints when the text could be
read, when the first plot was drawn, and how long each further plot took from the moment it was scrolled to. --once opens it
light and wide alone, and does not judge times; --untimed does not judge them either. --shots writes pictures of the page, of
each figure and of the printed pages. Ends with 1 if there was a finding.

Needs Debian's packages chromium and, for pictures of printed pages, poppler-utils. The Python packages of
requirements.txt are installed at the first call.
"""
import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

import hands

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))
from environments import enter  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
VIEWS = (("light", 1280), ("dark", 1280), ("light", 360))   # colours and pixels
LIMITS = {"readable": 1.0, "first plot": 4.0, "plot": 2.0}


def axe_source():
    package = Path(importlib.util.find_spec("axe_playwright_python").origin).parent
    return next(package.rglob("axe.min.js")).read_text()


class Visit:
    """One page in one browser window, and the findings there."""

    def __init__(self, browser, path, scheme, width):
        self.path, self.label, self.findings, self.times = path, f"{path.stem} {scheme} {width}", [], []
        self.context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True)
        self.page = self.context.new_page()
        self.url = path.resolve().as_uri()
        self.listen()

    def found(self, text):
        self.findings.append(f"{self.label}: {text}")

    def listen(self):
        page = self.page
        page.on("console", lambda message: message.type in ("error", "warning") and self.found(f"console: {message.text[:300]}"))
        page.on("pageerror", lambda error: self.found(f"uncaught: {str(error)[:300]}"))
        page.on("dialog", lambda dialog: (self.found(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", self.check_request)

    def check_request(self, request):
        if request.url != self.url and not request.url.startswith(("data:", "blob:")):
            self.found(f"request: {request.url[:200]}")

    # ---- drawing ----

    def open(self):
        self.page.goto(self.url, wait_until="domcontentloaded")
        self.page.wait_for_timeout(300)
        entries = self.page.evaluate(
            "() => ({loaded: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1e3,"
            " paint: (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0) / 1e3})")
        self.times.append(("readable", entries["paint"] or entries["loaded"]))
        self.times.append(("all loaded", entries["loaded"]))

    def drawable(self):
        return self.page.locator("figure.plot").all() if self.page.evaluate("() => Boolean(window.Plotly)") else []

    def draw_all(self):
        """Jumps to each figure, from far off and when the page is idle, and waits for its plot.

        A plot that was drawn ahead, next to another one, counts as 0 s. The first one is reached by opening the page.
        """
        figures = self.drawable()
        for number in range(len(figures)):
            figure = figures[number // 2 if number % 2 == 0 else -(number // 2) - 1]
            self.page.wait_for_timeout(1000 if number else 0)
            name = figure.get_attribute("data-plot")
            begun = figure.evaluate("element => { element.scrollIntoView({block: 'center'}); return performance.now(); }")
            try:
                self.page.wait_for_function("element => element.dataset.drawn", arg=figure.element_handle(), timeout=20000)
            except Exception:  # a plot that was not drawn in 20 s is a finding, whatever the reason
                self.found(f"figure {name} was not drawn")
                continue
            drawn = float(figure.get_attribute("data-drawn"))
            seconds = (drawn if number == 0 else max(0, drawn - begun)) / 1e3
            self.times.append(("first plot" if number == 0 else f"plot {name}", seconds))

    def check_times(self):
        for name, seconds in self.times:
            limit = LIMITS.get(name) or (LIMITS["plot"] if name.startswith("plot ") else None)
            if limit and seconds > limit:
                self.found(f"{name} took {seconds:.2f} s, more than {limit:.0f} s")

    # ---- checks of the finished page ----

    def check_width(self):
        wide = self.page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            self.found(f"the page is {wide} pixels wider than its window")

    def check_markup(self):
        """Names such as <img src=x onerror=…> must be text: the page itself has no such elements."""
        found = self.page.evaluate("() => document.querySelectorAll('main script, main svg a, main img:not([src^=\"data:\"])').length")
        if found:
            self.found(f"{found} elements that came out of the data's text")

    def open_folds(self):
        self.page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        self.page.wait_for_timeout(700)

    def check_tables(self):
        for fold in self.page.locator("details.trials, details.numbers").all():
            if fold.locator("table").count() == 0:
                self.found("a fold without a table")

    def check_axe(self, source):
        self.page.evaluate(source)
        result = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        self.axe = {"version": result["testEngine"]["version"], "passes": len(result["passes"]), "minor": []}
        for violation in result["violations"]:
            places = ", ".join(str(node["target"][0]) for node in violation["nodes"][:3])
            text = f"axe {violation['impact']}: {violation['id']}: {violation['help']} ({len(violation['nodes'])}: {places})"
            if violation["impact"] != "minor":
                self.found(text)
            else:
                self.axe["minor"].append(text)

    def use_hands(self):
        try:
            for text in hands.all_checks(self.page):
                self.found(text)
        except Exception as error:  # an element that never came is a finding, and the other checks still run
            self.found(f"using the page ended with {str(error)[:200]}")

    # ---- pictures ----

    def shoot(self, folder):
        name = self.label.replace(" ", "-")
        self.page.evaluate("() => scrollTo(0, 0)")
        self.page.wait_for_timeout(200)
        self.page.screenshot(path=str(folder / f"{name}.png"), full_page=True)
        for number, figure in enumerate(self.page.locator("figure.plot").all()):
            figure.screenshot(path=str(folder / f"{name}-{number:02}-{figure.get_attribute('data-plot')}.png"))

    def print(self, folder):
        pdf = folder / f"{self.path.stem}-print.pdf"
        self.page.emulate_media(color_scheme="light")
        self.page.pdf(path=str(pdf), format="A4", print_background=True, prefer_css_page_size=True)
        subprocess.run(["pdftoppm", "-r", "60", "-png", str(pdf), str(pdf.with_suffix(""))], check=False)


def visit(browser, path, scheme, width, axe, shots, are_times_judged):
    one = Visit(browser, path, scheme, width)
    one.open()
    one.draw_all()
    if are_times_judged:
        one.check_times()
    one.check_width()
    if shots:
        one.shoot(shots)
        if scheme == "light" and width > 1000:
            one.print(shots)
    if scheme == "light" and width > 1000:
        one.use_hands()
    one.open_folds()
    one.check_tables()
    one.check_markup()
    one.check_width()
    one.check_axe(axe)
    one.context.close()
    return one


def report(one):
    times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in one.times)
    print(f"{one.label}: {times}; axe {one.axe['version']}: {one.axe['passes']} rules pass", flush=True)
    for text in sorted(set(one.findings)):
        print("  " + text, flush=True)
    for text in one.axe["minor"]:
        print("  (not counted) " + text, flush=True)
    return len(one.findings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--untimed", action="store_true")
    args = parser.parse_args()
    enter(HERE / "requirements.txt")
    from playwright.sync_api import sync_playwright
    if args.shots:
        args.shots.mkdir(parents=True, exist_ok=True)
    axe, found = axe_source(), 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        for path in args.pages:
            for scheme, width in VIEWS[:1] if args.once else VIEWS:
                found += report(visit(browser, path, scheme, width, axe, args.shots, not (args.once or args.untimed)))
        browser.close()
    print(f"{len(args.pages)} pages, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
