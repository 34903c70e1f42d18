// The page of a choice: the verdict, error bars and a table of all spaces, F1@k curves, and two maps.

const answer = data.answer;
const COLUMNS = [
  ["space", "space"], ["numbers", "numbers"], ["mean", answer.metric], ["se", "±"], ["difference", "worse by"],
  ["difference_se", "±"], ["runs", "runs"], ["epochs", "epochs"], ["seconds", "seconds"], ["note", ""],
];
const SCORES = new Set(["mean", "se", "difference", "difference_se"]);
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

// A dot for each space at its mean; those that cannot be told apart from the best are filled.
function showBars() {
  const rows = answer.ranking.filter((row) => row.mean !== null);
  const host = element("div", { class: "chart" });
  byId("bars").replaceChildren(host);
  if (rows.length === 0) return;
  dotChart(host, rows.map((row) => ({ name: row.space, mean: row.mean, se: row.se, filled: isBest(row) })), data.metric.title, answer.verdict);
}

function showCurves() {
  const host = element("div", { class: "chart" });
  byId("overlay").replaceChildren(host);
  const curves = data.curves.map(({ name, values }, k) => ({ name, values, colour: colourOf(k), dashes: "" }));
  if (curves.length) f1Chart(host, curves);
  byId("keys").replaceChildren(...curves.map(({ name, colour }) => element("li", {}, swatch(colour), name)));
}

const showMaps = () => byId("views").replaceChildren(...data.maps.map(stillMap));

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
