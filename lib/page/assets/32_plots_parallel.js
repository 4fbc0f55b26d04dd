// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line for each trial, through its parameters and its objective. Drawn as SVG: Plotly's own
// kind needs WebGL and code made at run time, which the page's policy forbids.
"use strict";

(() => {
  const {
    words, count, isChoice, objectiveOf, maximizes, paramWords, rowsWithValue, bestFirst, sampled, quantile, scaled,
    label, lines, layout, toUnit, robustEnds, trialWords, isLog, bounds, logWords, objectiveControl,
  } = dlrunPage;

  // ---- parallel coordinates ----

  const kLines = 1000;
  const kShades = 10;
  const kFirstAxis = -0.25;  // where the plot begins; axes stand at 0, 1, 2, …

  /** How good each value is, between 0 and 1; the worst quarter counts as 0, so that outliers take no colours. */
  function goodness(study, objective, rows) {
    const values = objectiveOf(study, objective);
    const sorted = Float64Array.from(rows, (row) => values[row]).sort();
    if (!sorted.length) return () => 0;
    const [worst, best] =
        maximizes(study, objective) ? [quantile(sorted, 0.25), sorted.at(-1)] : [quantile(sorted, 0.75), sorted[0]];
    return (value) => (best === worst ? 1 : Math.min(1, Math.max(0, (value - worst) / (best - worst))));
  }

  /** The axes, left to right: each parameter, then the objective. `unit` gives a row's height, null for none. */
  function parallelAxes(study, objective, rows) {
    const axes = study.parameters.map((parameter, i) => {
      const values = study.trials.params[i];
      const unit = toUnit(parameter, values);
      return {
        name: words(parameter.name),
        ticks: parallelTicks(parameter, values, unit),
        unit: (row) => (values[row] === null ? null : unit(values[row]))
      };
    });
    return [...axes, objectiveAxis(study, objective, rows)];
  }

  /** A value with so many digits that steps of a hundredth of the span differ. */
  function rounded(value, span) {
    const more = value && span ? Math.ceil(Math.log10(Math.abs(value) / span)) : 0;
    return Number(value.toPrecision(Math.min(15, Math.max(2, 2 + more))));
  }

  function objectiveAxis(study, objective, rows) {
    const values = objectiveOf(study, objective);
    const ends =
        rows.length ? robustEnds(rows.map((row) => values[row]), maximizes(study, objective)) : {worst: 0, best: 1};
    const low = Math.min(ends.worst, ends.best);
    const span = Math.abs(ends.best - ends.worst) || 1;
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((at) => ({at, text: label(rounded(low + at * span, span), 10)}));
    return {
      name: words(study.objectives[objective].name),
      ticks,
      unit: (row) => Math.min(1, Math.max(0, (values[row] - low) / span)),
      isObjective: true
    };
  }

  function parallelTicks(parameter, values, unit) {
    if (isChoice(parameter)) {
      const step = Math.ceil(parameter.choices.length / 10);
      return parameter.choices.map((choice, i) => ({at: unit(i), text: label(choice, 10)}))
          .filter((_, i) => i % step === 0);
    }
    const [low, high] = bounds(parameter, values);
    const middle = isLog(parameter) ? Math.sqrt(low * high) : (low + high) / 2;
    const short =
        [low, middle, high].map((value) => (parameter.type === "int" ? Math.round(value) : rounded(value, high - low)));
    const texts = isLog(parameter) ? logWords(short) : short.map(words);
    return [low, middle, high].map((value, i) => ({at: unit(value), text: label(texts[i], 10)}));
  }

  const isKept = (axes, brushes, row) => brushes.every((brush, i) => {
    const at = brush && axes[i].unit(row);
    return !brush || (at !== null && at >= brush[0] && at <= brush[1]);
  });

  /** Lines of trials as one trace per shade, the best on top, so that thousands of segments are a few paths. */
  function parallelLines(study, colors, axes, objective, rows, brushes) {
    const good = goodness(study, objective, rows);
    const values = objectiveOf(study, objective);
    const shades = Array.from({length: kShades + 1}, () => ({x: [], y: []}));
    for (const row of rows) {
      const kept = isKept(axes, brushes, row);
      const shade = shades[kept ? 1 + Math.min(kShades - 1, Math.floor(good(values[row]) * kShades)) : 0];
      axes.forEach((one, i) => {
        shade.x.push(i);
        shade.y.push(one.unit(row));
      });
      shade.x.push(null);
      shade.y.push(null);
    }
    return shades
        .map((shade, i) => ({
          type: "scatter",
          mode: "lines",
          ...shade,
          hoverinfo: "skip",
          showlegend: false,
          connectgaps: false,
          line: {
            width: i > kShades * 0.7 ? 1.6 : 1,
            color: i ? scaled(colors.scale, (i - 1) / (kShades - 1)) : colors.grid
          },
          opacity: i ? (rows.length > 300 ? 0.25 + (0.5 * i) / kShades : 0.8) : 0.5,
        }))
        .filter((trace) => trace.x.length);
  }

  /** Invisible points where the lines cross the axes: they answer the pointer. */
  function crossings(study, axes, rows) {
    const trace = {x: [], y: [], hovertext: []};
    for (const row of rows.slice(0, 300)) {
      const params =
          study.parameters.map((parameter, i) => `${parameter.name}: ${paramWords(study, i, row)}`).slice(0, 12);
      const text = trialWords(study, row, ...params);
      axes.forEach((one, i) => {
        trace.x.push(i);
        trace.y.push(one.unit(row));
        trace.hovertext.push(text);
      });
    }
    const unseen = {marker: {opacity: 0}};
    return {
      type: "scatter",
      mode: "markers",
      ...trace,
      hoverinfo: "text",
      showlegend: false,
      marker: {size: 8, opacity: 0},
      selected: unseen,
      unselected: unseen
    };
  }

  function axisTexts(axes, colors) {
    return axes.flatMap((one, i) => one.ticks.map(({at, text}) => ({
      x: i,
      y: at,
      text,
      showarrow: false,
      xanchor: i === axes.length - 1 ? "right" : "left",
      xshift: i === axes.length - 1 ? -4 : 4,
      font: {size: 11, color: colors.text},
      bgcolor: colors.page + "cc",
      borderpad: 1,
    })));
  }

  const axisShape = (colors, i, [low, high], width, color) =>
      ({type: "line", x0: i, x1: i, y0: low, y1: high, line: {width, color}});

  /** Names above the axes: slanted where one is too long for its place. */
  function axisHeadings(axes, width) {
    const fit = Math.floor(width / axes.length / 7);
    const slanted = axes.some((one) => one.name.length > fit);
    return {
      tickvals: axes.map((_, i) => i),
      ticktext: axes.map((one) => label(one.name, slanted ? 18 : fit)),
      tickangle: slanted ? -30 : 0
    };
  }

  function parallelLayout(colors, axes, brushes, width) {
    const shapes = axes.map((_, i) => axisShape(colors, i, [0, 1], 1.2, colors.line));
    brushes.forEach((brush, i) => brush && shapes.push(axisShape(colors, i, brush, 7, colors.vermilion)));
    return layout(colors, {
      shapes,
      annotations: axisTexts(axes, colors),
      margin: {l: 12, r: 14, t: 12, b: 16},
      showlegend: false,
      uirevision: undefined,
      xaxis: {
        side: "top",
        tickmode: "array",
        ...axisHeadings(axes, width),
        showgrid: false,
        zeroline: false,
        fixedrange: true,
        range: [kFirstAxis, axes.length - 1 - kFirstAxis],
        automargin: true,
        ticks: "",
      },
      yaxis: {range: [-0.04, 1.04], visible: false, fixedrange: true},
      selections: [],
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "select",
      selectdirection: "v",
      newselection: {line: {color: colors.vermilion}},
    });
  }

  /** The axis next to a place of the window. */
  function axisAt(plot, x, total) {
    const box = plot.querySelector(".nsewdrag").getBoundingClientRect();
    const at = kFirstAxis + ((x - box.left) / box.width) * (total - 1 - 2 * kFirstAxis);
    return Math.min(total - 1, Math.max(0, Math.round(at)));
  }

  /** Keeps the lines that pass the marked part of each axis; a double click frees all axes. */
  function brushing(plot, redraw, state) {
    let start = 0;
    plot.addEventListener("pointerdown", (event) => (start = event.clientX), true);
    plot.on("plotly_selected", (event) => {
      if (!event?.range?.y) return;
      const [low, high] = event.range.y.slice().sort((a, b) => a - b);
      state.brushes[axisAt(plot, start, state.brushes.length)] = [Math.max(0, low), Math.min(1, high)];
      redraw();
    });
    plot.on("plotly_deselect", () => {
      state.brushes.fill(null);
      redraw();
    });
  }

  const kHelp = "Drag along an axis to keep the trials of a range; a double click shows all again.";

  const parallel = {
    controls: objectiveControl,
    height: () => 420,
    width: (study) => (study.parameters.length + 1) * 74,
    draw(study, colors, width, height, {objective = 0}, state) {
      state.brushes ??= study.parameters.map(() => null).concat([null]);
      const all = rowsWithValue(study, objective);
      const axes = parallelAxes(study, objective, all);
      const {rows, said} = sampled(study, objective, all, kLines);
      const inOrder = bestFirst(study, objective, rows);
      const traces =
          [...parallelLines(study, colors, axes, objective, inOrder, state.brushes), crossings(study, axes, inOrder)];
      const passing = rows.filter((row) => isKept(axes, state.brushes, row)).length;
      const kept = state.brushes.some(Boolean) ? `${count(passing)} of the drawn trials pass the marked ranges.` : "";
      const note = [said, `${colors.isDark ? "Lighter" : "Darker"} lines are better trials.`, kHelp, kept];
      const layout = parallelLayout(colors, axes, state.brushes, width);
      return {traces, layout, note, after: brushing};
    },
  };

  Object.assign(dlrunPage.plots, {parallel});
})();
