// SPDX-License-Identifier: Apache-2.0
// Contour: the objective over two parameters, interpolated between the trials.
"use strict";

(() => {
  const {
    words, isChoice, objectiveOf, maximizes, paramWords, rowsWithValue, sampled, layout, colorbar, toUnit,
    paramAxis, robustEnds, valuesLie, trialWords, isLog, bounds, objectiveControl, jitter,
  } = dlrunPage;

  // ---- contour: the objective over two parameters ----

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
      return {at, unit: at.map(toUnit(parameter, values))};
    }
    const unit = Array.from({length: kGrid}, (_, i) => i / (kGrid - 1));
    const scale = isLog(parameter) ? [Math.log, Math.exp] : [(x) => x, (x) => x];
    const [low, high] = bounds(parameter, values).map(scale[0]);
    return {at: unit.map((share) => scale[1](low + share * (high - low))), unit};
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

  function surface(study, colors, objective, [a, b], rows, width) {
    const [first, second] = [a, b].map((i) => ({parameter: study.parameters[i], values: study.trials.params[i]}));
    const [gridX, gridY] = [first, second].map((one) => gridOf(one.parameter, one.values));
    const unit = (one) => {
      const to = toUnit(one.parameter, one.values);
      return rows.map((row) => to(one.values[row]));
    };
    const values = objectiveOf(study, objective);
    const {worst, best, beyond} = robustEnds(rows.map((row) => values[row]), maximizes(study, objective));
    const ends = [Math.min(worst, best), Math.max(worst, best)];
    const clipped = rows.map((row) => Math.min(ends[1], Math.max(ends[0], values[row])));
    const inWords = isChoice(first.parameter) || isChoice(second.parameter);
    const trace = {
      type: inWords ? "heatmap" : "contour",
      x: gridX.at,
      y: gridY.at,
      z: interpolated(unit(first), unit(second), clipped, gridX.unit, gridY.unit),
      zmin: ends[0],
      zmax: ends[1],
      zauto: false,
      colorscale: colors.scale,
      reversescale: !maximizes(study, objective),
      hoverinfo: "skip",
      colorbar: colorbar(colors, words(study.objectives[objective].name), width),
      ...(inWords ? {} : {ncontours: 14, contours: {coloring: "fill"}, line: {width: 0.4, color: colors.page}}),
    };
    return {trace, said: beyond ? `${valuesLie(beyond)} beyond the end of the colours.` : ""};
  }

  function surfacePoints(study, colors, rows, [a, b]) {
    const place = (i) => (row) =>
        study.trials.params[i][row] + (isChoice(study.parameters[i]) ? jitter(row) * (i === b ? 0.8 : 1) : 0);
    const [x, y] = [place(a), place(b)];
    const said = (row) => [a, b].map((i) => `${study.parameters[i].name}: ${paramWords(study, i, row)}`);
    return {
      type: "scatter",
      mode: "markers",
      x: rows.map(x),
      y: rows.map(y),
      showlegend: false,
      hoverinfo: "text",
      hovertext: rows.map((row) => trialWords(study, row, ...said(row))),
      marker: {
        size: rows.length > 300 ? 4 : 6,
        color: colors.page,
        line: {color: colors.text, width: 1},
        opacity: rows.length > 300 ? 0.6 : 0.9
      },
    };
  }

  /** Axis that ends where the surface ends. */
  function surfaceAxis(study, colors, index, pixels, upright) {
    const [parameter, values] = [study.parameters[index], study.trials.params[index]];
    const ends = bounds(parameter, values);
    const range = isLog(parameter) ? ends.map(Math.log10) : ends;
    return {...paramAxis(colors, parameter, values, pixels, upright), showgrid: false, range};
  }

  const contourRows = (study, objective, pair) =>
      rowsWithValue(study, objective).filter((row) => pair.every((i) => study.trials.params[i][row] !== null));

  const kMethod =
      "Points are trials. Colours between them are interpolated: means of all trials, weighted by the inverse fourth " +
      `power of the distance in unit coordinates (at least ${kNearest}), on a grid of ${kGrid} × ${kGrid}.`;

  const contour = {
    controls(study) {
      const options = study.parameters.map((parameter) => words(parameter.name));
      const [a, b] = firstTwo(study);
      return [
        {name: "x", text: "Across", options, value: a}, {name: "y", text: "Up", options, value: b},
        ...objectiveControl(study)
      ];
    },
    height: () => 460,
    draw(study, colors, width, height, {objective = 0, x, y}) {
      const rows = contourRows(study, objective, [x, y]);
      const {rows: drawn, said} = sampled(study, objective, rows, 1000);
      if (!rows.length)
        return {traces: [], note: ["No trial has a value and both parameters."], layout: layout(colors)};
      const map = surface(study, colors, objective, [x, y], rows, width);
      return {
        traces: [map.trace, surfacePoints(study, colors, drawn, [x, y])],
        note: [kMethod, map.said, said],
        layout: layout(colors, {
          margin: {l: 64, r: 24, t: 12, b: 48},
          xaxis: surfaceAxis(study, colors, x, width > 480 ? width - 170 : width - 80),
          yaxis: surfaceAxis(study, colors, y, height - 80, true),
        }),
      };
    },
  };

  Object.assign(dlrunPage, {contourRows});
  Object.assign(dlrunPage.plots, {contour});
})();
