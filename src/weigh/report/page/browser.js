// The segment browser. Its data are unpacked when a reader first scrolls to it.
const PAGE = 25;

function browse(data) {
  const [fieldA, fieldB, fieldMetric, fieldOrder, fieldLength, fieldText, fieldErrors] = [
    "browse-a", "browse-b", "browse-metric", "browse-order", "browse-length", "browse-text",
    "browse-errors",
  ].map(byId);
  const [cards, more, status] = [byId("cards"), byId("browse-more"), byId("browse-status")];
  const firstReference = data.sources ? 1 : 0;
  const all = data.numbers.map((_, at) => at);
  const lengths = data.references ? data.texts.map((texts) => lengthOf(texts[firstReference])) : null;
  const haystack = all.map((at) =>
    [data.numbers[at], data.ids?.[at] ?? "", ...(data.texts[at] ?? [])].join("\n").toLowerCase(),
  );
  let chosen = all;
  let pattern = null;
  let shown = 0;

  function advantages(metricAt, a, b) {
    const sign = data.metrics[metricAt].higher ? 1 : -1;
    const [ofA, ofB] = [data.scores[metricAt][a], data.scores[metricAt][b]];
    // NaN: segments without a score come last.
    return all.map((at) => (ofA[at] === null || ofB[at] === null ? NaN : sign * (ofA[at] - ofB[at])));
  }

  function choose() {
    const [a, b, metricAt] = [fieldA, fieldB, fieldMetric].map((field) => Number(field.value));
    const [least, most] = (fieldLength?.value || "0-").split("-").map(Number);
    const query = fieldText.value.trim();
    pattern = query ? patternOf(query) : null;
    const [kind, wanted] = [fieldErrors?.value.slice(0, 1), fieldErrors?.value.slice(2)];
    const errorsAt = (at) => [...data.marks[a][at], ...(a === b ? [] : data.marks[b][at])];
    const isWanted = (error) => (kind === "s" ? data.severities[error[2]] : data.categories[error[3]]) === wanted;
    chosen = all.filter((at) => {
      if (kind && !errorsAt(at).some(isWanted)) return false;
      if (lengths && (lengths[at] < least || (most && lengths[at] > most))) return false;
      return !pattern || haystack[at].search(pattern) >= 0;
    });
    const ahead = advantages(metricAt, a, b);
    // Segments of a single word come late too: any difference changes their scores a lot.
    const isSingleWord = (at) => lengths !== null && lengths[at] < 2;
    const descending = (key) => (x, y) =>
      Number.isNaN(key(x)) - Number.isNaN(key(y)) ||
      isSingleWord(x) - isSingleWord(y) ||
      key(y) - key(x) ||
      x - y;
    const orders = {
      difference: descending((at) => Math.abs(ahead[at])),
      a: descending((at) => ahead[at]),
      b: descending((at) => -ahead[at]),
      errors: descending((at) => errorsAt(at).length),
      place: (x, y) => x - y,
      shortest: (x, y) => lengths[x] - lengths[y] || x - y,
      longest: (x, y) => lengths[y] - lengths[x] || x - y,
    };
    chosen.sort(orders[fieldOrder.value]);
    shown = 0;
    cards.replaceChildren();
    showMore();
  }

  function showMore() {
    const [a, b, metricAt] = [fieldA, fieldB, fieldMetric].map((field) => Number(field.value));
    const next = chosen.slice(shown, shown + PAGE);
    const mark = () => highlight(cards, pattern);
    cards.append(...next.map((at) => card(data, at, metricAt, a, b, pattern, mark)));
    shown += next.length;
    mark();
    const count = (number) => number.toLocaleString("en");
    status.textContent =
      `${count(chosen.length)} of ${count(all.length)} ${data.unit}s` +
      (shown < chosen.length ? `, first ${count(shown)} shown` : "");
    const remaining = Math.min(PAGE, chosen.length - shown);
    more.hidden = remaining === 0;
    more.textContent = `Show ${remaining} more`;
  }

  const panel = byId("ngram-panel");
  function search(text) {
    fieldText.value = text;
    choose();
    fieldText.scrollIntoView({ block: "center" });
    fieldText.focus();
  }
  let counted = null; // the pair counted last, with its n-grams
  function compareNgrams() {
    const [a, b] = [Number(fieldA.value), Number(fieldB.value)];
    const [tablesBox, countStatus] = [byId("ngrams"), byId("ngram-status")];
    const show = () => {
      const size = Number(byId("ngram-size").value);
      const tables = [a, b].map((system, winner) =>
        ngramTable(data.systems[system], winningNgrams(counted.totals, winner, size), search),
      );
      countStatus.textContent = "";
      tablesBox.replaceChildren(...tables);
    };
    if (counted?.a === a && counted.b === b) {
      show();
      return;
    }
    tablesBox.replaceChildren();
    const progress = (share) => {
      countStatus.textContent = `Counting: ${Math.round(100 * share)}%`;
    };
    matchNgrams(data, a, b, progress, (totals) => {
      counted = { a, b, totals };
      show();
    });
  }
  if (panel) {
    panel.hidden = byId("browse-legend").hidden = false;
    const whenOpen = () => panel.open && compareNgrams();
    panel.addEventListener("toggle", whenOpen);
    for (const field of [fieldA, fieldB, byId("ngram-size")]) field.addEventListener("input", whenOpen);
  }
  let waiting = 0;
  for (const field of [fieldA, fieldB, fieldMetric, fieldOrder, fieldLength, fieldErrors]) {
    field?.addEventListener("input", choose);
  }
  fieldText.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 120);
  });
  more.addEventListener("click", showMore);
  choose();
}

const place = byId("cards");
if (place) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      byId("browse-status").textContent = "Unpacking…";
      unpack("segment-data").then((text) => browse(JSON.parse(text)), () => {
        byId("browse-status").textContent =
          "This browser cannot unpack the data. Use a newer one.";
      });
    },
    { rootMargin: "600px" },
  );
  observer.observe(place.closest("section"));
}

// A click on a pair, in a table or a heat map, opens its segments.
function openPair(a, b) {
  for (const [id, name] of [["browse-a", a], ["browse-b", b]]) {
    const field = byId(id);
    const option = name && [...field.options].find(({ textContent }) => textContent === name);
    if (option) field.value = option.value;
  }
  byId("browse-a").dispatchEvent(new Event("input"));
  place.closest("section").scrollIntoView();
}
document.addEventListener("click", (event) => {
  const row = event.target.closest("tbody tr");
  if (row && !event.target.closest("button, a")) {
    const systems = [...row.querySelectorAll(".system")].map((cell) => cell.textContent);
    if (systems.length === 2 || row.closest("#pair-table")) openPair(...systems);
  }
  const map = event.target.closest(".pick");
  if (map) {
    const names = JSON.parse(map.dataset.names);
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
    const place = (value, start) => Math.floor((value - Number(start)) / Number(map.dataset.size));
    const [column, line] = [place(at.x, map.dataset.x), place(at.y, map.dataset.y)];
    const second = map.dataset.column ?? names[column];
    if (names[line] && second !== names[line]) openPair(names[line], second);
  }
});
document.body.classList.add("browsable");
