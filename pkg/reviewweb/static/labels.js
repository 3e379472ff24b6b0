// The labels page: which answer is shown, and how it is marked.
import { $, address, ask, el, every, help, keys, name, saved, toast } from "./common.js";
import { marked, paintMarks, row, show, update } from "./labels-view.js";

const page = { version: "", by: "", blind: false, list: [], at: null, details: new Map(), undo: [] };

// ---- the list -------------------------------------------------------------

async function refresh() {
  let news;
  try {
    news = await ask("/api/labels?version=" + encodeURIComponent(page.version));
  } catch (e) {
    saved(e.message, true);
    return;
  }
  if (!news) {
    if ($("saved").classList.contains("bad") && $("saved").textContent.startsWith("mr-review does not")) saved("Connected again");
    return;
  }
  const before = page.list, other = page.by !== news.by;
  Object.assign(page, { version: news.version, by: news.by, blind: news.blind, list: news.answers });
  if (other) page.undo = [];
  $("who").textContent = page.by || "Who are you?";
  $("blind").hidden = !page.blind;
  $("stale").hidden = !news.stale;
  $("stale").textContent = news.stale + " of your labels are of answers that have changed since; they are kept, and not used.";
  for (const a of page.list) {
    const d = page.details.get(a.place)?.value;
    if (before.length && !other && (!d || d.seq === a.seq)) continue;
    if (before.length) page.details.delete(a.place);
    if (before.length && a.place === page.at) {
      if (!other) toast("This answer was marked elsewhere");
      select(a.place, false);
    }
  }
  progress();
  if (page.at === null && page.list.length) {
    const asked = Number(new URLSearchParams(location.search).get("a") ?? NaN) - 1;
    select(page.list[asked] ? asked : (page.list.find((a) => !marked(a)) || page.list[0]).place, false);
  }
  if (!page.by) rename();
}

function progress() {
  update($("items"), page.list, page.at);
  const n = page.list.filter(marked).length;
  $("count").textContent = n + " of " + page.list.length + " labelled";
  $("bar").max = page.list.length || 1;
  $("bar").value = n;
}

async function rename() {
  const now = await name(page.by);
  if (now !== page.by) refresh();
}

// ---- one answer -----------------------------------------------------------

function detail(at) {
  let kept = page.details.get(at);
  if (!kept) {
    const promise = ask("/api/labels/answer?place=" + at);
    kept = { promise };
    page.details.set(at, kept);
    promise.then((v) => { kept.value = v; }, () => page.details.delete(at));
  }
  return kept.promise;
}

const keep = (d) => page.details.set(d.place, { promise: Promise.resolve(d), value: d });

async function select(at, focus = true) {
  const moved = page.at !== at;
  page.at = at;
  address("a", at + 1);
  row($("items"), at);
  let d = page.details.get(at)?.value;
  try {
    d ||= await detail(at);
  } catch (e) {
    if (page.at === at) $("body").replaceChildren(el("p", { class: "banner bad" }, e.message));
    return;
  }
  if (page.at !== at) return;
  if (moved) $("body").scrollTop = 0;
  show($("body"), d, page);
  paintMarks($("marks"), d, page);
  if (focus) $("body").querySelector("h1")?.focus({ preventScroll: true });
  for (const near of [at + 1, at - 1]) if (page.list[near]) detail(near).catch(() => {});
}

const step = (by) => {
  const to = Math.min(Math.max((page.at ?? 0) + by, 0), page.list.length - 1);
  if (to !== page.at && page.list.length) select(to);
};

// ---- marking --------------------------------------------------------------

const request = (d, change = {}) => ({
  place: d.place, question: d.question, faithful: d.faithful || "", relevant: d.relevant || "", note: d.note || "", seen: d.seq || 0, ...change,
});

// Saves take turns: a key that comes while one is under way waits, and then
// changes what was saved. change is told the answer as it then stands.
let turn = Promise.resolve();
const send = (place, change, undoable = true) => (turn = turn.then(() => save(place, change, undoable)));

// save saves a label and shows what the server then holds.
async function save(place, change, undoable) {
  const d = page.details.get(place)?.value;
  if (!d) return false;
  if (!page.by) { rename(); return false; }
  saved("Saving…");
  try {
    const now = await ask("/api/labels/mark", request(d, change(d)));
    if (undoable) page.undo.push({ place: d.place, faithful: d.faithful || "", relevant: d.relevant || "", note: d.note || "" });
    took(now);
    saved("Saved: " + now.question);
    return true;
  } catch (e) {
    fail(e);
    return false;
  }
}

// took shows an answer as the server holds it.
function took(now) {
  keep(now);
  Object.assign(page.list[now.place], { faithful: now.faithful, relevant: now.relevant, note: now.note, opened: now.opened, seq: now.seq });
  progress();
  if (now.place === page.at) paintMarks($("marks"), now, page);
}

function fail(e) {
  saved(e.message, true);
  toast(e.message);
  if (!e.now) return;
  keep(e.now);
  if (e.now.place === page.at) select(page.at, false);
}

page.mark = (what, choice) => send(page.at, (d) => ({ [what]: d[what] === choice ? "" : choice }));

page.saveNote = (place, note) => send(place, () => ({ note }));

async function undo() {
  const last = page.undo.pop();
  if (!last) return toast("Nothing to undo");
  await select(last.place);
  const { place, ...marks } = last;
  if (await send(place, () => marks, false)) select(place);
}

// open asks for a judge's readings: the server keeps that it was asked, then tells.
page.open = (place, judge) => (turn = turn.then(async () => {
  if (!page.by) { rename(); return null; }
  try {
    const got = await ask("/api/labels/open", { ...request(page.details.get(place).value), judge });
    took(got.answer);
    saved("Kept: the readings of " + judge + " were opened");
    return got.readings;
  } catch (e) {
    fail(e);
    return null;
  }
}));

// ---- keys -----------------------------------------------------------------

const listed = [
  ["j ↓", "the next answer"], ["k ↑", "the one before"], ["J", "the next one not yet labelled"],
  ["1 2 3", "every claim is in the passages: yes, no, can't tell"], ["4 5 6", "it answers the question: yes, no, can't tell"],
  ["n", "note"], ["u", "undo the last mark"], ["v", "the readings of the first judge, where there are any"],
  ["Ctrl+Enter Esc", "leave the note: it is saved"], ["?", "these keys"],
];

const onward = () => {
  const order = [...page.list.slice(page.at + 1), ...page.list.slice(0, page.at)];
  const to = order.find((a) => !marked(a));
  if (to) select(to.place);
  else toast("All answers are labelled");
};

const blur = () => (document.activeElement.matches("textarea") ? document.activeElement.blur() : false);
const choices = ["yes", "no", "can't tell"];
const map = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1), J: onward,
  n: () => $("note")?.focus(), u: undo, v: () => document.querySelector("#readings button")?.click(), "?": () => help(listed),
};
choices.forEach((c, i) => {
  map[i + 1] = () => page.mark("faithful", c);
  map[i + 4] = () => page.mark("relevant", c);
});
keys(map, { "Ctrl+Enter": blur, Escape: blur });

$("items").addEventListener("click", (e) => {
  const b = e.target.closest("button[data-place]");
  if (!b) return;
  $("list").classList.remove("open");
  $("fold").setAttribute("aria-expanded", "false");
  select(Number(b.dataset.place));
});
$("fold").addEventListener("click", () => $("fold").setAttribute("aria-expanded", String($("list").classList.toggle("open"))));
$("skip").addEventListener("click", (e) => { e.preventDefault(); $("middle").focus(); });
$("help").addEventListener("click", () => help(listed));
$("who").addEventListener("click", rename);
page.step = step;
every(refresh);
