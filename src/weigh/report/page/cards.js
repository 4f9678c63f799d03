// The card of a segment: its texts, with differences or errors marked, and its scores.
const scoreText = (metric, score) => (score === null ? "–" : score.toFixed(metric.decimals));
const differenceText = (metric, a, b) => {
  if (a === null || b === null) return "–";
  const text = (a - b).toFixed(metric.decimals);
  return Number(text) > 0 ? `+${text}` : Number(text) === 0 ? text.replace("-", "") : text;
};

// Fill a paragraph with text; neighbouring words of the same class share an element.
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

// Highlight matches of a search in the cards, without elements that would interfere with the marks.
function highlight(cards, pattern) {
  if (!CSS.highlights) return;
  const matches = new Highlight();
  for (const paragraph of pattern ? cards.querySelectorAll(".text") : []) {
    const text = paragraph.textContent.toLowerCase();
    if (text.length !== paragraph.textContent.length) continue; // lower case moved the characters
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
      matches.add(range);
    }
  }
  CSS.highlights.set("found", matches);
}

// Fill a paragraph with text and mark its errors; where errors overlap, the worst one is shown.
// An error is [start, end, severity, category, judge]; omissions have no place and follow the text.
function fillMarked(paragraph, text, errors, data) {
  const describe = (error) =>
    [data.severities[error[2]], data.categories[error[3]], data.judges[error[4]]].filter(Boolean).join(", ");
  const createMark = (content, errorsHere) => {
    const worst = Math.min(...errorsHere.map((error) => error[2]));
    const mark = element("mark", content, `error ${data.severities[worst]}`);
    mark.title = errorsHere.map(describe).join("; ");
    return mark;
  };
  const placed = errors.filter((error) => error[0] !== null);
  const ends = [0, text.length, ...placed.flatMap((error) => error.slice(0, 2))];
  const places = [...new Set(ends)].sort((x, y) => x - y);
  places.slice(0, -1).forEach((start, at) => {
    const piece = text.slice(start, places[at + 1]);
    const errorsHere = placed.filter((error) => error[0] <= start && error[1] > start);
    paragraph.append(errorsHere.length ? createMark(piece, errorsHere) : piece);
  });
  for (const error of errors.filter(([start]) => start === null)) {
    const category = data.categories[error[3]];
    paragraph.append(" ", createMark(`[missing${category ? `: ${category}` : ""}]`, [error]));
  }
}

const extras = (inReference) => Array.from(inReference, (isIn) => (isIn ? "" : "extra"));

// Return the card of a segment for systems a and b. The other systems are hidden, unless only their
// texts match the search; `onToggle` is called when a reader shows or hides them.
function card(data, segment, metricAt, a, b, pattern, onToggle) {
  const metric = data.metrics[metricAt];
  const scoreOf = (system) => data.scores[metricAt][system][segment];
  const article = element("article", "", "card");
  const header = element("header");
  const number = data.numbers[segment].toLocaleString("en");
  header.append(element("h4", `${data.unit[0].toUpperCase()}${data.unit.slice(1)} ${number}`));
  if (data.ids) header.append(element("bdi", data.ids[segment], "faint"));
  const difference = differenceText(metric, scoreOf(a), scoreOf(b));
  header.append(element("span", `A − B: ${difference} ${metric.title}`, "difference"));
  article.append(header);
  if (!data.outputs) {
    for (const system of [a, b]) {
      article.append(textLine(data.systems[system], "", null, scoreText(metric, scoreOf(system))));
      article.lastChild.querySelector(".text").replaceChildren();
    }
    return article;
  }
  const texts = data.texts[segment];
  const firstReference = data.sources ? 1 : 0;
  const firstOutput = firstReference + data.references;
  const output = (system) => texts[firstOutput + system];
  const references = texts.slice(firstReference, firstOutput).map(wordsOf);
  // Flags for the words of an output that are in a reference, and for the words of each reference
  // that are in the output. A single reference is aligned with the output; with several, a word may
  // be in any of them and anywhere.
  const againstReferences = (system) => {
    const words = wordsOf(output(system));
    if (references.length === 0) return null;
    if (references.length === 1) {
      const [inOutput, inReference] = common(words, references[0]);
      return [inOutput, [inReference]];
    }
    return [foundInAny(words, references), references.map((reference) => foundInAny(reference, [words]))];
  };
  const outputLine = (label, system, compared) => {
    const errors = data.marks?.[system][segment];
    const filled = errors && ((paragraph) => fillMarked(paragraph, output(system), errors, data));
    const classes = compared && extras(compared[0]);
    return textLine(label, output(system), classes, scoreText(metric, scoreOf(system)), filled);
  };
  const [ofA, ofB] = [againstReferences(a), againstReferences(b)];
  if (data.sources) article.append(textLine("Source", texts[0]));
  references.forEach((words, r) => {
    const label = references.length > 1 ? `Reference ${r + 1}` : "Reference";
    const [inA, inB] = [ofA[1][r], ofB[1][r]];
    const classes = words.map((_, at) => ["lacks-both", "lacks-b", "lacks-a", ""][inA[at] + 2 * inB[at]]);
    article.append(textLine(label, texts[firstReference + r], classes));
  });
  article.append(outputLine(`A: ${data.systems[a]}`, a, ofA), outputLine(`B: ${data.systems[b]}`, b, ofB));
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
    const visible = [data.numbers[segment], data.ids?.[segment] ?? "", ...texts.slice(0, firstOutput)];
    visible.push(output(a), output(b));
    unfold(Boolean(pattern) && visible.join("\n").toLowerCase().search(pattern) < 0);
    button.addEventListener("click", () => {
      unfold(rest.childElementCount === 0);
      onToggle();
    });
    article.append(rest, button);
  }
  return article;
}

