// The search box: finds nodes by name, also those of a large graph that are not drawn.

const MAX_FOUND = 12; // most nodes that a search lists

// Names to look through, and the node of the picture that stands for each.
function lookup(labels, nearest) {
  return { labels, lower: labels.map((label) => label.toLowerCase()), nearest };
}

// The bytes that Python compressed.
async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// The names of all nodes of a large graph.
async function allNames({ names, nearest }) {
  const labels = JSON.parse(new TextDecoder().decode(await inflated(names)));
  return lookup(labels, new Uint16Array(await inflated(nearest)));
}

function startSearch(model) {
  const box = byId("search"), list = byId("found");
  let names = lookup(model.labels, model.numbers), found = [], active = -1;

  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const take = (i) => {
    const name = names.labels[i], node = names.nearest[i];
    box.value = name;
    close();
    model.choose(node, model.labels[node] === name ? null : name);
  };
  const highlight = (k) => {
    active = k;
    [...list.children].forEach((item, p) => item.setAttribute("aria-selected", String(p === k)));
    if (k >= 0) {
      box.setAttribute("aria-activedescendant", `found-${k}`);
      list.children[k].scrollIntoView({ block: "nearest" });
    }
  };
  const look = () => {
    found = matches(names.lower, box.value.trim().toLowerCase());
    list.replaceChildren(...found.map((i, k) => {
      const item = element("li", { role: "option", id: `found-${k}`, "aria-selected": "false" }, names.labels[i]);
      item.addEventListener("pointerdown", (event) => (event.preventDefault(), take(i)));
      return item;
    }));
    list.hidden = found.length === 0;
    box.setAttribute("aria-expanded", String(!list.hidden));
    highlight(found.length ? 0 : -1);
  };

  const complete = async () => {
    names = await allNames(data.search);
    if (box.value && document.activeElement === box) look();
  };

  if (data.search) box.addEventListener("focus", complete, { once: true });
  box.addEventListener("input", look);
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) look();
    else if (event.key === "ArrowDown" && found.length) highlight((active + 1) % found.length);
    else if (event.key === "ArrowUp" && found.length) highlight((active + found.length - 1) % found.length);
    else if (event.key === "Enter" && !list.hidden && active >= 0) take(found[active]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
}

// Nodes whose names equal the text, then those that start with it, then those that contain it.
function matches(names, text) {
  if (!text) return [];
  const ranks = [(name) => name === text, (name) => name.startsWith(text), (name) => name.includes(text)];
  const found = new Set();
  for (const good of ranks) {
    for (let i = 0; i < names.length && found.size < MAX_FOUND; i++) if (good(names[i])) found.add(i);
  }
  return [...found];
}
