// SPDX-License-Identifier: Apache-2.0
// Elements of the page and tables of numbers. Text of the data reaches the page by textContent alone.
"use strict";

(() => {
  const {
    studies, words, count, stateOf, isFeasible, objectiveOf, paramWords, rowsWithValue, improvements, contourRows,
    nodesOf, chosenOrder,
  } = dlrunPage;

  const kRows = 200;

  // ---- elements ----

  /** A new element with attributes and children; a child that is no element becomes text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const isNumber = (value) => typeof value === "number";

  function cell(value) {
    const element = document.createElement("td");
    if (isNumber(value)) element.className = "number";
    element.textContent = words(value);
    return element;
  }

  /** Heading of a column; over numbers it stands to the right. */
  function headCell(content, sample) {
    return make("th", {scope: "col", ...(isNumber(sample) ? {class: "number"} : {})}, content);
  }

  const tableRow = (values) => make("tr", {}, ...values.map(cell));

  /** A table in a region that scrolls sideways on its own. */
  function region(name, table) {
    return make("div", {class: "table", role: "region", tabindex: "0", "aria-label": name}, table);
  }

  // ---- numbers behind each plot ----

  /** Rows of trials: `columns` are [heading, value of a row]. */
  const trialTable = (study, rows, columns) => ({
    heads: ["trial", ...columns.map(([head]) => head)],
    rows: rows.map((row) => () => [study.trials.number[row], ...columns.map(([, value]) => value(row))]),
  });

  const objectiveColumns = (study) =>
      study.objectives.map((objective, i) => [objective.name, (row) => objectiveOf(study, i)[row]]);

  const paramColumns = (study, indices) => indices.map((i) => [study.parameters[i].name, (row) => {
    const value = study.trials.params[i][row];
    return study.parameters[i].choices || value === null ? paramWords(study, i, row) : value;
  }]);

  const stateColumn =
      (study) => ["state", (row) => stateOf(study, row) + (isFeasible(study, row) ? "" : ", infeasible")];

  const allParams = (study) => study.parameters.map((_, i) => i);

  const searchTable = (study) => trialTable(
      study, rowsWithValue(study, 0), [...objectiveColumns(study), ...paramColumns(study, allParams(study))]);

  const plainTable = (heads, rows) => ({heads, rows: rows.map((row) => () => row)});

  const numbers = {
    history(study) {
      const best = new Map();
      const found = improvements(study, 0);
      found.rows.forEach((row, i) => best.set(row, found.values[i]));
      let now = null;
      const soFar = objectiveOf(study, 0).map((_, row) => (now = best.get(row) ?? now));
      const columns = [stateColumn(study), ...objectiveColumns(study), ["best so far", (row) => soFar[row]]];
      return trialTable(study, rowsWithValue(study, 0), columns);
    },
    curves({curves: {metric, runs}, states}) {
      const rows = runs.flatMap((run) => run.steps.map((step, i) => [run.trial, states[run.state], step, run.values[i]]));
      return plainTable(["trial", "state", "step", metric], rows);
    },
    parallel: searchTable,
    slice: searchTable,
    contour: (study, { objective = 0, x, y }) => trialTable(study, contourRows(study, objective, [x, y]),
      [...paramColumns(study, [x, y]), objectiveColumns(study)[objective]]),
    importance: ({ importance: { names, shares, lows, highs } }) => plainTable(["parameter", "share", "low", "high"],
      names.map((name, i) => [name, shares[i], lows?.[i], highs?.[i]])),
    front(study) {
      const members = new Set(study.front ?? []);
      const isMember = (row) => (members.has(study.trials.number[row]) ? "yes" : "no");
      return trialTable(study, rowsWithValue(study, 0), [...objectiveColumns(study), ["on the front", isMember]]);
    },
    gantt: ({ workers: { names, bars } }) => plainTable(["worker", "trial", "begin, s", "end, s", "state"],
      bars.map(([worker, begin, end, trial, state]) => [names[worker], trial, begin, end, state])),
    ranks: (study) => plainTable(["trial", "node", "gradients", "computing, s", "applying, s", "transferring, s",
      "waiting, s", "sent, bytes", "received, bytes", "staleness", "most stale"],
      nodesOf(study).map(({trial, ...node}) => [study.ranks.trials[trial], ...Object.values(node)])),
    placement: ({ placement: { rows, bars } }) => plainTable(["device or link", "begin, s", "end, s", "task", "kind"],
      bars.map(([row, ...rest]) => [rows[row], ...rest])),
    graph(study, choices) {
      const order = chosenOrder(study, choices).order.map((node, i) => [i + 1, ...study.placement.nodes[node]]);
      return plainTable(["place in the order", "layer", "kind", "device", "seconds", "output, bytes"], order);
    },
    ablation: ({ ablation }) => plainTable([ablation.axis ? "contender" : "component", ablation.axis ?? `effect on ${ablation.metric}`, "low", "high", "verdict"],
      ablation.rows.map((row) => [row.component, row.mean, row.low, row.high, row.verdict])),
    interactions: ({ ablation: { names, interactions } }) => plainTable(["component", "with", "interaction", "marked"],
      interactions.map((one) => [names[one.row], names[one.column], one.value, one.marked ? "yes" : "no"])),
    compare: (all) => plainTable(["study", "trial", "best so far"], all.flatMap((study) => {
      const found = improvements(study, 0);
      return found.rows.map((row, i) => [study.name, study.trials.number[row], found.values[i]]);
    })),
  };

  /** First rows of a table of numbers, with a remark where there are more. */
  function numbersTable(name, {heads, rows}) {
    const sample = rows[0]?.() ?? [];
    const head = make("thead", {}, make("tr", {}, ...heads.map((text, i) => headCell(words(text), sample[i]))));
    const body = make("tbody", {}, ...rows.slice(0, kRows).map((row) => tableRow(row())));
    const said =
        rows.length > kRows ? [make("p", {class: "remark"}, `The first ${kRows} of ${count(rows.length)} rows.`)] : [];
    return [...said, region(name, make("table", {}, head, body))];
  }

  /** The fold "Numbers" under a figure; its table is built at the first opening and after a new choice. */
  function numbersFold(nameOf, build) {
    const fold = make("details", {class: "numbers"}, make("summary", {}, "Numbers"));
    const fill = async () => {
      const all = await studies();
      const parts = numbersTable(nameOf(all), build(all));
      while (fold.lastChild !== fold.firstChild) fold.lastChild.remove();
      fold.append(...parts);
    };
    fold.addEventListener("toggle", () => {
      if (fold.open) fill();
    });
    fold.refresh = () => {
      if (fold.open) fill();
    };
    return fold;
  }

  Object.assign(dlrunPage, {make, headCell, tableRow, region, numbers, numbersFold, kRows});
})();
