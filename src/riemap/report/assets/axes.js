// Chart axes: the scale from numbers to pixels, with ticks at round numbers.

const MARGIN = { left: 46, right: 12, top: 10, bottom: 38 };

function linear(from, to, start, end) {
  const scale = (end - start) / (to - from || 1);
  return (value) => start + (value - from) * scale;
}

// About `count` round numbers between two, at least `least` apart.
function ticks(from, to, count, least = 0) {
  const rough = Math.max((to - from) / count || 1, least);
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = power * [1, 2, 5, 10].find((k) => k * power >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(from / size - 1e-9); k * size <= to + 1e-9 * size; k++) found.push(k * size);
  return found;
}

// Powers of ten between two numbers, or the two numbers if there are fewer than two.
function powers(from, to) {
  const found = [];
  for (let k = Math.ceil(Math.log10(from)); k <= Math.floor(Math.log10(to)); k++) found.push(10 ** k);
  return found.length > 1 ? found : [from, to];
}

const tickText = (value) => (value === 0 ? "0" : shown(Number(value.toPrecision(3)), Math.abs(value) < 0.1 ? 3 : 2)
  .replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));

// An empty chart with axes. Screen readers read `label`.
function axes(host, width, { height = 260, x, y, xLabel, yLabel, label, logarithmic = false, integers = false }) {
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label });
  const left = MARGIN.left, right = width - MARGIN.right, top = MARGIN.top, bottom = height - MARGIN.bottom;
  const atX = linear(x[0], x[1], left, right);
  const transform = logarithmic ? Math.log10 : (v) => v;
  const straight = linear(transform(y[0]), transform(y[1]), bottom, top);
  const atY = (value) => straight(transform(value));
  for (const value of logarithmic ? powers(y[0], y[1]) : ticks(y[0], y[1], 4)) {
    svg.append(drawn("line", { class: "grid", x1: left, x2: right, y1: atY(value), y2: atY(value) }));
    svg.append(drawn("text", { x: left - 6, y: atY(value) + 4, "text-anchor": "end" }, tickText(value)));
  }
  for (const value of integers ? ticks(x[0], x[1], width / 50, 1) : ticks(x[0], x[1], Math.max(width / 90, 2))) {
    svg.append(drawn("text", { x: atX(value), y: bottom + 16, "text-anchor": "middle" }, tickText(value)));
  }
  svg.append(drawn("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  svg.append(drawn("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, xLabel));
  if (yLabel) {
    const middle = (top + bottom) / 2;
    svg.append(drawn("text", { x: 10, y: middle, transform: `rotate(-90 10 ${middle})`, "text-anchor": "middle" }, yLabel));
  }
  host.replaceChildren(svg);
  return { svg, atX, atY, bottom, top, left, right };
}

// The SVG path through points.
function pathOf(points) {
  return points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
