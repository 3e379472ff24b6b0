// What the pages share: asking the server, keys, dialogs, and making elements.

// The token stands behind the # of the address. It is kept for reloads of this
// window, and put back where a link took it off.
const token = (() => {
  const given = location.hash.slice(1);
  if (/^[A-Z2-7]{20,}$/.test(given)) {
    sessionStorage.setItem("token", given);
    return given;
  }
  const kept = sessionStorage.getItem("token") || "";
  if (kept) history.replaceState(null, "", location.pathname + location.search + "#" + kept);
  return kept;
})();

for (const a of document.querySelectorAll("nav[aria-label=Pages] a")) a.href = a.getAttribute("href") + "#" + token;

// Failure is an answer of the server that is no success.
export class Failure extends Error {
  constructor(message, status, now) {
    super(message);
    this.status = status;
    this.now = now;
  }
}

// ask sends a request: a body makes it a POST. Nothing new is null.
export async function ask(path, body, signal) {
  let reply;
  try {
    reply = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-Review-Token": token, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", signal,
    });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Failure("mr-review does not answer: is it still running?", 0);
  }
  if (reply.status === 204) return null;
  const json = (reply.headers.get("Content-Type") || "").startsWith("application/json");
  const value = json ? await reply.json() : { error: (await reply.text()).trim() };
  if (!reply.ok) throw new Failure(value.error, reply.status, value.now);
  return value;
}

export const $ = (id) => document.getElementById(id);

// el makes an element: el("p", {class: "x", onclick: f}, "text", child…). Text is text, never HTML.
export function el(tag, attrs = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "value") e.value = v;
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// markdown holds HTML that the server made of a text of the docs (Markdown in markdown.go).
export function markdown(html, cls = "md") {
  const d = el("div", { class: cls });
  d.innerHTML = html;
  return d;
}

// saved says how saving goes, for eyes and for screen readers.
export function saved(text, bad = false) {
  const s = $("saved");
  s.textContent = text;
  s.classList.toggle("bad", bad);
}

let hiding;
export function toast(text) {
  document.querySelector(".toast")?.remove();
  const t = el("div", { class: "toast", role: "status" }, text);
  document.body.append(t);
  clearTimeout(hiding);
  hiding = setTimeout(() => t.remove(), 5000);
}

// dialog shows a modal dialog and resolves when it is closed.
export function dialog(...children) {
  const d = el("dialog", {}, ...children);
  document.body.append(d);
  d.showModal();
  return new Promise((done) => d.addEventListener("close", () => { d.remove(); done(d.returnValue); }));
}

// help lists the keys: pairs of keys and what they do.
export function help(pairs) {
  if (document.querySelector("dialog")) return;
  dialog(
    el("h2", {}, "Keys"),
    el("dl", {}, pairs.map(([keys, what]) => [
      el("dt", {}, keys.split(" ").flatMap((k, i) => (i ? [" ", el("kbd", {}, k)] : [el("kbd", {}, k)]))), el("dd", {}, what)])),
    el("form", { method: "dialog" }, el("button", { class: "btn main" }, "Close")));
}

// name asks who is there, once a run of the program.
export async function name(now) {
  if (document.querySelector("dialog")) return now;
  const field = el("input", { type: "text", id: "name", value: now, autocomplete: "name", required: true });
  const form = el("form", { method: "dialog" },
    el("div", { class: "field" }, el("label", { for: "name" }, "Your name, as it will stand in the files"), field),
    el("button", { class: "btn main", value: "ok" }, "Go on"));
  if ((await dialog(el("h2", {}, "Who reviews?"), form)) !== "ok" || !field.value.trim()) return now;
  try {
    return (await ask("/api/by", { by: field.value.trim() })).by;
  } catch (e) {
    saved(e.message, true);
    return now;
  }
}

// keys calls what stands under a key, but not while someone types, chooses or
// reads a dialog. Under "typing" stand the keys that work there too.
export function keys(map, typing = {}) {
  document.addEventListener("keydown", (e) => {
    if (e.isComposing || document.querySelector("dialog")) return;
    const mod = e.ctrlKey || e.metaKey;
    const k = (mod ? "Ctrl+" : "") + e.key;
    const inField = e.target.closest("input, textarea, select");
    const fn = typing[k] && (inField || mod || k === "Escape") ? typing[k] : !inField && !mod && !e.altKey ? map[k] : undefined;
    if (fn && fn(e) !== false) e.preventDefault();
  });
}

// every asks again each second while the window is seen, at once when it comes
// back into view, and rarely while it is not.
export function every(fn) {
  let timer;
  const run = async () => {
    clearTimeout(timer);
    try { await fn(); } finally { timer = setTimeout(run, document.hidden ? 10000 : 1000); }
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) run(); });
  run();
}

// address keeps what is shown in the address, so that a reload shows it again.
export function address(key, value) {
  const q = new URLSearchParams(location.search);
  q.set(key, value);
  history.replaceState(null, "", location.pathname + "?" + q + "#" + token);
}

// draft keeps what is typed and not yet saved, for a reload of this window.
export const draft = {
  read: (key) => JSON.parse(sessionStorage.getItem("draft " + key) || "null"),
  write: (key, value) => sessionStorage.setItem("draft " + key, JSON.stringify(value)),
  drop: (key) => sessionStorage.removeItem("draft " + key),
};
