// N-grams of the references that one system matches more often than the other.
const LONGEST = 4;
const MOST_NGRAMS = 10;
const SLICE = 10; // milliseconds of work before the browser can handle events

// Count the n-grams of a text, or only those in `allowed`.
function countNgrams(words, allowed) {
  const counts = new Map();
  for (let start = 0; start < words.length; start += 1) {
    let ngram = "";
    for (let end = start; end < Math.min(start + LONGEST, words.length); end += 1) {
      ngram = end === start ? words[end] : `${ngram} ${words[end]}`;
      if (allowed && !allowed.has(ngram)) break; // then no longer n-gram is allowed either
      counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
    }
  }
  return counts;
}

// Add a segment's matches to totals; the reference with most of an n-gram limits its count.
function addMatches(totals, outputs, references) {
  const allowed = new Map();
  for (const reference of references) {
    for (const [ngram, count] of countNgrams(wordsOf(reference))) {
      if (count > (allowed.get(ngram) ?? 0)) allowed.set(ngram, count);
    }
  }
  outputs.forEach((output, system) => {
    for (const [ngram, count] of countNgrams(wordsOf(output), allowed)) {
      let entry = totals.get(ngram);
      if (entry === undefined) totals.set(ngram, (entry = [0, 0]));
      entry[system] += Math.min(count, allowed.get(ngram));
    }
  });
}

const ngramSize = (ngram) => ngram.split(" ").length;

// Return the n-grams that `winner` (0 or 1) matches more often, those with the largest lead first and
// longer ones before shorter ones.
function winningNgrams(totals, winner, size) {
  const sign = winner === 0 ? 1 : -1;
  const ngrams = [];
  for (const [ngram, [a, b]] of totals) {
    const lead = sign * (a - b);
    if (lead > 0 && (!size || ngramSize(ngram) === size)) ngrams.push({ ngram, a, b, lead });
  }
  const order = (x, y) =>
    y.lead - x.lead || ngramSize(y.ngram) - ngramSize(x.ngram) || (x.ngram < y.ngram ? -1 : 1);
  return ngrams.sort(order).slice(0, MOST_NGRAMS);
}

let ngramJob = 0;
// Count in time slices, calling progress(share) and finally done(totals). A later call cancels an
// earlier one.
function matchNgrams(data, a, b, progress, done) {
  ngramJob += 1;
  const job = ngramJob;
  const totals = new Map();
  const first = data.sources ? 1 : 0;
  let segment = 0;
  const step = () => {
    if (job !== ngramJob) return;
    const until = performance.now() + SLICE;
    while (segment < data.texts.length && performance.now() < until) {
      const texts = data.texts[segment];
      const outputs = [a, b].map((system) => texts[first + data.references + system]);
      addMatches(totals, outputs, texts.slice(first, first + data.references));
      segment += 1;
    }
    if (segment === data.texts.length) done(totals);
    else {
      progress(segment / data.texts.length);
      setTimeout(step);
    }
  };
  step();
}

function ngramTable(title, ngrams, search) {
  const table = element("table");
  const caption = element("caption");
  caption.append(element("bdi", title), " matches more often");
  const head = element("tr");
  for (const [text, kind] of [["Words", "key"], ["A", "number"], ["B", "number"]]) {
    const cell = element("th", text, kind);
    cell.scope = "col";
    head.append(cell);
  }
  const body = element("tbody");
  for (const { ngram, a, b } of ngrams) {
    const row = element("tr");
    const button = element("button", "", "ngram");
    button.type = "button";
    button.append(element("bdi", ngram));
    button.addEventListener("click", () => search(ngram));
    const cell = element("th");
    cell.scope = "row";
    cell.append(button);
    row.append(cell, element("td", a.toLocaleString("en"), "number"), element("td", b.toLocaleString("en"), "number"));
    body.append(row);
  }
  const top = element("thead");
  top.append(head);
  table.append(caption, top, body);
  return table;
}

