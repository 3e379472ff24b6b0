// Which sections of the docs the questions ask for.
import { $, ask, el, saved } from "./common.js";

const link = (id) => el("a", { href: "/?q=" + encodeURIComponent(id) + location.hash }, id);
const links = (ids) => (ids || []).flatMap((id, i) => (i ? [", ", link(id)] : [link(id)]));

function table(caption, heads, rows) {
  return el("table", { class: "cover" }, el("caption", { class: "vh" }, caption),
    el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", class: h.n ? "n" : null }, h.n || h)))),
    el("tbody", {}, rows));
}

const tile = (n, what) => el("div", { class: "tile" }, el("b", {}, String(n)), what);

function files(c) {
  return table("Pages", ["Page", { n: "Sections" }, { n: "Covered" }, { n: "Questions" }],
    c.files.map((f) => el("tr", { class: f.covered ? null : "none" }, el("td", { class: "mono" }, f.path), el("td", { class: "n" }, String(f.sections)),
      el("td", { class: "n" }, String(f.covered)), el("td", { class: "n" }, String(f.questions)))));
}

function sections(list) {
  return table("Sections", ["Section", { n: "Characters" }, "Questions", "Proposed"],
    list.map((s) => el("tr", { class: s.questions?.length ? null : "none" },
      el("td", {}, (s.headings || []).slice(-1)[0] || s.path, el("br"), el("span", { class: "mono muted" }, s.section)),
      el("td", { class: "n" }, String(s.chars)), el("td", {}, links(s.questions)), el("td", {}, links(s.proposed)))));
}

function paint(c) {
  const covered = c.sections.filter((s) => s.questions?.length).length;
  const bare = c.sections.filter((s) => !s.questions?.length).sort((a, b) => b.chars - a.chars);
  $("cover").removeAttribute("aria-busy");
  $("cover").replaceChildren(
    el("h1", {}, "Coverage of the docs"),
    el("p", { class: "muted mono" }, c.commit ? "at " + c.commit : ""),
    el("div", { class: "tiles" }, tile(covered + " / " + c.sections.length, "sections with a question"),
      c.kinds.map((k) => tile(k.questions, k.kind + ", " + k.reviewed + " reviewed"))),
    c.missing?.length ? el("p", { class: "banner bad" }, "Gold that is not in the docs at the pin: " + c.missing.join(", ")) : el("span"),
    el("h2", {}, "Sections by number of questions"),
    table("Counts", [{ n: "Questions" }, { n: "Sections" }], c.counts.map((n) => el("tr", {}, el("td", { class: "n" }, String(n.questions)), el("td", { class: "n" }, String(n.sections))))),
    el("h2", {}, "Pages"), files(c),
    el("details", {}, el("summary", {}, bare.length + " sections without a question, the longest first"), sections(bare)),
    el("details", {}, el("summary", {}, covered + " sections with questions"), sections(c.sections.filter((s) => s.questions?.length))));
}

ask("/api/coverage").then(paint, (e) => {
  saved(e.message, true);
  $("cover").replaceChildren(el("p", { class: "banner bad" }, e.message));
});
