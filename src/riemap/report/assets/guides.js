// Thin lines that show the shape of a view: the boundary of a ball, the net of a globe, the rings of a cone.

// Lines in the coordinates of a view, drawn under everything else.
function guides(kind) {
  if (kind === "globe") return net();
  if (kind === "ball") return ["x", "y", "z"].map((axis) => ring(axis, 0, 1));
  if (kind === "cone") return cone();
  if (kind === "space") return [[[-1, 0, 0], [1, 0, 0]], [[0, -1, 0], [0, 1, 0]], [[0, 0, -1], [0, 0, 1]]];
  if (kind === "line") return [[[-1.08, 0, 0], [1.08, 0, 0]]];
  return [];
}

// A circle around an axis, at a position on it.
function ring(axis, place, radius) {
  return Array.from({ length: 73 }, (_, k) => {
    const u = radius * Math.cos((k * Math.PI) / 36), v = radius * Math.sin((k * Math.PI) / 36);
    return axis === "x" ? [place, u, v] : axis === "y" ? [u, place, v] : [u, v, place];
  });
}

// Parallels and meridians of a globe.
function net() {
  const found = [];
  for (const degrees of [-60, -30, 0, 30, 60]) {
    found.push(ring("y", Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)));
  }
  for (let k = 0; k < 6; k++) {
    const c = Math.cos((k * Math.PI) / 6), s = Math.sin((k * Math.PI) / 6);
    found.push(ring("z", 0, 1).map(([u, v]) => [u * c, v, u * s]));
  }
  return found;
}

// Coordinates in which the cone stands on its tip and its axis points up.
const upright = ([x, y, z]) => [1.05 * x, 1.4 * (z - 0.55), 1.05 * y];

function cone() {
  const found = [0.25, 0.5, 0.75, 1].map((h) => ring("z", h, h).map(upright));
  for (const [x, y] of ring("z", 0, 1).filter((_, k) => k % 9 === 0 && k < 72)) {
    found.push([upright([0, 0, 0]), upright([x, y, 1])]);
  }
  return found;
}

// The outline of a round view, which looks the same from every side.
function boundary(context, scene) {
  const { kind } = scene.view;
  if (!["disk", "ball", "globe", "circle"].includes(kind)) return;
  context.beginPath();
  context.arc(scene.cx, scene.cy, scene.unit, 0, 2 * Math.PI);
  if (kind === "globe") {
    context.fillStyle = theme.ink.globe;
    context.fill();
  }
  context.strokeStyle = kind === "circle" ? theme.ink.guide : theme.ink.soft;
  context.lineWidth = kind === "circle" ? 2 : 1;
  context.stroke();
}

// Circles of hyperbolic distance 1, 2, 3, … from the mean, in the disk.
function rings(context, scene) {
  for (let distance = 1; distance <= 6; distance++) {
    const radius = Math.tanh(distance / 2);
    context.beginPath();
    ring("z", 0, radius).forEach(([x, y], k) => {
      const [u, v] = moved(scene.motion, x, y);
      context[k ? "lineTo" : "moveTo"](scene.cx + scene.unit * u, scene.cy - scene.unit * v);
    });
    context.stroke();
  }
}

// The nodes of a large graph that are not drawn one by one, as pale dots.
function dots(ink, scene) {
  const spot = [0, 0, 0], globe = scene.view.kind === "globe";
  ink.fillStyle = theme.ink.soft;
  for (let k = 0; 3 * k < scene.cloud.length; k++) {
    scene.place(scene.cloud, k, spot, 0);
    ink.globalAlpha = globe && spot[2] < 0 ? 0.1 : 0.4;
    ink.fillRect(spot[0] - 0.6, spot[1] - 0.6, 1.2, 1.2);
  }
  ink.globalAlpha = 1;
}
