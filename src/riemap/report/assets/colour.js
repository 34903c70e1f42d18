// Colours that colour-blind readers can tell apart: a scale of rising lightness, a scale from blue to orange, and
// the colours of Okabe and Ito for groups.

// Convert lightness, chroma and hue of the OKLab colour space to red, green and blue.
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180), b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((x) => {
    const clipped = Math.min(Math.max(x, 0), 1);
    return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
  });
}

const mix = (a, b, t) => a + (b - a) * t;
const css = (rgb) => `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;

// The colour of t from 0 to 1: violet, blue, green, yellow, with rising lightness.
function sequential(t) {
  const low = theme.dark ? 0.45 : 0.33, high = theme.dark ? 0.93 : 0.84;
  return css(oklch(mix(low, high, t), mix(0.16, 0.17, t) * (1 - 0.35 * Math.sin(Math.PI * t)), mix(292, 96, t)));
}

// The colour of t from -1 to 1: blue, neutral, orange.
function diverging(t) {
  const middle = theme.dark ? 0.72 : 0.78, end = theme.dark ? 0.66 : 0.52, far = Math.min(Math.abs(t), 1);
  return css(oklch(mix(middle, end, far), 0.19 * far ** 0.8, t < 0 ? 255 : 52));
}

const OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const categorical = (k) => (k < OKABE_ITO.length ? OKABE_ITO[k] : theme.dark ? "#8b949e" : "#6e7781");

const COLOUR_STEPS = 64; // colours of a scale

// A colour for every value; grey for NaN.
function coloursOf(values, kind) {
  if (kind === "group") return Array.from(values, (k) => categorical(k));
  const [low, high] = bounds(values, kind);
  const of = kind === "diverging" ? (t) => diverging(2 * t - 1) : sequential;
  const table = Array.from({ length: COLOUR_STEPS + 1 }, (_, k) => of(k / COLOUR_STEPS));
  return Array.from(values, (v) => (Number.isFinite(v) ? table[step(v, low, high)] : theme.ink.guide));
}

function step(value, low, high) {
  return Math.round(COLOUR_STEPS * Math.min(Math.max((value - low) / (high - low || 1), 0), 1));
}

// The ends of a scale: the 1st and the 99th percentile, since a few extreme values would use most of the colours.
function bounds(values, kind) {
  const known = Float64Array.from(values).filter(Number.isFinite).sort();
  if (known.length === 0) return [0, 1];
  const at = (share) => known[Math.min(Math.floor(share * known.length), known.length - 1)];
  const [low, high] = kind === "hops" ? [0, known[known.length - 1]] : [at(0.01), at(0.99)];
  if (kind !== "diverging") return [low, high];
  const far = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return [-far, far];
}

function swatch(colour) {
  const made = element("span", { class: "swatch" });
  made.style.background = colour;
  return made;
}
