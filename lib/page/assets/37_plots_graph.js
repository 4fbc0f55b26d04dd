// SPDX-License-Identifier: Apache-2.0
// Graph of a placed model: layers from left to right, in the colours of their devices. A slider goes along a traversal
// order, in which a placer decides.
"use strict";

(() => {
  const {words, plain, series, lines, axis, layout, label} = dlrunPage;

  const kColumn = 92, kRow = 64;  // pixels of a layer

  // ---- places of layers ----

  function neighbours(count, edges, from, to) {
    const found = Array.from({length: count}, () => []);
    for (const edge of edges) found[edge[from]].push(edge[to]);
    return found;
  }

  /** Length of the longest way to each node. */
  function levels(count, edges) {
    const [parents, children] = [neighbours(count, edges, 1, 0), neighbours(count, edges, 0, 1)];
    const missing = parents.map((list) => list.length);
    const level = Array(count).fill(0);
    const free = missing.flatMap((number, node) => (number ? [] : [node]));
    while (free.length) {
      const node = free.pop();
      for (const child of children[node]) {
        level[child] = Math.max(level[child], level[node] + 1);
        if (--missing[child] === 0) free.push(child);
      }
    }
    return level;
  }

  /** Places within each column, so that neighbours are near: columns are sorted by the mean place of their neighbours. */
  function placesOf(nodes, edges) {
    const level = levels(nodes.length, edges);
    const columns = Array.from({length: 1 + Math.max(...level)}, () => []);
    level.forEach((at, node) => columns[at].push(node));
    const y = Array(nodes.length).fill(0);
    const settle = (column) => column.forEach((node, i) => (y[node] = i - (column.length - 1) / 2));
    columns.forEach(settle);
    const sides = [neighbours(nodes.length, edges, 1, 0), neighbours(nodes.length, edges, 0, 1)];
    for (let sweep = 0; sweep < 8; ++sweep) {
      const near = sides[sweep % 2];
      const want = (node) =>
          (near[node].length ? near[node].reduce((sum, other) => sum + y[other], 0) / near[node].length : y[node]);
      for (const column of sweep % 2 ? columns.slice().reverse() : columns) {
        const wanted = new Map(column.map((node) => [node, want(node)]));
        column.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
        settle(column);
      }
    }
    return {level, y, columns};
  }

  const known = new WeakMap();

  /** Places are computed once for a study. */
  function placed(study) {
    if (!known.has(study)) known.set(study, placesOf(study.placement.nodes, study.placement.edges));
    return known.get(study);
  }

  // ---- drawing ----

  const chosen = (study, {order = study.placement.chosen}) => study.placement.orders[order];

  const deviceColor = (device, colors) => series(colors)[device % 5];

  /** Edges of one kind as a single trace; long ones bow, so that they do not hide behind the layers between. */
  function edgeTrace(study, edges, style, name) {
    const {level, y} = placed(study);
    const points = edges.flatMap(([from, to]) => {
      const span = level[to] - level[from];
      const middle = span > 1 ? [[(level[from] + level[to]) / 2, (y[from] + y[to]) / 2 + 0.42]] : [];
      return [[level[from], y[from]], ...middle, [level[to], y[to]], [null, null]];
    });
    return {
      type: "scatter",
      mode: "lines",
      name,
      x: points.map(([x]) => x),
      y: points.map(([, at]) => at),
      line: {shape: "spline", smoothing: 0.8, width: 1.3, ...style},
      hoverinfo: "skip",
      connectgaps: false,
    };
  }

  function edgeTraces(study, colors) {
    const {nodes, edges} = study.placement;
    const isCut = ([from, to]) => nodes[from][2] !== nodes[to][2];
    const kinds = [
      edgeTrace(study, edges.filter((edge) => !isCut(edge)), {color: colors.line}, "on one device"),
      edgeTrace(study, edges.filter(isCut), {color: colors.text, dash: "dash"}, "between devices"),
    ];
    return kinds.filter((trace) => trace.x.length);
  }

  function nodeWords(study, node, place) {
    const [name, op, device, seconds, bytes] = study.placement.nodes[node];
    return lines(name, op, `device ${device}`, `${words(Number((1e3 * seconds).toPrecision(3)))} ms, forward and backward`,
        `output of ${words(Math.round(bytes / 1e3))} kB`, `place ${place + 1} in the order`);
  }

  /** Layers with these numbers as one trace. */
  function nodeTrace(study, colors, own, {name, color, isOpen}, places, last) {
    const {level, y} = placed(study);
    const names = own.map((node) => label(study.placement.nodes[node][0], 12));
    return {
      type: "scatter",
      mode: "markers+text",
      name,
      x: own.map((node) => level[node]),
      y: own.map((node) => y[node]),
      text: names,
      textposition: "bottom center",
      textfont: {size: 11, color: colors.text},
      cliponaxis: false,
      hoverinfo: "text",
      hovertext: own.map((node) => nodeWords(study, node, places.get(node))),
      marker: {
        symbol: "square",
        size: 22,
        color: isOpen ? colors.page : color,
        line: {color: own.map((node) => (node === last ? colors.text : color)), width: own.map((node) => (node === last ? 4 : 1.5))},
      },
    };
  }

  /** Number of the device inside of each layer that is decided. */
  function numberTrace(study, colors, own) {
    const {level, y} = placed(study);
    return {
      type: "scatter",
      mode: "text",
      x: own.map((node) => level[node]),
      y: own.map((node) => y[node]),
      text: own.map((node) => plain(String(study.placement.nodes[node][2]))),
      textfont: {size: 12, color: colors.page},
      hoverinfo: "skip",
      showlegend: false,
    };
  }

  function decidedTraces(study, colors, choices) {
    const {order} = chosen(study, choices);
    const count = Math.min(order.length, choices.step ?? order.length);
    const places = new Map(order.map((node, i) => [node, i]));
    const last = count < order.length ? order[count - 1] : -1;
    const decided = order.slice(0, count), open = order.slice(count);
    const devices = [...new Set(study.placement.nodes.map((node) => node[2]))].sort((a, b) => a - b);
    const traces = devices.map((device) => {
      const own = decided.filter((node) => study.placement.nodes[node][2] === device);
      return nodeTrace(study, colors, own, {name: `device ${device}`, color: deviceColor(device, colors)}, places, last);
    });
    traces.push(nodeTrace(study, colors, open, {name: "not decided yet", color: colors.pale, isOpen: true}, places, last));
    return [...traces.filter((trace) => trace.x.length), numberTrace(study, colors, decided)];
  }

  function orderWords(study, choices) {
    const {order} = chosen(study, choices);
    const count = Math.min(order.length, choices.step ?? order.length);
    if (count === 0) return `none of ${order.length}`;
    const [name, , device] = study.placement.nodes[order[count - 1]];
    return `${count} of ${order.length}: ${words(name)} to device ${device}`;
  }

  const graph = {
    controls(study) {
      const {orders, chosen: value, nodes} = study.placement;
      const isChosen = (i) => (i === value && i < orders.length - 1 ? " (the placer's)" : "");
      return [
        {
          name: "order",
          text: "Order",
          options: orders.map(({name}, i) => name + isChosen(i)),
          keys: orders.map(({name}) => name),
          value
        },
        {name: "step", text: "Decided", most: nodes.length, value: nodes.length, say: orderWords},
      ];
    },
    width: (study) => 40 + kColumn * placed(study).columns.length,
    height: (study) => Math.min(900, Math.max(260, 90 + kRow * Math.max(...placed(study).columns.map((column) => column.length)))),
    draw(study, colors, width, height, choices) {
      const {columns} = placed(study);
      const most = Math.max(...columns.map((column) => column.length)) / 2;
      const bare = {showgrid: false, showticklabels: false, ticks: "", showline: false};
      return {
        traces: [...edgeTraces(study, colors), ...decidedTraces(study, colors, choices)],
        note: ["Numbers are devices; dashed lines are tensors that travel from one device to another"],
        layout: layout(colors, {
          xaxis: axis(colors, {...bare, range: [-0.6, columns.length - 0.4]}),
          yaxis: axis(colors, {...bare, range: [most + 0.35, -most - 0.25]}),
          margin: {l: 16, r: 16, t: 12, b: 16},
        }),
      };
    },
  };

  Object.assign(dlrunPage, {chosenOrder: chosen});
  Object.assign(dlrunPage.plots, {graph});
})();
