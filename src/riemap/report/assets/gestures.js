// Turning, zooming and selecting, by mouse, touch and keyboard.

const KEY_TURN = 0.12; // radians that an arrow key turns
const CLICK_PIXELS = 5; // a pointer that moves farther drags, and does not click

class Gestures {
  constructor(scene, model) {
    this.scene = scene;
    this.model = model;
    this.fingers = new Map();
    this.wandered = 0;
    const on = (name, act, options) => scene.stage.addEventListener(name, act, options);
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.fingers.delete(event.pointerId));
    on("pointerleave", () => model.hover(null));
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("keydown", (event) => this.key(event));
  }

  spot(event) {
    const box = this.scene.stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    this.fingers.set(event.pointerId, this.spot(event));
    this.wandered = 0;
    this.scene.stage.setPointerCapture(event.pointerId);
  }

  move(event) {
    const now = this.spot(event), before = this.fingers.get(event.pointerId);
    if (!before) {
      this.model.hover(this.scene.nodeAt(...now), event);
      return;
    }
    this.wandered += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (this.fingers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.wandered > CLICK_PIXELS) this.drag(before, now, event.shiftKey);
    this.fingers.set(event.pointerId, now);
  }

  up(event) {
    const known = this.fingers.delete(event.pointerId);
    if (known && this.wandered <= CLICK_PIXELS) this.model.choose(this.scene.nodeAt(...this.spot(event)));
  }

  drag(before, now, slide) {
    const { scene } = this, dx = now[0] - before[0], dy = now[1] - before[1];
    if (scene.solid && !slide) this.turn(dx / scene.unit, dy / scene.unit);
    else if (scene.view.kind === "disk") this.carry(before, now);
    else this.slide(dx / scene.unit, dy / scene.unit);
  }

  turn(right, down) {
    this.scene.turn = turned(turned(this.scene.turn, "y", right), "x", down);
    this.scene.change();
  }

  slide(right, down) {
    this.scene.shift = [this.scene.shift[0] + right, this.scene.shift[1] + down];
    this.scene.change();
  }

  // Move the hyperbolic plane so that the point under the pointer follows it.
  carry(before, now) {
    const { scene } = this;
    const [p, q] = [before, now].map(([x, y]) => inside((x - scene.cx) / scene.unit, (scene.cy - y) / scene.unit));
    const step = composed(translation(...q), translation(-p[0], -p[1]));
    scene.motion = composed(step, scene.motion);
    scene.change();
  }

  pinch(id, before, now) {
    const other = [...this.fingers].find(([key]) => key !== id)[1];
    const gap = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
    this.magnify(gap(now) / gap(before), other);
  }

  // Zoom, and keep one point of the stage where it is.
  magnify(factor, place = [this.scene.width / 2, this.scene.height / 2]) {
    const { scene } = this, zoom = Math.min(Math.max(scene.zoom * factor, 0.4), 60), ratio = zoom / scene.zoom;
    const kept = (centre, point, middle) => (point + (centre - point) * ratio - middle) / (scene.unit * ratio);
    scene.shift = [kept(scene.cx, place[0], scene.width / 2), kept(scene.cy, place[1], scene.height / 2)];
    scene.zoom = zoom;
    scene.change();
  }

  // The wheel scrolls the page until a picture has the focus.
  wheel(event) {
    if (document.activeElement !== this.scene.stage && !event.ctrlKey) return;
    event.preventDefault();
    this.magnify(Math.exp(-0.0016 * event.deltaY), this.spot(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const acts = {
      "+": () => this.magnify(1.25), "=": () => this.magnify(1.25), "-": () => this.magnify(0.8),
      0: () => this.scene.reset(), Home: () => this.scene.reset(),
      n: () => this.model.next(1), p: () => this.model.next(-1), Escape: () => this.model.choose(null),
    };
    if (arrows[event.key]) this.push(...arrows[event.key], event.shiftKey);
    else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  push(right, down, slide) {
    const { scene } = this, size = 0.1 * scene.unit, middle = [scene.width / 2, scene.height / 2];
    if (scene.solid && !slide) this.turn(KEY_TURN * right, KEY_TURN * down);
    else if (scene.view.kind === "disk") this.carry(middle, [middle[0] + size * right, middle[1] + size * down]);
    else this.slide(0.1 * right, 0.1 * down);
  }
}

// Pull a point inside radius 0.97: near the boundary a motion would move all nodes out of sight.
function inside(x, y) {
  const far = Math.hypot(x, y);
  return far < 0.97 ? [x, y] : [(0.97 * x) / far, (0.97 * y) / far];
}
