// Tables: a click on a title sorts the rows.
const firstNumber = (text) => {
  const match = text.replaceAll(",", "").match(/[+-]?\d*\.?\d+/);
  return match ? Number(match[0]) : NaN;
};

// The last row of the head: titles of column groups are in a row above.
const columnTitles = (table) => table.tHead.rows[table.tHead.rows.length - 1].cells;

function sortTable(table, column, title) {
  const numeric = title.classList.contains("number");
  const before = title.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numeric && /[↑−]/u.test(title.textContent);
  for (const other of columnTitles(table)) other.removeAttribute("aria-sort");
  title.setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1;
  for (const body of table.tBodies) {
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column].textContent;
      return [numeric ? firstNumber(text) : text, row];
    });
    keyed.sort(([x], [y]) => {
      if (!numeric) return sign * x.localeCompare(y, "en", { numeric: true });
      // Cells without a number come last in either direction.
      return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y) || 0;
    });
    body.append(...keyed.map(([, row]) => row));
  }
}

// Actions needed before sorting, by table.
const beforeSorting = new Map();

for (const table of document.querySelectorAll("table.sortable")) {
  [...columnTitles(table)].forEach((title, column) => {
    const button = element("button", title.textContent, "sort");
    button.type = "button";
    button.addEventListener("click", async () => {
      await beforeSorting.get(table)?.();
      sortTable(table, column, title);
    });
    title.replaceChildren(button);
  });
}
