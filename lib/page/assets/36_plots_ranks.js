// SPDX-License-Identifier: Apache-2.0
// Ranks: where the time of each rank went, how many bytes it sent, and how stale its updates were; or the same of
// trials.
"use strict";

(() => {
  const {words, lines, axis, axisTitle, axisName, axisRef, layout, rowAxis, rowsHeight, paramWords} = dlrunPage;

  const kTimes = [["computing", "blue"], ["applying", "green"], ["transferring", "vermilion"], ["waiting", "pale"]];
  const kMost = 64;  // rows

  /** A node of the page's data by names. */
  const nodeOf = ([trial, name, gradients, computing, applying, transferring, waiting, sent, received, stale, most]) =>
      ({trial, name, gradients, computing, applying, transferring, waiting, sent, received, stale, most});

  const nodesOf = (study) => study.ranks.nodes.map(nodeOf);

  // ---- rows: the nodes of a trial, or all trials ----

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /** Mean over the ranks of a trial; its servers do not count. */
  function meanRow(study, nodes, trial) {
    const ranks = nodes.filter((node) => node.trial === trial && node.name.startsWith("rank"));
    const stale = ranks.map((node) => node.stale).filter((value) => value !== null);
    const row = {name: `trial ${study.ranks.trials[trial]}`, number: study.ranks.trials[trial]};
    for (const key of ["gradients", ...kTimes.map(([kind]) => kind), "sent", "received"])
      row[key] = ranks.length ? mean(ranks.map((node) => node[key])) : 0;
    row.stale = stale.length ? mean(stale) : null;
    row.most = stale.length ? Math.max(...ranks.map((node) => node.most ?? 0)) : null;
    return row;
  }

  /** Which rows the reader chose: 0 all trials, i the i-th trial of the data. */
  function rowsOf(study, {trial = 1}) {
    const nodes = nodesOf(study);
    if (trial > 0) return nodes.filter((node) => node.trial === trial - 1);
    return study.ranks.trials.map((_, i) => meanRow(study, nodes, i)).sort((a, b) => a.number - b.number);
  }

  // ---- words ----

  function bytesUnit(most) {
    const units = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]].find(([, size]) => most >= size) ?? ["bytes", 1];
    return {name: units[0], size: units[1]};
  }

  const short = (value) => words(Number(value.toPrecision(4)));

  const settings = (study, number) => {
    const row = number === undefined ? -1 : study.trials.number.indexOf(number);
    if (row < 0) return [];
    return study.parameters.slice(0, 4).map((parameter, i) => `${parameter.name}: ${paramWords(study, i, row)}`);
  };

  const head = (study, row) => [row.name, ...settings(study, row.number)];

  // ---- panels ----

  /** Kinds of time, one behind the other. */
  function timeTraces(study, rows, colors) {
    const before = (row, count) => kTimes.slice(0, count).reduce((sum, [kind]) => sum + row[kind], 0);
    const total = (row) => before(row, kTimes.length);
    return kTimes.map(([kind, color], i) => ({
      name: kind,
      base: rows.map((row) => before(row, i)),
      x: rows.map((row) => row[kind]),
      marker: {color: colors[color], line: {color: colors.page, width: 0.5}},
      hovertext: rows.map((row) => lines(...head(study, row),
          `${kind} ${short(row[kind])} s, ${Math.round(100 * row[kind] / (total(row) || 1))} % of ${short(total(row))} s`)),
    }));
  }

  function bytesTraces(study, rows, colors, unit) {
    const said = (row) => lines(...head(study, row), `sent ${short(row.sent / unit.size)} ${unit.name}`,
        `received ${short(row.received / unit.size)} ${unit.name}`);
    return [["sent", "purple", -0.19], ["received", "grey", 0.19]].map(([kind, color, offset]) => ({
      name: kind,
      x: rows.map((row) => row[kind] / unit.size),
      offset: offset - 0.17,
      width: 0.34,
      marker: {color: colors[color]},
      hovertext: rows.map(said),
    }));
  }

  /** A point at the mean, and a line to the most. */
  function staleTraces(study, rows, colors) {
    const known = rows.map((row, i) => [row, i]).filter(([row]) => row.stale !== null);
    return [{
      type: "scatter",
      mode: "markers",
      name: "staleness: mean, and most",
      x: known.map(([row]) => row.stale),
      y: known.map(([, i]) => i),
      marker: {color: colors.text, size: 8, symbol: "diamond"},
      cliponaxis: false,
      error_x: {type: "data", symmetric: false, color: colors.text, thickness: 1.2, width: 3,
        array: known.map(([row]) => Math.max(0, (row.most ?? row.stale) - row.stale)), arrayminus: known.map(() => 0)},
      hovertext: known.map(([row]) => lines(...head(study, row), `mean staleness ${short(row.stale)}, most ${short(row.most ?? row.stale)}`)),
    }];
  }

  const isStale = (rows) => rows.some((row) => row.stale > 0);

  /** Panels that these rows have: title of the axis, traces, share of the width. */
  function panelsOf(study, rows, colors) {
    const unit = bytesUnit(rows.reduce((most, row) => Math.max(most, row.sent, row.received), 0));
    const found = [
      {title: `${study.ranks.time} seconds`, traces: timeTraces(study, rows, colors), share: 0.52},
      {title: unit.name, traces: bytesTraces(study, rows, colors, unit), share: 0.24},
    ];
    if (isStale(rows))
      found.push({title: "staleness, updates", traces: staleTraces(study, rows, colors), share: 0.24});
    return found;
  }

  /** Parts of the plot for panels beside one another, or below one another in a narrow window; gaps are in pixels. */
  function domains(panels, wide, pixels) {
    const gap = (wide ? 28 : 56) / pixels;
    const whole = panels.reduce((sum, panel) => sum + (wide ? panel.share : 1), 0);
    let at = 0;
    return panels.map((panel) => {
      const size = (1 - gap * (panels.length - 1)) * (wide ? panel.share : 1) / whole;
      const part = [at, Math.min(1, at + size)];
      at += size + gap;
      return wide ? {x: part, y: [0, 1]} : {x: [0, 1], y: [Math.max(0, 1 - part[1]), 1 - part[0]]};
    });
  }

  const kHead = 150;  // pixels of the key in a narrow window

  const isWide = (width) => width > 640;

  function axesOf(panels, names, colors, width, height) {
    const wide = isWide(width);
    const places = domains(panels, wide, wide ? width : height - kHead);
    return Object.fromEntries(panels.flatMap((panel, i) => [
      [axisName("x", i), axis(colors, {title: axisTitle(panel.title, wide ? 0.24 * width : width), domain: places[i].x,
        anchor: axisRef("y", i), rangemode: "tozero", nticks: wide && i ? 4 : 7})],
      [axisName("y", i), {...rowAxis(colors, names, wide ? 20 : 10), domain: places[i].y, anchor: axisRef("x", i),
        ...(wide && i ? {showticklabels: false} : {})}],
    ]));
  }

  const ranks = {
    controls({ranks: {trials}, best}) {
      if (trials.length < 2) return [];
      const options = trials.map((number) => `ranks of trial ${number}${number === best ? ", the best" : ""}`);
      const keys = ["all", ...trials];
      return [{name: "trial", text: "Show", options: ["all trials, as means", ...options], keys, value: 1}];
    },
    height(study, width, choices) {
      const rows = Math.min(kMost, rowsOf(study, choices).length);
      const each = rowsHeight(rows, isWide(width) ? 26 : 20);
      return isWide(width) ? each + 30 : 3 * each + kHead;
    },
    draw(study, colors, width, height, choices) {
      const all = rowsOf(study, choices), rows = all.slice(0, kMost);
      const panels = panelsOf(study, rows, colors), plain = layout(colors, {barmode: "overlay"});
      const traces = panels.flatMap((panel, i) => panel.traces.map((trace) => ({
        type: "bar",
        orientation: "h",
        y: rows.map((_, row) => row),
        hoverinfo: "text",
        showlegend: true,
        xaxis: axisRef("x", i),
        yaxis: axisRef("y", i),
        ...(i === 0 ? {width: 0.7} : {}),
        ...trace,
      })));
      return {
        traces,
        note: [
          study.ranks.time === "virtual" ? "Seconds are those of the virtual cluster" : "Seconds were measured",
          all.length > kMost ? `${kMost} of ${all.length} rows are drawn` : "",
          isStale(rows) ? "" : "No update was stale",
          study.ranks.said,
        ],
        layout: {
          ...plain,
          legend: {...plain.legend, traceorder: "normal"},
          ...axesOf(panels, rows.map((row) => row.name), colors, width, height),
        },
      };
    },
  };

  Object.assign(dlrunPage, {nodesOf});
  Object.assign(dlrunPage.plots, {ranks});
})();
