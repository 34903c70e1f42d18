// The panel beside the pictures: the selected node and the legend; and the tooltip at the pointer.

function scoresOf(model, i) {
  const rows = [["degree", "degree"], ["distortion", "distortion"], ["f1", "F1 of its neighbours"], ["ricci", "Ricci curvature"]];
  const found = rows.filter(([key]) => model.values[key]).map(([key, title]) => [title, key === "f1" ? `${(100 * model.values[key][i]).toFixed(0)}%` : shown(model.values[key][i], 3)]);
  return data.groups ? [["label", data.groups[i]], ...found] : found;
}

function showNode(model) {
  const host = byId("node"), i = model.chosen;
  if (i === null) {
    host.replaceChildren(element("p", {}, "Click a node, or find one by name, to see its nearest nodes in the space and in the graph."));
    return;
  }
  const list = element("dl");
  for (const [title, value] of scoresOf(model, i)) list.append(element("dt", {}, title), element("dd", {}, value));
  const sought = model.sought === null ? null : element("p", {}, `${model.sought} is not drawn. The nearest node that is drawn:`);
  host.replaceChildren(
    ...(sought ? [sought] : []),
    element("h3", {}, model.labels[i]),
    list,
    element("p", {}, "Nearest nodes and their distances; nodes in both lists are bold"),
    element("div", { class: "near" }, nearest(model, i, "space"), nearest(model, i, "graph")),
  );
}

// A list of the nodes nearest to a node in the space or in the graph; nodes in both lists are bold.
function nearest(model, i, where) {
  const own = listed(model, i, where), other = new Set(listed(model, i, where === "space" ? "graph" : "space").map(([j]) => j));
  const list = element("ol");
  for (const [j, far] of own) {
    const name = element("span", {}, model.labels[j]);
    const button = element("button", { type: "button", class: other.has(j) ? "both" : "", title: model.labels[j] }, name, element("span", { class: "far" }, far));
    button.addEventListener("click", () => model.choose(j));
    button.addEventListener("pointerenter", () => model.hover(j));
    button.addEventListener("pointerleave", () => model.hover(null));
    list.append(element("li", {}, button));
  }
  const title = element("span", { class: `${where}-key` }, `in the ${where}`);
  return element("div", {}, element("h4", {}, title), list);
}

function listed(model, i, where) {
  const near = model.near[where];
  if (!near) return model.neighbours(i).slice(0, 10).map((j) => [j, ""]);
  const values = where === "space" ? near.embedded : near.graph;
  return Array.from({ length: near.k }, (_, r) => i * near.k + r).map((p) => [near.nodes[p], shown(values[p], 2)]);
}

// --- legend and tip ---------------------------------------------------------------------------------

function showLegend(model) {
  const mode = model.modes.get(model.mode), host = byId("legend");
  if (mode.kind === "group") {
    const names = mode.names.slice(0, OKABE_ITO.length);
    const rest = mode.names.length - names.length;
    const texts = rest ? [...names, `${rest} others`] : names;
    host.replaceChildren(element("ul", {}, ...texts.map((text, k) => element("li", {}, swatch(categorical(k)), text))));
    return;
  }
  const [low, high] = bounds(mode.values, mode.kind), text = mode.text || ((v) => shown(v, high - low < 0.1 ? 3 : 2));
  const beyond = [mode.values.some((v) => v < low) ? "≤ " : "", mode.values.some((v) => v > high) ? "≥ " : ""];
  const bar = element("canvas", { width: COLOUR_STEPS + 1, height: 1, "aria-hidden": "true" }), ink = bar.getContext("2d");
  for (let k = 0; k <= COLOUR_STEPS; k++) {
    ink.fillStyle = mode.kind === "diverging" ? diverging((2 * k) / COLOUR_STEPS - 1) : sequential(k / COLOUR_STEPS);
    ink.fillRect(k, 0, 1, 1);
  }
  const origin = model.mode === "hops" ? [element("div", {}, `from ${model.short(model.chosen ?? model.hubs[0])}`)] : [];
  host.replaceChildren(bar, element("div", { class: "ends" }, element("span", {}, `${beyond[0]}${text(low)}`), element("span", {}, `${beyond[1]}${text(high)}`)), ...origin);
}

function showTip(model, i, event) {
  const tip = byId("tip");
  tip.hidden = i === null || !event;
  if (tip.hidden) return;
  tip.replaceChildren(element("b", {}, model.labels[i]), ...scoresOf(model, i).map(([title, value]) => element("span", {}, `${title} ${value}`)));
  const { width, height } = tip.getBoundingClientRect();
  const x = event.clientX + 16 + width > innerWidth ? event.clientX - 12 - width : event.clientX + 16;
  tip.style.left = `${Math.max(x, 4)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - height - 4)}px`;
}
