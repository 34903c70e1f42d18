// The page of predicted links or labels.

const MOST_LISTED = 200; // predictions that are listed; the file of --out has all of them
const KINDS = {
  missed: { title: "hidden link that was missed", colour: () => theme.ink.second },
  alarms: { title: "pair that was wrongly predicted", colour: () => "#cc79a7", dashes: true },
  predicted: { title: "predicted missing link", colour: () => theme.ink.accent },
};
const isLinks = data.kind === "links";
const percentText = (value) => `${(100 * value).toFixed(1)}%`;
const scoreText = ({ mean, se }) => percentText(mean) + (se === null ? "" : ` ± ${(100 * se).toFixed(1)}`);

function showTop() {
  byId("title").append(data.title, element("span", { class: "in" }, " in "), data.space);
  byId("lead").textContent = [plural(data.n, "node"), plural(data.dim, "dimension"), plural(data.seeds, "seed")].join(" · ");
  for (const [key, title] of data.columns) byId("stats").append(element("li", {}, element("b", {}, scoreText(data.scores[0][key])), element("span", {}, `${title} of hidden ${data.kind}`)));
}

function showScores() {
  const headings = ["", ...data.columns.map(([, title]) => title)];
  card("score-cards", "Scores", data.seeds > 1 ? "Means over seeds, ± one standard error." : "One seed, so that there is no standard error.").append(
    table(headings, data.scores.map((row, k) => ({ ours: k === 0, cells: [row.name, ...data.columns.map(([key]) => scoreText(row[key]))] })), 1, "scores"));
  const [key, title] = data.columns[0];
  const rows = data.scores.map((row, k) => ({ name: row.name, mean: 100 * row[key].mean, se: row[key].se === null ? null : 100 * row[key].se, filled: k === 0 }));
  dotChart(card("score-cards", title, "The filled dot is the model that was chosen on validation data."), rows, `${title}, %`, `${title} of every method`);
  byId("score-hint").textContent = isLinks ? "All methods saw the same training graph, and none saw the test pairs. A guess has a ROC AUC of 50%." : "All methods knew the same labels, and none those of the test nodes.";
}

// How many items of each kind have which probability: a line of steps for each kind.
function stepChart(host, { edges, counts }, xLabel, label) {
  const names = Object.keys(counts), most = Math.max(...Object.values(counts).flat(), 1);
  drawOnChange(host, (width) => {
    const { svg, atX, atY } = axes(host, width, { x: [0, 1], y: [0, most], xLabel, yLabel: "count", label });
    names.forEach((name, k) => {
      const steps = counts[name].flatMap((count, bin) => [[atX(edges[bin]), atY(count)], [atX(edges[bin + 1]), atY(count)]]);
      const line = drawn("path", { class: "curve", d: pathOf(steps), "stroke-dasharray": k ? "6 4" : null });
      line.style.stroke = k ? theme.ink.second : theme.ink.accent;
      svg.append(line);
      const text = drawn("text", { x: atX(0.5), y: atY(most) + 14 + 16 * k, "text-anchor": "middle" }, `${k ? "- -" : "—"} ${name}`);
      text.style.fill = k ? theme.ink.second : theme.ink.accent;
      svg.append(text);
    });
  });
}

// --- links ------------------------------------------------------------------------------------------

function showPairs(key, title, text) {
  const rows = data[key].map(([a, b, chance, distance, common, left, right]) => ({ cells: [a, b, percentText(chance), shown(distance, 3), shown(common), `${left}, ${right}`] }));
  const host = card("wrong-cards", title, rows.length ? text : "There is none.");
  if (rows.length) host.append(table(["node", "node", "probability", "distance", "common", "degrees"], rows, 2, "pairs"));
}

function showLinks() {
  const { joined, missed, others, alarms } = data.counts;
  byId("wrong-lead").textContent = `First seed: ${shown(missed)} of ${plural(joined, "hidden link")} had a probability below one half, and ${shown(alarms)} of ${plural(others, "other pair")} one above it.`;
  stepChart(card("wrong-cards", "Probabilities", "Of the test pairs, half of which are joined. The less the two lines overlap, the better.", true), data.chances, "probability that a pair is joined", "Counts of test pairs by probability");
  showPairs("missed", "Hidden links that were missed", "The least likely first, with the number of common neighbours.");
  showPairs("alarms", "Pairs that were wrongly predicted", "The most likely first. Some may be links that the graph lacks.");
}

// --- labels -----------------------------------------------------------------------------------------

function showConfusion() {
  const { labels, counts, f1 } = data.confusion;
  const host = card("wrong-cards", "Labels and predicted labels", "Number of test nodes: a row for each label, a column for each prediction. Nodes on the diagonal are right.", labels.length > 6);
  const body = table(["label", ...labels, "F1"], labels.map((name, r) => ({ cells: [name, ...counts[r].map((count) => shown(count)), f1[r] === undefined ? "" : percentText(f1[r])] })), 1);
  for (const [r, line] of [...body.querySelectorAll("tbody tr")].entries()) line.children[r + 1].classList.add("best");
  host.append(body);
}

function showLabels() {
  const { nodes, wrong } = data.counts;
  byId("wrong-lead").textContent = `First seed: ${shown(wrong)} of ${plural(nodes, "test node")} got a wrong label.`;
  showConfusion();
  stepChart(card("wrong-cards", "How sure it was", "Probability of the predicted label. Where the lines meet, the model cannot tell."), data.chances, "probability of the predicted label", "Counts of test nodes by probability");
  const rows = data.mistakes.map(([name, truth, guess, chance, near, same, other]) => ({ cells: [name, truth, guess, percentText(chance), shown(near), shown(same), shown(other)] }));
  const host = card("wrong-cards", "Wrong labels", rows.length ? "The surest first; and how many neighbours have the label of the node, or the predicted one." : "There is none.", true);
  if (rows.length) host.append(table(["node", "label", "predicted", "probability", "neighbours", "with its label", "with the predicted"], rows, 3));
}

// --- maps and predictions ---------------------------------------------------------------------------

function labelColours() {
  const counts = new Map();
  for (const name of data.groups) if (name) counts.set(name, (counts.get(name) || 0) + 1);
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
}

function showMaps() {
  if (data.maps.length === 0) byId("views").replaceChildren(element("p", { class: "hint" }, data.n > data.largest_map ? `Graphs of more than ${shown(data.largest_map)} nodes have no map here.` : "A space of one dimension has no map."));
  else if (isLinks) {
    byId("views").replaceChildren(...data.maps.map((one) => stillMap({ ...one, marks: Object.entries(one.marks).map(([kind, edges]) => ({ edges, colour: KINDS[kind].colour(), dashes: KINDS[kind].dashes })) })));
    byId("keys").replaceChildren(...Object.values(KINDS).map(({ title, colour }) => element("li", {}, swatch(colour()), title)));
  } else {
    const names = labelColours(), of = new Map(names.map((name, k) => [name, categorical(k)]));
    byId("views").replaceChildren(...data.maps.map((one) => stillMap({ ...one, fills: one.nodes.map((i) => of.get(data.groups[i]) ?? theme.ink.guide) })));
    const rest = names.length - OKABE_ITO.length, texts = rest > 0 ? [...names.slice(0, OKABE_ITO.length), `${rest} others`] : names;
    const keys = [...texts.map((text, k) => [text, categorical(k)]), ...(data.groups.includes("") ? [["no label", theme.ink.guide]] : [])];
    byId("keys").replaceChildren(...keys.map(([text, colour]) => element("li", {}, swatch(colour), text)));
  }
}

function showPredictions() {
  const some = data.predicted.slice(0, MOST_LISTED), rest = data.predicted.length - some.length;
  const none = isLinks ? "Add --predict 100 to have the likeliest missing links listed here." : "Add --predict to have the labels of nodes without one listed here; every node may have a label already.";
  const title = isLinks ? "Likeliest missing links" : "Labels of nodes that have none";
  const said = isLinks ? "Probabilities hold if as many links are missing as were hidden for the test." : "Predicted from all known labels.";
  const host = card("predicted-cards", title, some.length === 0 ? none : rest ? `${said} ${shown(rest)} more are in the file that --out writes.` : said, true);
  if (some.length) host.append(table(isLinks ? ["node", "node", "probability"] : ["node", "label", "probability"], some.map(([a, b, chance]) => ({ cells: [a, b, percentText(chance)] })), 2));
}

startTheme();
showTop();
showScores();
(isLinks ? showLinks : showLabels)();
showMaps();
theme.listeners.push(showMaps);
showPredictions();
showEnd();
document.documentElement.dataset.ready = document.documentElement.dataset.complete = String(Math.round(performance.now()));
