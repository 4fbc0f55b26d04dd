// SPDX-License-Identifier: Apache-2.0
// Gantt charts: the time of each worker, coloured by the states of its attempts; a step of a placed model, by device and
// link.
"use strict";

(() => {
  const {words, plain, stateLook, label, lines, axis, axisTitle, layout, rowAxis, rowsHeight} = dlrunPage;

  // ---- gantt: the workers' time ----

  /** Seconds in a unit that suits their length. */
  function timeUnit(seconds) {
    if (seconds > 3 * 86400) return {name: "days", size: 86400};
    if (seconds > 3 * 3600) return {name: "hours", size: 3600};
    return seconds > 300 ? {name: "minutes", size: 60} : {name: "seconds", size: 1};
  }

  const kBars = 1500;  // more are drawn as a few paths of thick lines, which costs a tenth of the time

  function attemptWords(names, [worker, begin, end, trial, state]) {
    return lines(`trial ${trial}, ${words(state)}`, words(names[worker]),
        `from ${words(begin)} s to ${words(end)} s: ${words(end - begin)} s`);
  }

  /** Bars [row, begin, end, …] in one colour; `said` words one of them. */
  function timeBars(bars, color, page, unit, said) {
    return {
      type: "bar",
      orientation: "h",
      y: bars.map((bar) => bar[0]),
      base: bars.map((bar) => bar[1] / unit.size),
      x: bars.map((bar) => (bar[2] - bar[1]) / unit.size),
      width: 0.72,
      hovertext: bars.map(said),
      marker: {color, opacity: 0.85, line: {color: page, width: 1}},
    };
  }

  /** Bars of one state with the next ones of the same worker joined to them, where the gap is narrower than a pixel. */
  function joined(bars, gap) {
    const found = [];
    const last = new Map();
    for (const bar of bars.slice().sort((a, b) => a[1] - b[1])) {
      const before = last.get(bar[0]);
      if (before && bar[1] - before.end <= gap) {
        before.end = Math.max(before.end, bar[2]);
        before.count += 1;
        continue;
      }
      last.set(bar[0], {worker: bar[0], begin: bar[1], end: bar[2], count: 1, first: bar});
      found.push(last.get(bar[0]));
    }
    return found;
  }

  function joinedWords(names, one) {
    if (one.count === 1) return attemptWords(names, one.first);
    const range = `from ${words(one.begin)} s to ${words(one.end)} s`;
    return lines(`${one.count} attempts, ${words(one.first[4])}`, words(names[one.worker]), range);
  }

  function attemptLines(bars, color, width, unit, names) {
    const longest = bars.reduce((most, bar) => Math.max(most, bar[2]), 0);
    const parts = joined(bars, longest / 1000);
    return {
      type: "scatter",
      mode: "lines",
      connectgaps: false,
      line: {color, width},
      opacity: 0.9,
      x: parts.flatMap((one) => [one.begin / unit.size, one.end / unit.size, null]),
      y: parts.flatMap((one) => [one.worker, one.worker, null]),
      hovertext: parts.flatMap((one) => Array(3).fill(joinedWords(names, one))),
    };
  }

  /** Share of the time without work at the right end of each row. */
  const idleNotes = (idle, colors) => (idle ?? []).map((share, row) => ({
    xref: "paper",
    x: 1.01,
    xanchor: "left",
    y: row,
    showarrow: false,
    font: {size: 12, color: colors.quiet},
    text: plain(`${Math.round(100 * share)} % idle`),
  }));

  const kIdleRoom = 84;  // pixels

  /** Places at which the time between two drivers was left out. */
  const cutLines = (cuts, unit, colors) => (cuts ?? []).map((cut) => ({
    type: "line",
    x0: cut / unit.size,
    x1: cut / unit.size,
    yref: "paper",
    y0: 0,
    y1: 1,
    line: {color: colors.text, width: 1.2, dash: "dash"},
  }));

  const gantt = {
    height: (study) => rowsHeight(study.workers.names.length, 30),
    draw(study, colors, width, height) {
      const {names, idle, bars, cuts, remark} = study.workers;
      const wide = width > 640;
      const known = bars.filter((bar) => bar[1] !== null && bar[2] !== null);
      const unit = timeUnit(known.reduce((most, bar) => Math.max(most, bar[2]), 0));
      const thick = 0.66 * (height - 76) / Math.max(1, names.length);
      const traces = [...new Set(known.map((bar) => bar[4]))].sort().map((state) => {
        const [own, {color}] = [known.filter((bar) => bar[4] === state), stateLook(state, colors)];
        const drawn = known.length > kBars ? attemptLines(own, color, thick, unit, names) :
                                             timeBars(own, color, colors.page, unit, (bar) => attemptWords(names, bar));
        return {...drawn, name: label(state), hoverinfo: "text", showlegend: true};
      });
      return {
        traces,
        note: [remark ?? "", known.length > kBars ? "Neighbouring attempts of one state are joined." : ""],
        layout: layout(colors, {
          barmode: "overlay",
          shapes: cutLines(cuts, unit, colors),
          annotations: wide ? idleNotes(idle, colors) : [],
          margin: {l: 56, r: wide ? kIdleRoom : 16, t: 12, b: 44},
          yaxis: rowAxis(colors, names, width < 500 ? 10 : 24),
          xaxis: axis(colors, {title: axisTitle(`time, ${unit.name}`), rangemode: "tozero"}),
        }),
      };
    },
  };

  // ---- placement: a step by device and link ----

  const kKinds = {forward: "blue", backward: "vermilion", transfer: "green"};

  function stepUnit(seconds) {
    if (seconds >= 1) return {name: "seconds", size: 1};
    return seconds >= 1e-3 ? {name: "milliseconds", size: 1e-3} : {name: "microseconds", size: 1e-6};
  }

  const placement = {
    height: (study) => rowsHeight(study.placement.rows.length, 34),
    draw(study, colors, width) {
      const {rows, idle, bars} = study.placement;
      const unit = stepUnit(bars.reduce((most, bar) => Math.max(most, bar[2]), 0));
      const time = (seconds) => words(Number((seconds / unit.size).toPrecision(4)));
      const said = ([row, begin, end, task]) => lines(
          task, rows[row], `from ${time(begin)} to ${time(end)} ${unit.name}: ${time(end - begin)}`);
      const wide = width > 640;
      const traces = Object.entries(kKinds).map(([kind, color]) => ({
        ...timeBars(bars.filter((bar) => bar[4] === kind), colors[color], colors.page, unit, said),
        name: kind,
        hoverinfo: "text",
        showlegend: true,
      }));
      return {
        traces: traces.filter((trace) => trace.y.length),
        note: [],
        layout: layout(colors, {
          barmode: "overlay",
          annotations: wide ? idleNotes(idle, colors) : [],
          margin: {l: 56, r: wide ? kIdleRoom : 16, t: 12, b: 44},
          yaxis: rowAxis(colors, rows, 14),
          xaxis: axis(colors, {title: axisTitle(`time, ${unit.name}`), rangemode: "tozero"}),
        }),
      };
    },
  };

  Object.assign(dlrunPage.plots, {gantt, placement});
})();
