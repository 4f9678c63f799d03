// Marking words of a text: by mouse, by finger and by keys. The marks are a JSON list in a hidden
// field, which is empty as long as nothing was answered. Places are counted in characters, not in
// the halves of some of them that JavaScript counts.
document.documentElement.classList.add("marks");

const UNSPACED = new RegExp(
  ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"]
    .map((script) => `\\p{Script=${script}}`).join("|"), "u");
const SPACE = /^\s+$/u;
const POINT = /^\p{P}+$/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// A text in units that are marked as a whole: words, signs between them, and the characters of
// writing without spaces; what is space is none, and shown with its neighbours.
function unitsOf(text) {
  const units = [];
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    const kind = SPACE.test(segment) ? "space" : UNSPACED.test(segment) ? "single"
      : POINT.test(segment) ? "point" : "word";
    const end = at + [...segment].length;
    const last = units.at(-1);
    if (last?.kind === kind && kind !== "single") {
      last.text += segment;
      last.end = end;
    } else units.push({ kind, text: segment, start: at, end });
    at = end;
    // A sign within a word, as in 3.5 or o'clock, belongs to it.
    const [before, sign, after] = units.slice(-3);
    if (after?.kind === "word" && before.kind === "word" && sign.kind === "point" &&
        sign.end - sign.start === 1) {
      before.text += sign.text + after.text;
      before.end = after.end;
      units.splice(-2);
    }
  }
  return units;
}

class Marks {
  constructor(box) {
    this.question = box.closest(".question");
    const told = JSON.parse(box.dataset.marking);
    Object.assign(this, { box, ...told, marks: [], none: false });
    this.isFixed = box.hasAttribute("data-fixed");
    this.field = box.querySelector("[data-spans]");
    this.text = [...this.question.querySelectorAll(".passage p")].at(-1);
    this.label = this.text.previousElementSibling.textContent;
    this.units = unitsOf(this.text.textContent);
    this.words = this.units.filter((unit) => unit.kind !== "space");
    this.text.textContent = "";
    for (const unit of this.units) {
      unit.shown = make("span", unit.text);
      this.text.append(unit.shown);
    }
    for (const [place, unit] of this.words.entries()) {
      unit.shown.className = "unit";
      unit.shown.dataset.place = place;
    }
    this.cursor = -1; // before the first word, until the judge goes to one
    this.list = make("ul", "", { class: "marked", "aria-label": `Errors marked: ${this.label}` });
    if (!this.isFixed) this.equip();
    box.append(this.list);
    this.read();
    this.field.addEventListener("restored", () => this.read());
  }

  // What a judge needs: a text that takes keys, and buttons.
  equip() {
    this.text.classList.add("markable");
    const help = make("p", "Drag over the wrong words, or tap the first and the last one.",
      { class: "hint", id: `${this.text.id}-help` });
    const spoken = make("p", this.spokenHelp, { class: "unseen", id: `${this.text.id}-keys` });
    const attributes = { tabindex: "0", role: "application", "aria-label": `${this.label}, to mark`,
      "aria-describedby": `${help.id} ${spoken.id}` };
    for (const [name, value] of Object.entries(attributes)) this.text.setAttribute(name, value);
    this.hint = help;
    const tools = make("div", "", { class: "mark-tools", role: "group",
      "aria-label": `Mark in ${this.label}` });
    for (const severity of this.severities) {
      const button = make("button", severity.label,
        { type: "button", class: `severity level-${this.level(severity.value)}` });
      this.addKey(button, severity.key);
      button.addEventListener("click", () => this.markWith(severity.value));
      tools.append(button);
    }
    const missing = make("button", "Something is missing", { type: "button", class: "missing" });
    this.addKey(missing, "x");
    missing.addEventListener("click", () => this.addMissing());
    tools.append(missing);
    tools.append(help);
    this.box.append(spoken, tools);
    if (this.saysNone) {
      this.tick = make("label", "", { class: "tick" });
      this.tickBox = make("input", "", { type: "checkbox" });
      this.tick.append(this.tickBox, ` No errors`);
      this.tickBox.addEventListener("change", () => {
        this.none = this.tickBox.checked;
        this.write();
      });
      this.box.append(this.tick);
    }
    this.text.addEventListener("pointerdown", (event) => this.press(event));
    this.text.addEventListener("pointermove", (event) => this.drag(event));
    this.text.addEventListener("pointerup", (event) => this.lift(event));
    this.text.addEventListener("pointercancel", () => this.giveUp());
    this.text.addEventListener("focus", () => this.draw());
    this.text.addEventListener("blur", () => this.draw());
  }

  get spokenHelp() {
    const grades = this.severities.filter(({ key }) => key)
      .map(({ key, label }) => `${key.toUpperCase()} marks them as ${label.toLowerCase()}`);
    return `Arrow keys move between words; hold Shift to select several. ${grades.join(", ")}. ` +
      "X reports missing text. Delete removes a mark.";
  }

  addKey(button, key) {
    if (!key) return;
    button.setAttribute("aria-keyshortcuts", key.toUpperCase());
    button.append(make("kbd", key.toUpperCase(), { "aria-hidden": "true" }));
  }

  level(severity) {
    const place = this.severities.findIndex(({ value }) => value === severity);
    return Math.max(0, 3 - this.severities.length + place);
  }

  get usual() {
    return (this.severities.find(({ value }) => value === "minor") || this.severities[0]).value;
  }

  // The field, and back.
  read() {
    let given = [];
    try {
      given = JSON.parse(this.field.value);
    } catch {
      // Nothing was marked.
    }
    const length = this.units.at(-1)?.end ?? 0;
    const isWhole = (mark) => mark && this.severities.some(({ value }) => value === mark.severity) &&
      ((mark.start === null && mark.end === null) || (Number.isInteger(mark.start) &&
        Number.isInteger(mark.end) && mark.start >= 0 && mark.start < mark.end && mark.end <= length));
    this.none = this.field.value === "[]";
    this.marks = (Array.isArray(given) ? given : []).filter(isWhole)
      .map(({ start, end, severity, category }) => ({ start, end, severity, category: category || "" }));
    this.choose(null);
    this.fill();
    this.write(false);
  }

  write(byJudge = true) {
    if (this.marks.length) this.none = false;
    this.field.value = this.marks.length || !this.saysNone || this.none
      ? JSON.stringify(this.marks) : "";
    if (this.tick) {
      this.tickBox.checked = this.none && !this.marks.length;
      this.tick.hidden = this.marks.length > 0;
    }
    this.draw();
    if (byJudge) answered(this.question);
  }

  // What is missing before it can be saved, if anything is.
  get lack() {
    if (this.chosen) return "Choose how severe the error is, or tap the selected words again to cancel.";
    if (!this.field.value) return "Mark the errors, or tick “No errors”.";
    const isOpen = this.categories.length && this.marks.some(({ category }) => !category);
    return isOpen ? "Choose the type of every error." : "";
  }

  // Words that are chosen, from one place to another, before it is said what is wrong with them.
  choose(anchor, head = anchor, { pending = false, sticky = false } = {}) {
    this.chosen = anchor === null ? null : { anchor, head, pending, sticky };
    this.draw();
  }

  get range() {
    if (!this.chosen) return null;
    const [first, last] = [this.chosen.anchor, this.chosen.head].sort((a, b) => a - b);
    return { start: this.words[first].start, end: this.words[last].end };
  }

  at(word) {
    const { start, end } = this.words[word];
    const size = (mark) => mark.end - mark.start;
    return this.marks.filter((mark) => mark.start !== null && mark.start < end && mark.end > start)
      .sort((one, other) => size(one) - size(other))[0];
  }

  wordsOf({ start, end }) {
    if (start === null) return "Something is missing";
    return this.units.filter((unit) => unit.start < end && unit.end > start)
      .map(({ text }) => text).join("");
  }

  draw() {
    const hasFocus = document.activeElement === this.text;
    const { range } = this;
    for (const unit of this.units) {
      const isIn = ({ start, end }) => start !== null && unit.start < end && unit.end > start;
      const levels = this.marks.filter(isIn).map(({ severity }) => this.level(severity));
      const { classList } = unit.shown;
      for (const level of [0, 1, 2]) {
        classList.toggle(`level-${level}`, levels.length > 0 && Math.max(...levels) === level);
      }
      classList.toggle("chosen", Boolean(range) && isIn(range));
      classList.toggle("cursor", hasFocus && unit === this.words[this.cursor]);
    }
    if (!this.hint) return;
    this.box.classList.toggle("choosing", Boolean(range));
    this.hint.textContent = !range
      ? "Drag over the wrong words, or tap the first and the last one."
      : this.chosen.pending ? "Choose how severe it is, or tap the last word of the error."
      : "Choose how severe it is.";
  }

  // The list of marks, in the order of the text.
  fill() {
    this.marks.sort((one, other) => (one.start === null) - (other.start === null) ||
      one.start - other.start || one.end - other.end);
    this.list.replaceChildren(...this.marks.map((mark) => this.entry(mark)));
    this.list.hidden = !this.marks.length;
  }

  entry(mark) {
    const words = this.wordsOf(mark);
    const entry = make("li", "", { class: `level-${this.level(mark.severity)}` });
    const shown = make("bdi", words, { class: mark.start === null ? "lacking" : "words" });
    if (this.text.lang && mark.start !== null) shown.lang = this.text.lang;
    entry.append(shown);
    if (this.isFixed) {
      entry.append(make("span", [mark.severity, mark.category].filter(Boolean).join(", ")));
      return entry;
    }
    const severity = this.picker(`Severity: ${words}`, mark.severity,
      this.severities.map(({ value, label }) => [value, label]), (value) => {
        mark.severity = value;
        entry.className = `level-${this.level(value)}`;
      });
    entry.append(severity);
    if (this.categories.length) {
      const known = this.categories.map((name) => [name, name]);
      entry.append(this.picker(`Type: ${words}`, mark.category, [["", "Type of error …"], ...known],
        (value) => (mark.category = value)));
    }
    const remove = make("button", "Remove", { type: "button", "aria-label": `Remove: ${words}` });
    remove.addEventListener("click", () => {
      const place = this.marks.indexOf(mark);
      this.remove(mark);
      const left = this.list.children[Math.min(place, this.marks.length - 1)];
      (left ? left.querySelector("button") : this.text).focus();
    });
    entry.append(remove);
    return entry;
  }

  picker(label, value, options, change) {
    const picker = make("select", "", { "aria-label": label });
    for (const [each, shown] of options) picker.append(make("option", shown, { value: each }));
    picker.value = value;
    picker.addEventListener("change", () => {
      change(picker.value);
      this.write();
    });
    return picker;
  }

  // Changes.
  add(mark) {
    if (this.marks.length >= this.most) {
      say(`At most ${this.most} marks are allowed.`);
      this.hint.textContent = `At most ${this.most} marks are allowed.`;
      return;
    }
    this.marks.push(mark);
    this.fill();
    this.choose(null);
    this.write();
    this.tell(`${this.wordsOf(mark)}: ${mark.severity}`);
    if (!this.categories.length) return;
    const picker = [...this.list.children].at(this.marks.indexOf(mark)).querySelectorAll("select")[1];
    picker.focus();
  }

  remove(mark) {
    this.marks = this.marks.filter((each) => each !== mark);
    this.fill();
    this.write();
    this.tell(`Removed: ${this.wordsOf(mark)}`);
  }

  tell(what) {
    const count = this.marks.length;
    say(`${what}. ${count === 1 ? "1 error" : `${count} errors`} marked.`);
  }

  regrade(mark, severity) {
    mark.severity = severity;
    this.fill();
    this.choose(null);
    this.write();
    this.tell(`${this.wordsOf(mark)}: ${severity}`);
  }

  markWith(severity) {
    const range = this.range;
    if (!range) {
      this.hint.textContent =
        "Select words first: drag over them, tap the first and the last one, or use the arrow keys.";
      say("Select words first.");
      return;
    }
    const same = this.marks.find((mark) => mark.start === range.start && mark.end === range.end &&
      !mark.category);
    if (same) this.regrade(same, severity);
    else this.add({ ...range, severity, category: "" });
  }

  addMissing() {
    this.add({ start: null, end: null, severity: this.usual, category: "" });
  }

  // Mouse and fingers: whoever draws chooses words, whoever taps the first one and the last one.
  wordUnder({ clientX, clientY }) {
    const under = document.elementFromPoint(clientX, clientY);
    return under?.classList.contains("unit") && this.text.contains(under)
      ? Number(under.dataset.place) : null;
  }

  press(event) {
    if (event.button || !event.isPrimary) return;
    const word = this.wordUnder(event);
    if (word === null) return;
    if (event.pointerType === "mouse") event.preventDefault(); // no selection of the browser's
    this.text.focus({ preventScroll: true });
    this.pressed = { word, before: this.chosen, moved: false };
    this.cursor = word;
    this.draw();
  }

  drag(event) {
    if (!this.pressed) return;
    if (event.pointerType === "mouse" && !event.buttons) return this.giveUp(); // let go elsewhere
    const word = this.wordUnder(event);
    if (word === null || (!this.pressed.moved && word === this.pressed.word)) return;
    this.pressed.moved = true;
    this.cursor = word;
    this.choose(this.pressed.word, word);
  }

  lift() {
    if (!this.pressed) return;
    const { word, moved, before } = this.pressed;
    this.pressed = null;
    if (moved) return;
    if (before?.pending && before.anchor !== word) this.choose(before.anchor, word);
    else if (before && word >= Math.min(before.anchor, before.head) &&
             word <= Math.max(before.anchor, before.head)) this.choose(null);
    else if (!before && this.at(word)) this.showEntry(this.at(word));
    else this.choose(word, word, { pending: true });
  }

  giveUp() {
    if (this.pressed?.moved) this.choose(null);
    this.pressed = null;
  }

  showEntry(mark) {
    const entry = this.list.children[this.marks.indexOf(mark)];
    entry.scrollIntoView({ block: "nearest" });
    entry.querySelector("select").focus({ preventScroll: true });
  }

  // Keys; what is returned says whether one was used.
  key(event) {
    const { key, shiftKey } = event;
    const isRight = getComputedStyle(this.text).direction === "rtl" ? -1 : 1;
    const last = this.words.length - 1;
    const goal = {
      ArrowRight: this.cursor + isRight, ArrowLeft: this.cursor - isRight, Home: 0, End: last,
    }[key];
    if (goal !== undefined) return this.move(Math.min(last, Math.max(0, goal)), shiftKey);
    if (key === " " && this.cursor >= 0) return this.hold();
    if (key === "Escape" && this.chosen) {
      this.choose(null);
      say("Nothing is selected.");
      return true;
    }
    const isHere = document.activeElement === this.text && this.cursor >= 0;
    const under = isHere ? this.at(this.cursor) : undefined;
    if (key === "Delete" || key === "Backspace") {
      if (under) this.remove(under);
      return true;
    }
    const letter = key.toLowerCase();
    if (letter === "x") {
      this.addMissing();
      return true;
    }
    const severity = this.severities.find((each) => each.key === letter);
    if (!severity) return false;
    if (!this.chosen && under) this.regrade(under, severity.value);
    else {
      if (!this.chosen && isHere) this.choose(this.cursor);
      this.markWith(severity.value);
    }
    return true;
  }

  isSeverity(key) {
    return this.severities.some((each) => each.key === key.toLowerCase());
  }

  move(goal, extends_) {
    if (document.activeElement !== this.text && this.cursor >= 0) this.text.focus();
    else if (goal >= 0 && goal < this.words.length) {
      this.text.focus();
      const anchor = this.chosen ? this.chosen.anchor : this.cursor < 0 ? goal : this.cursor;
      const sticky = Boolean(this.chosen?.sticky);
      this.cursor = goal;
      if (extends_ || sticky) this.choose(anchor, goal, { sticky });
      else this.choose(null);
    }
    const word = this.words[this.cursor];
    if (!word) return true;
    word.shown.scrollIntoView({ block: "nearest" });
    const under = this.at(this.cursor);
    say(`${this.chosen ? this.wordsOf(this.range) : word.text}${under ? `, ${under.severity}` : ""}`);
    this.draw();
    return true;
  }

  hold() {
    if (!this.words.length) return true;
    if (this.chosen?.sticky) this.choose(this.chosen.anchor, this.chosen.head);
    else this.choose(this.cursor, this.cursor, { sticky: true });
    say(this.chosen.sticky ? `From ${this.words[this.cursor].text}` : this.wordsOf(this.range));
    return true;
  }
}

// A page begins with the text, where keys mark words: no other key of a fresh page answers anything.
function focusMarks() {
  const text = document.querySelector("form.item .markable");
  text?.focus({ preventScroll: true });
  return Boolean(text);
}
function prepareMarks() {
  for (const box of document.querySelectorAll(".marking")) {
    const question = box.closest(".question");
    if (!markings.has(question)) markings.set(question, new Marks(box));
  }
}
prepareMarks();
focusMarks();
point();
