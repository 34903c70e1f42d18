// The page of a grid: a table that can be sorted and filtered, and curves of the ticked runs.

const isScored = (name) => data.rows.some((row) => name in row.scores);
const hasTasks = data.rows.some((row) => row.task !== "embed");
const COLUMNS = [
  { key: "graph", title: "graph", word: true },
  { key: "space", title: "space", word: true },
  ...(hasTasks ? [{ key: "task", title: "task", word: true }] : []),
  { key: "dim", title: "dim" },
  { key: "loss", title: "loss", word: true },
  { key: "seed", title: "seed" },
  ...data.metrics.filter((m) => (["f1@1", "auc", "map", "ad", "worst", "stress"].includes(m.name) && (isScored(m.name) || !hasTasks)) || (m.name.includes(".") && isScored(m.name)))
    .map((m) => ({ key: m.name, title: m.name, description: m.title, metric: true, high: m.best === "high" })),
  { key: "seconds", title: "seconds" },
];
const DASHES = ["", "7 3", "2 3"];
const INITIALLY_TICKED = 4; // number of runs that are ticked when the page opens

const state = { key: COLUMNS.find((c) => c.key === "auc" || c.key.includes("."))?.key ?? "space", down: true, graph: "", loss: "", dim: "", task: "", ticked: new Set() };
const several = (key) => new Set(data.rows.map((row) => row[key])).size > 1;
const value = (row, key) => (key in row.scores ? row.scores[key] : row[key]);
const colourOf = (k) => [theme.dark ? "#7cb7ff" : "#0a5bb8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"][k % 6];

function compare(a, b) {
  const p = value(a, state.key), q = value(b, state.key);
  if (p === null || q === null || p === undefined || q === undefined) return (p ?? null) === (q ?? null) ? 0 : (p ?? null) === null ? 1 : -1;
  const order = typeof p === "string" ? p.localeCompare(q, "en", { numeric: true }) : p - q;
  return state.down ? -order : order;
}

function chosenRows() {
  const good = (row) => ["graph", "loss", "dim", "task"].every((key) => !state[key] || String(row[key]) === state[key]);
  return data.rows.filter(good).sort(compare);
}

const hasCurve = (row) => row["f1@k"].length > 0;

// The best value of each metric among the runs with the same graph, dimension and task.
function bests() {
  const found = new Map();
  for (const row of data.rows) {
    for (const { key, high } of COLUMNS.filter((c) => c.metric)) {
      const group = JSON.stringify([row.graph, row.dim, row.task, key]), now = row.scores[key] ?? null, best = found.get(group);
      if (now !== null && (best === undefined || (high ? now > best : now < best))) found.set(group, now);
    }
  }
  return found;
}

function showHead() {
  const row = element("tr", {}, element("th", { scope: "col", class: "word tick" }, "curve"));
  for (const { key, title, description, word } of COLUMNS) {
    const arrow = state.key === key ? (state.down ? " ↓" : " ↑") : "";
    const button = element("button", { type: "button", title: description, "data-key": key }, title + arrow);
    button.addEventListener("click", () => {
      state.down = state.key === key ? !state.down : !COLUMNS.find((c) => c.key === key).word && !lowIsBest(key);
      state.key = key;
      showTable();
      document.querySelector(`[data-key="${key}"]`).focus();
    });
    const sort = state.key === key ? (state.down ? "descending" : "ascending") : "none";
    row.append(element("th", { scope: "col", class: word ? "word" : "", "aria-sort": sort }, button));
  }
  document.querySelector("#rows thead").replaceChildren(row);
}

const lowIsBest = (key) => COLUMNS.some((c) => c.key === key && (c.key === "seconds" || c.key === "dim" || (c.metric && !c.high)));

function showTable() {
  showHead();
  const rows = chosenRows(), best = bests();
  byId("count").textContent = `${shown(rows.length)} of ${plural(data.rows.length, "run")}` + (data.failed ? `; ${data.failed} failed and ${data.failed === 1 ? "is" : "are"} left out` : "");
  document.querySelector("#rows tbody").replaceChildren(...rows.map((row) => oneRow(row, best)));
}

function oneRow(row, best) {
  const name = `${row.graph} in ${row.space}, ${row.task === "embed" ? row.loss : row.task}, seed ${row.seed}`;
  const box = element("input", { type: "checkbox", disabled: !hasCurve(row), "aria-label": `Show the curve of ${name}` });
  box.checked = state.ticked.has(row);
  box.addEventListener("change", () => {
    state.ticked[box.checked ? "add" : "delete"](row);
    showCurves();
  });
  const line = element("tr", {}, element("td", { class: "word tick" }, box));
  for (const { key, word, metric } of COLUMNS) {
    const now = value(row, key) ?? null;
    const text = typeof now === "string" ? now : key === "seconds" ? shown(now, 1) : shownScore(key, now);
    const inner = key === "space" && row.link ? element("a", { href: row.link, "aria-label": `${text}: report of ${name}` }, text) : text;
    const top = metric && now !== null && best.get(JSON.stringify([row.graph, row.dim, row.task, key])) === now;
    line.append(element("td", { class: [word ? "word" : "", top ? "best" : ""].join(" ") }, inner));
  }
  return line;
}

function showFilters() {
  for (const key of ["graph", "dim", "loss", "task"].filter(several)) {
    const select = element("select", { id: `filter-${key}` }, element("option", { value: "" }, "all"));
    for (const text of [...new Set(data.rows.map((row) => String(row[key])))]) select.append(element("option", { value: text }, text));
    select.addEventListener("change", () => {
      state[key] = select.value;
      showTable();
    });
    byId("filters").append(element("div", {}, element("label", { for: `filter-${key}` }, { dim: "dimension" }[key] || key), select));
  }
}

function showCurves() {
  const rows = data.rows.filter((row) => state.ticked.has(row)), host = element("div", { class: "chart" });
  byId("overlay").replaceChildren(host);
  byId("keys").replaceChildren();
  if (rows.length === 0) {
    host.append(element("p", { class: "hint" }, data.rows.some(hasCurve) ? "Tick a run in the table." : "Predictions have no F1@k curves."));
    return;
  }
  const curves = rows.map((row, k) => ({
    name: [several("graph") ? row.graph : null, row.space, several("loss") ? row.loss : null, several("seed") ? `seed ${row.seed}` : null].filter(Boolean).join(", "),
    values: row["f1@k"], colour: colourOf(k), dashes: DASHES[Math.floor(k / 6) % 3],
  }));
  f1Chart(host, curves);
  curves.forEach(({ name, colour }) => byId("keys").append(element("li", {}, swatch(colour), name)));
}

startTheme();
byId("title").textContent = data.title;
byId("lead").textContent = [plural(new Set(data.rows.map((r) => r.graph)).size, "graph"), plural(new Set(data.rows.map((r) => r.space)).size, "space"), plural(data.rows.length, "run")].join(" · ");
showFilters();
chosenRows().filter(hasCurve).slice(0, INITIALLY_TICKED).forEach((row) => state.ticked.add(row));
showTable();
showCurves();
theme.listeners.push(showCurves);
showEnd();
document.documentElement.dataset.ready = document.documentElement.dataset.complete = String(Math.round(performance.now()));
