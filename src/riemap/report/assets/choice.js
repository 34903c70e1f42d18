// The page of a choice: the verdict, error bars and a table of all spaces, F1@k curves, and two maps.

const answer = data.answer;
const COLUMNS = [
  ["space", "space"], ["numbers", "numbers"], ["mean", answer.metric], ["se", "±"], ["difference", "worse by"],
  ["difference_se", "±"], ["runs", "runs"], ["epochs", "epochs"], ["seconds", "seconds"], ["note", ""],
];
const SCORES = new Set(["mean", "se", "difference", "difference_se"]);
const ROW_HEIGHT = 22; // pixels of a space in the chart
const colourOf = (k) => [theme.dark ? "#7cb7ff" : "#0a5bb8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"][k % 6];
const isBest = (row) => answer.best.includes(row.space);

function showTable() {
  const head = element("tr", {}, ...COLUMNS.map(([key, title]) => element("th", { scope: "col", class: key === "space" ? "word" : "" }, title)));
  document.querySelector("#rows thead").replaceChildren(head);
  const rows = answer.ranking.map((row) => element("tr", { class: isBest(row) ? "ours" : "" }, ...COLUMNS.map(([key]) => {
    const text = key === "space" || key === "note" ? row[key] : SCORES.has(key) ? shownScore(answer.metric, row[key]) : shown(row[key]);
    return element("td", { class: key === "space" ? "word" : "" }, text);
  })));
  document.querySelector("#rows tbody").replaceChildren(...rows);
}

// A dot for each space at its mean, and a line from one standard error below to one above. There is no y axis.
function showBars() {
  const rows = answer.ranking.filter((row) => row.mean !== null);
  const host = element("div", { class: "chart" });
  byId("bars").replaceChildren(host);
  if (rows.length === 0) return;
  const ends = rows.flatMap((row) => [row.mean - (row.se ?? 0), row.mean + (row.se ?? 0)]);
  drawOnChange(host, (width) => {
    const height = MARGIN.top + MARGIN.bottom + ROW_HEIGHT * rows.length;
    const { svg, atX } = axes(host, width, {
      height, x: [Math.min(...ends), Math.max(...ends) + 0.25 * (Math.max(...ends) - Math.min(...ends))], y: [NaN, NaN], xLabel: data.metric.title, label: answer.verdict,
    });
    rows.forEach((row, k) => {
      const y = MARGIN.top + ROW_HEIGHT * (k + 0.5), colour = theme.ink.accent;
      const line = drawn("line", { x1: atX(row.mean - (row.se ?? 0)), x2: atX(row.mean + (row.se ?? 0)), y1: y, y2: y, stroke: colour, "stroke-width": 2 });
      const dot = drawn("circle", { cx: atX(row.mean), cy: y, r: 4, stroke: colour, fill: isBest(row) ? colour : theme.ink.card });
      const name = drawn("text", { x: atX(row.mean + (row.se ?? 0)) + 10, y: y + 4 }, row.space);
      svg.append(line, dot, name);
    });
  });
}

function showCurves() {
  const host = element("div", { class: "chart" });
  byId("overlay").replaceChildren(host);
  const curves = data.curves.map(({ name, values }, k) => ({ name, values, colour: colourOf(k), dashes: "" }));
  if (curves.length) f1Chart(host, curves);
  byId("keys").replaceChildren(...curves.map(({ name, colour }) => element("li", {}, swatch(colour), name)));
}

// Nodes and edges of one picture, seen from the front.
function map({ title, caption, round, points, edges }) {
  const at = unpacked(points), step = points.shape[1], pairs = edges ? unpacked(edges) : [];
  const svg = drawn("svg", { viewBox: "-1.08 -1.08 2.16 2.16", role: "img", "aria-label": title });
  if (round) svg.append(drawn("circle", { cx: 0, cy: 0, r: 1, fill: "none", stroke: theme.ink.guide, "stroke-width": 0.006 }));
  let lines = "";
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [pairs[k] * step, pairs[k + 1] * step];
    lines += `M${at[a].toFixed(4)} ${(-at[a + 1]).toFixed(4)}L${at[b].toFixed(4)} ${(-at[b + 1]).toFixed(4)}`;
  }
  svg.append(drawn("path", { d: lines, fill: "none", stroke: theme.ink.edge, "stroke-width": 0.003 }));
  for (let k = 0; k < at.length; k += step) svg.append(drawn("circle", { cx: at[k].toFixed(4), cy: (-at[k + 1]).toFixed(4), r: 0.012, fill: theme.ink.accent }));
  return element("figure", { class: "view" }, svg, element("figcaption", {}, element("strong", {}, title), caption));
}

const showMaps = () => byId("views").replaceChildren(...data.maps.map(map));

startTheme();
byId("title").textContent = `${answer.graph}: which space fits?`;
byId("lead").textContent = `${plural(answer.ranking.length, "space")} of ${plural(answer.dim, "dimension")} · ${data.metric.title} of held-out ${answer.held_out} · ${answer.stop}`;
byId("verdict").textContent = answer.verdict;
byId("why").replaceChildren(...(answer.why.sentences ?? []).map((text) => element("li", {}, text)));
showTable();
for (const show of [showBars, showCurves, showMaps]) {
  show();
  theme.listeners.push(show);
}
showEnd();
document.documentElement.dataset.ready = document.documentElement.dataset.complete = String(Math.round(performance.now()));
