"""The layout of a page for Mechanical Turk, which the site fills with the rows of a CSV file.

The site replaces `${html_0}` and so on by the values of a row. It is handed back the fields of a
form: `Q1`, all scores as the published pipeline packs them, or `choice_0`, `choice_1` … for
pairs; in the results these are the columns `Answer.Q1` and `Answer.choice_0`. The page loads
nothing. It stands in the form that the site puts around it, or makes one where there is none.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from weigh.errors import InputError
from weigh.read.text import quoted

if TYPE_CHECKING:
    from weigh.human.export import Sheet

# What would end an attribute, be taken for a character reference or a variable, or split answers.
_UNSAFE = '"&$|\n\r'

_TOLD = {
    "adequacy": (
        "Say how well the text to rate tells what the other text tells; its style does not matter.",
        "It says the same.",
    ),
    "fluency": (
        "Say how well the text is written, as if by somebody who speaks the language well; "
        "whether it is true does not matter.",
        "It is fluent.",
    ),
    "preference": (
        "Choose the better of two texts, or neither where both are as good or as bad.",
        "Which text is better?",
    ),
}
_SLIDERS = (
    "Move every slider to the place that tells how far you agree with the sentence above it. Use "
    "the whole of the scale. Some texts come twice, and some are damaged on purpose."
)
_CHOICES = "Some pairs come twice, and in some a text is damaged on purpose."


def page(sheet: Sheet, columns: Collection[str]) -> str:
    """Return the layout for HITs whose items have these columns, without their numbers."""
    _check_names(sheet)
    is_pair = sheet.kind == "pair"
    most = max(len(hit.entries) for hit in sheet.hits)
    items = "\n".join(_item(at, columns) for at in range(most))
    task, statement = _TOLD[sheet.hits[0].scale]
    return _PAGE.format(
        task=task,
        advice=_CHOICES if is_pair else _SLIDERS,
        items=items,
        style=_STYLE,
        script=_SCRIPT.replace("STATEMENT", statement).replace(
            "IS_PAIR", "true" if is_pair else "false"
        ),
    )


def _check_names(sheet: Sheet) -> None:
    """Refuse names that the page could not hand back as they are."""
    for hit in sheet.hits:
        names = {entry.segment for entry in hit.entries}
        names |= {item.system for item in hit.items}
        names |= {system for pair in hit.pairs for system in (pair.left_system, pair.right_system)}
        for name in sorted(names):
            if any(character in name for character in _UNSAFE):
                raise InputError(
                    f'{quoted(name)} has one of " & $ | or a line end, which a page of MTurk '
                    "cannot hand back; give it another name, a system by NAME=FILE"
                )


def _item(at: int, columns: Collection[str]) -> str:
    """Return what the site fills for one item; the script makes controls of it."""
    names = [name for name in ("sys", "sid", "tst", "rid", "screen") if name in columns]
    data = " ".join(f'data-{name}="${{{name}_{at}}}"' for name in names)
    texts = {
        "src_html": "source",
        "ref_html": "reference",
        "html": "text",
        "left_html": "left",
        "right_html": "right",
    }
    inner = "".join(
        f'<p class="{role}" dir="auto">${{{name}_{at}}}</p>'
        for name, role in texts.items()
        if name in columns
    )
    return f'<div class="item" {data} hidden>{inner}</div>'


_STYLE = """
.weigh { max-width: 50em; margin: 1em auto; padding: 0 1em; }
.weigh { font: 1rem/1.5 sans-serif; color: #111; background: #fff; }
.weigh p { margin: .3em 0; overflow-wrap: anywhere; }
.weigh .item { border-top: 1px solid #767676; padding: .5em 0 1em; }
.weigh .label { font-weight: bold; font-size: .85rem; color: #444; margin-top: .7em; }
.weigh .text, .weigh .left, .weigh .right { background: #f2f2f2; padding: .4em .6em; }
.weigh fieldset { border: 0; padding: 0; margin: .7em 0 0; }
.weigh input[type="range"] { width: 100%; margin: .6em 0 0; }
.weigh .ends { display: flex; justify-content: space-between; font-size: .85rem; color: #444; }
.weigh .choice { display: inline-block; padding: .3em 1.2em .3em 0; }
.weigh .error { color: #a00000; font-weight: bold; min-height: 1.5em; }
.weigh button { font: inherit; padding: .5em 1.5em; }
.weigh [hidden] { display: none; }
.weigh :focus-visible { outline: 3px solid #1a4fba; outline-offset: 2px; }
"""

# All names come out of attributes as texts, and all elements are made by the DOM: nothing that a
# text or a name holds is taken for a program.
_SCRIPT = """
function weighPage() {
  "use strict";
  var isPair = IS_PAIR, statement = "STATEMENT";
  var root = document.getElementById("weigh");
  var query = new URLSearchParams(location.search);
  var bare = function (text) { return text.replace(/^'([^]*)'$/, "$1"); };
  var make = function (name, properties, parent) {
    var element = Object.assign(document.createElement(name), properties || {});
    if (parent) parent.appendChild(element);
    return element;
  };

  var form = root.closest("form");
  var ownForm = !form;
  if (ownForm) {
    form = make("form", { method: "post" });
    form.action = (query.get("turkSubmitTo") || "") + "/mturk/externalSubmit";
    root.parentNode.insertBefore(form, root);
    form.appendChild(root);
    var assignment = make("input", { type: "hidden", name: "assignmentId" }, form);
    assignment.value = query.get("assignmentId") || "";
  }
  form.noValidate = true;

  var items = Array.prototype.filter.call(root.querySelectorAll(".item"), function (item) {
    if (bare(item.dataset.tst)) return true;
    item.remove();
    return false;
  });
  var screens = [], answers = [];
  items.forEach(function (item, at) {
    var before = items[at - 1];
    var together = before && item.dataset.screen && item.dataset.screen === before.dataset.screen;
    if (together) screens[screens.length - 1].push(item); else screens.push([item]);
    var label = function (role, words) {
      var text = item.querySelector("." + role);
      if (!text) return;
      var again = together && before.querySelector("." + role);
      if (!text.textContent && role !== "text" && role !== "left" && role !== "right") {
        text.remove();
      } else if (again && role !== "text" && again.dataset.full === text.textContent) {
        text.dataset.full = text.textContent;
        text.hidden = true;
      } else {
        text.dataset.full = text.textContent;
        text.id = "weigh-" + role + "-" + at;
        item.insertBefore(make("p", { className: "label", textContent: words }), text);
      }
    };
    label("source", "Source");
    label("reference", "Reference");
    var place = screens[screens.length - 1].length;
    label("text", "Text to rate" + (place > 1 || item.dataset.screen ? " (" + place + ")" : ""));
    label("left", "First text");
    label("right", "Second text");
    if (isPair) addChoice(item, at); else addSlider(item, at);
  });

  function addSlider(item, at) {
    var group = make("fieldset", {}, item);
    var name = make("label", { textContent: statement, htmlFor: "weigh-slider-" + at }, group);
    name.id = "weigh-statement-" + at;
    var slider = make("input", { type: "range", id: "weigh-slider-" + at }, group);
    slider.min = 0; slider.max = 100; slider.step = 1; slider.value = 50;
    slider.setAttribute("aria-describedby", "weigh-text-" + at);
    var ends = make("div", { className: "ends" }, group);
    make("span", { textContent: "0: strongly disagree" }, ends);
    make("span", { textContent: "100: strongly agree" }, ends);
    var moved = function () { answers[at] = slider.value; };
    ["input", "change", "pointerdown"].forEach(function (event) {
      slider.addEventListener(event, moved);
    });
    slider.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); moved(); }
    });
  }

  function addChoice(item, at) {
    var group = make("fieldset", {}, item);
    make("legend", { textContent: statement }, group);
    var words = { left: "The first", right: "The second", neither: "Neither" };
    Object.keys(words).forEach(function (value) {
      var label = make("label", { className: "choice" }, group);
      var radio = make("input", { type: "radio", name: "weigh-" + at, value: value }, label);
      radio.addEventListener("change", function () { answers[at] = radio.value; });
      label.appendChild(document.createTextNode(" " + words[value]));
    });
  }

  var heading = root.querySelector("h2"), error = root.querySelector(".error");
  var next = root.querySelector("button");
  var shown = 0;
  var isPreview = query.get("assignmentId") === "ASSIGNMENT_ID_NOT_AVAILABLE";
  var submits = Array.prototype.filter.call(
    form.querySelectorAll("[type=submit], button:not([type])"),
    function (each) { return !root.contains(each); }
  );

  function show(number) {
    shown = number;
    screens.forEach(function (screen, at) {
      screen.forEach(function (item) { item.hidden = at !== number; });
    });
    heading.textContent = "Page " + (number + 1) + " of " + screens.length;
    var last = number === screens.length - 1;
    next.textContent = last ? "Submit" : "Next";
    next.hidden = last && submits.length > 0;
    submits.forEach(function (each) { each.hidden = !last; });
    if (number) heading.focus();
    if (number) window.scrollTo(0, 0);
    error.textContent = isPreview ? "This is a preview: accept the HIT to begin." : "";
  }

  function isAnswered() {
    var open = screens[shown].filter(function (item) {
      return answers[items.indexOf(item)] === undefined;
    });
    if (!open.length) return true;
    error.textContent = isPair ? "Please choose an answer." :
      "Please move every slider; press Enter on one to leave it where it is.";
    open[0].querySelector("input").focus();
    return false;
  }

  function fill() {
    root.querySelectorAll("input[type=radio]").forEach(function (radio) { radio.disabled = true; });
    root.querySelectorAll(".answer").forEach(function (old) { old.remove(); });
    var hidden = function (name, value) {
      make("input", { type: "hidden", className: "answer", name: name, value: value }, root);
    };
    if (isPair) {
      items.forEach(function (item, at) { hidden("choice_" + at, answers[at]); });
      return;
    }
    hidden("Q1", items.map(function (item, at) {
      var about = item.dataset;
      return [about.sys, about.sid, about.tst, about.rid].map(bare).join("_") + "__" + answers[at];
    }).join("|"));
  }

  root.addEventListener("change", function () { if (!isPreview) error.textContent = ""; });
  form.addEventListener("submit", function (event) {
    if (isPreview || !isAnswered()) { event.preventDefault(); return; }
    if (shown < screens.length - 1) { event.preventDefault(); show(shown + 1); return; }
    fill();
  });
  next.addEventListener("click", function () {
    if (isPreview || !isAnswered()) return;
    if (shown < screens.length - 1) show(shown + 1);
    else if (form.requestSubmit) form.requestSubmit();
    else { fill(); form.submit(); }
  });
  show(0);
  root.querySelector(".pages").hidden = false;
}
// The site's own button may stand below.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", weighPage);
else weighPage();
"""

_PAGE = """<style>{style}</style>
<div class="weigh" id="weigh">
<p>{task} {advice}</p>
<noscript><p class="error">This page needs JavaScript, which is switched off: without it no answer
can be given.</p></noscript>
<div class="pages" hidden>
<h2 tabindex="-1"></h2>
{items}
<p class="error" role="alert"></p>
<p><button type="button">Next</button></p>
</div>
</div>
<script>{script}</script>
"""
