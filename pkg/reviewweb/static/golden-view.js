// One question, to be read and ruled on.
import { draft, el, markdown } from "./common.js";
import { look } from "./golden-list.js";

const signs = { good: ["✓", "ok", "good"], bad: ["✗", "bad", "not good"], unknown: ["–", "info", "not known"] };

export const trail = (s) => s.headings?.length ? s.headings.join(" › ") : s.path || s.id;

// record is what a golden record says, less what the server keeps of it by itself.
export const record = (g) => ({ id: g.id, question: g.question, kind: g.kind, gold: g.gold, key_facts: g.key_facts || [], found: g.found || "" });

// skeleton shows at once what the list knows, until the rest is there.
export function skeleton(body, q) {
  body.setAttribute("aria-busy", "true");
  body.replaceChildren(head(q, ""), el("h1", { tabindex: "-1" }, q.question), el("p", { class: "muted" }, "Reading…"));
}

function head(q, place) {
  const l = look(q);
  return el("div", { class: "row" },
    el("span", { class: "mono" }, q.id), el("span", { class: "tag" }, q.kind), el("span", { class: "tag " + l.cls }, l.text),
    q.from !== "set" && q.action ? el("span", { class: "tag" }, q.from) : null,
    el("span", { class: "muted push" }, place));
}

// finding is one check, said in a line.
export function finding(f) {
  const [sign, cls, word] = signs[f.state] || signs.unknown;
  return el("li", {}, el("span", { class: "sign " + cls, "aria-hidden": "true" }, sign),
    el("span", {}, el("span", { class: "vh" }, word + ": "), f.text));
}

// checks lists what is not good, and folds what is.
export function checks(all) {
  const good = all.filter((f) => f.state === "good"), rest = all.filter((f) => f.state !== "good");
  const order = { bad: 0, unknown: 1 };
  rest.sort((a, b) => order[a.state] - order[b.state]);
  return el("section", { id: "checks", "aria-label": "Checks" }, el("h2", {}, "Checks"),
    rest.length ? el("ul", { class: "checks" }, rest.map(finding)) : null,
    good.length ? el("details", {}, el("summary", {}, good.length + (good.length === 1 ? " check is good" : " checks are good")), el("ul", { class: "checks" }, good.map(finding))) : null);
}

// card is a section of the docs with its text.
export function card(s, ...buttons) {
  if (!s.known) return el("article", { class: "card missing" }, el("header", {}, el("b", {}, s.id), "is not in the docs at the pin", ...buttons));
  const body = el("div", { class: "md clip", tabindex: "0", role: "region", "aria-label": "Text of " + s.id });
  s.parts.forEach((html, i) => {
    if (i) body.append(el("hr", { class: "cut", title: "the passage ends here, and another begins" }));
    body.append(...markdown(html).childNodes);
  });
  return el("article", { class: "card", "data-section": s.id },
    el("header", {}, el("b", {}, trail(s)), el("span", { class: "mono muted" }, s.id),
      el("span", { class: "tag " + (s.rank && s.rank <= 5 ? "ok" : "warn") }, s.rank ? "retrieved at " + s.rank : "not retrieved"), ...buttons),
    body);
}

function needs(d) {
  if (!d.needs.length) return el("p", { class: "muted" }, "None: the question counts as unanswerable, so no section of the docs may answer it. Search to be sure.");
  return d.needs.map((sections, i) => el("section", { class: "need", "aria-label": "Need " + (i + 1) },
    el("h3", {}, d.needs.length > 1 || sections.length > 1 ? "Need " + (i + 1) + (sections.length > 1 ? ": any one of these serves it" : "") : "Need 1"),
    sections.flatMap((s, j) => j ? [el("div", { class: "or" }, "or"), card(s)] : [card(s)])));
}

// facts are the key facts, each with what its check says.
function facts(d) {
  const list = d.shown.key_facts || [];
  if (!list.length) return el("p", { class: "muted" }, d.shown.kind === "unanswerable" ? "None: there is nothing to say but that the docs do not say it." : "None.");
  return el("ul", { class: "facts" }, list.map((fact) => {
    const f = d.checks.find((c) => c.check === "key fact in gold" && c.about === fact);
    const [sign, cls, word] = signs[f?.state] || signs.unknown;
    return el("li", {}, el("span", { class: "sign " + cls, title: f?.text || "", "aria-hidden": "true" }, sign),
      el("span", {}, fact, el("span", { class: "vh" }, f ? " (in the gold: " + word + ")" : "")));
  }));
}

function banner(d) {
  if (!d.decision) return null;
  const l = look(d), r = d.decision, at = () => el("time", { datetime: r.at }, r.at.slice(0, 16).replace("T", " ") + " UTC");
  if (r.action === "remark") return el("div", { class: "banner", id: "remark" }, el("b", {}, "Undecided. "), "A note by " + r.by + " on ", at(), el("p", {}, r.note));
  return el("div", { class: "banner " + (d.stale ? "warn" : l.cls === "bad" ? "bad" : ""), id: "ruling" },
    el("b", {}, l.text[0].toUpperCase() + l.text.slice(1)), " on ", at(),
    d.applied ? ", and the set holds it" : d.stale ? "; the ruling will not be applied: rule again" : "",
    r.note ? el("p", {}, "Note: " + r.note) : null);
}

// why is what a proposal says for itself.
function why(d) {
  const list = [].concat(d.golden.why || []);
  const reopened = d.golden.reopened;
  if (!list.length && !reopened) return null;
  return el("div", { class: "banner warn" }, el("b", {}, reopened ? "To be reviewed again" : "Why it is proposed"),
    el("p", {}, [...list, ...(reopened ? ["the text of its gold changed at " + reopened] : [])].join("\n")));
}

// show paints a question. Place is where in the list it stands.
export function show(body, d, place, page) {
  const kept = draft.read("note " + d.id);
  const field = (id, label, value) => el("div", { class: "field" }, el("label", { for: id }, label),
    el("textarea", { id, rows: "2", value, onchange: () => page.saveFields() }));
  body.removeAttribute("aria-busy");
  body.replaceChildren(...[
    head(d, place),
    el("h1", { tabindex: "-1" }, d.shown.question),
    banner(d), why(d),
    d.instead ? el("details", {}, el("summary", {}, "As it stands in the set now"), el("p", {}, d.instead.question),
      el("p", { class: "mono" }, d.instead.gold.map((n) => [].concat(n).join(" or ")).join("; ")), el("ul", {}, (d.instead.key_facts || []).map((f) => el("li", {}, f)))) : null,
    el("section", { "aria-label": "Key facts" }, el("h2", {}, "Key facts"), facts(d)),
    el("section", { "aria-label": "Gold" }, el("h2", {}, "Gold"), needs(d)),
    checks(d.checks),
    el("section", { "aria-label": "Notes" }, el("h2", {}, "Notes"),
      field("note", el("span", {}, "Note for other reviewers ", el("kbd", {}, "n")), kept?.note ?? d.decision?.note ?? ""),
      field("found-in-docs", "Found: a defect in the docs that the question revealed", kept?.found ?? (d.decision?.found || d.shown.found || ""))),
  ].filter(Boolean));
}
