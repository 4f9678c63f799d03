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

function textLine(label, text, classes, score) {
  const line = element("div", "", "line");
  const name = element("span", "", "label");
  name.append(element("bdi", label));
  const paragraph = element("p", "", "text");
  paragraph.dir = "auto";
  if (classes) fill(paragraph, text, classes);
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

const extras = (inReference) => Array.from(inReference, (found) => (found ? "" : "extra"));

// Return the card of a segment for systems a and b. The other systems are folded away, unless what
// is searched for stands in their texts alone; `unfolded` is called when the reader asks for them.
function card(data, segment, metricAt, a, b, pattern, unfolded) {
  const metric = data.metrics[metricAt];
  const scoreOf = (system) => data.scores[metricAt][system][segment];
  const made = element("article", "", "card");
  const header = element("header");
  const number = data.numbers[segment].toLocaleString("en");
  header.append(element("h4", `Segment ${number}`));
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
  const outputLine = (label, system, compared) =>
    textLine(label, output(system), compared && extras(compared[0]), shownScore(metric, scoreOf(system)));
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

