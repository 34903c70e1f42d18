// Cards with a title, a sentence, and a chart or a table.

function card(host, title, text, wide = false) {
  const chart = element("div", { class: "chart" });
  byId(host).append(element("div", { class: wide ? "card wide" : "card" }, element("h3", {}, title), text ? element("p", {}, text) : null, chart));
  return chart;
}

function table(headings, rows, words, kind = "") {
  const cell = (tag, text, k, attributes = {}) => element(tag, { class: k < words ? "word" : "", ...attributes }, text);
  const head = element("tr", {}, ...headings.map((text, k) => cell("th", text, k, { scope: "col" })));
  const body = rows.map((row) => {
    const line = element("tr", { class: row.ours ? "ours" : "" });
    row.cells.forEach((text, k) => line.append(cell("td", text, k, k < words ? { class: "word name", title: text.textContent ?? text } : {})));
    return line;
  });
  return element("div", { class: "scroll" }, element("table", { class: kind }, element("thead", {}, head), element("tbody", {}, ...body)));
}
