// SPDX-License-Identifier: Apache-2.0
// How all plots look: colours for light and dark, axes, grids of panels, and text that Plotly does not read as markup.
"use strict";

(() => {
  const {words, shortened, isChoice, quantile} = dlrunPage;

  // ---- colours ----

  // Colours of Okabe and Ito (2008), which people with any colour vision tell apart. The dark page has lighter ones.
  const light = {
    blue: "#0072b2",
    vermilion: "#d55e00",
    green: "#009e73",
    purple: "#cc79a7",
    grey: "#767676",
    pale: "#b4b9bf",
    text: "#222222",
    quiet: "#5c6066",
    grid: "#e6e8ea",
    line: "#9aa0a6",
    page: "#ffffff",
    scale: [[0, "#e3e5e8"], [0.5, "#8db9d8"], [0.8, "#2f86bd"], [1, "#00466e"]],
    middle: "#f5f5f5",
  };
  const dark = {
    isDark: true,
    blue: "#56b4e9",
    vermilion: "#f0883e",
    green: "#2bb88e",
    purple: "#d99abf",
    grey: "#949aa2",
    pale: "#5d646d",
    text: "#e4e6e9",
    quiet: "#a8adb5",
    grid: "#2e3339",
    line: "#6b727b",
    page: "#17191c",
    scale: [[0, "#33383e"], [0.5, "#2f5d7c"], [0.8, "#4b9ecd"], [1, "#bfe6ff"]],
    middle: "#24282d",
  };

  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  /** The colours of now; paper is always light. */
  const look = (printing = false) => (prefersDark.matches && !printing ? dark : light);

  const kStates = {
    completed: ["blue", "circle"],
    pruned: ["grey", "square"],
    failed: ["vermilion", "x"],
    cancelled: ["purple", "diamond"],
    running: ["green", "triangle-up"],
    paused: ["green", "triangle-down"],
    waiting: ["pale", "circle"],
    lost: ["purple", "diamond"],
    stopped: ["grey", "square"],
  };

  /** Colour and symbol of a state of trials or attempts. */
  function stateLook(state, colors) {
    const [color, symbol] = kStates[state] ?? ["pale", "hexagon"];
    return {color: colors[color], symbol};
  }

  const series = (colors) => [colors.blue, colors.vermilion, colors.green, colors.purple, colors.grey];

  function mixed(from, to, share) {
    const channel = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
    const parts = [0, 1, 2].map((i) => Math.round(channel(from, i) + share * (channel(to, i) - channel(from, i))));
    return "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join("");
  }

  /** Colour at a share between 0 and 1 of a colour scale. */
  function scaled(scale, share) {
    const next = Math.max(1, scale.findIndex(([at]) => at >= share));
    const [[low, from], [high, to]] = [scale[next - 1], scale[next]];
    return mixed(from, to, (share - low) / (high - low));
  }

  // ---- text ----

  const kEntities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;"};

  /** Text for Plotly, which otherwise reads <b>, <a href>, entities and $formulas$ in any of its texts. */
  const plain = (text) => String(text).replace(/[&<>$]/g, (letter) => kEntities[letter]);

  const label = (text, length = 24) => plain(shortened(words(text), length));

  /** A hover text of several lines; every line is plain text. */
  const lines = (...texts) =>
      texts.filter((text) => text !== "").map((text) => plain(shortened(text, 80))).join("<br>");

  // ---- layout ----

  const kFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif';

  const kLetter = 7.4;  // mean width of a letter of an axis title, in pixels

  /** Title of an axis that is so many pixels long; longer titles end with an ellipsis. */
  const axisTitle = (text, pixels = 300) =>
      ({text: label(text, Math.max(4, Math.floor(pixels / kLetter))), standoff: 8, font: {size: 13}});

  function axis(colors, extra = {}) {
    return {
      gridcolor: colors.grid,
      linecolor: colors.line,
      tickcolor: colors.line,
      zeroline: false,
      showline: true,
      ticks: "outside",
      ticklen: 4,
      automargin: true,
      exponentformat: "none",
      separatethousands: true,
      ...extra,
    };
  }

  /** Ticks of an axis of whole numbers up to `last`: there are none between them. */
  const wholeTicks = (last) => (last < 10 ? {dtick: 1} : {});

  /** Very large and very small numbers are written as powers. */
  function exponents(low, high) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    return {exponentformat: size >= 1e7 || (size > 0 && size < 1e-4) ? "power" : "none"};
  }

  /** Layout that all plots share; `extra` comes on top. */
  function layout(colors, extra = {}) {
    return {
      font: {family: kFont, size: 13, color: colors.text},
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: {l: 56, r: 16, t: 12, b: 44},
      autosize: true,
      uirevision: "kept",
      hovermode: "closest",
      hoverlabel: {
        bgcolor: colors.page,
        bordercolor: colors.line,
        font: {family: kFont, color: colors.text, size: 13},
        align: "left"
      },
      legend: {orientation: "h", x: 0, xanchor: "left", y: 1.01, yanchor: "bottom", itemsizing: "constant"},
      modebar: {bgcolor: colors.page, color: colors.quiet, activecolor: colors.text},
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      ...extra,
    };
  }

  /** Key of the colours: beside the plot, or above it in a narrow window. */
  function colorbar(colors, title, width) {
    const shared = {outlinewidth: 0, tickcolor: colors.line, ticks: "outside", ticklen: 3, exponentformat: "power"};
    const text = {text: label(title, 30), font: {size: 13}};
    if (width > 480) return {...shared, thickness: 12, title: {...text, side: "right"}};
    return {
      ...shared,
      thickness: 10,
      title: {...text, side: "top"},
      orientation: "h",
      y: 1.02,
      yanchor: "bottom",
      nticks: 6
    };
  }

  // ---- axes of parameters ----

  /** Where the values of a parameter lie: its domain and its data, because an amendment may have made the domain narrower. */
  function bounds(parameter, values) {
    if (isChoice(parameter)) return [-0.5, parameter.choices.length - 0.5];
    const known = values.filter((value) => value !== null && (value > 0 || !isLog(parameter)));
    const low = known.reduce((a, b) => Math.min(a, b), parameter.low ?? Infinity);
    const high = known.reduce((a, b) => Math.max(a, b), parameter.high ?? -Infinity);
    if (!Number.isFinite(low)) return [0, 1];
    if (low < high) return [low, high];
    return isLog(parameter) ? [low / 2, low * 2] : [low - 0.5, low + 0.5];
  }

  /** A function from values to [0, 1], along the parameter's scale. */
  function toUnit(parameter, values) {
    const scale = isLog(parameter) ? Math.log : (x) => x;
    const [low, high] = bounds(parameter, values).map(scale);
    return (value) => (scale(value) - low) / (high - low);
  }

  const isLog = (parameter) => parameter.scale === "log" && !isChoice(parameter);

  const places = (tickvals, ticktext) => ({tickmode: "array", tickvals, ticktext, tickangle: 0});

  function choiceTicks(parameter, most, pixels) {
    const step = Math.ceil(parameter.choices.length / most);
    const tickvals = parameter.choices.map((_, i) => i).filter((i) => i % step === 0);
    const length = Math.max(3, Math.min(24, Math.floor(pixels / tickvals.length / 9)));
    return places(tickvals, tickvals.map((i) => label(parameter.choices[i], length)));
  }

  const kDigits = {"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};

  const superscript = (number) => [...String(number)].map((letter) => kDigits[letter]).join("");

  /** Places on a logarithmic axis in words: as powers of ten where one of them is very small or large. */
  function logWords(values) {
    const powers = values.map((value) => Math.floor(Math.log10(value) + 1e-9));
    if (powers.every((power) => power > -4 && power < 5)) return values.map(words);
    return values.map((value, i) => {
      const factor = Number((value / 10 ** powers[i]).toPrecision(2));
      return (factor === 1 ? "" : `${factor}·`) + "10" + superscript(powers[i]);
    });
  }

  /**
   * At most so many places of a logarithmic axis: powers of ten over many decades, otherwise multiples by 2 and 5 too.
   */
  function logTicks(low, high, most) {
    const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    const powers = Array.from({length: last - first + 1}, (_, i) => first + i);
    const inside = (factors) => powers.flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)))
                                    .filter((value) => value >= low * 0.999 && value <= high * 1.001);
    const choices = [[1, 2, 5], [1, 3], [1]].map(inside);
    const tickvals = choices.find((values) => values.length <= most && values.length > 1) ?? choices.at(-1);
    const step = Math.ceil(tickvals.length / most);
    const kept = tickvals.filter((_, i) => i % step === 0);
    return places(kept, logWords(kept));
  }

  /** Axis of a parameter, so many pixels long: logarithmic where its scale is, words for choices. */
  function paramAxis(colors, parameter, values, pixels, upright = false) {
    const [low, high] = bounds(parameter, values);
    const most = Math.max(2, Math.floor(pixels / (upright ? 28 : 44)));
    const title = axisTitle(words(parameter.name), pixels);
    if (isChoice(parameter))
      return axis(colors, {title, ...choiceTicks(parameter, most, upright ? 2000 : pixels), range: [low, high]});
    if (!isLog(parameter))
      return axis(colors, {title, range: widened(low, high), nticks: Math.min(8, most), ...exponents(low, high)});
    const range = widened(Math.log10(low), Math.log10(high));
    return axis(colors, {title, type: "log", range, ...logTicks(low, high, Math.min(8, most))});
  }

  const widened = (low, high, share = 0.03) => [low - share * (high - low), high + share * (high - low)];

  /** A range around the only value there is. */
  const aroundOne = (value) => widened(value - 0.05 * (Math.abs(value) || 1), value + 0.05 * (Math.abs(value) || 1), 0);

  /** The worst and the best of the values; where some are far off, the worst that is shown, and how many are beyond. */
  function robustEnds(values, higherIsBetter) {
    const sorted = Float64Array.from(values).sort();
    const [good, middle, bad] = [0.05, 0.5, 0.75].map((share) => quantile(sorted, higherIsBetter ? 1 - share : share));
    const [worst, best] = higherIsBetter ? [sorted[0], sorted.at(-1)] : [sorted.at(-1), sorted[0]];
    const spread = Math.abs(bad - good) || 0.01 * Math.abs(middle) || 1;
    if (sorted.length < 12 || Math.abs(worst - bad) < 10 * spread) return {worst, best, beyond: 0};
    const limit = higherIsBetter ? bad - 3 * spread : bad + 3 * spread;
    const inside = sorted.filter((value) => (higherIsBetter ? value >= limit : value <= limit));
    return {worst: higherIsBetter ? inside[0] : inside.at(-1), best, beyond: sorted.length - inside.length};
  }

  const valuesLie = (number) => (number === 1 ? "1 value lies" : `${number} values lie`);

  /** Settings of an axis of values, which a few far-off ones would squash, with a sentence about those. */
  function robustRange(values, higherIsBetter) {
    if (!values.length) return {range: {}, said: ""};
    const {worst, best, beyond} = robustEnds(values, higherIsBetter);
    if (worst === best) return {range: {range: aroundOne(best), ...exponents(worst, best)}, said: ""};
    if (!beyond) return {range: exponents(worst, best), said: ""};
    const range = widened(Math.min(worst, best), Math.max(worst, best));
    return {
      range: {range, ...exponents(worst, best)},
      said: `${valuesLie(beyond)} outside the shown range; a double click on the plot shows all.`
    };
  }

  // ---- panels ----

  const axisName = (letter, index) => letter + "axis" + (index ? index + 1 : "");
  const axisRef = (letter, index) => letter + (index ? index + 1 : "");

  /** Domains of `total` panels in rows of `columns`; gaps are in pixels. */
  function panels(total, columns, width, height, gapX = 62, gapY = 64) {
    const rows = Math.ceil(total / columns);
    const [dx, dy] = [gapX / width, gapY / height];
    const [w, h] = [(1 - dx * (columns - 1)) / columns, (1 - dy * (rows - 1)) / rows];
    return Array.from({length: total}, (_, i) => {
      const x = (i % columns) * (w + dx);
      const top = 1 - Math.floor(i / columns) * (h + dy);
      return {x: [x, Math.min(1, x + w)], y: [Math.max(0, top - h), top]};
    });
  }

  Object.assign(dlrunPage, {
    look, prefersDark, stateLook, series, scaled, plain, label, lines, axis, axisTitle, layout, colorbar, bounds,
    toUnit, paramAxis, logWords, robustEnds, robustRange, valuesLie, axisName, axisRef, panels, widened, isLog, wholeTicks,
  });
})();
