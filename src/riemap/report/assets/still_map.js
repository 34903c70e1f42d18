// Nodes and edges of one picture as they are seen from the front. It does not turn.

const MAP_UNIT = 0.003; // width of an edge, where the picture is two wide

// `marks` are lists of pairs of nodes to draw over the edges: { edges, colour, dashes }. `fills` has a colour for each
// node, and `rings` are the nodes to draw a ring around.
function stillMap({ title, caption, round, points, edges, marks = [], fills = null, rings = [] }) {
  const at = unpacked(points), step = points.shape[1], count = at.length / step;
  const place = (i) => [at[i * step].toFixed(4), (-at[i * step + 1]).toFixed(4)];
  const lines = (pairs) => {
    let path = "";
    for (let k = 0; k < pairs.length; k += 2) path += `M${place(pairs[k]).join(" ")}L${place(pairs[k + 1]).join(" ")}`;
    return path;
  };
  let far = 0;
  for (let i = 0; i < count; i++) far = Math.max(far, Math.abs(at[i * step]), Math.abs(at[i * step + 1]));
  const half = Math.min(1.12 * far || 1, 1.08), unit = half * MAP_UNIT; // nodes that are all near the middle are magnified
  const svg = drawn("svg", { viewBox: `${-half} ${-half} ${2 * half} ${2 * half}`, role: "img", "aria-label": title });
  if (round) svg.append(drawn("circle", { cx: 0, cy: 0, r: 1, fill: "none", stroke: theme.ink.guide, "stroke-width": 2 * unit }));
  svg.append(drawn("path", { d: lines(edges ? unpacked(edges) : []), fill: "none", stroke: theme.ink.edge, "stroke-width": unit, "stroke-opacity": marks.length || fills ? 0.35 : 1 }));
  for (const { edges: pairs, colour, dashes } of marks) {
    svg.append(drawn("path", { d: lines(pairs), fill: "none", stroke: colour, "stroke-width": 3 * unit, "stroke-dasharray": dashes ? `${7 * unit} ${4 * unit}` : null }));
  }
  const radius = (count > 600 ? 0.008 : 0.012) * half;
  for (let i = 0; i < count; i++) {
    const [cx, cy] = place(i);
    svg.append(drawn("circle", { cx, cy, r: radius, fill: fills ? fills[i] : theme.ink.accent }));
  }
  for (const i of rings) {
    const [cx, cy] = place(i);
    svg.append(drawn("circle", { cx, cy, r: 2 * radius, fill: "none", stroke: theme.ink.text, "stroke-width": 2 * unit }));
  }
  return element("figure", { class: "view" }, svg, element("figcaption", {}, element("strong", {}, title), caption));
}
