// Functions that the tests call in a page, as `test`.

window.test = (() => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  function rgba(text) {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = text;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }

  const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);

  // Relative luminance, as WCAG defines it.
  function luminance(colour) {
    const line = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.slice(0, 3).map((v) => line(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function behind(node) {
    if (!node) return rgba("white");
    const own = rgba(getComputedStyle(node).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(node.parentElement));
  }

  function ratio(host) {
    const drawn = host.namespaceURI.endsWith("svg"), style = getComputedStyle(host);
    const ground = behind(drawn ? host.ownerSVGElement.parentElement : host);
    const ink = over(rgba(drawn ? style.fill : style.color), ground);
    const [a, b] = [luminance(ink), luminance(ground)].sort((p, q) => q - p);
    return (a + 0.05) / (b + 0.05);
  }

  function wanted(host) {
    const style = getComputedStyle(host), size = parseFloat(style.fontSize);
    return size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  }

  return {
    // Texts with too little contrast to their background, and the number of all texts.
    contrast() {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
      let seen = 0;
      while (texts.nextNode()) {
        const host = texts.currentNode.parentElement, text = texts.currentNode.data.trim();
        if (!text || !host.checkVisibility() || host.closest("script, style, noscript, title")) continue;
        seen++;
        if (ratio(host) < wanted(host)) found.push([text.slice(0, 40), ratio(host)]);
      }
      return { seen, found };
    },

    // Number of pixels drawn in one layer of each picture.
    inked(layer) {
      return [...document.querySelectorAll(`.stage canvas.${layer}`)].map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let k = 3; k < data.length; k += 4) count += data[k] > 0;
        return count;
      });
    },

    // Position of a node in the window, after scrolling to its picture.
    where(node, k = 0) {
      const scene = riemap.scenes[k];
      scene.stage.scrollIntoView({ block: "center", behavior: "instant" });
      const box = scene.stage.getBoundingClientRect();
      return [box.x + scene.screen[3 * node], box.y + scene.screen[3 * node + 1]];
    },

    // Nodes that no other node covers.
    clear() {
      const [scene] = riemap.scenes;
      return scene.model.numbers.filter((i) => scene.nodeAt(scene.screen[3 * i], scene.screen[3 * i + 1]) === i);
    },

    // Positions of the first nodes in the unit disk.
    disk(count) {
      const { screen, cx, cy, unit } = riemap.scenes[0];
      return Array.from({ length: count }, (_, i) => [(screen[3 * i] - cx) / unit, (cy - screen[3 * i + 1]) / unit]);
    },

    // Points of the first edges.
    chains(count) {
      const { places, starts } = riemap.scenes[0].lines, place = (p) => Array.from(places.subarray(3 * p, 3 * p + 3));
      const numbers = (k) => Array.from({ length: starts[k + 1] - starts[k] }, (_, p) => starts[k] + p);
      return Array.from({ length: count }, (_, k) => numbers(k).map(place));
    },

    screen: () => Array.from(riemap.scenes[0].screen.subarray(0, 60)),
    text: (selector) => document.querySelector(selector).textContent,
    texts: (selector) => [...document.querySelectorAll(selector)].map((found) => found.textContent),
    count: (selector) => document.querySelectorAll(selector).length,
    near: () => [...document.querySelectorAll("#node ol")].map((l) => [...l.querySelectorAll("button")].map((b) => b.title)),
    column: (k) => [...document.querySelectorAll("#rows tbody tr")].map((row) => row.cells[k].textContent),

    set(id, value) {
      const field = document.getElementById(id);
      field.value = value;
      field.dispatchEvent(new Event("change"));
    },
  };
})();
