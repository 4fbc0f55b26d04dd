// SPDX-License-Identifier: Apache-2.0
// The figures: each is drawn when it comes near the window, one at a time, in the place of its static picture.
"use strict";

(() => {
  const {studies, words, plots, numbers, numbersFold, look, prefersDark, make} = dlrunPage;

  const kConfig = {
    responsive: false,
    displaylogo: false,
    showLink: false,
    showSendToCloud: false,
    plotlyServerURL: "",
    scrollZoom: false,
    doubleClick: "reset+autosize",
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
  };

  // ---- a figure ----

  /** All that belongs to one figure.plot: its elements, the reader's choices, and whether it is drawn. */
  function figureOf(element) {
    const plot = plots[element.dataset.plot];
    const picture = element.querySelector("img");
    const place = make("div", {class: "place"});
    const caption = element.querySelector("figcaption") ?? element.appendChild(make("figcaption"));
    element.insertBefore(place, picture ?? caption);
    if (picture) place.append(picture);
    const title = element.dataset.title || element.dataset.plot;
    const figure = {element, plot, picture, place, caption, title, choices: {}, state: {}, drawn: false, width: 0};
    figure.fold = numbersFold((all) => numbersName(figure, all), (all) => {
      chooseDefaults(figure, all);
      return numbers[element.dataset.plot](subject(figure, all), figure.choices);
    });
    element.append(figure.fold);
    return figure;
  }

  /** Name of a table of numbers; with its study where the page has several. */
  const numbersName = (figure, all) =>
      `Numbers: ${figure.title}` + (all.length > 1 && !figure.plot.page ? `, ${words(subject(figure, all).name)}` : "");

  const subject = (figure, all) => (figure.plot.page ? all : all[Number(figure.element.dataset.study)]);

  const placeWidth = (figure) => Math.floor(figure.place.clientWidth);

  /** Keeps the place that the plot will need, so that nothing jumps when it is drawn. */
  function reserve(figure, all) {
    figure.height = Math.round(figure.plot.height(subject(figure, all), placeWidth(figure), figure.choices));
    figure.place.style.minHeight = figure.height + "px";
  }

  // ---- controls ----

  const controlsOf = (figure, all) => figure.plot.controls?.(subject(figure, all)) ?? [];

  function chooseDefaults(figure, all) {
    for (const {name, value} of controlsOf(figure, all)) figure.choices[name] ??= value;
  }

  /** The reader has chosen: the plot, its place and its numbers follow. */
  async function chose(figure, name, value) {
    figure.choices[name] = value;
    reserve(figure, await studies());
    draw(figure);
    figure.fold.refresh();
  }

  function selectControl(figure, {name, text, options}) {
    const select = make("select", {}, ...options.map((option, i) => make("option", {value: i}, option)));
    select.value = figure.choices[name];
    select.addEventListener("change", () => chose(figure, name, Number(select.value)));
    return make("label", {}, text + " ", select);
  }

  /** A slider from 0 to `most`; `say` words its place. Places that it passes quickly are not drawn. */
  function sliderControl(figure, {name, text, most, say}) {
    const slider = make("input", {type: "range", min: 0, max: most, step: 1});
    const said = make("output", {});
    slider.value = figure.choices[name];
    const tell = async () => {
      said.textContent = say(subject(figure, await studies()), figure.choices);
      slider.setAttribute("aria-valuetext", said.textContent);
    };
    let pending = 0;
    slider.addEventListener("input", () => {
      figure.choices[name] = Number(slider.value);
      tell();
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(() => draw(figure));
    });
    figure.element.addEventListener("change", tell);
    tell();
    return make("label", {}, text + " ", slider, said);
  }

  const control = (figure, one) => (one.options ? selectControl : sliderControl)(figure, one);

  function addControls(figure, all) {
    chooseDefaults(figure, all);
    figure.controls = controlsOf(figure, all);
    if (!figure.controls.length) return;
    figure.panel = make("div", {class: "controls"}, ...figure.controls.map((one) => control(figure, one)));
    figure.element.insertBefore(figure.panel, figure.place);
  }

  // ---- controls of newer data ----

  const offered = (controls) => JSON.stringify(controls.map(({name, options, most}) => [name, options, most]));

  /** What an option stands for, whatever its place and its words are by now. */
  const keysOf = ({keys, options}) => keys ?? options;

  /** The reader's choice among what a control offers now; a default that nobody changed follows the new default. */
  function choiceNow(before, now, choice) {
    if (!before || choice === before.value) return now.value;
    if (!now.options) return Math.min(choice, now.most);
    const place = keysOf(now).indexOf(keysOf(before)[choice]);
    return place < 0 ? now.value : place;
  }

  const fieldsOf = (panel) => [...(panel?.querySelectorAll("select, input") ?? [])];

  /** Makes the controls anew where the newest data offers others. */
  function renewControls(figure, all) {
    const before = figure.controls, now = controlsOf(figure, all);
    if (!before || offered(before) === offered(now)) return;
    for (const one of now) {
      const same = before.find(({name}) => name === one.name);
      figure.choices[one.name] = choiceNow(same, one, figure.choices[one.name]);
    }
    const focused = fieldsOf(figure.panel).indexOf(document.activeElement);
    figure.panel?.remove();
    addControls(figure, all);
    fieldsOf(figure.panel)[focused]?.focus({preventScroll: true});
  }

  // ---- drawing ----

  const sentence = (text) => text + (/[.!?…]$/.test(text) ? "" : ".");

  /** What the plot shows, after the page's own caption; where that is empty, after the title. */
  function addNote(figure, note) {
    figure.isUntitled ??= figure.caption.textContent.trim() === "";
    figure.note ??= figure.caption.appendChild(make("span", {class: "note"}));
    const parts = [figure.isUntitled ? figure.title : "", ...(note ?? [])].filter(Boolean);
    figure.note.textContent = " " + parts.map(sentence).join(" ");
  }

  /** Element that Plotly draws into, with the static picture's text for screen readers. */
  function canvas(figure) {
    const name = figure.picture?.alt || figure.title;
    const element = make("div", {class: "canvas", role: "group", "aria-label": name});
    figure.place.append(element);
    return element;
  }

  /** Draws a figure or draws it anew: after a choice, another width, or a change of colours. */
  async function draw(figure, {printing = false, width = placeWidth(figure)} = {}) {
    const all = await studies();
    const wide = Math.max(width, printing ? 0 : figure.plot.width?.(subject(figure, all)) ?? 0);
    const colors = look(printing);
    const again = () => draw(figure);
    const drawing = figure.plot.draw(subject(figure, all), colors, wide, figure.height, figure.choices, figure.state);
    figure.canvas ??= canvas(figure);
    const layout = {...drawing.layout, width: wide, height: figure.height};
    await Plotly.react(figure.canvas, drawing.traces, layout, kConfig);
    if (!figure.drawn) drawing.after?.(figure.canvas, again, figure.state);
    settle(figure, width, wide, drawing.note);
  }

  /** Shows the plot in place of the picture. */
  function settle(figure, width, wide, note) {
    if (figure.picture) figure.picture.hidden = true;
    figure.place.toggleAttribute("tabindex", wide > width);
    if (wide > width) figure.place.tabIndex = 0;
    addNote(figure, note);
    figure.width = width;
    figure.drawn = true;
    figure.element.dataset.drawn = Math.round(performance.now());  // tests read when that was
  }

  // ---- one at a time ----

  const waiting = [];
  let busy = false;

  /** Waits until the window shows the plot; a hidden window has no frames, and does not hold up the others. */
  function nextFrame() {
    return new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done, 0));
      setTimeout(done, 250);
    });
  }

  /** Draws what waits, the figure nearest to the window first, with a pause for the reader's input after each. */
  async function work() {
    if (busy) return;
    busy = true;
    while (waiting.length) {
      const distance = ({place}) =>
          Math.abs(place.getBoundingClientRect().top + place.clientHeight / 2 - innerHeight / 2);
      waiting.sort((a, b) => distance(b) - distance(a));
      await attempt(waiting.pop());
      await nextFrame();
    }
    busy = false;
  }

  /** A figure that cannot be drawn keeps its picture; the reason goes to the console. */
  async function attempt(figure) {
    try {
      await draw(figure);
    } catch (error) {
      console.error(`cannot draw ${figure.element.dataset.plot}`, error);
      figure.canvas?.remove();
      if (figure.picture) figure.picture.hidden = false;
    }
  }

  function watch(figures) {
    const byElement = new Map(figures.map((figure) => [figure.element, figure]));
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        observer.unobserve(entry.target);
        waiting.push(byElement.get(entry.target));
      }
      work();
    }, {rootMargin: "500px 0px"});
    figures.forEach((figure) => observer.observe(figure.element));
  }

  // ---- changes while the page is open ----

  let figures = [];

  const redraw = (some, options) => some.filter((figure) => figure.drawn).forEach((figure) => draw(figure, options));

  function followWidth() {
    let pending = 0;
    window.addEventListener("resize", () => {
      clearTimeout(pending);
      pending = setTimeout(async () => {
        const all = await studies();
        const changed = figures.filter((figure) => figure.width !== placeWidth(figure));
        changed.forEach((figure) => reserve(figure, all));
        redraw(changed);
      }, 120);
    });
  }

  // The style sheet prints the static picture where there is one; other drawn plots are made light and as wide as
  // paper.
  const kPaperWidth = 640;

  function followPrinting() {
    const alone = () => figures.filter((figure) => !figure.picture);
    window.addEventListener("beforeprint", () => redraw(alone(), {printing: true, width: kPaperWidth}));
    window.addEventListener("afterprint", () => redraw(alone()));
  }

  /** Why there is no Plotly: pages of `dlrun serve` load it, and have no static pictures. */
  function whyMissing() {
    if (document.body.dataset.version === undefined)
      return "neither plotly nor gnuplot was installed where this page was written";
    return document.querySelector("script[src]") ? "plotly.js could not be loaded; reload the page" :
                                                   "plotly.js is not installed where dlrun serve runs";
  }

  /** Without Plotly the static pictures stay; a figure without a picture says why it has none. */
  function sayMissing(figure) {
    if (!figure.picture) figure.place.append(make("p", {class: "remark"}, `No picture: ${whyMissing()}.`));
  }

  // ---- start ----

  function newFigures() {
    const known = new Set(figures.map((figure) => figure.element));
    const isNew = (element) => plots[element.dataset.plot] && !known.has(element);
    return [...document.querySelectorAll("figure.plot")].filter(isNew).map(figureOf);
  }

  /** Takes in the figures that are new on the page, and draws the others anew from the newest data. */
  async function adoptFigures() {
    figures = figures.filter((figure) => figure.element.isConnected);
    const older = figures, fresh = newFigures();
    figures = older.concat(fresh);
    if (!window.Plotly) fresh.forEach(sayMissing);
    if (!window.Plotly || !figures.length) return;
    const all = await studies();
    older.forEach((figure) => renewControls(figure, all));
    fresh.forEach((figure) => addControls(figure, all));
    figures.forEach((figure) => reserve(figure, all));
    watch(fresh);
    redraw(older);
    older.forEach((figure) => figure.fold.refresh());
  }

  dlrunPage.adoptFigures = adoptFigures;
  adoptFigures();
  followWidth();
  followPrinting();
  prefersDark.addEventListener("change", () => redraw(figures));
})();
