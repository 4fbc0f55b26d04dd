// SPDX-License-Identifier: Apache-2.0
// The page's data: unpacked once, when first asked for, and simple questions about a study. The other files find what
// they need in the one global name, dlrunPage; the files are joined in the order of their names.
"use strict";
var dlrunPage = {};

(() => {
  // ---- unpacking ----

  let unpacked = null;

  async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById("data").textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return (await new Response(stream).json()).studies;
  }

  /** Promise of all studies of the page. */
  function studies() {
    unpacked ??= unpack();
    return unpacked;
  }

  /** The data has changed: the next question unpacks it again. */
  function forget() {
    unpacked = null;
  }

  // ---- words ----

  const places = new Intl.NumberFormat("en", {maximumSignificantDigits: 5, useGrouping: false});
  const thousands = new Intl.NumberFormat("en");

  /**
   * A value in words. Very large and small numbers get an exponent; marks that turn the direction of text are shown.
   */
  function words(value) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return text.replace(/[\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
          (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
    }
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential(3).replace(/\.?0+e/, "e") :
                                                        places.format(value);
  }

  const count = (number) => thousands.format(number);

  function shortened(text, length = 24) {
    if (text.length <= length) return text;
    const letters = [...text];
    return letters.length <= length ? text : letters.slice(0, length - 1).join("") + "…";
  }

  // ---- trials ----

  const isChoice = (parameter) => parameter.type === "categorical" || parameter.type === "ordinal";

  const size = (study) => study.trials.number.length;

  const stateOf = (study, row) => study.states[study.trials.state[row]] ?? "unknown";

  const isFeasible = (study, row) => !study.trials.feasible || study.trials.feasible[row] !== 0;

  const objectiveOf = (study, index) => study.trials.objectives[index] ?? [];

  const maximizes = (study, index) => study.objectives[index].direction === "maximize";

  /** A parameter's value in words; choices are stored as indices. */
  function paramWords(study, index, row) {
    const value = study.trials.params[index][row];
    const parameter = study.parameters[index];
    return words(value !== null && isChoice(parameter) ? parameter.choices[value] : value);
  }

  /** Rows of the trials that have a value of this objective. */
  function rowsWithValue(study, objective) {
    const values = objectiveOf(study, objective);
    const rows = [];
    for (let row = 0; row < values.length; ++row)
      if (values[row] !== null) rows.push(row);
    return rows;
  }

  /** The same rows, the best first; infeasible trials come last. */
  function bestFirst(study, objective, rows) {
    const values = objectiveOf(study, objective);
    const sign = maximizes(study, objective) ? -1 : 1;
    const late = (row) => (isFeasible(study, row) ? 0 : 1);
    return rows.slice().sort((a, b) => late(a) - late(b) || sign * (values[a] - values[b]) || a - b);
  }

  /** At most `limit` of the rows: a fifth are the best ones, the others evenly spread. `said` tells the reader. */
  function sampled(study, objective, rows, limit, things = "trials") {
    if (rows.length <= limit) return {rows, said: ""};
    const best = bestFirst(study, objective, rows).slice(0, Math.floor(limit / 5));
    const kept = new Set(best);
    const others = rows.filter((row) => !kept.has(row));
    const room = limit - best.length;
    const even = Array.from({length: room}, (_, i) => others[Math.floor((i * others.length) / room)]);
    const said = `Shown are the best ${count(best.length)} of ${count(rows.length)} ${things} and ${
        count(room)} others, evenly spread.`;
    return {rows: best.concat(even).sort((a, b) => a - b), said};
  }

  /** Best value so far after each trial, over completed and feasible trials: {rows, values}, where it improved. */
  function improvements(study, objective) {
    const values = objectiveOf(study, objective);
    const better = maximizes(study, objective) ? (a, b) => a > b : (a, b) => a < b;
    const found = {rows: [], values: []};
    for (const row of rowsWithValue(study, objective)) {
      const counts = stateOf(study, row) === "completed" && isFeasible(study, row);
      if (!counts || (found.values.length && !better(values[row], found.values.at(-1)))) continue;
      found.rows.push(row);
      found.values.push(values[row]);
    }
    return found;
  }

  /** Value below which this share of the numbers lies. */
  function quantile(sortedNumbers, share) {
    const at = share * (sortedNumbers.length - 1);
    const low = sortedNumbers[Math.floor(at)];
    return low + (at % 1) * (sortedNumbers[Math.ceil(at)] - low);
  }

  Object.assign(dlrunPage, {
    studies, forget, words, count, shortened, isChoice, size, stateOf, isFeasible, objectiveOf, maximizes, paramWords,
    rowsWithValue, bestFirst, sampled, improvements, quantile,
  });
})();
