// The page of one embedding.

function showTop() {
  byId("title").append(data.graph, element("span", { class: "in" }, " in "), data.space);
  const { loss, preset, seed } = data.setting;
  const facts = [plural(data.whole ?? data.n, data.m ? "node" : "point"), data.m ? plural(data.m, "edge") : null, plural(data.dim, "dimension")];
  const { names, shares } = data.factors;
  facts.push(shares.length > 1 ? `share of d²: ${names.map((name, k) => `${name} ${(100 * shares[k]).toFixed(0)}%`).join(", ")}` : null);
  facts.push(loss ? `loss ${loss}` : null, preset && preset !== "default" ? `preset ${preset}` : null, seed === undefined ? null : `seed ${seed}`);
  byId("lead").textContent = facts.filter((fact) => fact !== null).join(" · ");
  for (const { name, title } of data.metrics.filter((m) => ["f1@1", "auc", "map", "ad"].includes(m.name))) {
    byId("stats").append(element("li", {}, element("b", {}, shownScore(name, data.scores[name])), element("span", {}, title)));
  }
}

// --- the pictures -----------------------------------------------------------------------------------

// What the picture of a large graph leaves out.
function whatIsDrawn() {
  const search = data.search ? "The search finds all nodes" : "There are too many names for the search, which finds the nodes drawn; riemap nearest finds the others";
  return `${shown(data.n)} of ${shown(data.whole)} nodes are drawn, those with the most neighbours and random ones, and the edges between them. Pale dots are ${shown(data.views[0].cloud.shape[0])} random others. ${search}. Nearest nodes, worst pairs, and distortions are among the nodes drawn; the scores are of the whole graph.`;
}

function showViews(model) {
  const host = byId("views"), names = { h: data.graph, s: data.space };
  host.classList.toggle("one", data.views.length === 1);
  const { count, shown: some } = data.factors;
  if (data.whole) byId("map").append(element("p", { class: "hint" }, whatIsDrawn()));
  if (count > some) byId("map").append(element("p", { class: "hint" }, `The space has ${count} factors; the first ${some} are shown.`));
  return data.views.map((view, k) => {
    const label = `${view.title}: ${names.h} in ${names.s}, ${plural(data.n, "node")}. ${view.caption} Arrow keys turn, plus and minus zoom, N and P select a node.`;
    const stage = element("div", { class: "stage", tabindex: "0", role: "application", "aria-label": label });
    const tools = element("div", { class: "tools" });
    const caption = element("div", {}, element("strong", {}, view.title), view.caption);
    const frame = element("div", { class: "frame" }, stage, tools);
    host.append(element("figure", { class: "view" }, frame, element("figcaption", {}, caption)));
    const scene = new Scene(view, model, stage), gestures = new Gestures(scene, model);
    const button = (text, title, act) => {
      const made = element("button", { type: "button", "aria-label": `${title}, picture ${k + 1}`, title }, text);
      made.addEventListener("click", act);
      tools.append(made);
    };
    button("+", "Zoom in", () => gestures.magnify(1.25));
    button("−", "Zoom out", () => gestures.magnify(0.8));
    button("↺", "Reset", () => scene.reset());
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
  model.choose(model.hubs[0]);
  startSearch(model);
  return { model, scenes };
}

// --- cards ------------------------------------------------------------------------------------------

function showFaithfulness() {
  const { unit } = data, whole = data.whole ?? data.n, sampled = data.sources < whole;
  const note = sampled ? `Estimated from ${shown(data.sources)} of ${shown(whole)} nodes, ± one standard error` : "Over all pairs of nodes";
  const errors = data.standard_errors || {};
  card("faithfulness-cards", "Scores", `${note}. ↑ higher is better, ↓ lower is better.`).append(table(["metric", "value"], data.metrics.map((m) => {
    const error = errors[m.name] ? ` ± ${shownScore(m.name, errors[m.name])}` : "";
    const name = element("span", {}, m.title, element("small", {}, ` ${m.name} ${m.best === "high" ? "↑" : "↓"}`));
    return { cells: [name, shownScore(m.name, data.scores[m.name]) + error] };
  }), 1, "scores"));
  f1Chart(card("faithfulness-cards", "F1@k, layer by layer", "The curve shows how well a node's nearest nodes in the space match its nodes up to layer k in the graph. The bars show how many pairs are on layer k."),
    [{ name: data.space, values: data["f1@k"] }], data.layers);
  densityChart(card("faithfulness-cards", "Distances: graph against space", "The distribution of embedded distances at each graph distance, in the unit of the graph. Pairs on the dashed line are not distorted."),
    data.density, unit === "hops" ? "graph distance, hops" : "graph distance", `Density of embedded distance by graph distance; correlation ${shown(data.scores.pearson)}`);
  const d = data.distortions;
  histogramChart(card("faithfulness-cards", "Distortion, node by node", `Mean of |embedded / graph − 1| over the pairs of a node: median ${shown(d.median, 3)}, worst ${shown(d.max, 3)}.`),
    d, "distortion", `Histogram of the distortion of nodes: median ${shown(d.median, 3)}, from ${shown(d.min, 3)} to ${shown(d.max, 3)}`);
  const worst = data.worst.slice().sort((a, b) => Math.abs(Math.log(b[3] / b[2] || 1e-9)) - Math.abs(Math.log(a[3] / a[2] || 1e-9)));
  card("faithfulness-cards", "The worst pairs", "The most stretched and the most contracted pairs.").append(table(["node", "node", "graph", "space", "ratio"],
    worst.map(([a, b, graph, space]) => ({ cells: [data.labels[a], data.labels[b], shown(graph, 2), shown(space, 3), `${shown(space / graph, 3)}×`] })), 2, "pairs"));
  if (data.others.length) showOthers();
}

function showOthers() {
  const names = ["f1@1", "auc", "map", "ad", "worst"], ours = { space: data.space, dim: data.dim, loss: data.setting.loss || "–", seed: data.setting.seed ?? "–", scores: data.scores, ours: true };
  const known = data.others.filter((o) => !(o.space === ours.space && o.loss === ours.loss && o.seed === ours.seed && o.scores.auc === ours.scores.auc));
  const rows = [ours, ...known].sort((a, b) => a.dim - b.dim || (b.scores.auc ?? 0) - (a.scores.auc ?? 0));
  card("faithfulness-cards", "Comparison with other spaces", `${data.graph} in the spaces of a grid; the embedding of this page is marked.`, true).append(
    table(["space", "loss", "dim", "seed", ...names], rows.map((r) => ({ ours: r.ours, cells: [r.space, r.loss, String(r.dim), String(r.seed), ...names.map((name) => shownScore(name, r.scores[name]))] })), 2));
}

function showCurvature() {
  const { angles, ricci, delta } = data.curvature;
  if (angles) {
    const text = `Normalised angle sums of triangles of nodes, (Σθ − π)/2π: negative where the space curves like a saddle, positive where it curves like a sphere. Mean ${shown(angles.mean, 3)}.`;
    histogramChart(card("curvature-cards", "Angle sums in the space", text), angles, "normalised angle sum", `Histogram of angle sums: mean ${shown(angles.mean, 3)}`, true);
  }
  if (ricci) {
    const text = `Ollivier-Ricci curvature of the edges, α = 0.5: negative where the graph branches, positive where neighbourhoods overlap. Mean ${shown(ricci.mean, 3)}.`;
    histogramChart(card("curvature-cards", "Ricci curvature of the graph", text), ricci, "curvature of an edge", `Histogram of Ricci curvature: mean ${shown(ricci.mean, 3)}`, true);
  }
  if (delta) {
    const text = `Gromov's δ of four nodes, which is zero in a tree. Mean ${shown(delta.mean, 3)}, largest ${shown(delta.max, 3)} over ${shown(delta.samples)} random quadruples.`;
    valuesChart(card("curvature-cards", "δ-hyperbolicity of the graph", text), delta.values, delta.counts, delta.ranges ? "δ up to" : "δ", `Shares of δ: mean ${shown(delta.mean, 3)}`);
  } else card("curvature-cards", "Curvature of the graph", "Not computed for graphs of this size. To compute it, run riemap describe --curvature.");
}

function showTraining() {
  const { history } = data;
  if (!history) {
    byId("training").hidden = document.querySelector('nav a[href="#training"]').hidden = true;
    return;
  }
  for (const stage of new Set(history.stage)) {
    const at = history.epoch.map((_, k) => k).filter((k) => history.stage[k] === stage);
    const name = data.setting.stages?.[stage] || data.setting.loss || "loss", of = (key) => at.map((k) => history[key][k]);
    const last = of("loss").at(-1);
    lineChart(card("training-cards", `Loss, stage ${stage + 1}`, `${name}; ${shown(last)} at the end.`), of("epoch"), of("loss"), "epoch", `Loss of stage ${stage + 1} by epoch, at the end ${shown(last)}`, true);
  }
  lineChart(card("training-cards", "Learning rate", "The learning rate of the optimizer in every epoch."), history.epoch, history.lr, "epoch", "Learning rate by epoch", false);
}

// --- start ------------------------------------------------------------------------------------------

startTheme();
showTop();
showEnd();
const map = startMap();

// Draw the charts after the pictures are complete.
function finish() {
  if (!map.scenes.every((scene) => scene.finished)) return requestAnimationFrame(finish);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  showFaithfulness();
  showCurvature();
  showTraining();
  document.documentElement.dataset.complete = String(Math.round(performance.now()));
}
finish();
window.riemap = map; // for the browser console and for tests
