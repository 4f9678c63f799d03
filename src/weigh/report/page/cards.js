// One segment: its texts with what differs marked, and its scores.
const shownScore = (metric, score) => (score === null ? "–" : score.toFixed(metric.decimals));
const shownDifference = (metric, a, b) => {
  if (a === null || b === null) return "–";
  const text = (a - b).toFixed(metric.decimals);
  return Number(text) > 0 ? `+${text}` : Number(text) === 0 ? text.replace("-", "") : text;
};

// Fill a paragraph with text; neighbouring words of one class are marked together.
function fill(paragraph, text, classes) {
  let from = 0;
  let open = null;
  let current = "";
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const name = classes[at];
    if (name !== current) {
      const gap = text.slice(from, match.index);
      paragraph.append(gap);
      open = name ? element(name === "extra" ? "mark" : "span", "", name) : null;
      if (open) paragraph.append(open);
      current = name;
      from = match.index;
    }
    const end = match.index + match[0].length;
    (open ?? paragraph).append(text.slice(from, end));
    from = end;
    at += 1;
  }
  paragraph.append(text.slice(from));
  return paragraph;
}

function textLine(label, text, classes, score, filled) {
  const line = element("div", "", "line");
  const name = element("span", "", "label");
  name.append(element("bdi", label));
  const paragraph = element("p", "", "text");
  paragraph.dir = "auto";
  if (filled) filled(paragraph);
  else if (classes) fill(paragraph, text, classes);
  else paragraph.textContent = text;
  if (text === "") paragraph.append(element("span", "(empty)", "faint"));
  line.append(name, paragraph, element("span", score ?? "", "score"));
  return line;
}

// Show where the cards have what is searched for; without marks of its own, which the words have.
function highlight(cards, pattern) {
  if (!CSS.highlights) return;
  const found = new Highlight();
  for (const paragraph of pattern ? cards.querySelectorAll(".text") : []) {
    const text = paragraph.textContent.toLowerCase();
    if (text.length !== paragraph.textContent.length) continue; // places would be wrong
    const nodes = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    let before = 0;
    const place = (at) => {
      while (nodes.currentNode.data === undefined || before + nodes.currentNode.length < at) {
        before += nodes.currentNode.length ?? 0;
        nodes.nextNode();
      }
      return [nodes.currentNode, at - before];
    };
    for (const match of text.matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(...place(match.index));
      range.setEnd(...place(match.index + match[0].length));
      found.add(range);
    }
  }
  CSS.highlights.set("found", found);
}

// Fill a paragraph with text in which errors are marked; where several overlap, the gravest shows.
// An error is [start, end, severity, category, judge]; without a place it stands behind the text.
function fillMarked(paragraph, text, errors, data) {
  const told = (error) =>
    [data.severities[error[2]], data.categories[error[3]], data.judges[error[4]]].filter(Boolean).join(", ");
  const marked = (shown, all) => {
    const gravest = Math.min(...all.map((error) => error[2]));
    const made = element("mark", shown, `error ${data.severities[gravest]}`);
    made.title = all.map(told).join("; ");
    return made;
  };
  const placed = errors.filter((error) => error[0] !== null);
  const ends = [0, text.length, ...placed.flatMap((error) => error.slice(0, 2))];
  const places = [...new Set(ends)].sort((x, y) => x - y);
  places.slice(0, -1).forEach((start, at) => {
    const piece = text.slice(start, places[at + 1]);
    const over = placed.filter((error) => error[0] <= start && error[1] > start);
    paragraph.append(over.length ? marked(piece, over) : piece);
  });
  for (const error of errors.filter((each) => each[0] === null)) {
    const category = data.categories[error[3]];
    paragraph.append(" ", marked(`[missing${category ? `: ${category}` : ""}]`, [error]));
  }
}

const extras = (inReference) => Array.from(inReference, (found) => (found ? "" : "extra"));

// Return the card of a segment for systems a and b. The other systems are folded away, unless what
// is searched for stands in their texts alone; `unfolded` is called when the reader asks for them.
function card(data, segment, metricAt, a, b, pattern, unfolded) {
  const metric = data.metrics[metricAt];
  const scoreOf = (system) => data.scores[metricAt][system][segment];
  const made = element("article", "", "card");
  const header = element("header");
  const number = data.numbers[segment].toLocaleString("en");
  header.append(element("h4", `${data.unit[0].toUpperCase()}${data.unit.slice(1)} ${number}`));
  if (data.ids) header.append(element("bdi", data.ids[segment], "faint"));
  const difference = shownDifference(metric, scoreOf(a), scoreOf(b));
  header.append(element("span", `A − B: ${difference} ${metric.title}`, "difference"));
  made.append(header);
  if (!data.outputs) {
    for (const system of [a, b]) {
      made.append(textLine(data.systems[system], "", null, shownScore(metric, scoreOf(system))));
      made.lastChild.querySelector(".text").replaceChildren();
    }
    return made;
  }
  const texts = data.texts[segment];
  const firstReference = data.sources ? 1 : 0;
  const firstOutput = firstReference + data.references;
  const output = (system) => texts[firstOutput + system];
  const references = texts.slice(firstReference, firstOutput).map(wordsOf);
  // Which words of an output stand in a reference, and which of each reference in the output. One
  // reference is aligned; with several, a word may stand in any of them, and anywhere.
  const againstReferences = (system) => {
    const words = wordsOf(output(system));
    if (references.length === 0) return null;
    if (references.length === 1) {
      const [inOutput, inReference] = common(words, references[0]);
      return [inOutput, [inReference]];
    }
    return [foundInAny(words, references), references.map((each) => foundInAny(each, [words]))];
  };
  const outputLine = (label, system, compared) => {
    const errors = data.marks?.[system][segment];
    const filled = errors && ((paragraph) => fillMarked(paragraph, output(system), errors, data));
    const classes = compared && extras(compared[0]);
    return textLine(label, output(system), classes, shownScore(metric, scoreOf(system)), filled);
  };
  const [ofA, ofB] = [againstReferences(a), againstReferences(b)];
  if (data.sources) made.append(textLine("Source", texts[0]));
  references.forEach((words, r) => {
    const label = references.length > 1 ? `Reference ${r + 1}` : "Reference";
    const [inA, inB] = [ofA[1][r], ofB[1][r]];
    const lacking = words.map((_, at) => ["lacks-both", "lacks-b", "lacks-a", ""][inA[at] + 2 * inB[at]]);
    made.append(textLine(label, texts[firstReference + r], lacking));
  });
  made.append(outputLine(`A: ${data.systems[a]}`, a, ofA), outputLine(`B: ${data.systems[b]}`, b, ofB));
  const others = data.systems.map((_, system) => system).filter((s) => s !== a && s !== b);
  if (others.length) {
    const noun = others.length === 1 ? "system" : "systems";
    const button = element("button", "", "others");
    const rest = element("div");
    button.type = "button";
    const unfold = (open) => {
      rest.replaceChildren(
        ...(open ? others.map((s) => outputLine(data.systems[s], s, againstReferences(s))) : []),
      );
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? `Hide the other ${noun}` : `Show ${others.length} other ${noun}`;
    };
    const seen = [data.numbers[segment], data.ids?.[segment] ?? "", ...texts.slice(0, firstOutput)];
    seen.push(output(a), output(b));
    unfold(Boolean(pattern) && seen.join("\n").toLowerCase().search(pattern) < 0);
    button.addEventListener("click", () => {
      unfold(rest.childElementCount === 0);
      unfolded();
    });
    made.append(rest, button);
  }
  return made;
}

