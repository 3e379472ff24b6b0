// The list at the left: a row a question, changed where it stands.
import { el } from "./common.js";

// decided says whether nothing is left to do for a question.
export const decided = (q) => q.from === "set" || q.action
  ? Boolean(q.action && !q.stale) || (q.from === "set" && !q.action && q.review && q.review !== "draft") : false;

// look is how a question stands: a sign, a colour, and in words.
export function look(q) {
  if (q.stale) return { cls: "warn", sign: "!", text: "changed since " + q.by + " ruled on it" };
  switch (q.action) {
    case "approve": return { cls: "ok", sign: "✓", text: "approved by " + q.by };
    case "enter": return { cls: "ok", sign: "✓", text: "entered by " + q.by };
    case "edit": return { cls: "ok", sign: "✎", text: "edited by " + q.by };
    case "drop": return { cls: "bad", sign: "✕", text: "dropped by " + q.by };
    case "reject": return { cls: "bad", sign: "✕", text: "rejected by " + q.by };
  }
  switch (q.from) {
    case "proposed": return { cls: "half", sign: "+", text: "proposed" };
    case "next pin": return { cls: "half", sign: "+", text: "proposed for the next pin" };
    case "change": return { cls: "half", sign: "±", text: "a change is proposed" };
  }
  if (decided(q)) return { cls: "ok", sign: "✓", text: "reviewed: " + q.review };
  return { cls: "", sign: "", text: "to review" };
}

const rows = new Map();

function make(q) {
  const li = el("li", {}, el("button", { type: "button", class: "item", "data-id": q.id },
    el("span", { class: "dot", "aria-hidden": "true" }), el("span", { class: "q" }), el("span", { class: "meta" })));
  return { li, button: li.firstChild, said: "" };
}

// update shows these questions in the list, in this order.
export function update(list, questions, current) {
  const want = questions.map((q) => {
    let r = rows.get(q.id);
    if (!r) rows.set(q.id, r = make(q));
    const l = look(q), said = l.text + "\n" + q.kind + "\n" + q.question;
    if (r.said !== said) {
      r.said = said;
      const [dot, text, meta] = r.button.children;
      dot.className = "dot " + l.cls;
      dot.textContent = l.sign;
      text.textContent = q.question;
      meta.textContent = q.id + " · " + q.kind + " · " + l.text;
    }
    return r.li;
  });
  const have = list.children;
  if (want.length !== have.length || want.some((li, i) => have[i] !== li)) list.replaceChildren(...want);
  row(list, current);
}

// row marks the row of the question shown, and brings it into view.
export function row(list, id) {
  const button = rows.get(id)?.button;
  const old = list.querySelector("[aria-current]");
  if (old === button) return;
  old?.removeAttribute("aria-current");
  if (!button) return;
  button.setAttribute("aria-current", "true");
  button.scrollIntoView({ block: "nearest" });
}
