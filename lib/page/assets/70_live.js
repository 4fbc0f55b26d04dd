// SPDX-License-Identifier: Apache-2.0
// A page that `dlrun serve` gives follows its study, and the list of studies all of them: it asks for the version, and
// takes over the parts of a newer page.
"use strict";

(() => {
  const {make, forget, adoptFigures, adoptTrials} = dlrunPage;
  const kPause = 2000;  // milliseconds between questions
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

  /** A reader who types or chooses is not disturbed. */
  const isBusy = () => document.hidden || document.activeElement?.matches("input:not([type=range]), select");

  // ---- following ----

  function take(page) {
    const top = scrollY;
    const link = document.activeElement?.getAttribute("href");
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
    if (link) document.querySelector(`main a[href="${CSS.escape(link)}"]`)?.focus({preventScroll: true});
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
