// The nodes: their numbers, which one is selected, and their colours.

const MAX_NAME_LENGTH = 24; // characters of a name in a picture

class Model {
  constructor() {
    this.n = data.n;
    this.m = data.m;
    this.labels = data.labels;
    this.edges = unpacked(data.edges);
    this.numbers = Array.from({ length: this.n }, (_, i) => i);
    this.values = {};
    for (const name of ["degree", "distortion", "f1", "ricci"]) {
      if (data.nodes[name]) this.values[name] = unpacked(data.nodes[name]);
    }
    this.near = { space: this.nearest(data.nodes.in_space), graph: this.nearest(data.nodes.in_graph) };
    this.chosen = this.hovered = this.sought = null;
    this.listeners = { choose: [], hover: [], colour: [] };
    this.connect();
    this.measure();
    this.modes = this.colourings();
    this.colour(this.modes.keys().next().value);
  }

  nearest(found) {
    if (!found) return null;
    const parts = { nodes: unpacked(found.nodes), embedded: unpacked(found.embedded), k: found.nodes.shape[1] };
    return { ...parts, graph: found.graph ? unpacked(found.graph) : null };
  }

  // The edges at every node, in compressed sparse rows.
  connect() {
    this.first = new Uint32Array(this.n + 1);
    for (const i of this.edges) this.first[i + 1]++;
    for (let i = 0; i < this.n; i++) this.first[i + 1] += this.first[i];
    const next = this.first.slice();
    this.at = new Uint32Array(this.edges.length);
    this.edges.forEach((i, k) => (this.at[next[i]++] = k >> 1));
  }

  // The size of every node, and the best connected nodes, which are named in the pictures.
  measure() {
    const degree = this.values.degree || new Float32Array(this.n).fill(1);
    let most = 1;
    for (const d of degree) most = Math.max(most, d);
    this.weight = Float32Array.from(degree, (d) => 0.75 + 0.65 * Math.sqrt(d / most));
    this.hubs = this.numbers.slice().sort((a, b) => degree[b] - degree[a]).slice(0, this.n > 1500 ? 8 : 14);
  }

  edgesAt(i) {
    return this.at.subarray(this.first[i], this.first[i + 1]);
  }

  neighbours(i) {
    return Array.from(this.edgesAt(i), (e) => this.edges[2 * e] + this.edges[2 * e + 1] - i);
  }

  nearInSpace(i) {
    const { nodes, k } = this.near.space;
    return nodes.subarray(i * k, (i + 1) * k);
  }

  // Hops from a node to all others, by breadth-first search; NaN if there is no path.
  hops(from) {
    const found = new Float32Array(this.n).fill(NaN), queue = [from];
    found[from] = 0;
    for (const i of queue) {
      for (const j of this.neighbours(i)) {
        if (Number.isNaN(found[j])) queue.push(j), (found[j] = found[i] + 1);
      }
    }
    return found;
  }

  short(i) {
    const text = this.labels[i];
    return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH - 1)}…` : text;
  }

  // --- colours --------------------------------------------------------------------------------------

  colourings() {
    const modes = new Map();
    if (data.groups) modes.set("group", { title: "label", kind: "group", ...this.grouped() });
    if (this.values.degree) modes.set("degree", { title: "degree (logarithmic)", kind: "sequential", values: this.values.degree.length ? Float32Array.from(this.values.degree, Math.log) : [], text: (v) => shown(Math.round(Math.exp(v))) });
    modes.set("distortion", { title: "distortion", kind: "sequential", values: this.values.distortion });
    if (this.values.ricci) modes.set("ricci", { title: "Ricci curvature", kind: "diverging", values: this.values.ricci });
    if (this.m) modes.set("hops", { title: "hops from the selected node", kind: "hops", values: null, text: shown });
    return modes;
  }

  // Groups in order of size; groups without a colour of their own share the last number.
  grouped() {
    const counts = new Map();
    for (const name of data.groups) counts.set(name, (counts.get(name) || 0) + 1);
    const names = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
    const number = new Map(names.map((name, k) => [name, Math.min(k, OKABE_ITO.length)]));
    return { names, values: data.groups.map((name) => number.get(name)) };
  }

  colour(mode = this.mode) {
    this.mode = mode;
    const found = this.modes.get(mode);
    if (mode === "hops") found.values = this.hops(this.chosen ?? this.hubs[0]);
    this.fill = coloursOf(found.values, found.kind);
    for (const listener of this.listeners.colour) listener();
  }

  // --- selecting ------------------------------------------------------------------------------------

  // Select a node. If another one was sought that is not drawn, its name is shown with the node.
  choose(i, sought = null) {
    this.chosen = i;
    this.sought = sought;
    if (this.mode === "hops" && i !== null) this.colour();
    for (const listener of this.listeners.choose) listener(i);
  }

  next(step) {
    this.choose(this.chosen === null ? this.hubs[0] : (this.chosen + step + this.n) % this.n);
  }

  hover(i, event) {
    if (i === null && this.hovered === null) return;
    const other = i !== this.hovered;
    this.hovered = i;
    for (const listener of this.listeners.hover) listener(i, event, other);
  }
}
