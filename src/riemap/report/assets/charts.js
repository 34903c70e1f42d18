// The charts of the pages: functions that draw numbers into a host element.

const percent = (share) => `${(100 * share).toFixed(2)}%`;

// F1@k as one or more curves, above bars for the number of pairs that are k apart.
function f1Chart(host, curves, layers = null) {
  const most = Math.max(...curves.map((curve) => curve.values.length), 1);
  const label = curves.map((c) => `${c.name}: F1@1 ${percent(c.values[0])}, F1@${c.values.length} ${percent(c.values.at(-1))}`).join("; ");
  const least = Math.min(...curves.flatMap((curve) => curve.values), 1);
  const low = layers ? 0 : Math.min(Math.max(Math.floor(10 * least - 0.2) / 10, 0), 0.9);
  drawOnChange(host, (width) => {
    const place = axes(host, width, {
      height: layers ? 280 : 360, x: [0.4, most + 0.6], y: [100 * low, 100], xLabel: "k", yLabel: "F1@k, %", integers: true, label: `F1@k by k. ${label}`,
    });
    if (layers) bars(place, layers.map((count, k) => [k + 0.6, k + 1.4, count, `${k + 1}: ${shown(count)} pairs`]));
    for (const curve of curves) oneCurve(place, curve);
  });
}

function oneCurve({ svg, atX, atY }, { name, values, colour, dashes }) {
  const points = values.map((value, k) => [atX(k + 1), atY(100 * value)]);
  const line = drawn("path", { class: "curve", d: pathOf(points), "stroke-dasharray": dashes }, drawn("title", {}, name));
  if (colour) line.style.stroke = colour;
  svg.append(line);
  if (points.length > 40) return;
  points.forEach(([x, y], k) => {
    const dot = drawn("circle", { class: "dot", cx: x, cy: y, r: 3 }, drawn("title", {}, `${name}: F1@${k + 1} = ${percent(values[k])}`));
    if (colour) dot.style.fill = colour;
    svg.append(dot);
  });
}

// Bars from the bottom; the tallest has the height of the chart.
function bars({ svg, atX, bottom, top }, list, main = false) {
  const most = Math.max(...list.map((bar) => bar[2])) || 1;
  for (const [from, to, count, text] of list) {
    const height = (count / most) * (bottom - top);
    const width = Math.max(atX(to) - atX(from) - (main ? 1 : 0), 0.5);
    svg.append(drawn("rect", { class: main ? "bar main" : "bar", x: atX(from), y: bottom - height, width, height }, drawn("title", {}, text)));
  }
}

function histogramChart(host, { edges, counts }, xLabel, label, zero = false) {
  const low = zero ? Math.min(edges[0], 0) : edges[0], high = zero ? Math.max(edges.at(-1), 0) : edges.at(-1);
  drawOnChange(host, (width) => {
    const most = Math.max(...counts);
    const place = axes(host, width, { x: [low, high], y: [0, most], xLabel, yLabel: "", label });
    bars(place, counts.map((count, k) => [edges[k], edges[k + 1], count, `${shown(edges[k], 3)} to ${shown(edges[k + 1], 3)}: ${shown(count)}`]), true);
    if (zero && low < 0 && high > 0) {
      place.svg.append(drawn("line", { class: "ideal", x1: place.atX(0), x2: place.atX(0), y1: place.top, y2: place.bottom }));
    }
  });
}

// A bar for each of a few values.
function valuesChart(host, values, counts, xLabel, label) {
  const gap = values.length > 1 ? Math.min(...values.slice(1).map((v, k) => v - values[k])) : 1;
  drawOnChange(host, (width) => {
    const total = counts.reduce((a, b) => a + b, 0), shares = counts.map((count) => count / total);
    const place = axes(host, width, {
      x: [values[0] - gap, values.at(-1) + gap], y: [0, Math.max(...shares)], xLabel, yLabel: "share", label,
    });
    bars(place, values.map((v, k) => [v - 0.4 * gap, v + 0.4 * gap, shares[k], `${shown(v, 3)}: ${(100 * shares[k]).toFixed(1)} %`]), true);
  });
}

// Counts of pairs by distance in the graph and in the space. Colours are relative to the largest count of a column.
function densityChart(host, density, xLabel, label) {
  const across = density.graph_bounds, up = density.embedded_bounds, columns = across.length - 1, rows = up.length - 1;
  const counts = unpacked(density.counts), largest = new Float64Array(columns);
  for (let k = 0; k < counts.length; k++) largest[k % columns] = Math.max(largest[k % columns], counts[k]);
  drawOnChange(host, (width) => {
    const place = axes(host, width, {
      height: 300, x: [across[0], across.at(-1)], y: [0, up.at(-1)], xLabel, yLabel: "embedded distance", label,
    });
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const count = counts[r * columns + c];
        if (count === 0) continue;
        const y = place.atY(up[r + 1]), x = place.atX(across[c]);
        const cell = drawn("rect", { x, y, width: place.atX(across[c + 1]) - x + 0.3, height: place.atY(up[r]) - y + 0.3 });
        const share = Math.sqrt(count / largest[c]);
        cell.style.fill = sequential(theme.dark ? share : 1 - share);
        place.svg.append(cell);
      }
    }
    const [from, to] = [across[0], Math.min(across.at(-1), up.at(-1))];
    place.svg.append(drawn("line", { class: "ideal", x1: place.atX(from), y1: place.atY(from), x2: place.atX(to), y2: place.atY(to) }));
  });
}

// A line, on a logarithmic axis if `wantsLog` and the values span a factor of 30.
function lineChart(host, xs, ys, xLabel, label, wantsLog) {
  const logarithmic = wantsLog && Math.min(...ys) > 0 && Math.max(...ys) > 30 * Math.min(...ys);
  const low = logarithmic ? Math.min(...ys) : Math.min(...ys, 0), high = Math.max(...ys);
  drawOnChange(host, (width) => {
    const place = axes(host, width, { height: 220, x: [xs[0], xs.at(-1)], y: [low, high || 1], xLabel, label, logarithmic, integers: true });
    place.svg.append(drawn("path", { class: "curve", d: pathOf(xs.map((x, k) => [place.atX(x), place.atY(ys[k])])) }));
  });
}

const ROW_HEIGHT = 22, NAME_PIXELS = 6.5; // of a row in a chart of dots, and of a letter

// A dot for each row at its mean, and a line from one standard error below to one above. There is no y axis.
function dotChart(host, rows, xLabel, label) {
  const ends = rows.flatMap(({ mean, se }) => [mean - (se ?? 0), mean + (se ?? 0)]), low = Math.min(...ends), high = Math.max(...ends);
  drawOnChange(host, (width) => {
    const height = MARGIN.top + MARGIN.bottom + ROW_HEIGHT * rows.length;
    const span = width - MARGIN.left - MARGIN.right, room = Math.min(NAME_PIXELS * Math.max(...rows.map(({ name }) => name.length)) + 12, 0.6 * span);
    const end = low + ((high - low || 1) * span) / (span - room); // names fit beside the last dot
    const { svg, atX } = axes(host, width, { height, x: [low, end], y: [NaN, NaN], xLabel, label });
    rows.forEach(({ name, mean, se, filled }, k) => {
      const y = MARGIN.top + ROW_HEIGHT * (k + 0.5), colour = theme.ink.accent, [from, to] = [mean - (se ?? 0), mean + (se ?? 0)].map(atX);
      svg.append(drawn("line", { x1: from, x2: to, y1: y, y2: y, stroke: colour, "stroke-width": 2 }));
      svg.append(drawn("circle", { cx: atX(mean), cy: y, r: 4, stroke: colour, fill: filled ? colour : theme.ink.card }));
      svg.append(drawn("text", { x: to + 10, y: y + 4 }, name));
    });
  });
}
