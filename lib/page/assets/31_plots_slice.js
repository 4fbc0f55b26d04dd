// SPDX-License-Identifier: Apache-2.0
// Slice: the objective against each parameter, in small panels.
"use strict";

(() => {
  const {
    words, isChoice, objectiveOf, maximizes, paramWords, rowsWithValue, sampled, axis, axisTitle, layout,
    paramAxis, robustRange, axisName, axisRef, panels, statePoints,
  } = dlrunPage;

  // ---- choices of the reader ----

  /** A control for the objective, where there are several. */
  function objectiveControl(study) {
    const options = study.objectives.map((objective) => words(objective.name));
    return options.length > 1 ? [{name: "objective", text: "Objective", options, value: 0}] : [];
  }

  // ---- slice: the objective against each parameter ----

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
    draw(study, colors, width, height, {objective = 0}) {
      const total = study.parameters.length;
      const columns = sliceColumns(study, width);
      const all = rowsWithValue(study, objective);
      const {rows, said} = sampled(study, objective, all, Math.max(300, Math.floor(kSlicePoints / total)));
      const {range, said: outside} =
          robustRange(all.map((row) => objectiveOf(study, objective)[row]), maximizes(study, objective));
      const [extra, traces] = [{}, []];
      panels(total, columns, width - 72, height - 84, 22, 66).forEach((domain, i) => {
        const at = {xaxis: axisRef("x", i), yaxis: axisRef("y", i), showlegend: i === 0};
        traces.push(...sliceTraces(study, colors, i, objective, rows, at));
        const first = i % columns === 0;
        const pixels = (domain.x[1] - domain.x[0]) * (width - 72);
        extra[axisName("x", i)] = {
          ...paramAxis(colors, study.parameters[i], study.trials.params[i], pixels),
          domain: domain.x,
          anchor: axisRef("y", i)
        };
        extra[axisName("y", i)] = axis(colors, {
          domain: domain.y,
          anchor: axisRef("x", i),
          ...range,
          matches: i ? "y" : undefined,
          showticklabels: first,
          title: first ? axisTitle(study.objectives[objective].name, 160) : undefined,
        });
      });
      return {traces, layout: layout(colors, extra), note: [said, outside]};
    },
  };

  Object.assign(dlrunPage, {objectiveControl, jitter});
  Object.assign(dlrunPage.plots, {slice});
})();
