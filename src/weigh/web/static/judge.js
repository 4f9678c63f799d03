// What makes the judge's pages quicker than plain forms, which they are without this: keys, a
// slider, answers that are sent without a new page and again until they are saved, and forms that
// outlive a reload.
const root = document.documentElement;
root.classList.add("scripted");

const find = (selector, where = document) => where.querySelector(selector);
const all = (selector, where = document) => [...where.querySelectorAll(selector)];
const make = (tag, content = "", attributes = {}) => {
  const made = document.createElement(tag);
  made.textContent = content;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const say = (text) => (find("#said").textContent = text);
const itemForm = () => find("form.item");

// Time in which the page was looked at.
let looked = 0;
let since = document.hidden ? null : performance.now();
const lookedAt = () => looked + (since === null ? 0 : performance.now() - since);
document.addEventListener("visibilitychange", () => {
  looked = lookedAt();
  since = document.hidden ? null : performance.now();
  keep();
});

// Whoever speaks to the computer may not want single keys to do anything.
const KEYS = "weigh keys";
let keysAreOn = true;
try {
  keysAreOn = localStorage.getItem(KEYS) !== "off";
} catch {
  // Nothing is remembered here.
}
function showKeys() {
  root.classList.toggle("keyless", !keysAreOn);
  const box = find("#single-keys");
  if (box) box.checked = keysAreOn;
}
function turnKeys(on) {
  keysAreOn = on;
  showKeys();
  try {
    localStorage.setItem(KEYS, on ? "on" : "off");
  } catch {
    // It holds for this page.
  }
}

// What is answered and not yet sent: kept for a reload, by item and revision.
const named = (form, name) => find(`[name="${CSS.escape(name)}"]`, form);
const storeName = (form) =>
  `weigh ${["slot", "item", "revision"].map((name) => named(form, name).value)}`;
function keep() {
  const form = itemForm();
  if (!form) return;
  const fields = all(".question input:checked, [data-slider], [data-spans]", form);
  const kept = {
    answers: fields.filter(({ name }) => name).map((field) => [field.name, field.value]),
    began: named(form, "began").value,
    active: lookedAt(),
  };
  try {
    sessionStorage.setItem(storeName(form), JSON.stringify(kept));
  } catch {
    // No room, or none allowed: then a reload begins anew.
  }
}
function restore(form) {
  looked = 0;
  since = document.hidden ? null : performance.now();
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(storeName(form)));
  } catch {
    // As if nothing was kept.
  }
  // A page that tells of a fault has what was sent.
  if (!kept || find(".alert")) return;
  looked = kept.active;
  named(form, "began").value = kept.began;
  for (const [name, value] of kept.answers) {
    for (const field of all(".question input", form).filter((each) => each.name === name)) {
      if (field.type === "radio") field.checked = field.value === value;
      else field.value = value;
    }
  }
}
function forget(name) {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

// A number becomes a slider, whose thumb is not there until it is moved. Its value is in a hidden
// field, which is empty as long as nothing was chosen.
const sliders = new WeakMap();
const THUMB = 28; // pixels, as the style has it
function upgrade(field) {
  const box = field.closest(".slider");
  const [low, high] = [Number(field.min), Number(field.max)];
  const range = make("input", "", {
    type: "range", min: low, max: high, step: 1,
    "aria-label": find("legend", box.parentElement).textContent,
    "aria-describedby": find(".ends", box).id,
  });
  const hidden = make("input", "", { type: "hidden", name: field.name, "data-slider": "yes" });
  const shown = make("output", "", { "aria-hidden": "true" });
  let typed = "";
  let typedAt = 0;
  const set = (value) => {
    const known = value !== "" && Number.isFinite(Number(value));
    const number = known ? Math.min(high, Math.max(low, Math.round(Number(value)))) : "";
    hidden.value = number;
    range.value = known ? number : Math.round((low + high) / 2);
    range.classList.toggle("unset", !known);
    range.setAttribute("aria-valuetext", known ? String(number) : "not answered yet");
    shown.textContent = known ? number : "Move the slider";
    shown.classList.toggle("set", known);
  };
  const change = (value) => {
    set(value);
    answered(box.closest(".question"));
  };
  const type = (digit) => {
    const at = performance.now();
    typed = at - typedAt < 1500 ? typed + digit : digit;
    if (Number(typed) > high) typed = digit;
    typedAt = at;
    change(typed);
  };
  // A click where the thumb would be moves nothing, and is an answer all the same.
  for (const kind of ["input", "click"]) range.addEventListener(kind, () => change(range.value));
  // Not every browser moves the thumb to where a finger is put down.
  range.addEventListener("pointerup", (event) => {
    if (event.pointerType === "mouse") return;
    const box = range.getBoundingClientRect();
    const share = (event.clientX - box.left - THUMB / 2) / (box.width - THUMB);
    change(low + share * (high - low));
  });
  const here = () => Number(range.value);
  const moves = {
    ArrowLeft: () => here() - 1, ArrowDown: () => here() - 1,
    ArrowRight: () => here() + 1, ArrowUp: () => here() + 1,
    PageDown: () => here() - 10, PageUp: () => here() + 10, Home: () => low, End: () => high,
  };
  sliders.set(range, { moves, change, type, clear: () => ((typed = ""), change("")) });
  hidden.value = field.value;
  range.disabled = field.disabled;
  field.replaceWith(range, shown, hidden);
  set(hidden.value);
  hidden.addEventListener("restored", () => set(hidden.value));
}

// Texts of questions in which words are marked; marks.js makes them.
const markings = new WeakMap();

// Questions, and which of them keys are for.
const questions = () => all("form.item .question");
const isAnswered = (question) => markings.has(question) ? !markings.get(question).lack
  : Boolean(find("input:checked", question) || find("[data-slider]", question)?.value);
function current() {
  const list = questions();
  return document.activeElement?.closest("form.item .question") ||
    list.find((question) => !isAnswered(question)) || list.at(-1);
}
function point() {
  const now = current();
  for (const question of questions()) question.classList.toggle("current", question === now);
}
function answered(question) {
  const fault = find("p.fault", question);
  if (isAnswered(question)) fault.hidden = true;
  keep();
  point();
}
function goTo(question) {
  const goal = question
    ? find(".markable", question) || find("input:checked, input[type=range]", question) || find("input", question)
    : find("form.item .primary");
  (question || goal).scrollIntoView({ block: "nearest" });
  goal.focus({ preventScroll: true });
}
function choose(question, key) {
  const option = find(`input[type=radio][data-key="${CSS.escape(key)}"]`, question);
  if (!option || option.disabled) return false;
  option.checked = true;
  answered(question);
  const list = questions();
  goTo(list[list.indexOf(question) + 1]);
  return true;
}

document.addEventListener("change", (event) => {
  if (event.target.id === "single-keys") turnKeys(event.target.checked);
  const question = event.target.closest("form.item .question");
  if (question) answered(question);
});
document.addEventListener("focusin", point);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (handle(event)) event.preventDefault();
});
function handle(event) {
  const { key, target } = event;
  if (find("form.item[inert]")) return false;
  if (key === "Enter" && target.matches(".marked select")) { // said of an error what it is: go on
    find(".markable", target.closest(".question")).focus();
    return true;
  }
  if (target.matches("textarea, select, input:not([type=radio], [type=range])")) return false;
  if (!keysAreOn && key.length === 1) return false;
  const isControl = Boolean(target.closest("a, button, summary"));
  if (key === "Enter") {
    if (event.repeat) return true; // of a key held down for the page before
    const goal = find("main .primary");
    if (isControl || !goal) return false;
    goal.click();
    return true;
  }
  if (key === "?") {
    const keys = find("details.keys");
    if (keys) keys.open = !keys.open;
    if (keys?.open) find("summary", keys).focus();
    return Boolean(keys);
  }
  if (event.repeat && key.length === 1 && key !== " ") return true;
  const marking = markings.get(current());
  if (marking && isForMarks(marking, key, target, isControl) && marking.key(event)) return true;
  const link = key.toLowerCase() === "u" ? find("main a[data-key=u]")
    : key === "Escape" ? find("main a[data-leave]") : null;
  if (link) {
    link.click();
    return true;
  }
  const question = current();
  if (!question) return false;
  const list = questions();
  // Letters that mark words are for the text to which a score belongs.
  const scored = question.matches(".follows") && markings.get(list[list.indexOf(question) - 1]);
  if (scored && scored.isSeverity(key)) return scored.key(event);
  const by = { ArrowUp: -1, ArrowDown: 1 }[key];
  const range = find("input[type=range]", question);
  if (range && !range.disabled && !(by && list.length > 1)) return slide(range, key, target);
  // A number is meant for the score of the text in which errors are marked.
  const score = list[list.indexOf(question) + 1];
  if (marking && /^[0-9]$/.test(key) && score?.matches(".follows")) {
    return slide(find("input[type=range]", score), key, target);
  }
  if (by && list.length > 1) {
    const at = target.closest(".question") ? list.indexOf(question) + by
      : by > 0 ? list.indexOf(question) : list.length - 1;
    if (at >= 0) goTo(list[at]);
    return true;
  }
  return choose(question, key.toLowerCase());
}
// Keys that scroll, or press a button, are for the marks only where their text has the focus.
function isForMarks(marking, key, target, isControl) {
  if (target.matches(".markable")) return !["ArrowUp", "ArrowDown"].includes(key);
  if (isControl && key === " ") return false;
  return target.closest(".question") ? key.length === 1 && key !== " "
    : ["ArrowLeft", "ArrowRight"].includes(key) || marking.isSeverity(key);
}
function slide(range, key, target) {
  const slider = sliders.get(range);
  const isDigit = /^[0-9]$/.test(key);
  // Keys that scroll are the slider's only where it has the focus, and so are all that move it
  // before it is set: whoever presses an arrow on a fresh page has not given 51.
  const isSet = !range.matches(".unset");
  const anywhere = isDigit || (isSet && ["ArrowLeft", "ArrowRight", "Backspace"].includes(key));
  if (target !== range && !anywhere) return false;
  if (isDigit) slider.type(key);
  else if (key === "Backspace") slider.clear();
  else if (key in slider.moves) slider.change(slider.moves[key]());
  else return false;
  range.focus();
  return true;
}

// A new item in the place of the old one.
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
function show(page, saved = false) {
  const main = find("main", page);
  if (!main) return false;
  document.title = page.title;
  find("#state")?.remove();
  const state = find("#state", page);
  if (state) find("header.top").append(document.adoptNode(state));
  find("main").replaceWith(document.adoptNode(main));
  unsaved = false;
  prepare();
  scrollTo(0, 0);
  const fault = find(".question .fault:not([hidden])");
  if (fault) goTo(fault.closest(".question"));
  else if (!window.focusMarks?.()) find("main h1").focus({ preventScroll: true });
  const place = itemForm()?.dataset.place;
  say([saved ? "Saved." : "", place || ""].join(" ").trim());
  return true;
}
function prepare() {
  const form = itemForm();
  for (const field of all(".slider input[type=number]")) upgrade(field);
  window.prepareMarks?.();
  if (form) {
    form.noValidate = true;
    restore(form);
    for (const hidden of all("[data-slider], [data-spans]", form)) hidden.dispatchEvent(new Event("restored"));
    point();
  }
  stick();
  showKeys();
  const code = find("#code");
  if (code && navigator.clipboard) {
    const button = make("button", "Copy", { type: "button" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        // In a frame of another site there may be no clipboard: then it can be copied by hand.
        getSelection().selectAllChildren(code);
      }
    });
    code.after(button);
  }
}
// The source stays in sight beside many translations, if enough room is left for them.
function stick() {
  const shared = find("form.item .shared");
  const stays = Boolean(shared) && questions().length > 1 && shared.offsetHeight < innerHeight * 0.4;
  shared?.classList.toggle("stays", stays);
  root.style.scrollPaddingTop = stays ? `${shared.offsetHeight + 16}px` : "";
}
addEventListener("resize", stick);

// Sending. An answer has a number of its own and is kept once, however often it is sent.
let unsaved = false;
let busy = false;
const later = (seconds) => new Promise((done) => {
  const clock = setTimeout(done, seconds * 1000);
  const now = () => (clearTimeout(clock), done());
  addEventListener("online", now, { once: true });
  find(".unsaved button")?.addEventListener("click", now, { once: true });
});
function tell(text, control = make("button", "Try now", { type: "button" })) {
  find(".unsaved")?.remove();
  const box = make("div", "", { class: "unsaved" });
  box.append(make("p", text, { role: "alert" }), control);
  find("main").prepend(box);
  return control;
}
// An answer is saved if the server leads on with its submission in the address, and only then.
const isStored = (response, submission) => response.redirected &&
  new URL(response.url).searchParams.get("saved") === submission;
async function send(form) {
  named(form, "active").value = (lookedAt() / 1000).toFixed(1);
  const body = new URLSearchParams(new FormData(form));
  form.setAttribute("aria-busy", "true");
  for (let pause = 1; ; pause = Math.min(30, pause * 2)) {
    try {
      const response = await fetch(form.action, {
        method: "POST", body, signal: AbortSignal.timeout(30000),
      });
      const html = await response.text();
      const isPage = response.headers.get("content-type")?.startsWith("text/html");
      const saved = isStored(response, named(form, "submission").value);
      if (saved || (response.status < 500 && response.status !== 429 && isPage)) {
        return { response, page: parsed(html), saved };
      }
    } catch {
      // No connection, or none in time.
    }
    unsaved = true;
    form.inert = true;
    if (!find(".unsaved.waiting")) {
      tell("Not saved yet; trying again. Your answer is kept here: leave this page open.").focus();
      find(".unsaved").classList.add("waiting");
    }
    await later(pause);
  }
}
// What was not saved stays in the form, below what the server says of it.
function explain(form, response, page) {
  const isOurs = !response.redirected && find("main h1", page);
  const said = isOurs ? all("main h1, main p", page).map((each) => each.textContent)
    : ["Not saved: unexpected response from the server", "Your answer stays on this page."];
  const onward = isOurs && find("main a.primary", page);
  form.inert = false;
  form.removeAttribute("aria-busy");
  unsaved = !onward;
  const control = onward
    ? make("a", "Continue", { class: "button", href: onward.getAttribute("href"), "data-swap": "" })
    : make("button", "Try again", { type: "button" });
  if (!onward) control.addEventListener("click", () => form.requestSubmit());
  tell(said.join(". ").replace(/\.\. /g, ". "), control).focus();
}
function missing() {
  const open = questions().filter((question) => !isAnswered(question));
  for (const question of open) {
    const fault = find("p.fault", question);
    fault.textContent = markings.get(question)?.lack || (find("input[type=range]", question)
      ? "First move the slider or type a number." : "Choose an answer.");
    fault.hidden = false;
  }
  if (open.length) {
    say(`Not saved yet: ${open.length === 1 ? "an answer is" : `${open.length} answers are`} missing.`);
    goTo(open[0]);
  }
  return open.length > 0;
}
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form.item")) return;
  event.preventDefault();
  if (busy || missing()) return;
  busy = true;
  const name = storeName(form);
  const { address } = form.dataset;
  keep();
  const { response, page, saved } = await send(form);
  busy = unsaved = false;
  if (saved) {
    forget(name);
    // The browser's way back leads to the answer, where it can be changed.
    history.replaceState(null, "", address);
    const next = new URL(response.url).pathname;
    if (next !== address) history.pushState(null, "", next);
    if (!show(page, saved)) location.reload();
  } else if (!response.redirected && find("form.item", page)) show(page);
  else explain(form, response, page);
});
async function visit(address, push) {
  if (busy) return;
  busy = true;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30000) });
    const html = await response.text();
    if (push) history.pushState(null, "", response.url);
    if (!show(parsed(html))) location.reload();
  } catch {
    const button = tell("The server cannot be reached.");
    button.addEventListener("click", () => visit(address, push));
    button.focus();
  } finally {
    busy = false;
  }
}
document.addEventListener("click", (event) => {
  // The second half of a double click is not meant for the item that has come meanwhile.
  if (event.detail > 1 && event.target.closest(".primary")) return event.preventDefault();
  const link = event.target.closest("a[data-swap]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.hasAttribute("data-leave")) forget(storeName(itemForm()));
  visit(link.href, true);
});
addEventListener("popstate", () => {
  if (unsaved || busy) history.pushState(null, "", "/work");
  else if (!location.hash) visit(location.href, false);
});
addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});

prepare();
