// SPDX-License-Identifier: Apache-2.0
// A page that `dlrun serve` gives follows its study, and the list of studies all of them: it asks for the version, and
// takes over the parts of a newer page.
"use strict";

(() => {
  const {make, forget, adoptFigures, adoptTrials} = dlrunPage;
  const kPause = 2000, kQuiet = 10_000;  // milliseconds between questions, and after the reader's last input
  let version = document.body.dataset.version;
  if (version === undefined) return;

  const data = document.getElementById("data");
  const isOfStudy = data !== null;
  const status = document.body.appendChild(
      make("p", {class: "live", role: "status"}, isOfStudy ? "follows the study" : "follows the studies"));
  const versionPath = location.pathname.replace(/\/$/, "") + "/version";

  async function textOf(path) {
    const answer = await fetch(path, {cache: "no-store"});
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.text();
  }

  // ---- what the reader uses stays ----

  function keepFigures(old, fresh) {
    for (const figure of old.querySelectorAll("figure.plot"))
      fresh.querySelector(`figure.plot[data-plot="${figure.dataset.plot}"]`)?.replaceWith(figure);
  }

  /** Folds that are open stay open; an open table of trials stays as it is, with its order and filters, until it is closed. */
  function keepFolds(old, fresh) {
    const foldsOf = (section) => [...section.querySelectorAll("details:not(.numbers)")];
    const news = foldsOf(fresh);
    foldsOf(old).forEach((fold, i) => {
      if (!fold.open || !news[i]) return;
      if (fold.classList.contains("trials")) news[i].replaceWith(fold);
      else news[i].open = true;
    });
  }

  let lastInput = -kQuiet;
  for (const kind of ["pointerdown", "keydown", "input"])
    document.addEventListener(kind, () => (lastInput = performance.now()), {capture: true});

  const isField = (element) => element?.matches("input:not([type=range]), select") ?? false;

  /** A reader who types or chooses is not disturbed. A field keeps the focus when the reader is long done with it. */
  const isBusy = () =>
      document.hidden || (isField(document.activeElement) && performance.now() - lastInput < kQuiet);

  /** Gives the focus back to an element that stayed on the page, or to the link that took the focused one's place. */
  function focusAgain(focused, link) {
    const kept = focused?.isConnected && focused !== document.body ? focused : null;
    const target = kept ?? (link && document.querySelector(`main a[href="${CSS.escape(link)}"]`));
    target?.focus({preventScroll: true});
  }

  // ---- following ----

  function take(page) {
    const top = scrollY;
    const focused = document.activeElement, link = focused?.getAttribute("href");
    if (isOfStudy) data.textContent = page.getElementById("data").textContent;
    for (const fresh of page.querySelectorAll("main > section")) {
      const old = document.getElementById(fresh.id);
      if (old) {
        keepFigures(old, fresh);
        keepFolds(old, fresh);
      }
    }
    document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
    scrollTo(0, top);
    focusAgain(focused, link);
  }

  async function follow() {
    if (isBusy() || await textOf(versionPath) === version) return;
    const page = new DOMParser().parseFromString(await textOf(location.pathname), "text/html");
    version = page.body.dataset.version;
    take(page);
    forget();
    adoptFigures();
    adoptTrials();
    status.textContent = `last change ${new Date().toLocaleTimeString()}`;
  }

  /** Asks until the server is gone; then the page stays as it is. */
  async function repeat() {
    try {
      await follow();
    } catch (error) {
      const isGone = error instanceof TypeError;  // no connection
      status.textContent = isGone ? "dlrun serve has ended; this page no longer changes" : error.message;
      if (isGone) return;
    }
    setTimeout(repeat, kPause);
  }

  setTimeout(repeat, kPause);
})();
