// An answer with its passages and marks, and the list of answers.
import { $, el, markdown } from "./common.js";

export const marked = (a) => Boolean(a.faithful && a.relevant);

const words = { yes: "yes", no: "no", "can't tell": "can't tell" };

function look(a) {
  if (marked(a)) return { cls: "ok", sign: "✓", text: "faithful: " + words[a.faithful] + " · relevant: " + words[a.relevant] };
  if (a.faithful || a.relevant) return { cls: "half", sign: "½", text: a.faithful ? "faithful: " + words[a.faithful] : "relevant: " + words[a.relevant] };
  return { cls: "", sign: "", text: "to label" };
}

// update shows the list.
export function update(list, answers, at) {
  if (list.children.length !== answers.length) {
    list.replaceChildren(...answers.map((a) => el("li", {}, el("button", { type: "button", class: "item", "data-place": a.place },
      el("span", { class: "dot", "aria-hidden": "true" }), el("span", { class: "q" }), el("span", { class: "meta" })))));
  }
  answers.forEach((a, i) => {
    const [dot, text, meta] = list.children[i].firstChild.children;
    const l = look(a);
    dot.className = "dot " + l.cls;
    dot.textContent = l.sign;
    text.textContent = a.text;
    meta.textContent = a.question + " · " + l.text + (a.opened?.length ? " · readings opened" : "");
  });
  row(list, at);
}

export function row(list, at) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = list.querySelector('button[data-place="' + at + '"]');
  if (!button) return;
  button.setAttribute("aria-current", "true");
  button.scrollIntoView({ block: "nearest" });
}

// show paints an answer. Its marks are in the bar below.
export function show(body, d, page) {
  const cards = new Map(d.passages.map((p) => [p.label, el("article", { class: "card", id: "passage-" + p.label },
    el("header", {}, el("b", {}, p.label), p.headings?.join(" › ") || "", el("span", { class: "mono muted" }, p.passage)), markdown(p.html))]));
  const light = (label, on) => cards.get(label)?.classList.toggle("lit", on);
  const cite = (label) => el("button", {
    type: "button", class: "cite", "aria-label": "Go to passage " + label, onmouseenter: () => light(label, true), onmouseleave: () => light(label, false),
    onfocus: () => light(label, true), onblur: () => light(label, false),
    onclick: () => cards.get(label)?.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }),
  }, label);
  const cited = new Set(d.sentences.flatMap((s) => s.labels || []));
  const note = el("textarea", { id: "note", rows: "2", value: d.note || "", onchange: (e) => page.saveNote(d.place, e.target.value.trim()) });
  body.replaceChildren(
    el("div", { class: "row" }, el("span", { class: "mono" }, d.question), el("span", { class: "muted push" }, (d.place + 1) + " of " + page.list.length)),
    el("h1", { tabindex: "-1" }, d.text),
    el("div", { class: "split" },
      el("div", {},
        el("section", { "aria-label": "Answer" }, el("h2", {}, "Answer"),
          el("div", { class: "answer" }, d.sentences.map((s) => sentence(s, cite)))),
        el("div", { class: "field" }, el("h2", {}, el("label", { for: "note" }, "Note ", el("kbd", {}, "n"))), note),
        d.judges?.length ? readings(d, page) : el("span")),
      el("section", { "aria-label": "Passages" }, el("h2", {}, "Passages it was given"),
        d.passages.map((p) => cards.get(p.label)),
        cited.size < d.passages.length ? el("p", { class: "muted" }, "Claims may rest on any of them, cited or not.") : null)));
}

// sentence is a part of the answer, its citations behind its last words.
function sentence(s, cite) {
  const div = markdown(s.html, "sentence md");
  const last = div.lastElementChild;
  (last?.matches("p") ? last : div).append(...(s.labels || []).map(cite));
  return div;
}

const marks = [
  ["faithful", "Every claim is in the passages", 1],
  ["relevant", "It answers the question", 4],
];

// paintMarks shows the two marks as they stand.
export function paintMarks(bar, d, page) {
  const focused = document.activeElement?.closest("#marks") ? document.activeElement.id : "";
  bar.replaceChildren(...marks.map(([what, says, key]) => el("fieldset", { id: what }, el("legend", {}, says),
    el("div", { class: "choice" }, ["yes", "no", "can't tell"].map((c, i) => el("button", {
      type: "button", id: what + "-" + (key + i), class: "btn", "aria-pressed": String(d[what] === c), onclick: () => page.mark(what, c),
    }, c[0].toUpperCase() + c.slice(1), el("kbd", {}, String(key + i))))))),
  el("div", { class: "row turn" }, el("button", { type: "button", class: "btn", id: "previous", onclick: () => page.step(-1) }, "Previous", el("kbd", {}, "k")),
    el("button", { type: "button", class: "btn", id: "next", onclick: () => page.step(1) }, "Next", el("kbd", {}, "j"))));
  if (focused) $(focused)?.focus();
}

// readings are the judges', each shut until it is asked for.
function readings(d, page) {
  return el("section", { id: "readings", "aria-label": "Readings of judges" }, el("h2", {}, "Readings of judges"),
    el("p", { class: "muted" }, "Mark first. That one was opened is kept with your label."),
    d.judges.map((judge) => {
      const box = el("div", { hidden: true });
      const before = d.opened?.includes(judge);
      const button = el("button", { type: "button", class: "btn", "aria-expanded": "false" }, "Show the readings of " + judge, before ? el("span", { class: "tag warn" }, "opened before") : null);
      button.addEventListener("click", async () => {
        if (!box.hidden || box.firstChild) {
          box.hidden = !box.hidden;
        } else {
          const got = await page.open(d.place, judge);
          if (!got) return;
          box.append(...got.map(reading));
          box.hidden = false;
        }
        button.setAttribute("aria-expanded", String(!box.hidden));
      });
      return el("div", { class: "field" }, button, box);
    }));
}

function reading(r) {
  const cls = r.mark === "yes" ? "ok" : r.mark === "no" ? "bad" : "warn";
  return el("article", { class: "card" },
    el("header", {}, el("b", {}, r.metric), el("span", { class: "tag " + cls }, r.mark || r.status + ": " + r.reason), r.repeat ? el("span", { class: "muted" }, "repeat " + r.repeat) : null),
    r.claims?.length ? el("ul", { class: "checks md" }, r.claims.map((c) => el("li", {},
      el("span", { class: "sign " + (c.supported === "yes" ? "ok" : "bad"), "aria-hidden": "true" }, c.supported === "yes" ? "✓" : "✗"),
      el("span", {}, el("span", { class: "vh" }, c.supported === "yes" ? "supported: " : "not supported: "), c.claim,
        c.quote ? el("blockquote", {}, (c.label ? c.label + ": " : "") + c.quote) : null)))) : null);
}
