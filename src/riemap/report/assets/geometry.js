// Paths of edges: geodesics as chains of short straight pieces, in the coordinates of a view.

// The paths of all edges: path k has the points from starts[k] to starts[k + 1].
function edgePaths(view, points, edges) {
  const through = { disk: hyperbolic, ball: hyperbolic, globe: great, line: arch }[view.kind] || straight;
  const knots = view.knots ? unpacked(view.knots) : null, count = edges.length / 2;
  const places = [], starts = new Uint32Array(count + 1);
  for (let k = 0; k < count; k++) {
    const a = at(points, edges[2 * k]), b = at(points, edges[2 * k + 1]);
    places.push(...a);
    if (knots) places.push(...knots.subarray((k * knots.length) / count, ((k + 1) * knots.length) / count), ...b);
    else through(a, b, places, view.opposite);
    starts[k + 1] = places.length / 3;
  }
  return { places: Float32Array.from(places), starts };
}

const at = (points, i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Points with three coordinates, of which the missing ones are zero.
function inSpace(packed) {
  const flat = unpacked(packed), [n, dims] = packed.shape, points = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) for (let k = 0; k < dims; k++) points[3 * i + k] = flat[dims * i + k];
  return points;
}

function straight(a, b, places) {
  places.push(...b);
}

// A geodesic of the Poincaré ball, computed on the hyperboloid as (sinh((1-t)d) x + sinh(t d) y) / sinh d.
function hyperbolic(a, b, places) {
  const x = toHyperboloid(a), y = toHyperboloid(b);
  const product = x[3] * y[3] - dot(x, y);
  const d = Math.acosh(Math.max(product, 1)), pieces = Math.min(Math.max(Math.ceil(4 * d), 1), 24);
  for (let k = 1; k < pieces; k++) {
    const t = k / pieces, p = Math.sinh((1 - t) * d), q = Math.sinh(t * d);
    const up = Math.sinh(d) + p * x[3] + q * y[3];
    for (let c = 0; c < 3; c++) places.push((p * x[c] + q * y[c]) / up);
  }
  places.push(...b);
}

// From the ball to the hyperboloid.
function toHyperboloid(a) {
  const r = Math.min(dot(a, a), 1 - 1e-7), scale = 2 / (1 - r);
  return [scale * a[0], scale * a[1], scale * a[2], (1 + r) / (1 - r)];
}

// A piece of a great circle. If opposite points are the same, it ends at the nearer of the two.
function great(a, b, places, opposite) {
  const flip = opposite && dot(a, b) < 0 ? -1 : 1, to = b.map((v) => flip * v);
  const angle = Math.atan2(Math.hypot(...cross(a, to)), dot(a, to)), pieces = Math.max(Math.ceil(angle / 0.12), 1);
  for (let k = 1; k <= pieces; k++) {
    const t = k / pieces, s = Math.sin(angle) || 1;
    const p = angle ? Math.sin((1 - t) * angle) / s : 1 - t, q = angle ? Math.sin(t * angle) / s : t;
    for (let c = 0; c < 3; c++) places.push(p * a[c] + q * to[c]);
  }
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// A half circle above the line.
function arch(a, b, places) {
  const middle = (a[0] + b[0]) / 2, half = (b[0] - a[0]) / 2;
  for (let k = 1; k <= 16; k++) {
    const angle = Math.PI * (1 - k / 16);
    places.push(middle + half * Math.cos(angle), Math.abs(half) * Math.sin(angle), 0);
  }
}

// --- motions of the disk: z -> (a z + b) / (b̄ z + ā), as [Re a, Im a, Re b, Im b] --------------------

const NO_MOTION = [1, 0, 0, 0];

function moved([a, ai, b, bi], x, y) {
  const u = a * x - ai * y + b, v = a * y + ai * x + bi;
  const s = b * x + bi * y + a, t = b * y - bi * x - ai, size = s * s + t * t;
  return [(u * s + v * t) / size, (v * s - u * t) / size];
}

function composed([a, ai, b, bi], [c, ci, d, di]) {
  const p = a * c - ai * ci + b * d + bi * di, pi = a * ci + ai * c - b * di + bi * d;
  const q = a * d - ai * di + b * c + bi * ci, qi = a * di + ai * d - b * ci + bi * c;
  const size = Math.sqrt(Math.max(p * p + pi * pi - q * q - qi * qi, 1e-12));
  return [p / size, pi / size, q / size, qi / size];
}

// The motion without rotation that moves 0 to a point.
function translation(x, y) {
  const size = Math.sqrt(1 - x * x - y * y);
  return [1 / size, 0, x / size, y / size];
}

// --- rotations, as nine numbers in row order ---------------------------------------------------------

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function turned(r, about, angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  const t = about === "x" ? [1, 0, 0, 0, c, -s, 0, s, c] : [c, 0, s, 0, 1, 0, -s, 0, c];
  return t.map((_, k) => [0, 1, 2].reduce((sum, j) => sum + t[3 * Math.floor(k / 3) + j] * r[3 * j + (k % 3)], 0));
}

// Stand the points of a cone on its tip, in place.
function makeUpright(places) {
  for (let p = 0; p < places.length; p += 3) {
    [places[p], places[p + 1], places[p + 2]] = upright(places.subarray(p, p + 3));
  }
}

// A random permutation of the numbers below n, the same on every page load.
function shuffled(n) {
  const order = Uint32Array.from({ length: n }, (_, k) => k);
  let state = 1;
  for (let k = n - 1; k > 0; k--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (k + 1);
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}
