// A question being edited: its text, kind, needs, key facts, and what was found.
import { $, ask, draft, el } from "./common.js";
import { checks, record } from "./golden-view.js";

// edit paints the form. Page.editing gets add(section, need) and submit().
export function edit(body, d, page) {
  const key = "edit " + d.id;
  const kept = draft.read(key);
  const g = kept?.golden || { ...record(d.shown), note: d.decision?.note || "" };
  const base = kept?.base || d.base;
  g.gold = g.gold.map((n) => [].concat(n));
  const area = (id, label, value, rows, then) => el("div", { class: "field" }, el("label", { for: id }, label),
    el("textarea", { id, rows, value, oninput: (e) => { then(e.target.value); changed(); } }));
  const kind = el("select", { id: "f-kind", onchange: (e) => { g.kind = e.target.value; changed(); } },
    ["fact", "multi", "unanswerable"].map((k) => el("option", { value: k, selected: k === g.kind }, k)));
  const needs = el("div", { id: "f-needs" });
  const verdict = el("div", { id: "f-checks", "aria-live": "polite" });

  body.removeAttribute("aria-busy");
  body.replaceChildren(
    el("div", { class: "row" }, el("span", { class: "mono" }, d.id), el("span", { class: "tag half" }, "being edited")),
    el("h1", { tabindex: "-1", class: "vh" }, "Edit " + d.id),
    base !== d.base ? el("p", { class: "banner warn" }, "The question changed after you began this edit. Saving replaces it; it now reads: " + d.golden.question) : "",
    area("f-question", "Question", g.question, 3, (v) => { g.question = v; }),
    el("div", { class: "field" }, el("label", { for: "f-kind" }, "Kind"), kind),
    el("h2", {}, "Gold"), needs,
    area("f-facts", "Key facts, one a line", g.key_facts.join("\n"), Math.max(4, g.key_facts.length * 2), (v) => { g.key_facts = lines(v); }),
    area("f-found", "Found: a defect in the docs that the question revealed", g.found, 2, (v) => { g.found = v.trim(); }),
    area("f-note", "Note for other reviewers", g.note, 2, (v) => { g.note = v.trim(); }),
    verdict);

  function paintNeeds() {
    needs.replaceChildren(...g.gold.map((need, i) => el("fieldset", {},
      el("legend", {}, "Need " + (i + 1)),
      el("ul", { class: "chips" }, need.map((id) => el("li", {}, el("span", { class: "mono" }, id),
        el("button", { type: "button", class: "btn small", "aria-label": "Take " + id + " out of need " + (i + 1), onclick: () => remove(i, id) }, "Take out")))))),
    el("p", { class: "muted" }, g.gold.length ? "To add a section, search the docs (" : "No gold. To add a section, search the docs (", el("kbd", {}, "Ctrl+k"),
      ") or take one that retrieval brings."));
  }

  // The kind follows the number of needs, and can be set otherwise after.
  function follow() {
    g.kind = g.gold.length === 0 ? "unanswerable" : g.gold.length === 1 ? "fact" : "multi";
    kind.value = g.kind;
    paintNeeds();
    page.editing.onneeds?.();
    changed();
  }

  function remove(i, id) {
    g.gold[i] = g.gold[i].filter((s) => s !== id);
    g.gold = g.gold.filter((n) => n.length);
    follow();
    needs.querySelector("button")?.focus();
  }

  page.editing.needs = () => g.gold;
  page.editing.add = (section, need) => {
    if (need === undefined) g.gold.push([section]);
    else if (g.gold[need] && !g.gold[need].includes(section)) g.gold[need].push(section);
    else return false;
    follow();
    return true;
  };
  page.editing.submit = () => page.save({ ...g, question: g.question.trim() });

  let timer, running;
  function changed() {
    draft.write(key, { base, golden: g });
    clearTimeout(timer);
    timer = setTimeout(look, 250);
  }
  async function look() {
    running?.abort();
    running = new AbortController();
    const { note, ...golden } = g;
    try {
      const v = await ask("/api/golden/check", { golden }, running.signal);
      verdict.replaceChildren(checks(v.checks));
    } catch (e) {
      if (e.name !== "AbortError") verdict.replaceChildren(el("p", { class: "banner bad" }, e.message));
    }
  }

  paintNeeds();
  look();
  if (!document.activeElement.closest("#side")) $("f-question").focus({ preventScroll: true });
}

const lines = (text) => text.split("\n").map((l) => l.trim()).filter(Boolean);
