// Helpers of every page: its data, creating elements, numbers as text, and the theme.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

// An HTML element with attributes and children. Strings become text nodes; nothing is parsed as HTML.
function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The same for an SVG element.
function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A typed array from the base64 text that Python wrote.
function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed.data), (letter) => letter.charCodeAt(0));
  const kinds = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  return new kinds[packed.type](bytes.buffer);
}

// A number as text with about four digits; a dash if it is missing or NaN.
function shown(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size < 1e-12) return "0"; // a rounding error
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
  return value.toFixed(size >= 100 ? 1 : Math.min(digits, size >= 10 ? 2 : size > 1 ? 3 : 4)).replace("-", "−");
}

// A score as text, in percent where the metric is a share.
function shownScore(name, value) {
  const percent = data.metrics.some((m) => m.name === name && m.percent);
  return percent && value !== null && value !== undefined ? `${(100 * value).toFixed(2)}%` : shown(value);
}

const plural = (count, noun) => `${shown(count)} ${noun}${count === 1 ? "" : "s"}`;

// --- theme ------------------------------------------------------------------------------------------

const theme = { dark: false, listeners: [], ink: {} };

function setTheme(dark) {
  theme.dark = dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
  const style = getComputedStyle(document.documentElement);
  for (const name of ["card", "text", "soft", "accent", "second", "edge", "guide", "globe", "line"]) {
    theme.ink[name] = style.getPropertyValue(`--${name}`).trim();
  }
  for (const listener of [...theme.listeners]) listener();
}

function startTheme() {
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  setTheme(preferred.matches);
  preferred.addEventListener("change", () => setTheme(preferred.matches));
  byId("theme").addEventListener("click", () => setTheme(!theme.dark));
}

function showEnd() {
  byId("commands").textContent = data.commands.join("\n");
  byId("version").textContent = `Made by riemap ${data.version}. This page is self-contained and loads nothing from the network.`;
}

// Draw into a host now, and again when its width or the theme changes.
function drawOnChange(host, draw) {
  let width = 0;
  const again = () => host.isConnected && draw((width = host.clientWidth));
  new ResizeObserver(() => host.clientWidth !== width && again()).observe(host);
  theme.listeners.push(again);
  again();
}
