// Tables that are sorted by a click on a title, and the filters of the list of pairs.
const firstNumber = (text) => {
  const found = text.replaceAll(",", "").match(/[+-]?\d*\.?\d+/);
  return found ? Number(found[0]) : NaN;
};

function sortTable(table, column, title) {
  const numeric = title.classList.contains("number");
  const before = title.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numeric && /[↑−]/u.test(title.textContent);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  title.setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1;
  for (const body of table.tBodies) {
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column].textContent;
      return [numeric ? firstNumber(text) : text, row];
    });
    keyed.sort(([x], [y]) => {
      if (!numeric) return sign * x.localeCompare(y, "en", { numeric: true });
      // What is no number stands last, whichever way.
      return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y) || 0;
    });
    body.append(...keyed.map(([, row]) => row));
  }
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((title, column) => {
    const button = element("button", title.textContent, "sort");
    button.type = "button";
    button.addEventListener("click", () => sortTable(table, column, title));
    title.replaceChildren(button);
  });
}

const pairTable = byId("pair-table");
const pairFields = ["pair-text", "pair-metric", "pair-test", "pair-significant"];
function filterPairs() {
  const value = (id) => byId(id)?.value ?? "";
  const sought = value("pair-text").trim().toLowerCase().split(/\s+/);
  const [metric, test] = [value("pair-metric"), value("pair-test")];
  const significant = byId("pair-significant").checked;
  let count = 0;
  for (const row of pairTable.tBodies[0].rows) {
    const { metric: ownMetric, test: ownTest, significant: found } = row.dataset;
    const text = row.textContent.toLowerCase();
    const shown =
      (!metric || metric === ownMetric) &&
      (!test || test === ownTest) &&
      (!significant || found === "yes") &&
      sought.every((word) => text.includes(word));
    row.hidden = !shown;
    count += shown;
  }
  const all = pairTable.tBodies[0].rows.length;
  byId("pair-count").textContent = `${count.toLocaleString("en")} of ${all.toLocaleString("en")} rows`;
}
for (const id of pairFields) byId(id)?.addEventListener("input", filterPairs);
for (const bar of document.querySelectorAll(".controls")) bar.hidden = false;
filterPairs();

