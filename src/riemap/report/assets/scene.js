// A picture of all nodes: their positions on the screen, and how nodes and edges are drawn.

const SOLID_KINDS = new Set(["ball", "globe", "cone", "space"]);
const FRAME_MILLISECONDS = 45; // intended time between two frames
const STROKE_EDGES = 200; // edges per stroke; strokes overlap, so that places with many edges are darker

class Scene {
  constructor(view, model, stage) {
    this.view = view;
    this.model = model;
    this.stage = stage;
    this.solid = SOLID_KINDS.has(view.kind);
    this.points = inSpace(view.points);
    this.cloud = view.cloud ? inSpace(view.cloud) : [];
    this.lines = view.kind === "ellipses" ? { places: [], starts: [0] } : edgePaths(view, this.points, model.edges);
    if (view.kind === "cone") for (const places of [this.points, this.cloud, this.lines.places]) makeUpright(places);
    this.matrices = view.matrices ? unpacked(view.matrices) : null;
    this.order = shuffled(this.lines.starts.length - 1);
    this.guides = guides(view.kind);
    this.screen = new Float32Array(3 * model.n);
    this.budget = 4000;
    this.last = 0;
    this.layers = ["edges", "trace", "nodes", "marks"].map((name) => element("canvas", { "aria-hidden": "true", class: name }));
    this.inks = this.layers.map((canvas) => canvas.getContext("2d"));
    stage.append(...this.layers);
    this.reset();
    new ResizeObserver(() => this.resize()).observe(stage);
  }

  reset() {
    this.turn = this.solid && this.view.kind !== "globe" ? turned(turned(IDENTITY, "y", -0.6), "x", 0.35) : IDENTITY;
    this.motion = NO_MOTION;
    this.zoom = this.fit();
    this.shift = this.view.kind === "line" ? [0, 0.3] : [0, 0];
    this.change();
  }

  // The initial zoom: larger than one if all nodes are near the middle of a round picture.
  fit() {
    const { kind } = this.view;
    if (!["disk", "ball", "globe"].includes(kind)) return 1;
    const reach = ([x, y, z]) => (kind === "globe" ? (z < 0 ? 1 : Math.hypot(x, y)) : Math.hypot(x, y, z));
    const far = this.model.numbers.reduce((most, i) => Math.max(most, reach(at(this.points, i))), 1e-9);
    return kind === "globe" ? Math.min(Math.max(0.6 / far, 1), 1.8) : far > 0.75 ? 1 : Math.min(0.85 / far, 1.6);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = Math.min(devicePixelRatio || 1, this.model.m > 20000 ? 1.25 : 2);
    this.layers.forEach((canvas, k) => {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      this.inks[k].setTransform(ratio, 0, 0, ratio, 0, 0);
    });
    [this.width, this.height] = [width, height];
    this.change();
  }

  change() {
    this.stale = true;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (!this.width) return;
    this.stale = false;
    const room = this.view.kind === "line" ? this.width : Math.min(this.width, this.height);
    this.unit = 0.45 * room * this.zoom;
    this.cx = this.width / 2 + this.shift[0] * this.unit;
    this.cy = this.height / 2 + this.shift[1] * this.unit;
    for (let i = 0; i < this.model.n; i++) this.place(this.points, i, this.screen, i);
    this.drawBackground();
    this.drawNodes();
    this.mark();
    this.drawEdges(0);
  }

  // Convert a point of the view to screen coordinates and depth; larger depth is nearer to the reader.
  place(places, i, out, k) {
    let x = places[3 * i], y = places[3 * i + 1], z = places[3 * i + 2];
    if (this.solid) {
      const r = this.turn;
      [x, y, z] = [r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z];
    } else if (this.motion !== NO_MOTION) [x, y] = moved(this.motion, x, y);
    out[3 * k] = this.cx + this.unit * x;
    out[3 * k + 1] = this.cy - this.unit * y;
    out[3 * k + 2] = z;
  }

  // --- background and edges -------------------------------------------------------------------------

  drawBackground() {
    const ink = this.inks[0], spot = [0, 0, 0];
    ink.clearRect(0, 0, this.width, this.height);
    boundary(ink, this);
    ink.strokeStyle = theme.ink.guide;
    ink.lineWidth = 1;
    if (this.view.kind === "disk") rings(ink, this);
    for (const guide of this.guides) {
      for (const front of this.view.kind === "globe" ? [false, true] : [true]) {
        ink.globalAlpha = front ? 0.9 : 0.25;
        ink.beginPath();
        let down = false;
        for (const place of guide) {
          this.place(place, 0, spot, 0);
          const seen = this.view.kind !== "globe" || spot[2] >= 0 === front;
          if (seen) ink[down ? "lineTo" : "moveTo"](spot[0], spot[1]);
          down = seen;
        }
        ink.stroke();
      }
    }
    ink.globalAlpha = 1;
    dots(ink, this);
  }

  // Draw as many edges as a frame allows, in random order, and the others in later frames.
  drawEdges(from) {
    this.pace();
    const count = this.order.length, to = Math.min(from + Math.round(this.budget), count);
    for (let k = from; k < to; k += STROKE_EDGES) this.stroke(k, Math.min(k + STROKE_EDGES, to));
    if (to < count) this.frame = requestAnimationFrame(() => this.drawEdges(to));
    else this.finished = true;
  }

  // Adapt the number of edges per frame to the time since the previous frame; ignore pauses.
  pace() {
    const now = performance.now(), gap = now - this.last;
    this.last = now;
    if (gap > 400) return;
    this.budget = Math.min(Math.max(this.budget * Math.min(Math.max(FRAME_MILLISECONDS / gap, 0.5), 1.5), 1500), 30000);
  }

  stroke(from, to) {
    const ink = this.inks[0], paths = [new Path2D(), new Path2D(), new Path2D()], spot = [0, 0, 0];
    const { places, starts } = this.lines;
    for (let k = from; k < to; k++) {
      const edge = this.order[k], middle = (starts[edge] + starts[edge + 1]) >> 1;
      this.place(places, middle, spot, 0);
      const path = paths[!this.solid ? 1 : spot[2] < -0.2 ? 0 : spot[2] < 0.25 ? 1 : 2];
      for (let p = starts[edge]; p < starts[edge + 1]; p++) {
        this.place(places, p, spot, 0);
        path[p === starts[edge] ? "moveTo" : "lineTo"](spot[0], spot[1]);
      }
    }
    ink.strokeStyle = theme.ink.edge;
    ink.lineWidth = this.model.m > 5000 ? 0.6 : 0.9;
    const base = Math.min(Math.max(20 / Math.sqrt(this.model.m), 0.06), 0.6);
    const shares = this.view.kind === "globe" ? [0.18, 0.6, 1] : [0.45, 0.75, 1.1];
    paths.forEach((path, k) => {
      ink.globalAlpha = Math.min(base * shares[k], 1);
      ink.stroke(path);
    });
    ink.globalAlpha = 1;
  }

  // --- nodes ----------------------------------------------------------------------------------------

  radius(i) {
    const size = Math.min(Math.max(80 / Math.sqrt(this.model.n), 1.7), 6.5) * this.model.weight[i];
    return this.solid ? size * (0.9 + 0.22 * this.screen[3 * i + 2]) : size;
  }

  drawNodes() {
    const ink = this.inks[2], { screen, model } = this, order = Array.from(model.numbers);
    ink.clearRect(0, 0, this.width, this.height);
    if (this.solid) order.sort((a, b) => screen[3 * a + 2] - screen[3 * b + 2]);
    ink.strokeStyle = theme.ink.card;
    ink.lineWidth = 0.8;
    for (const i of order) {
      ink.globalAlpha = this.clear(i);
      ink.fillStyle = model.fill[i];
      ink.beginPath();
      if (this.matrices) this.ellipse(ink, i);
      else ink.arc(screen[3 * i], screen[3 * i + 1], this.radius(i), 0, 2 * Math.PI);
      ink.fill();
      if (model.n <= 1500) ink.stroke();
    }
    ink.globalAlpha = 1;
    this.drawNames(ink);
  }

  clear(i) {
    if (this.matrices) return 0.72;
    const depth = this.screen[3 * i + 2];
    if (this.view.kind === "globe") return depth < 0 ? 0.2 : 1;
    return this.solid ? Math.min(0.8 + 0.3 * depth, 1) : 1;
  }

  // The ellipse of the matrix [[a, b], [b, c]]: its half axes are the square roots of the eigenvalues, in a common unit.
  ellipse(ink, i) {
    const [a, b, c] = this.matrices.subarray(3 * i, 3 * i + 3);
    const middle = (a + c) / 2, far = Math.hypot((a - c) / 2, b);
    const unit = (Math.min(0.9 / Math.sqrt(this.model.n), 0.14) * this.unit) / Math.sqrt(this.ellipseSize());
    const [long, short] = [middle + far, Math.max(middle - far, 0)].map((value) => Math.max(unit * Math.sqrt(value), 0.7));
    ink.ellipse(this.screen[3 * i], this.screen[3 * i + 1], long, short, -0.5 * Math.atan2(b, (a - c) / 2), 0, 2 * Math.PI);
  }

  ellipseSize() {
    if (!this.typical) {
      const traces = this.model.numbers.map((i) => (this.matrices[3 * i] + this.matrices[3 * i + 2]) / 2);
      this.typical = traces.sort((p, q) => p - q)[Math.floor(0.8 * traces.length)];
    }
    return this.typical;
  }

  // Names of the best connected nodes, without those that would cover another.
  drawNames(ink) {
    const taken = [];
    ink.font = "12px system-ui, sans-serif";
    ink.lineWidth = 3;
    ink.lineJoin = "round";
    for (const i of this.model.hubs) {
      const text = this.model.short(i), width = ink.measureText(text).width, below = this.view.kind === "line";
      const x = this.screen[3 * i] + (below ? -width / 2 : this.radius(i) + 6);
      const y = this.screen[3 * i + 1] + (below ? this.radius(i) + 16 : 4);
      const covered = taken.some(([u, v, w]) => x < u + w + 4 && u < x + width + 4 && Math.abs(y - v) < 14);
      if (covered || (this.view.kind === "globe" && this.screen[3 * i + 2] < 0)) continue;
      taken.push([x, y, width]);
      ink.strokeStyle = theme.ink.card;
      ink.strokeText(text, x, y);
      ink.fillStyle = theme.ink.text;
      ink.fillText(text, x, y);
    }
  }

  // --- the selected node, and the node under the pointer --------------------------------------------

  mark() {
    const [, under, , ink] = this.inks, { chosen, hovered } = this.model;
    for (const layer of [under, ink]) layer.clearRect(0, 0, this.width, this.height);
    if (chosen !== null) {
      if (!this.matrices) this.trace(under, chosen);
      ink.lineWidth = 2;
      ink.setLineDash([2, 2.5]);
      for (const i of this.model.nearInSpace(chosen)) this.circle(ink, i, theme.ink.second, 3.5);
      ink.setLineDash([]);
      ink.lineWidth = 2.5;
      this.circle(ink, chosen, theme.ink.accent, 4);
    }
    if (hovered !== null && hovered !== chosen) {
      ink.lineWidth = 2;
      this.circle(ink, hovered, theme.ink.text, 2.5);
    }
  }

  // Draw the edges of a node; the more there are, the paler.
  trace(ink, node) {
    const { places, starts } = this.lines, spot = [0, 0, 0], edges = this.model.edgesAt(node);
    ink.strokeStyle = theme.ink.accent;
    ink.globalAlpha = Math.min(4 / Math.sqrt(edges.length), 1);
    ink.lineWidth = edges.length > 60 ? 1 : 1.8;
    ink.beginPath();
    for (const edge of edges) {
      for (let p = starts[edge]; p < starts[edge + 1]; p++) {
        this.place(places, p, spot, 0);
        ink[p === starts[edge] ? "moveTo" : "lineTo"](spot[0], spot[1]);
      }
    }
    ink.stroke();
  }

  circle(ink, i, colour, gap) {
    ink.strokeStyle = colour;
    ink.beginPath();
    ink.arc(this.screen[3 * i], this.screen[3 * i + 1], Math.max(this.radius(i), 1) + gap, 0, 2 * Math.PI);
    ink.stroke();
  }

  // The node at a point of the stage, or null; if there are several, the one in front.
  nodeAt(x, y, reach = 14) {
    let best = null, least = reach * reach;
    for (let i = 0; i < this.model.n; i++) {
      if (this.view.kind === "globe" && this.screen[3 * i + 2] < -0.05) continue;
      const dx = this.screen[3 * i] - x, dy = this.screen[3 * i + 1] - y;
      const far = dx * dx + dy * dy - (this.solid ? 12 * this.screen[3 * i + 2] : 0);
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }
}
