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

