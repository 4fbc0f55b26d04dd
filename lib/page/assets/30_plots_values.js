// SPDX-License-Identifier: Apache-2.0
// Plots of values over trials and steps: history, curves, compare, front. Each plot has a height in pixels for a width,
// and draws traces and a layout; `note` goes below it in words.
"use strict";

(() => {
  const {
    words, size, stateOf, isFeasible, objectiveOf, maximizes, rowsWithValue, sampled, improvements, stateLook,
    series, label, lines, axis, axisTitle, layout, robustRange, axisName, axisRef, panels, widened, wholeTicks,
  } = dlrunPage;

  const kPoints = 4000;  // SVG draws about so many in half a second

  const bestSaid = (study, row) => (study.trials.number[row] === study.best ? "best trial" : "");

  /** Hover text of a trial: its objectives and its state. */
  function trialWords(study, row, ...more) {
    const values = study.objectives.map((o, i) => `${o.name}: ${words(objectiveOf(study, i)[row])}`);
    const state = stateOf(study, row) + (isFeasible(study, row) ? "" : ", infeasible");
    return lines(`trial ${study.trials.number[row]}`, ...values, state, bestSaid(study, row), ...more);
  }

  /** Groups rows by state and feasibility, in the order of the study's states. */
  function byState(study, rows) {
    const groups = new Map();
    for (const row of rows) {
      const key = `${study.trials.state[row]} ${isFeasible(study, row) ? 0 : 1}`;
      if (!groups.has(key)) groups.set(key, {state: stateOf(study, row), feasible: isFeasible(study, row), rows: []});
      groups.get(key).rows.push(row);
    }
    return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  const pointSize = (number) => (number > 3000 ? 4 : number > 500 ? 5 : 7);

  /** Points of trials, one trace per state; infeasible ones are hollow. `more` adds a line to the hover text. */
  function statePoints(study, colors, rows, x, y, extra = {}, more = () => "") {
    return byState(study, rows).map(({state, feasible, rows: own}) => {
      const {color, symbol} = stateLook(state, colors);
      const hollow = symbol + (feasible ? "" : "-open");
      return {
        type: "scatter",
        mode: "markers",
        name: label(feasible ? state : `${state}, infeasible`),
        legendgroup: `${state} ${feasible}`,
        x: own.map(x),
        y: own.map(y),
        hovertext: own.map((row) => trialWords(study, row, more(row))),
        hoverinfo: "text",
        marker: {color, symbol: hollow, size: pointSize(rows.length), opacity: rows.length > 1000 ? 0.55 : 0.8},
        ...extra,
      };
    });
  }

  // ---- history ----

  function bestLine(study, colors, objective, last) {
    const {rows, values} = improvements(study, objective);
    const numbers = rows.map((row) => study.trials.number[row]);
    return {
      type: "scatter",
      mode: "lines",
      name: "best so far",
      legendgroup: "best",
      hoverinfo: "text",
      x: [...numbers, last],
      y: [...values, values.at(-1)],
      hovertext: [...values, values.at(-1)].map((value) => lines(`best so far: ${words(value)}`)),
      line: {shape: "hv", color: colors.text, width: 2},
    };
  }

  function historyPanel(study, colors, objective, most) {
    const all = rowsWithValue(study, objective);
    const {rows, said} = sampled(study, objective, all, most);
    const values = objectiveOf(study, objective);
    const last = study.trials.number.at(-1);
    const at = {xaxis: axisRef("x", objective), yaxis: axisRef("y", objective), showlegend: objective === 0};
    const traces = statePoints(study, colors, rows, (row) => study.trials.number[row], (row) => values[row]);
    const improved = improvements(study, objective).rows.length > 0;
    const range = robustRange(all.map((row) => values[row]), maximizes(study, objective));
    const line = improved ? [bestLine(study, colors, objective, last)] : [];
    return {traces: [...traces, ...line].map((trace) => ({...trace, ...at})), said, range};
  }

  function withoutValue(study) {
    const missing = size(study) - rowsWithValue(study, 0).length;
    if (!missing) return "";
    return missing === 1 ? "1 trial without a value is not shown." : `${missing} trials without a value are not shown.`;
  }

  const history = {
    height: (study, width) => Math.max(360, 250 * study.objectives.length + 60),
    draw(study, colors, width, height) {
      const total = study.objectives.length;
      const parts = study.objectives.map((_, i) => historyPanel(study, colors, i, kPoints / total));
      const extra = {};
      panels(total, 1, width, height - 90, 0, 56).forEach((domain, i) => {
        extra[axisName("x", i)] = axis(colors, {
          domain: domain.x,
          anchor: axisRef("y", i),
          title: i === total - 1 ? axisTitle("trial") : undefined,
          ...wholeTicks(study.trials.number.at(-1)),
          range: widened(0, Math.max(1, study.trials.number.at(-1)), 0.02),
        });
        extra[axisName("y", i)] = axis(colors, {
          domain: domain.y,
          anchor: axisRef("x", i),
          title: axisTitle(study.objectives[i].name, (height - 110) / total),
          ...parts[i].range.range,
        });
      });
      const notes = [parts[0].said, withoutValue(study), ...parts.map((part) => part.range.said)];
      return {traces: parts.flatMap((part) => part.traces), layout: layout(colors, extra), note: notes};
    },
  };

  // ---- curves ----

  /** One trace for many runs: a gap ends each. */
  function joinedRuns(study, runs) {
    const joined = {x: [], y: [], hovertext: []};
    for (const run of runs) {
      run.steps.forEach((step, i) => {
        joined.x.push(step);
        joined.y.push(run.values[i]);
        joined.hovertext.push(
            lines(`trial ${run.trial}`, `step ${step}: ${words(run.values[i])}`, study.states[run.state] ?? ""));
      });
      joined.x.push(null);
      joined.y.push(null);
      joined.hovertext.push("");
    }
    return joined;
  }

  function curveTrace(study, colors, name, runs, style) {
    const short = runs.every((run) => run.steps.length < 2);
    return {
      type: "scatter",
      mode: short ? "markers" : "lines",
      name: label(name),
      hoverinfo: "text",
      ...joinedRuns(study, runs),
      line: {width: 1.5, ...style},
      marker: {size: short ? 6 : 4},
      opacity: style.opacity ?? 1,
      connectgaps: false,
    };
  }

  const curves = {
    height: () => 400,
    draw(study, colors) {
      const {metric, runs, shown} = study.curves;
      const best = runs.filter((run) => run.trial === study.best);
      const others = runs.filter((run) => run.trial !== study.best);
      const ofState = (state) => others.filter((run) => study.states[run.state] === state);
      const states = ["pruned", ...study.states.filter((state) => state !== "pruned")];
      const traces = states.filter((state) => ofState(state).length)
                         .map((state) => curveTrace(study, colors, state, ofState(state),
                                  state === "pruned" ? {color: colors.pale, opacity: 0.7} :
                                                       {color: stateLook(state, colors).color, opacity: 0.55}));
      if (best.length)
        traces.push(curveTrace(study, colors, `best, trial ${study.best}`, best, {color: colors.text, width: 2.5}));
      const all = runs.flatMap((run) => run.values).filter((value) => value !== null);
      const last = Math.max(...runs.map((run) => run.steps.at(-1)));
      const index = study.objectives.findIndex((objective) => objective.name === metric);
      const {range, said} = robustRange(all, index >= 0 && maximizes(study, index));
      return {
        traces,
        note: [shown ? `Shown: ${shown}.` : "", said],
        layout: layout(colors, {
          xaxis: axis(colors, {title: axisTitle("epoch"), rangemode: "tozero", ...wholeTicks(last)}),
          yaxis: axis(colors, {title: axisTitle(metric), ...range}),
        }),
      };
    },
  };

  // ---- compare: the best value so far of several studies ----

  const kDashes = ["solid", "dash", "dot", "dashdot"];

  /** Studies by objective: only those with the same one share a panel. */
  function byObjective(studies) {
    const groups = new Map();
    studies.forEach((study, i) => {
      const {name, direction} = study.objectives[0] ?? {};
      const key = JSON.stringify([name, direction]);
      if (!groups.has(key)) groups.set(key, {name, direction, members: []});
      groups.get(key).members.push({study, i});
    });
    return [...groups.values()];
  }

  function compareLine({study, i}, colors, panel) {
    const palette = series(colors);
    const color = palette[i % palette.length];
    const dash = kDashes[Math.floor(i / palette.length) % kDashes.length];
    const line = bestLine(study, colors, 0, study.trials.number.at(-1));
    const hovertext =
        line.y.map((value, at) => lines(study.name, `trial ${line.x[at]}`, `best so far: ${words(value)}`));
    const own = {name: label(study.name), legendgroup: String(i), hovertext, line: {...line.line, color, dash}};
    return {...line, ...own, xaxis: axisRef("x", panel), yaxis: axisRef("y", panel)};
  }

  /** Best value after each trial, so that the many good ones outweigh a first far-off one. */
  function valuesSoFar(study) {
    const {rows, values} = improvements(study, 0);
    const ends = [...rows.slice(1), size(study)];
    return values.flatMap((value, i) => Array(ends[i] - rows[i]).fill(value));
  }

  const compare = {
    page: true,
    height: (studies) => 90 + 290 * byObjective(studies).length,
    draw(studies, colors, width, height) {
      const groups = byObjective(studies);
      const [extra, traces, notes] = [{}, [], []];
      panels(groups.length, 1, width, height - 90, 0, 56).forEach((domain, i) => {
        const {name, direction, members} = groups[i];
        const {range, said} = robustRange(members.flatMap(({study}) => valuesSoFar(study)), direction === "maximize");
        const last = i === groups.length - 1;
        traces.push(...members.filter(({study}) => improvements(study, 0).rows.length)
                        .map((member) => compareLine(member, colors, i)));
        notes.push(said);
        extra[axisName("x", i)] =
            axis(colors, {domain: domain.x, anchor: axisRef("y", i), title: last ? axisTitle("trial") : undefined});
        extra[axisName("y", i)] = axis(colors, {
          domain: domain.y,
          anchor: axisRef("x", i),
          ...range,
          title: axisTitle(`${words(name)}, best so far`, 290)
        });
      });
      return {traces, note: notes, layout: layout(colors, {showlegend: true, ...extra})};
    },
  };

  // ---- front: objectives against one another ----

  function pairs(study) {
    const total = Math.min(4, study.objectives.length);
    const found = [];
    for (let a = 0; a < total; ++a)
      for (let b = a + 1; b < total; ++b) found.push([a, b]);
    return found;
  }

  function frontTrace(study, colors, rows, [a, b]) {
    const [xs, ys] = [objectiveOf(study, a), objectiveOf(study, b)];
    const sorted = rows.slice().sort((p, q) => xs[p] - xs[q]);
    const flat = study.objectives.length === 2;
    return {
      type: "scatter",
      mode: flat ? "lines+markers" : "markers",
      name: "Pareto front",
      legendgroup: "front",
      hoverinfo: "text",
      x: sorted.map((row) => xs[row]),
      y: sorted.map((row) => ys[row]),
      hovertext: sorted.map((row) => trialWords(study, row, "on the front")),
      line: {shape: maximizes(study, a) ? "vh" : "hv", color: colors.vermilion, width: 1.5},
      marker: {color: colors.vermilion, symbol: "diamond", size: 9, line: {color: colors.page, width: 1}},
    };
  }

  function frontPanel(study, colors, pair, index) {
    const known = rowsWithValue(study, pair[0]).filter((row) => objectiveOf(study, pair[1])[row] !== null);
    const members = new Set(study.front ?? []);
    const onFront = known.filter((row) => members.has(study.trials.number[row]));
    const {rows, said} = sampled(study, pair[0], known.filter((row) => !members.has(study.trials.number[row])), 4000);
    const [x, y] = pair.map((objective) => objectiveOf(study, objective));
    const traces = statePoints(study, colors, rows, (row) => x[row], (row) => y[row]);
    const at = {xaxis: axisRef("x", index), yaxis: axisRef("y", index), showlegend: index === 0};
    return {traces: [...traces, frontTrace(study, colors, onFront, pair)].map((trace) => ({...trace, ...at})), said};
  }

  const frontColumns = (study, width) => (pairs(study).length === 1 ? 1 :
          width > 620                                               ? Math.min(3, pairs(study).length) :
                                                                      1);

  const front = {
    height: (study, width) =>
        90 + Math.ceil(pairs(study).length / frontColumns(study, width)) * (pairs(study).length === 1 ? 330 : 290),
    draw(study, colors, width, height) {
      const found = pairs(study);
      const parts = found.map((pair, i) => frontPanel(study, colors, pair, i));
      const extra = {};
      const better = (i) => `${study.objectives[i].name} (${maximizes(study, i) ? "higher" : "lower"} is better)`;
      const heading = (i) => (found.length === 1 ? better(i) : study.objectives[i].name);
      panels(found.length, frontColumns(study, width), width - 70, height - 100, 76, 72).forEach((domain, i) => {
        const [a, b] = found[i];
        extra[axisName("x", i)] = axis(colors, {
          domain: domain.x,
          anchor: axisRef("y", i),
          title: axisTitle(heading(a)),
          nticks: found.length > 1 ? 4 : 8
        });
        extra[axisName("y", i)] =
            axis(colors, {domain: domain.y, anchor: axisRef("x", i), title: axisTitle(heading(b), 260)});
      });
      return {traces: parts.flatMap((part) => part.traces), layout: layout(colors, extra), note: [parts[0].said]};
    },
  };

  Object.assign(dlrunPage, {trialWords, statePoints, pointSize, frontPairs: pairs});
  dlrunPage.plots = {history, curves, compare, front};
})();
