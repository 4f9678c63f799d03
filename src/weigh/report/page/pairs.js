// The filters of the list of pairs.
const pairTable = byId("pair-table");
const pairFields = ["pair-text", "pair-metric", "pair-test", "pair-significant"];

// Packed rows are unpacked on request, or when a reader sorts or filters.
let unpacking = null;
async function unpackPairs() {
  const { classes, columns, tones, marks } = JSON.parse(await unpack("pair-rows"));
  const body = pairTable.tBodies[0];
  columns[0].forEach((_, at) => {
    const row = body.insertRow();
    for (const [name, values] of Object.entries(marks)) row.dataset[name] = values[at];
    columns.forEach((texts, column) => {
      const isKey = classes[column].startsWith("key");
      const cell = element("td", isKey ? "" : texts[at], classes[column]);
      const tone = tones[column]?.[at];
      if (tone) cell.replaceChildren(element("span", texts[at], tone));
      if (isKey) cell.append(element("span", texts[at]));
      row.append(cell);
    });
  });
  byId("pair-all").remove();
  filterPairs();
}
const allPairs = () => (unpacking ??= byId("pair-rows") ? unpackPairs() : Promise.resolve());
beforeSorting.set(pairTable, allPairs);
if (byId("pair-all")) {
  byId("pair-all").hidden = false;
  byId("pair-all").addEventListener("click", allPairs);
}

function filterPairs() {
  const value = (id) => byId(id)?.value ?? "";
  const queryWords = value("pair-text").trim().toLowerCase().split(/\s+/);
  const [metric, test] = [value("pair-metric"), value("pair-test")];
  const onlySignificant = byId("pair-significant").checked;
  let count = 0;
  for (const row of pairTable.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    const matches =
      (!metric || metric === row.dataset.metric) &&
      (!test || test === row.dataset.test) &&
      (!onlySignificant || row.dataset.significant === "yes") &&
      queryWords.every((word) => text.includes(word));
    row.hidden = !matches;
    count += matches;
  }
  const all = pairTable.tBodies[0].rows.length;
  byId("pair-count").textContent = `${count.toLocaleString("en")} of ${all.toLocaleString("en")} rows`;
}
for (const id of pairFields) {
  byId(id)?.addEventListener("input", () => allPairs().then(filterPairs));
}
if (!byId("pair-rows")) filterPairs();

