// The page of one embedding, put together.

function showTop() {
  byId("title").append(data.graph, element("span", { class: "in" }, " in "), data.space);
  const { loss, preset, seed } = data.setting;
  const facts = [plural(data.n, data.m ? "node" : "point"), data.m ? plural(data.m, "edge") : null, plural(data.dim, "dimension")];
  facts.push(loss ? `loss ${loss}` : null, preset && preset !== "default" ? `preset ${preset}` : null, seed === undefined ? null : `seed ${seed}`);
  byId("lead").textContent = facts.filter((fact) => fact !== null).join(" · ");
  for (const { name, title } of data.metrics.filter((m) => ["f1@1", "auc", "map", "ad"].includes(m.name))) {
    byId("stats").append(element("li", {}, element("b", {}, shown(data.scores[name])), element("span", {}, title)));
  }
}

// --- the pictures -----------------------------------------------------------------------------------

function showViews(model) {
  const host = byId("views"), names = { h: data.graph, s: data.space };
  host.classList.toggle("one", data.views.length === 1);
  const { count, shown: some } = data.factors;
  if (count > some) byId("map").append(element("p", { class: "hint" }, `The space has ${count} factors; these are the first ${some}.`));
  return data.views.map((view, k) => {
    const label = `${view.title}: ${names.h} in ${names.s}, ${plural(data.n, "node")}. ${view.caption} Arrow keys turn, plus and minus zoom, N and P choose a node.`;
    const stage = element("div", { class: "stage", tabindex: "0", role: "application", "aria-label": label });
    const tools = element("div", { class: "tools" });
    const said = element("div", {}, element("strong", {}, view.title), view.caption);
    const frame = element("div", { class: "frame" }, stage, tools);
    host.append(element("figure", { class: "view" }, frame, element("figcaption", {}, said)));
    const scene = new Scene(view, model, stage), gestures = new Gestures(scene, model);
    const button = (text, title, act) => {
      const made = element("button", { type: "button", "aria-label": `${title}, picture ${k + 1}`, title }, text);
      made.addEventListener("click", act);
      tools.append(made);
    };
    button("+", "Zoom in", () => gestures.magnify(1.25));
    button("−", "Zoom out", () => gestures.magnify(0.8));
    button("↺", "Start over", () => scene.reset());
    return scene;
  });
}

function startMap() {
  const model = new Model(), scenes = showViews(model), select = byId("colour");
  const mark = () => scenes.forEach((scene) => scene.stale || scene.mark());
  for (const [key, { title }] of model.modes) select.append(element("option", { value: key }, title));
  select.value = model.mode;
  select.addEventListener("change", () => model.colour(select.value));
  model.listeners.choose.push(() => showNode(model), mark);
  model.listeners.hover.push((i, event, other) => other && mark(), (i, event) => showTip(model, i, event));
  model.listeners.colour.push(() => showLegend(model), () => scenes.forEach((scene) => scene.width && !scene.stale && scene.drawNodes()));
  theme.listeners.push(() => model.colour(), () => scenes.forEach((scene) => scene.change()));
  showLegend(model);
  model.choose(model.famous[0]);
  startSearch(model);
  return { model, scenes };
}

// --- cards ------------------------------------------------------------------------------------------

function card(host, title, said, wide = false) {
  const chart = element("div", { class: "chart" });
  byId(host).append(element("div", { class: wide ? "card wide" : "card" }, element("h3", {}, title), said ? element("p", {}, said) : null, chart));
  return chart;
}

function table(headings, rows, words, kind = "") {
  const cell = (tag, text, k, attributes = {}) => element(tag, { class: k < words ? "word" : "", ...attributes }, text);
  const head = element("tr", {}, ...headings.map((text, k) => cell("th", text, k, { scope: "col" })));
  const body = rows.map((row) => {
    const line = element("tr", { class: row.ours ? "ours" : "" });
    row.cells.forEach((text, k) => line.append(cell("td", text, k, k < words ? { class: "word name", title: text.textContent ?? text } : {})));
    return line;
  });
  return element("div", { class: "scroll" }, element("table", { class: kind }, element("thead", {}, head), element("tbody", {}, ...body)));
}

function showFaithful() {
  const { unit } = data, sampled = data.sources < data.n;
  const note = sampled ? `Estimated from ${shown(data.sources)} of ${shown(data.n)} nodes, ± one standard error` : "Over all pairs of nodes";
  const errors = data.standard_errors || {};
  card("faithful-cards", "Scores", `${note}. ↑ more is better, ↓ less is.`).append(table(["metric", "value"], data.metrics.map((m) => {
    const error = errors[m.name] ? ` ± ${shown(errors[m.name])}` : "";
    const name = element("span", {}, m.title, element("small", {}, ` ${m.name} ${m.best === "high" ? "↑" : "↓"}`));
    return { cells: [name, shown(data.scores[m.name]) + error] };
  }), 1, "scores"));
  f1Chart(card("faithful-cards", "F1@k, layer by layer", "The curve: how well a node's nearest in the space are its nearest in the graph, up to layer k. The bars: how many pairs are on layer k."),
    [{ name: data.space, values: data["f1@k"] }], data.layers);
  densityChart(card("faithful-cards", "Distances: graph against space", "How the embedded distances of pairs spread at each graph distance, in the unit of the graph. On the dashed line nothing is distorted."),
    data.density, unit === "hops" ? "graph distance, hops" : "graph distance", `Density of embedded distance by graph distance; correlation ${shown(data.scores.pearson)}`);
  const d = data.distortions;
  histogramChart(card("faithful-cards", "Distortion, node by node", `Mean of |embedded / graph − 1| over the pairs of a node: median ${shown(d.median, 3)}, worst ${shown(d.max, 3)}.`),
    d, "distortion", `Histogram of the distortion of nodes: median ${shown(d.median, 3)}, from ${shown(d.min, 3)} to ${shown(d.max, 3)}`);
  const worst = data.worst.slice().sort((a, b) => Math.abs(Math.log(b[3] / b[2] || 1e-9)) - Math.abs(Math.log(a[3] / a[2] || 1e-9)));
  card("faithful-cards", "The worst pairs", "The most stretched and the most squeezed.").append(table(["node", "node", "graph", "space", "ratio"],
    worst.map(([a, b, graph, space]) => ({ cells: [data.labels[a], data.labels[b], shown(graph, 2), shown(space, 3), `${shown(space / graph, 3)}×`] })), 2, "pairs"));
  if (data.others.length) showOthers();
}

function showOthers() {
  const names = ["f1@1", "auc", "map", "ad", "worst"], ours = { space: data.space, dim: data.dim, loss: data.setting.loss || "–", seed: data.setting.seed ?? "–", scores: data.scores, ours: true };
  const known = data.others.filter((o) => !(o.space === ours.space && o.loss === ours.loss && o.seed === ours.seed && o.scores.auc === ours.scores.auc));
  const rows = [ours, ...known].sort((a, b) => a.dim - b.dim || (b.scores.auc ?? 0) - (a.scores.auc ?? 0));
  card("faithful-cards", "Beside other spaces", `${data.graph} in the spaces of a grid; this page's embedding is marked.`, true).append(
    table(["space", "loss", "dim", "seed", ...names], rows.map((r) => ({ ours: r.ours, cells: [r.space, r.loss, String(r.dim), String(r.seed), ...names.map((name) => shown(r.scores[name]))] })), 2));
}

function showCurvature() {
  const { angles, ricci, delta } = data.curvature;
  if (angles) {
    const said = `Angles of triangles of nodes, (Σθ − π)/2π: below zero where the space curves like a saddle, above where it does like a sphere. Mean ${shown(angles.mean, 3)}.`;
    histogramChart(card("curvature-cards", "Angle sums in the space", said), angles, "normalised angle sum", `Histogram of angle sums: mean ${shown(angles.mean, 3)}`, true);
  }
  if (ricci) {
    const said = `Ollivier-Ricci curvature of the edges, α = 0.5: negative where the graph branches, positive where it closes up. Mean ${shown(ricci.mean, 3)}.`;
    histogramChart(card("curvature-cards", "Ricci curvature of the graph", said), ricci, "curvature of an edge", `Histogram of Ricci curvature: mean ${shown(ricci.mean, 3)}`, true);
  }
  if (delta) {
    const said = `Gromov's δ of four nodes: zero in a tree. Mean ${shown(delta.mean, 3)}, largest ${shown(delta.max, 3)} of ${shown(delta.samples)} drawn.`;
    valuesChart(card("curvature-cards", "δ-hyperbolicity of the graph", said), delta.values, delta.counts, delta.ranges ? "δ up to" : "δ", `Shares of δ: mean ${shown(delta.mean, 3)}`);
  } else card("curvature-cards", "Curvature of the graph", "Not measured of graphs this large; riemap describe --curvature does.");
}

function showTraining() {
  const { history } = data;
  if (!history) {
    byId("training").hidden = byId("to-training").hidden = true;
    return;
  }
  for (const stage of new Set(history.stage)) {
    const at = history.epoch.map((_, k) => k).filter((k) => history.stage[k] === stage);
    const name = data.setting.stages?.[stage] || data.setting.loss || "loss", of = (key) => at.map((k) => history[key][k]);
    const last = of("loss").at(-1);
    lineChart(card("training-cards", `Loss, stage ${stage + 1}`, `${name}, down to ${shown(last)}.`), of("epoch"), of("loss"), "epoch", `Loss of stage ${stage + 1} by epoch, at the end ${shown(last)}`, true);
  }
  lineChart(card("training-cards", "Learning rate", "Of the optimizer, epoch by epoch."), history.epoch, history.lr, "epoch", "Learning rate by epoch", false);
}

// --- start ------------------------------------------------------------------------------------------

startTheme();
showTop();
showEnd();
const map = startMap();

// The pictures come first, the rest when they are there.
function wait() {
  if (!map.scenes.every((scene) => scene.finished)) return requestAnimationFrame(wait);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  showFaithful();
  showCurvature();
  showTraining();
  document.documentElement.dataset.complete = String(Math.round(performance.now()));
}
wait();
window.riemap = map; // for the console, and for tests
