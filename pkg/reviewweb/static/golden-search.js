// The side: what retrieval brings, and a search over the docs; both can be taken as gold.
import { $, ask, el, toast } from "./common.js";
import { card, trail } from "./golden-view.js";

const sections = new Map(); // texts that were opened

const section = (id) => {
  if (!sections.has(id)) {
    const p = ask("/api/section?id=" + encodeURIComponent(id));
    sections.set(id, p);
    p.catch(() => sections.delete(id));
  }
  return sections.get(id);
};

let page, listed;

// hit is a row of a list: it opens to the text, and to ways of adding it.
function hit(s, rank, serves) {
  const more = el("div", { hidden: true });
  const button = el("button", { type: "button", "aria-expanded": "false", onclick: open },
    el("span", { class: "rank" }, el("span", { class: "vh" }, "rank "), String(rank)),
    el("span", {}, el("span", { class: "trail" }, trail(s)), " ",
      serves ? el("span", { class: "tag ok" }, "serves need " + serves.join(", ")) : null,
      el("br"), el("span", { class: "where" }, s.passage || s.id)));
  const li = el("li", { class: "hit" + (serves ? " gold" : ""), "data-section": s.section || s.id }, button, more);
  async function open() {
    const shut = !more.hidden;
    more.hidden = shut;
    button.setAttribute("aria-expanded", String(!shut));
    if (shut || more.firstChild) return;
    try {
      const whole = await section(li.dataset.section);
      more.replaceChildren(adders(li.dataset.section), card({ ...whole, rank }).querySelector(".md"));
    } catch (e) {
      more.replaceChildren(el("p", { class: "banner bad" }, e.message));
    }
  }
  return li;
}

// gold is the needs as they are being edited, or as they stand.
const gold = () => page.editing?.needs?.() || page.details.get(page.id)?.value?.shown.gold || [];

function adders(id) {
  const b = (text, need) => el("button", { type: "button", class: "btn small", onclick: () => add(id, need) }, text);
  return el("div", { class: "add" }, b("Add as a new need"), gold().map((_, i) => b("Or for need " + (i + 1), i)));
}

function add(id, need) {
  if (!page.editing) page.startEditing();
  if (!page.editing?.add) return;
  if (page.editing.add(id, need)) toast(id + (need === undefined ? " is a new need" : " is an alternative of need " + (need + 1)));
  else toast(id + " is there already");
  for (const div of document.querySelectorAll("#side .add")) div.replaceWith(adders(div.closest("li").dataset.section));
}

// brings lists the hits of a question.
export function brings(d, p) {
  page = p;
  if (listed === d) return; // the focus may be in it
  listed = d;
  $("brings").textContent = "Retrieval brings now (" + d.system + ")";
  $("hits").replaceChildren(...d.hits.map((h) => hit(h, h.rank, h.serves)));
  if (!d.hits.length) $("hits").replaceChildren(el("li", { class: "muted" }, "Nothing."));
}

// searching makes the search box work.
export function searching(p) {
  page = p;
  const words = $("words"), results = $("results");
  let timer, running;
  async function search() {
    clearTimeout(timer);
    running?.abort();
    running = new AbortController();
    const text = words.value.trim();
    if (!text) { results.replaceChildren(); $("found").textContent = ""; return; }
    try {
      const found = await ask("/api/search?q=" + encodeURIComponent(text), undefined, running.signal);
      results.replaceChildren(...found.map((s) => hit(s, s.rank)));
      if (!found.length) results.replaceChildren(el("li", { class: "muted" }, "No section has these words."));
      $("found").textContent = found.length + " sections found";
    } catch (e) {
      if (e.name !== "AbortError") results.replaceChildren(el("li", { class: "banner bad" }, e.message));
    }
  }
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  $("search").addEventListener("submit", async (e) => {
    e.preventDefault();
    await search();
    results.querySelector("button")?.focus();
  });
  words.addEventListener("keydown", (e) => {
    if (e.key !== "ArrowDown") return;
    e.preventDefault();
    results.querySelector("button")?.focus();
  });
  for (const list of [results, $("hits")]) {
    list.addEventListener("keydown", (e) => {
      const li = e.target.closest("li.hit");
      if (!li || e.ctrlKey || e.metaKey || e.altKey) return;
      const to = { ArrowDown: li.nextElementSibling, ArrowUp: li.previousElementSibling }[e.key];
      if (e.key === "ArrowUp" && !to && list === results) words.focus();
      else if (e.key === "ArrowDown" || e.key === "ArrowUp") to?.querySelector("button")?.focus();
      else if (e.key === "+") add(li.dataset.section);
      else if (/^[1-9]$/.test(e.key)) add(li.dataset.section, Number(e.key) - 1);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }
  // A link of the docs to another section opens it in the search results.
  document.addEventListener("click", (e) => {
    const link = e.target.closest("button.link[data-section]");
    if (!link) return;
    words.value = link.dataset.section;
    $("search").requestSubmit();
  });
}
