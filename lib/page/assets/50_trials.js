// SPDX-License-Identifier: Apache-2.0
// The table of all trials: built when its fold opens, sorted by any column, filtered by state and text, shown in parts.
"use strict";

(() => {
  const {
    studies, words, count, size, stateOf, isFeasible, isChoice, paramWords, make, headCell, tableRow, region, kRows,
  } = dlrunPage;

  // ---- columns ----

  /** Columns of the table: `value` is shown, `key` sorts. */
  function columnsOf(study) {
    const {trials} = study;
    const column = (head, value, key = value) => ({head, value, key});
    const list = (name) => column(name, (row) => trials[name]?.[row] ?? null);
    const params = study.parameters.map(
        (parameter, i) => (isChoice(parameter) ?
                column(parameter.name, (row) => (trials.params[i][row] === null ? null : paramWords(study, i, row)),
                    (row) => trials.params[i][row]) :
                column(parameter.name, (row) => trials.params[i][row])));
    return [
      column("trial", (row) => trials.number[row]),
      column("state", (row) => stateOf(study, row)),
      ...study.objectives.map((objective, i) => column(objective.name, (row) => trials.objectives[i][row])),
      ...params,
      ...(trials.feasible ? [column("feasible", (row) => (isFeasible(study, row) ? "yes" : "no"))] : []),
      list("epochs"),
      list("seconds"),
      list("attempts"),
    ];
  }

  // ---- order and filters ----

  /** Compares numbers and words; rows without a value come last in either direction. */
  function compared(a, b, sign) {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b));
  }

  function sorted(rows, {key}, sign) {
    const keys = new Map(rows.map((row) => [row, key(row)]));
    return rows.slice().sort((a, b) => compared(keys.get(a), keys.get(b), sign) || a - b);
  }

  /** The words of a row in small letters, made once for all rows when a text filter is first used. */
  function searchable(study, columns) {
    let texts = null;
    return (row) => {
      texts ??= Array.from(
          {length: size(study)}, (_, i) => columns.map((column) => words(column.value(i))).join("\n").toLowerCase());
      return texts[row];
    };
  }

  function filtered(study, texts, {state, text}) {
    const wanted = text.trim().toLowerCase();
    const rows = Array.from({length: size(study)}, (_, row) => row);
    return rows.filter(
        (row) => (state === "" || stateOf(study, row) === state) && (wanted === "" || texts(row).includes(wanted)));
  }

  // ---- elements ----

  function sortCell(column, sort, rows) {
    const button = make("button", {type: "button", class: "sort"}, words(column.head));
    button.addEventListener("click", () => sort(column));
    column.cell = headCell(button, rows.map(column.value).find((value) => value !== null));
    column.cell.setAttribute("aria-sort", "none");
    return column.cell;
  }

  function stateFilter(study, changed) {
    const present = study.states.filter((_, i) => study.trials.state.includes(i));
    const options =
        [make("option", {value: ""}, "all"), ...present.map((state) => make("option", {value: state}, words(state)))];
    const select = make("select", {}, ...options);
    select.addEventListener("change", () => changed({state: select.value}));
    return make("label", {}, "State ", select);
  }

  function textFilter(changed) {
    const input = make("input", {type: "search", autocomplete: "off", spellcheck: "false"});
    let waiting = 0;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => changed({text: input.value}), 150);
    });
    return make("label", {}, "Containing ", input);
  }

  // ---- the table ----

  /** Fills the fold with the table of a study. */
  function build(fold, study) {
    const columns = columnsOf(study);
    const texts = searchable(study, columns);
    const view = {filter: {state: "", text: ""}, column: columns[0], sign: 1, rows: [], shown: 0};
    const body = make("tbody");
    const said = make("p", {class: "remark", role: "status"});
    const more = make("button", {type: "button", class: "more"});

    const grow = () => {
      const next = view.rows.slice(view.shown, view.shown + kRows);
      body.append(...next.map((row) => tableRow(columns.map((column) => column.value(row)))));
      view.shown += next.length;
      const left = view.rows.length - view.shown;
      more.hidden = left === 0;
      more.textContent = `Show ${Math.min(kRows, left)} more`;
      said.textContent = `${count(view.shown)} of ${count(view.rows.length)} trials shown` +
          (view.rows.length < size(study) ? `, ${count(size(study))} in all` : "");
    };
    const show = () => {
      view.rows = sorted(filtered(study, texts, view.filter), view.column, view.sign);
      view.shown = 0;
      body.replaceChildren();
      columns.forEach((column) => column.cell.setAttribute("aria-sort",
                          column !== view.column ? "none" :
                              view.sign > 0      ? "ascending" :
                                                   "descending"));
      grow();
    };
    const sort = (column) => {
      view.sign = column === view.column ? -view.sign : 1;
      view.column = column;
      show();
    };
    const changed = (part) => {
      Object.assign(view.filter, part);
      show();
    };

    more.addEventListener("click", grow);
    const first = Array.from({length: Math.min(kRows, size(study))}, (_, row) => row);
    const head = make("thead", {}, make("tr", {}, ...columns.map((column) => sortCell(column, sort, first))));
    const filters = make("div", {class: "controls"}, stateFilter(study, changed), textFilter(changed));
    fold.append(filters, said, region(`All trials of ${words(study.name)}`, make("table", {}, head, body)), more);
    show();
  }

  /** Builds the table of a fold when that is opened first. */
  function watch(fold) {
    const open = async () => {
      if (!fold.open) return;
      fold.removeEventListener("toggle", open);
      build(fold, (await studies())[Number(fold.dataset.study)]);
    };
    fold.addEventListener("toggle", open);
  }

  const watched = new WeakSet();

  /** Takes in the folds that are new on the page. */
  function adoptTrials() {
    for (const fold of document.querySelectorAll("details.trials")) {
      if (!watched.has(fold)) watch(fold);
      watched.add(fold);
    }
  }

  dlrunPage.adoptTrials = adoptTrials;
  adoptTrials();
})();
