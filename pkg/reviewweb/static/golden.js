// The golden review page: which question is shown, what is ruled, and what others ruled.
import { $, address, ask, dialog, draft, el, every, help, keys, name, saved, toast } from "./common.js";
import { decided, row, update } from "./golden-list.js";
import { show, skeleton } from "./golden-view.js";
import { edit } from "./golden-edit.js";
import { brings, searching } from "./golden-search.js";
import { proposed, ruling, told } from "./golden-rule.js";

const page = {
  version: "", by: "", list: [], byId: new Map(), order: [],
  id: null, details: new Map(), editing: null, ruling: false, saving: null, saves: 0, undo: [],
};

// ---- the list -------------------------------------------------------------

async function refresh() {
  await page.saving;
  const saves = page.saves;
  let news;
  try {
    news = await ask("/api/golden?version=" + page.version);
  } catch (e) {
    saved(e.message, true);
    return;
  }
  if (!news) {
    if ($("saved").classList.contains("bad") && $("saved").textContent.startsWith("mr-review does not")) saved("Connected again");
    return;
  }
  if (page.saves !== saves) return; // what came is older than what is being saved: the next one is not
  const before = page.byId;
  page.version = news.version;
  page.by = news.by;
  page.list = news.questions;
  page.byId = new Map(news.questions.map((q) => [q.id, q]));
  $("who").textContent = page.by || "Who are you?";
  document.title = "Golden review: " + news.golden;
  for (const q of page.list) {
    const old = before.get(q.id);
    if (!old || told.every((k) => old[k] === q[k])) continue;
    const kept = page.details.get(q.id);
    if (kept && kept.value && kept.value.seq === q.seq && kept.value.question === q.question) continue; // our own ruling
    page.details.delete(q.id);
    if (q.id === page.id && !page.editing) {
      if (q.action && q.seq !== old.seq) toast(q.by + " ruled on " + q.id + ": " + q.action);
      select(q.id, false);
    }
  }
  narrow();
  if (!page.by) page.by = await name("").then((n) => { $("who").textContent = n || "Who are you?"; return n; });
}

// narrow shows the rows that the two fields above the list ask for.
function narrow() {
  const want = $("show").value;
  const words = $("narrow").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = page.list.filter((q) =>
    (want === "all" || (want === "open" && !decided(q)) || (want === "done" && decided(q)) ||
      (want === "proposed" && q.from !== "set") || (want === "stale" && q.stale)) &&
    words.every((w) => (q.id + " " + q.question + " " + q.kind).toLowerCase().includes(w)));
  page.order = shown.map((q) => q.id);
  update($("items"), shown, page.id);
  const n = page.list.filter(decided).length;
  $("count").textContent = n + " of " + page.list.length + " decided";
  $("bar").max = page.list.length || 1;
  $("bar").value = n;
  if (!page.id && page.order.length) {
    const asked = new URLSearchParams(location.search).get("q");
    select(page.byId.has(asked) ? asked : (page.list.find((q) => !decided(q)) || shown[0]).id, false);
  }
}

// ---- one question ---------------------------------------------------------

// detail is what the server tells of a question, asked for once.
function detail(id) {
  let kept = page.details.get(id);
  if (!kept) {
    const promise = ask("/api/golden/question?id=" + encodeURIComponent(id));
    kept = { promise };
    page.details.set(id, kept);
    promise.then((v) => { kept.value = v; }, () => page.details.delete(id));
  }
  return kept.promise;
}

function keep(d) { page.details.set(d.id, { promise: Promise.resolve(d), value: d }); }

async function select(id, focus = true) {
  if (!id) return;
  if (page.editing && page.editing.id !== id) page.editing = null; // what was typed stays as a draft
  const moved = page.id !== id;
  page.id = id;
  address("q", id);
  row($("items"), id);
  const ready = page.details.get(id)?.value;
  if (ready) paint(ready, focus, moved);
  else {
    skeleton($("body"), page.byId.get(id));
    try {
      const d = await detail(id);
      if (page.id === id) paint(d, focus, moved);
    } catch (e) {
      if (page.id === id) $("body").replaceChildren(el("p", { class: "banner bad" }, e.message));
      return;
    }
  }
  const at = page.order.indexOf(id);
  soon(() => { for (const near of [page.order[at + 1], page.order[at - 1], page.order[at + 2]]) if (near) detail(near).catch(() => {}); });
}

function paint(d, focus, moved) {
  const at = page.order.indexOf(d.id);
  const place = at < 0 ? "" : (at + 1) + " of " + page.order.length;
  if (moved) $("body").scrollTop = 0; // before the change: after it, the layout would be wanted twice
  if (!page.editing && draft.read("edit " + d.id)) page.editing = { id: d.id };
  if (page.editing) edit($("body"), d, page);
  else show($("body"), d, place, page);
  actions(d);
  if (page.editing) brings(d, page);
  else soon(() => {
    if (page.id !== d.id || page.details.get(d.id)?.value !== d) return;
    brings(d, page);
    if (focus && !page.editing && document.activeElement === document.body) $("body").querySelector("h1")?.focus({ preventScroll: true });
  });
}

// soon does what can wait until the question is drawn.
const soon = (fn) => requestAnimationFrame(() => setTimeout(fn));

function repaint() {
  const d = page.details.get(page.id)?.value;
  if (d) paint(d, false, false);
}

function step(by) {
  const at = page.order.indexOf(page.id);
  const to = page.order[at < 0 ? 0 : Math.min(Math.max(at + by, 0), page.order.length - 1)];
  if (to && to !== page.id) select(to);
}

// onward goes to the next question that is still to be ruled on.
function onward() {
  const at = page.order.indexOf(page.id);
  const after = [...page.order.slice(at + 1), ...page.order.slice(0, Math.max(at, 0))];
  const to = after.find((id) => !decided(page.byId.get(id)));
  if (to) select(to);
  else {
    select(page.id);
    toast("Nothing is left to rule on in this list");
  }
}

// ---- editing --------------------------------------------------------------

page.startEditing = () => {
  if (!page.details.get(page.id)?.value) return;
  page.editing = { id: page.id };
  repaint();
};

// cancel leaves the edit. What was typed is thrown away only when asked.
page.cancel = async () => {
  if (draft.read("edit " + page.id)) {
    const answer = await dialog(el("h2", {}, "Throw the edit away?"), el("form", { method: "dialog", class: "row" },
      el("button", { class: "btn main", value: "" }, "Go on editing"), el("button", { class: "btn", value: "away", id: "away" }, "Throw it away")));
    if (answer !== "away") return;
    draft.drop("edit " + page.id);
  }
  page.editing = null;
  repaint();
  $("body").querySelector("h1")?.focus({ preventScroll: true });
};

// ---- ruling ---------------------------------------------------------------

Object.assign(page, { detail, keep, narrow, onward, repaint, select });
const { approve, drop, undo } = ruling(page);

// ---- the bar below and the keys --------------------------------------------

const button = (id, text, key, fn, cls = "", says = null) =>
  el("button", { type: "button", id, class: "btn " + cls, onclick: fn, "aria-label": says }, el("span", {}, text), el("kbd", {}, key));
const long = (text) => el("span", { class: "long" }, text), arrow = (text) => el("span", { "aria-hidden": "true" }, text);
const bars = {
  edit: [button("save", "Save", "Ctrl+Enter", () => page.editing?.submit(), "main"), button("cancel", "Cancel", "Esc", () => page.cancel())],
  view: [
    button("previous", [arrow("‹ "), long("Previous")], "k", () => step(-1), "", "Previous"), button("next", [long("Next"), arrow(" ›")], "j", () => step(1), "", "Next"),
    button("approve", "Approve", "a", approve, "main"), button("edit", "Edit", "e", () => page.startEditing()),
    button("drop", "Drop", "d", drop), button("undo", "Undo", "u", undo),
  ],
};

// actions shows the bar. Its buttons stay what they are: one that is replaced
// while the mouse is down on it is not clicked.
function actions(d) {
  const bar = page.editing ? bars.edit : bars.view;
  if ($("actions").firstChild !== bar[0]) $("actions").replaceChildren(...bar);
  if (page.editing) return;
  $("approve").firstChild.textContent = d.from === "change" ? "Take the change" : proposed(d) ? "Enter" : "Approve";
  $("drop").firstChild.textContent = proposed(d) ? "Reject" : "Drop";
  $("undo").disabled = !page.undo.length && !d.action;
}

const listed = [
  ["j ↓", "the next question"], ["k ↑", "the one before"], ["J", "the next one still to review"],
  ["a", "approve; of a proposal: enter it"], ["e", "edit"], ["d", "drop; of a proposal: reject it"],
  ["n", "note"], ["s / Ctrl+k", "search the docs for gold; the last also from a field"], ["u", "undo the last ruling"],
  ["Ctrl+Enter", "save an edit or a note"], ["Esc", "leave a field; cancel an edit"],
  ["↑ ↓ Enter", "in results: move, and read"], ["+ 1…9", "in results: add as a new need, or as an alternative of need 1…9"], ["?", "these keys"],
];

keys({
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1), J: onward,
  a: approve, e: page.startEditing, d: drop, u: undo, s: () => $("words").focus(), "/": () => $("words").focus(),
  n: () => $("note")?.focus(), "?": () => help(listed),
}, {
  "Ctrl+k": () => $("words").focus(),
  "Ctrl+Enter": () => { if (page.editing) page.editing.submit(); else document.activeElement.blur(); },
  Escape: () => {
    if (document.activeElement.closest("#side, #list, textarea, input, select") && !(page.editing && document.activeElement.closest("#body"))) document.activeElement.blur();
    else if (page.editing) page.cancel();
    else return false;
  },
});

$("items").addEventListener("click", (e) => {
  const b = e.target.closest("button[data-id]");
  if (!b) return;
  $("list").classList.remove("open");
  $("fold").setAttribute("aria-expanded", "false");
  select(b.dataset.id);
});
$("fold").addEventListener("click", () => $("fold").setAttribute("aria-expanded", String($("list").classList.toggle("open"))));
$("skip").addEventListener("click", (e) => { e.preventDefault(); $("middle").focus(); });
$("show").addEventListener("change", narrow);
$("narrow").addEventListener("input", narrow);
$("help").addEventListener("click", () => help(listed));
$("who").addEventListener("click", async () => { page.by = await name(page.by); $("who").textContent = page.by; });
searching(page);
every(refresh);
