// Rulings: what is sent, what comes back, and taking them back.
import { $, ask, draft, name, saved, toast } from "./common.js";
import { record } from "./golden-view.js";

// told is what the list says of a question.
export const told = ["seq", "action", "by", "stale", "applied", "question", "kind", "review", "from"];

export const proposed = (d) => d.from !== "set";

// edited is the record of an edit that stands: what the page shows.
const edited = (d) => (d.decision?.golden && !d.stale && !d.applied ? record(d.shown) : null);

// ruling gives the page its rulings.
export function ruling(page) {
  // rule saves a ruling on the question shown. Golden is the record as it shall be.
  async function rule(action, golden, note) {
    let d;
    try {
      d = await page.detail(page.id);
    } catch (e) {
      saved(e.message, true);
      return false;
    }
    if (!page.by && !(page.by = await name(""))) return false;
    let found = "";
    if (!golden) {
      note = $("note").value.trim();
      found = $("found-in-docs").value.trim();
      if (action === "approve" || action === "enter") {
        golden = edited(d); // approved is what is shown
        if (golden || (d.golden.found && !found)) golden = { ...(golden || record(d.shown)), found }; // only an edit can take a defect out
        if (golden && action === "approve") action = "edit";
      } else if (action === "edit") golden = { ...edited(d), found };
      if (golden || action === "drop" || action === "reject" || found === (d.golden.found || "")) found = "";
    }
    const body = { question: d.id, action, base: d.base, note: note || "", found, seen: d.decision?.seq || 0 };
    if (golden) body.golden = golden;
    return send(d, body, true);
  }

  // decide rules once at a time: a key that is hit twice is meant once. A note that
  // is being saved comes first.
  async function decide(action, golden, note) {
    if (page.ruling) return;
    page.ruling = true;
    try {
      const id = page.id;
      await page.saving;
      if (page.id !== id || !await rule(action, golden, note)) return;
      page.editing = null;
      page.onward();
    } finally {
      page.ruling = false;
    }
  }

  function send(d, body, undoable) {
    page.saves++;
    return (page.saving = save(d, body, undoable));
  }

  async function save(d, body, undoable) {
    saved("Saving…");
    try {
      const now = await ask("/api/golden/decide", body);
      if (undoable) page.undo.push({ id: d.id, before: d.stale || d.applied ? null : d.decision || null });
      const q = page.byId.get(d.id);
      for (const k of told) q[k] = now[k];
      // What the gold says stays as it was shown, but where the ruling is or was an edit.
      if (body.golden || d.decision?.golden) page.details.delete(d.id);
      else page.keep({ ...d, action: undefined, by: undefined, seq: undefined, stale: undefined, applied: undefined, decision: undefined, ...now });
      draft.drop("edit " + d.id);
      draft.drop("note " + d.id);
      saved(body.action === "withdraw" ? "Taken back: " + d.id : "Saved: " + d.id + ", " + body.action);
      return true;
    } catch (e) {
      saved(e.message, true);
      toast(e.message);
      if (e.now) {
        page.keep(e.now);
        if (page.id === d.id) page.repaint();
      }
      return false;
    } finally {
      page.narrow();
    }
  }

  // act rules on the question shown, as what it is.
  function act(onSet, onProposal) {
    const q = page.byId.get(page.id);
    if (q && !page.editing) decide(proposed(q) ? onProposal : onSet);
  }

  const approve = () => act("approve", "enter");
  const drop = () => act("drop", "reject");

  // undo takes back the last ruling, one after another as often as it is asked for.
  let undone = Promise.resolve();
  const undo = () => (undone = undone.then(undoOne).catch((e) => saved(e.message, true)));

  async function undoOne() {
    if (page.ruling || page.editing) return;
    await page.saving;
    let last = page.undo.pop();
    if (!last) {
      if (!page.byId.get(page.id)?.action) return toast("Nothing to undo");
      last = { id: page.id, before: null };
    }
    await page.select(last.id);
    const d = await page.detail(last.id);
    const b = last.before;
    const body = { question: d.id, base: d.base, seen: d.decision?.seq || 0, action: b ? b.action : "withdraw", note: b?.note || "", found: b?.found || "" };
    if (b?.golden) body.golden = record(b.golden);
    if (await send(d, body, false)) await page.select(last.id);
  }

  // remark keeps a note on a question that stays undecided, or takes it back.
  async function remark(d, note) {
    if (!page.by && !(page.by = await name(""))) return;
    const kept = draft.read("note " + d.id);
    await send(d, { question: d.id, action: note ? "remark" : "withdraw", base: d.base, note, found: "", seen: d.decision?.seq || 0 }, false);
    if (kept) draft.write("note " + d.id, { ...kept, note });
    if (page.id === d.id && !page.editing && !page.ruling) page.select(d.id, false);
  }

  // saveFields saves the note and the defect when they change, where there is a ruling they belong to.
  page.saveFields = async () => {
    const d = page.details.get(page.id)?.value;
    const note = $("note").value.trim(), found = $("found-in-docs").value.trim();
    if (!d) return;
    if (!d.action || d.stale || d.applied) { // no ruling it belongs to: a note is kept as a remark, a defect until there is one
      if (found !== (d.shown.found || "")) draft.write("note " + d.id, { note, found });
      if (!d.action && note !== (d.decision?.note || "")) await remark(d, note);
      else saved("Kept here until you rule");
      return;
    }
    await rule(d.decision.action);
    if (page.id === d.id && !page.editing && !page.ruling) page.select(d.id, false);
  };

  page.save = ({ note, ...golden }) => {
    const d = page.details.get(page.id)?.value;
    if (d) decide(proposed(d) ? "enter" : "edit", golden, note);
  };

  return { approve, drop, undo };
}
