// SPDX-License-Identifier: Apache-2.0
// Plots of the search space: slice, parallel and contour.
"use strict";

(() => {
  const {
    words, count, isChoice, objectiveOf, maximizes, paramWords, rowsWithValue, bestFirst, sampled, quantile, scaled,
    label, lines, axis, axisTitle, layout, colorbar, toUnit, paramAxis, robustEnds, robustRange, valuesLie, axisName, axisRef, panels,
    statePoints, trialWords,
  } = dlrunPage;

  // ---- choices of the reader ----------------------------------------------------------------------------------------

  /** A control for the objective, where there are several. */
  function objectiveControl(study) {
    const options = study.objectives.map((objective) => words(objective.name));
    return options.length > 1 ? [{ name: "objective", text: "Objective", options, value: 0 }] : [];
  }

  /** How good each value is, between 0 and 1; the worst quarter counts as 0, so that outliers take no colours. */
  function goodness(study, objective, rows) {
    const values = objectiveOf(study, objective);
    const sorted = Float64Array.from(rows, (row) => values[row]).sort();
    if (!sorted.length) return () => 0;
    const [worst, best] = maximizes(study, objective) ? [quantile(sorted, 0.25), sorted.at(-1)] : [quantile(sorted, 0.75), sorted[0]];
    return (value) => (best === worst ? 1 : Math.min(1, Math.max(0, (value - worst) / (best - worst))));
  }

  // ---- slice: the objective against each parameter --------------------------------------------------------------------

  const kSlicePoints = 8000;

  /** As many columns as fit, and rows of about the same length. */
  function sliceColumns(study, width) {
    const most = width > 860 ? 4 : width > 600 ? 3 : width > 420 ? 2 : 1;
    const total = Math.max(1, study.parameters.length);
    return Math.ceil(total / Math.ceil(total / most));
  }

  /** Moves a point of a choice a little aside, the same way at every drawing. */
  const jitter = (row) => (((row * 0.618033988749895) % 1) - 0.5) * 0.5;

  function sliceTraces(study, colors, index, objective, rows, at) {
    const parameter = study.parameters[index];
    const own = rows.filter((row) => study.trials.params[index][row] !== null);
    const [values, results] = [study.trials.params[index], objectiveOf(study, objective)];
    const x = isChoice(parameter) ? (row) => values[row] + jitter(row) : (row) => values[row];
    const said = (row) => `${parameter.name}: ${paramWords(study, index, row)}`;
    const traces = statePoints(study, colors, own, x, (row) => results[row], at, said);
    for (const trace of traces) trace.marker.size = own.length > 300 ? 4 : 6;
    return traces;
  }

  const slice = {
    controls: objectiveControl,
    height(study, width) {
      return 84 + 220 * Math.ceil(study.parameters.length / sliceColumns(study, width));
    },
    draw(study, colors, width, height, { objective = 0 }) {
      const total = study.parameters.length;
      const columns = sliceColumns(study, width);
      const all = rowsWithValue(study, objective);
      const { rows, said } = sampled(study, objective, all, Math.max(300, Math.floor(kSlicePoints / total)));
      const { range, said: outside } = robustRange(all.map((row) => objectiveOf(study, objective)[row]), maximizes(study, objective));
      const [extra, traces] = [{}, []];
      panels(total, columns, width - 72, height - 84, 22, 66).forEach((domain, i) => {
        const at = { xaxis: axisRef("x", i), yaxis: axisRef("y", i), showlegend: i === 0 };
        traces.push(...sliceTraces(study, colors, i, objective, rows, at));
        const first = i % columns === 0;
        const pixels = (domain.x[1] - domain.x[0]) * (width - 72);
        extra[axisName("x", i)] = { ...paramAxis(colors, study.parameters[i], study.trials.params[i], pixels), domain: domain.x, anchor: axisRef("y", i) };
        extra[axisName("y", i)] = axis(colors, {
          domain: domain.y, anchor: axisRef("x", i), range, matches: i ? "y" : undefined, showticklabels: first,
          title: first ? axisTitle(study.objectives[objective].name, 160) : undefined,
        });
      });
      return { traces, layout: layout(colors, extra), note: [said, outside] };
    },
  };

  // ---- parallel coordinates -----------------------------------------------------------------------------------------

  const kLines = 1000;
  const kShades = 10;
  const kFirstAxis = -0.25;  // where the plot begins; axes stand at 0, 1, 2, …

  /** The axes, left to right: each parameter, then the objective. `unit` gives a row's height, null for none. */
  function parallelAxes(study, objective, rows) {
    const axes = study.parameters.map((parameter, i) => {
      const values = study.trials.params[i];
      const unit = toUnit(parameter, values);
      return { name: words(parameter.name), ticks: parallelTicks(parameter, values, unit), unit: (row) => (values[row] === null ? null : unit(values[row])) };
    });
    return [...axes, objectiveAxis(study, objective, rows)];
  }

  function objectiveAxis(study, objective, rows) {
    const values = objectiveOf(study, objective);
    const ends = rows.length ? robustEnds(rows.map((row) => values[row]), maximizes(study, objective)) : { worst: 0, best: 1 };
    const low = Math.min(ends.worst, ends.best);
    const span = Math.abs(ends.best - ends.worst) || 1;
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: label(Number((low + at * span).toPrecision(3)), 10) }));
    return { name: words(study.objectives[objective].name), ticks, unit: (row) => Math.min(1, Math.max(0, (values[row] - low) / span)), isObjective: true };
  }

  function parallelTicks(parameter, values, unit) {
    if (isChoice(parameter)) {
      const step = Math.ceil(parameter.choices.length / 10);
      return parameter.choices.map((choice, i) => ({ at: unit(i), text: label(choice, 10) })).filter((_, i) => i % step === 0);
    }
    const [low, high] = dlrunPage.bounds(parameter, values);
    const middle = dlrunPage.isLog(parameter) ? Math.sqrt(low * high) : (low + high) / 2;
    const rounded = [low, middle, high].map((value) => (parameter.type === "int" ? Math.round(value) : Number(value.toPrecision(2))));
    const texts = dlrunPage.isLog(parameter) ? dlrunPage.logWords(rounded) : rounded.map(words);
    return [low, middle, high].map((value, i) => ({ at: unit(value), text: label(texts[i], 10) }));
  }

  const isKept = (axes, brushes, row) => brushes.every((brush, i) => {
    const at = brush && axes[i].unit(row);
    return !brush || (at !== null && at >= brush[0] && at <= brush[1]);
  });

  /** Lines of trials as one trace per shade, the best on top, so that thousands of segments are a few paths. */
  function parallelLines(study, colors, axes, objective, rows, brushes) {
    const good = goodness(study, objective, rows);
    const values = objectiveOf(study, objective);
    const shades = Array.from({ length: kShades + 1 }, () => ({ x: [], y: [] }));
    for (const row of rows) {
      const kept = isKept(axes, brushes, row);
      const shade = shades[kept ? 1 + Math.min(kShades - 1, Math.floor(good(values[row]) * kShades)) : 0];
      axes.forEach((one, i) => { shade.x.push(i); shade.y.push(one.unit(row)); });
      shade.x.push(null);
      shade.y.push(null);
    }
    return shades.map((shade, i) => ({
      type: "scatter", mode: "lines", ...shade, hoverinfo: "skip", showlegend: false, connectgaps: false,
      line: { width: i > kShades * 0.7 ? 1.6 : 1, color: i ? scaled(colors.scale, (i - 1) / (kShades - 1)) : colors.grid },
      opacity: i ? (rows.length > 300 ? 0.25 + (0.5 * i) / kShades : 0.8) : 0.5,
    })).filter((trace) => trace.x.length);
  }

  /** Invisible points where the lines cross the axes: they answer the pointer. */
  function crossings(study, axes, rows) {
    const trace = { x: [], y: [], hovertext: [] };
    for (const row of rows.slice(0, 300)) {
      const params = study.parameters.map((parameter, i) => `${parameter.name}: ${paramWords(study, i, row)}`).slice(0, 12);
      const text = trialWords(study, row, ...params);
      axes.forEach((one, i) => {
        trace.x.push(i);
        trace.y.push(one.unit(row));
        trace.hovertext.push(text);
      });
    }
    const unseen = { marker: { opacity: 0 } };
    return { type: "scatter", mode: "markers", ...trace, hoverinfo: "text", showlegend: false, marker: { size: 8, opacity: 0 }, selected: unseen, unselected: unseen };
  }

  function axisTexts(axes, colors) {
    return axes.flatMap((one, i) => one.ticks.map(({ at, text }) => ({
      x: i, y: at, text, showarrow: false, xanchor: i === axes.length - 1 ? "right" : "left", xshift: i === axes.length - 1 ? -4 : 4,
      font: { size: 11, color: colors.text }, bgcolor: colors.page + "cc", borderpad: 1,
    })));
  }

  const axisShape = (colors, i, [low, high], width, color) => ({ type: "line", x0: i, x1: i, y0: low, y1: high, line: { width, color } });

  /** Names above the axes: slanted where one is too long for its place. */
  function axisHeadings(axes, width) {
    const fit = Math.floor(width / axes.length / 7);
    const slanted = axes.some((one) => one.name.length > fit);
    return { tickvals: axes.map((_, i) => i), ticktext: axes.map((one) => label(one.name, slanted ? 18 : fit)), tickangle: slanted ? -30 : 0 };
  }

  function parallelLayout(colors, axes, brushes, width) {
    const shapes = axes.map((_, i) => axisShape(colors, i, [0, 1], 1.2, colors.line));
    brushes.forEach((brush, i) => brush && shapes.push(axisShape(colors, i, brush, 7, colors.vermilion)));
    return layout(colors, {
      shapes, annotations: axisTexts(axes, colors), margin: { l: 12, r: 14, t: 12, b: 16 }, showlegend: false, uirevision: undefined,
      xaxis: {
        side: "top", tickmode: "array", ...axisHeadings(axes, width), showgrid: false,
        zeroline: false, fixedrange: true, range: [kFirstAxis, axes.length - 1 - kFirstAxis], automargin: true, ticks: "",
      },
      yaxis: { range: [-0.04, 1.04], visible: false, fixedrange: true }, selections: [],
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "select", selectdirection: "v",
      newselection: { line: { color: colors.vermilion } },
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

  const parallel = {
    controls: objectiveControl,
    height: () => 420,
    width: (study) => (study.parameters.length + 1) * 74,
    draw(study, colors, width, height, { objective = 0 }, state) {
      state.brushes ??= study.parameters.map(() => null).concat([null]);
      const all = rowsWithValue(study, objective);
      const axes = parallelAxes(study, objective, all);
      const { rows, said } = sampled(study, objective, all, kLines);
      const inOrder = bestFirst(study, objective, rows);
      const traces = [...parallelLines(study, colors, axes, objective, inOrder, state.brushes), crossings(study, axes, inOrder)];
      const kept = state.brushes.some(Boolean) ? `${count(rows.filter((row) => isKept(axes, state.brushes, row)).length)} of the drawn trials pass the marked ranges.` : "";
      const help = `${colors.isDark ? "Lighter" : "Darker"} lines are better trials. Drag along an axis to keep the trials of a range; a double click shows all again.`;
      return { traces, layout: parallelLayout(colors, axes, state.brushes, width), note: [said, help, kept], after: brushing };
    },
  };

  // ---- contour: the objective over two parameters ---------------------------------------------------------------------

  const kGrid = 24;

  /** The two most important parameters, or the first two. */
  function firstTwo(study) {
    const byName = new Map(study.parameters.map((parameter, i) => [parameter.name, i]));
    const ranked = (study.importance?.names ?? []).filter((name) => byName.has(name)).map((name) => byName.get(name));
    const order = [...new Set([...ranked, ...study.parameters.keys()])];
    return [order[0] ?? 0, order[1] ?? order[0] ?? 0];
  }

  /** Grid places along a parameter: its choices, or even steps along its scale; as values and in unit coordinates. */
  function gridOf(parameter, values) {
    if (isChoice(parameter)) {
      const at = parameter.choices.map((_, i) => i);
      return { at, unit: at.map(toUnit(parameter, values)) };
    }
    const unit = Array.from({ length: kGrid }, (_, i) => i / (kGrid - 1));
    const scale = dlrunPage.isLog(parameter) ? [Math.log, Math.exp] : [(x) => x, (x) => x];
    const [low, high] = dlrunPage.bounds(parameter, values).map(scale[0]);
    return { at: unit.map((share) => scale[1](low + share * (high - low))), unit };
  }

  const kNearest = 0.03;

  /** Means of the values, weighted by the inverse fourth power of the distance in unit coordinates. */
  function interpolated(xs, ys, values, gridX, gridY) {
    return gridY.map((y) => gridX.map((x) => {
      let [sum, weights] = [0, 0];
      for (let i = 0; i < values.length; ++i) {
        const square = Math.max((xs[i] - x) ** 2 + (ys[i] - y) ** 2, kNearest * kNearest);
        const weight = 1 / (square * square);
        sum += weight * values[i];
        weights += weight;
      }
      return sum / weights;
    }));
  }

  function surface(study, colors, objective, [a, b], rows) {
    const [first, second] = [a, b].map((i) => ({ parameter: study.parameters[i], values: study.trials.params[i] }));
    const [gridX, gridY] = [first, second].map((one) => gridOf(one.parameter, one.values));
    const unit = (one) => { const to = toUnit(one.parameter, one.values); return rows.map((row) => to(one.values[row])); };
    const values = objectiveOf(study, objective);
    const { worst, best, beyond } = robustEnds(rows.map((row) => values[row]), maximizes(study, objective));
    const ends = [Math.min(worst, best), Math.max(worst, best)];
    const clipped = rows.map((row) => Math.min(ends[1], Math.max(ends[0], values[row])));
    const inWords = isChoice(first.parameter) || isChoice(second.parameter);
    const trace = {
      type: inWords ? "heatmap" : "contour", x: gridX.at, y: gridY.at,
      z: interpolated(unit(first), unit(second), clipped, gridX.unit, gridY.unit), zmin: ends[0], zmax: ends[1], zauto: false,
      colorscale: colors.scale, reversescale: !maximizes(study, objective), hoverinfo: "skip", colorbar: colorbar(colors, words(study.objectives[objective].name)),
      ...(inWords ? {} : { ncontours: 14, contours: { coloring: "fill" }, line: { width: 0.4, color: colors.page } }),
    };
    return { trace, said: beyond ? `${valuesLie(beyond)} beyond the end of the colours.` : "" };
  }

  function surfacePoints(study, colors, rows, [a, b]) {
    const place = (i) => (row) => study.trials.params[i][row] + (isChoice(study.parameters[i]) ? jitter(row) * (i === b ? 0.8 : 1) : 0);
    const [x, y] = [place(a), place(b)];
    const said = (row) => [a, b].map((i) => `${study.parameters[i].name}: ${paramWords(study, i, row)}`);
    return {
      type: "scatter", mode: "markers", x: rows.map(x), y: rows.map(y), showlegend: false, hoverinfo: "text",
      hovertext: rows.map((row) => trialWords(study, row, ...said(row))),
      marker: { size: rows.length > 300 ? 4 : 6, color: colors.page, line: { color: colors.text, width: 1 }, opacity: rows.length > 300 ? 0.6 : 0.9 },
    };
  }

  /** Axis that ends where the surface ends. */
  function surfaceAxis(study, colors, index, pixels, upright) {
    const [parameter, values] = [study.parameters[index], study.trials.params[index]];
    const ends = dlrunPage.bounds(parameter, values);
    const range = dlrunPage.isLog(parameter) ? ends.map(Math.log10) : ends;
    return { ...paramAxis(colors, parameter, values, pixels, upright), showgrid: false, range };
  }

  const contourRows = (study, objective, pair) =>
    rowsWithValue(study, objective).filter((row) => pair.every((i) => study.trials.params[i][row] !== null));

  const kMethod = "Points are trials. Colours between them are interpolated: means of all trials, weighted by the inverse fourth power of " +
    `the distance in unit coordinates (at least ${kNearest}), on a grid of ${kGrid} × ${kGrid}.`;

  const contour = {
    controls(study) {
      const options = study.parameters.map((parameter) => words(parameter.name));
      const [a, b] = firstTwo(study);
      return [{ name: "x", text: "Across", options, value: a }, { name: "y", text: "Up", options, value: b }, ...objectiveControl(study)];
    },
    height: () => 460,
    draw(study, colors, width, height, { objective = 0, x, y }) {
      const rows = contourRows(study, objective, [x, y]);
      const { rows: drawn, said } = sampled(study, objective, rows, 1000);
      if (!rows.length) return { traces: [], note: ["No trial has a value and both parameters."], layout: layout(colors) };
      const map = surface(study, colors, objective, [x, y], rows);
      return {
        traces: [map.trace, surfacePoints(study, colors, drawn, [x, y])], note: [kMethod, map.said, said],
        layout: layout(colors, {
          margin: { l: 64, r: 8, t: 12, b: 48 },
          xaxis: surfaceAxis(study, colors, x, width - 170), yaxis: surfaceAxis(study, colors, y, height - 80, true),
        }),
      };
    },
  };

  Object.assign(dlrunPage.plots, { slice, parallel, contour });
  Object.assign(dlrunPage, { contourRows });
})();
