// SPDX-License-Identifier: Apache-2.0
// Plots of findings: importance, ablation, interactions.
"use strict";

(() => {
  const {words, plain, label, lines, axis, axisTitle, layout, colorbar, widened} = dlrunPage;

  /** Axis with one row of words per entry, the first on top. */
  function rowAxis(colors, names, length = 26) {
    return axis(colors, {
      tickmode: "array",
      tickvals: names.map((_, i) => i),
      ticktext: names.map((name) => label(name, length)),
      range: [names.length - 0.4, -0.6],
      showgrid: false,
      ticklen: 6,
      tickcolor: "rgba(0,0,0,0)",
      showline: false,
      fixedrange: true,
    });
  }

  const rowsHeight = (number, each = 26) => Math.min(1200, Math.max(240, 76 + each * number));

  const interval = (middle, low, high) => {
    const known = low !== null && low !== undefined && high !== null && high !== undefined;
    return words(middle) + (known ? ` [${words(low)}, ${words(high)}]` : "");
  };

  const arms = (middles, lows, highs, color) => ({
    type: "data",
    symmetric: false,
    color,
    thickness: 1.5,
    width: 0,
    array: middles.map((middle, i) => (highs?.[i] ?? middle) - middle),
    arrayminus: middles.map((middle, i) => middle - (lows?.[i] ?? middle)),
  });

  const lineAtZero = (colors) => ({
    type: "line",
    x0: 0,
    x1: 0,
    yref: "paper",
    y0: 0,
    y1: 1,
    layer: "below",
    line: {color: colors.line, width: 1.2, dash: "dot"}
  });

  // ---- importance ----

  const importance = {
    height: (study) => rowsHeight(study.importance.names.length),
    draw(study, colors, width) {
      const {names, shares, lows, highs, method, remark} = study.importance;
      const bar = {
        type: "bar",
        orientation: "h",
        x: shares,
        y: names.map((_, i) => i),
        marker: {color: colors.blue},
        width: 0.62,
        error_x: arms(shares, lows, highs, colors.text),
        hoverinfo: "text",
        hovertext: names.map((name, i) => lines(words(name), `share ${interval(shares[i], lows?.[i], highs?.[i])}`)),
      };
      return {
        traces: [bar],
        note: [remark ?? ""],
        layout: layout(colors, {
          showlegend: false,
          hovermode: "closest",
          yaxis: rowAxis(colors, names, width < 500 ? 14 : 26),
          xaxis:
              axis(colors, {title: axisTitle(`share of the variation (${words(method)})`, 340), rangemode: "tozero"}),
        }),
      };
    },
  };

  // ---- ablation: effects with their intervals ----

  function effectColor(row, colors) {
    return {helps: colors.blue, hurts: colors.vermilion, negligible: colors.green}[row.group] ?? colors.grey;
  }

  /** Digits after the point that suit the width of the intervals, for all rows alike. */
  function digits(rows) {
    const widest =
        rows.reduce((most, row) => Math.max(most, (row.high ?? 0) - (row.low ?? 0), Math.abs(row.mean ?? 0) / 10), 0);
    return widest > 0 ? Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(widest / 2)))) : 3;
  }

  function effectWords(row, places) {
    const fixed = (value) => value.toFixed(places).replace("-", "−");
    if (row.mean === null) return words(row.verdict ?? "");
    const range = row.low === null || row.high === null ? "" : ` [${fixed(row.low)}, ${fixed(row.high)}]`;
    return `${fixed(row.mean)}${range}  ${words(row.verdict ?? "")}`;
  }

  function effectTexts(texts, colors) {
    return texts.map((text, i) => ({
      xref: "paper",
      x: 1.02,
      xanchor: "left",
      y: i,
      showarrow: false,
      align: "left",
      font: {size: 12, color: colors.text},
      text: plain(text),
    }));
  }

  const kEffects = "Blue helps, vermilion hurts, green does not matter, grey is inconclusive";
  const kRace = "Vermilion dropped out, grey is not shown to be worse";

  const ablation = {
    height: (study) => rowsHeight(study.ablation.rows.length, 30),
    draw(study, colors, width) {
      const {rows, metric, axis: raced} = study.ablation;
      const known = rows.map((row, i) => [row, i]).filter(([row]) => row.mean !== null);
      const points = known.map(([row, i]) => ({
        type: "scatter",
        mode: "markers",
        x: [row.mean],
        y: [i],
        marker: {color: effectColor(row, colors), size: 9, symbol: "square"},
        error_x: arms([row.mean], [row.low], [row.high], effectColor(row, colors)),
        hoverinfo: "text",
        hovertext:
            [lines(words(row.component), `effect ${interval(row.mean, row.low, row.high)}`, words(row.verdict ?? ""))],
      }));
      const ends = known.flatMap(([row]) => [row.low ?? row.mean, row.high ?? row.mean]).concat([0]);
      const wide = width > 640;
      const texts = rows.map((row) => effectWords(row, digits(rows)));
      const room = Math.min(320, 28 + 6.7 * Math.max(...texts.map((text) => text.length)));
      return {
        traces: points,
        note: ["Squares are means, lines their intervals", raced ? kRace : kEffects],
        layout: layout(colors, {
          showlegend: false,
          yaxis: rowAxis(colors, rows.map((row) => row.component), wide ? 26 : 14),
          shapes: [lineAtZero(colors)],
          xaxis: axis(colors, {
            title: axisTitle(raced ?? `effect on ${words(metric)}`, 340),
            range: widened(Math.min(...ends), Math.max(...ends), 0.06),
            nticks: wide ? 8 : 5
          }),
          annotations: wide ? effectTexts(texts, colors) : [],
          margin: {l: 56, r: wide ? room : 16, t: 12, b: 44},
        }),
      };
    },
  };

  // ---- interactions: pairs of components ----

  /** The lower triangle: the later component of a pair is the row. */
  function triangle(names, found) {
    const cells = names.map(() => names.map(() => null));
    for (const one of found) cells[Math.max(one.row, one.column)][Math.min(one.row, one.column)] = one;
    return cells;
  }

  function cellTexts(cells, colors, largest) {
    return cells
        .flatMap((row, y) => row.map((cell, x) => cell && {
          x,
          y,
          showarrow: false,
          text: plain(String(Number(cell.value.toPrecision(2))).replace("-", "−") + (cell.marked ? " *" : "")),
          font: {size: 12, color: Math.abs(cell.value) > 0.6 * largest && !colors.isDark ? "#ffffff" : colors.text},
        }))
        .filter((one) => one && one.text);
  }

  const kInteractions = "Orange: each component needs the other; blue: each stands in for the other.";

  const interactions = {
    height: (study) => Math.min(900, Math.max(300, 110 + 36 * study.ablation.names.length)),
    draw(study, colors, width) {
      const {names, interactions: found} = study.ablation;
      const known = found.filter((one) => one.value !== null);
      const cells = triangle(names, known);
      const largest = known.reduce((most, one) => Math.max(most, Math.abs(one.value)), 0) || 1;
      const said = (cell, y, x) =>
          (cell ? lines(`${words(names[y])} × ${words(names[x])}`, words(cell.value), cell.marked ? "marked *" : "") :
                  "");
      const map = {
        type: "heatmap",
        z: cells.map((row) => row.map((cell) => cell?.value ?? null)),
        x: names.map((_, i) => i),
        y: names.map((_, i) => i),
        zmin: -largest,
        zmax: largest,
        xgap: 2,
        ygap: 2,
        hoverongaps: false,
        hoverinfo: "text",
        colorscale: [
          [0, colors.isDark ? "#2b7fb0" : "#0072b2"], [0.5, colors.middle], [1, colors.isDark ? "#b8611f" : "#d55e00"]
        ],
        hovertext: cells.map((row, y) => row.map((cell, x) => said(cell, y, x))),
        colorbar: colorbar(colors, "interaction", width),
      };
      const short = width < 500 ? 12 : 20;
      const written = names.length <= 12 && width > 420;
      return {
        traces: [map],
        note: [kInteractions, known.some((one) => one.marked) ? "* marks significant ones." : ""],
        layout: layout(colors, {
          annotations: written ? cellTexts(cells, colors, largest) : [],
          yaxis: {...rowAxis(colors, names, short), range: [names.length - 0.5, 0.5]},
          xaxis: {...rowAxis(colors, names, short), range: [-0.5, names.length - 1.5]},
        }),
      };
    },
  };

  Object.assign(dlrunPage, {rowAxis, rowsHeight});
  Object.assign(dlrunPage.plots, {importance, ablation, interactions});
})();
