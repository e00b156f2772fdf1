// What a run changed: a tree of files with what became of each, its lines that differ, and a button that takes all of it back.
import { html, onBeforeUnmount, reactive } from "../lib/html.js";
import { get, part, post } from "../lib/api.js";
import { listen } from "../lib/live.js";
import { doing, toast } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { bytes, say } from "../lib/words.js";
import { act, diff, Dialog, instead } from "./bits.js";
import { icon } from "./icon.js";

const KINDS = ["new", "changed", "moved", "gone", "mode"];
const MARKS = { new: "+", changed: "±", moved: "→", gone: "−", mode: "⚙", same: "=" };

export const Changes = {
  props: { run: String, isWorking: Boolean },
  setup(props) {
    const shown = reactive({ open: {}, asks: false, conflicts: [] });
    const busy = useBusy();
    const address = `/api/runs/${part(props.run)}`;
    const all = useFetched(() => get(`${address}/changes`), { kinds: (message) => message.run === props.run && ["changes", "undone", "run_ended"].includes(message.type) });
    const stop = listen((message) => message.run === props.run && ["changes", "undone"].includes(message.type) && (shown.open = {}));
    onBeforeUnmount(stop);

    async function toggle(number) {
      if (shown.open[number] !== undefined) return void delete shown.open[number];
      const found = await doing(() => get(`${address}/changes/${number}`));
      if (found) shown.open[number] = found.diff;
    }
    const undo = () => busy.start(() => doing(async () => {
      const { undone, conflicts } = await post(`${address}/undo`, {});
      shown.conflicts = conflicts;
      if (conflicts.length) return;
      shown.asks = false;
      toast(say("changes.done", { n: undone.length }), "good");
    }));

    return () => instead(all, !all.data?.changes.length, say("changes.none")) ?? html`<section class="card changes-card">
      <header><div class="grow">${counts(all.data.changes)}</div>
        ${act(say(all.data.is_undone ? "changes.redo" : "changes.undo"), () => Object.assign(shown, { asks: true, conflicts: [] }), { name: "undo", kind: all.data.is_undone ? "" : "danger", disabled: props.isWorking })}</header>
      ${all.data.is_undone ? html`<p class="notice">${say("changes.undone")}</p>` : null}
      ${fileTree(all.data.changes, { open: shown.open, toggle, isUndone: all.data.is_undone })}
      ${all.data.more ? html`<p class="dim small">${say("changes.more", { n: all.data.more })}</p>` : null}
      ${shown.asks && html`<${Dialog} title=${say(all.data.is_undone ? "changes.redo" : "changes.undo")} onClosed=${() => (shown.asks = false)}>
        ${shown.conflicts.length ? html`<p class="bad" role="alert">${say("changes.conflicts")}</p><ul class="tree">${shown.conflicts.map(({ path, why }) => html`<li key=${path}><b>${path}</b><p class="dim small">${why}</p></li>`)}</ul>`
          : html`<p>${say(all.data.is_undone ? "changes.redo_ask" : "changes.undo_ask", { n: filesIn(all.data.changes) })}</p>${counts(all.data.changes)}`}
        <div class="actions"><button type="button" class="btn" onClick=${() => (shown.asks = false)}>${say(shown.conflicts.length ? "close" : "cancel")}</button>
          ${shown.conflicts.length ? null : act(say(all.data.is_undone ? "changes.redo" : "changes.undo"), undo, { busy: busy.is, kind: "primary" })}</div></${Dialog}>`}</section>`;
  },
};

const filesIn = (changes) => changes.reduce((sum, { files = 1 }) => sum + files, 0);

/** How many files are new, changed, moved, gone, and what was written. */
export function counts(changes) {
  const written = changes.reduce((sum, { kind, after }) => sum + (kind === "new" || kind === "changed" ? after ?? 0 : 0), 0);
  return html`<p class="facts">${KINDS.map((kind) => [kind, filesIn(changes.filter((each) => each.kind === kind))]).filter(([, n]) => n).map(([kind, n]) => html`<span key=${kind} class=${`kind ${kind}`}>${MARKS[kind]} ${say(`changes.n.${kind}`, { n })}</span>`)}
    ${written ? html`<span>${say("changes.written", { size: bytes(written) })}</span>` : null}</p>`;
}

/** The changed files below their folders. `toggle(number)` opens the lines that differ; without it there are none. */
export function fileTree(changes, { open = {}, toggle = null, isUndone = false } = {}) {
  const folders = new Map();
  changes.forEach((change, number) => {
    const at = change.path.lastIndexOf("/");
    const folder = change.path.slice(0, at) || "/";
    folders.set(folder, [...(folders.get(folder) ?? []), { ...change, number, name: change.path.slice(at + 1) }]);
  });
  return html`<ul class=${`tree ${isUndone ? "gone" : ""}`}>${[...folders].map(([folder, files]) => html`<li key=${folder}><p class="folder mono">${folder}/</p>
    <ul>${files.map((file) => leaf(file, open, isUndone ? null : toggle))}</ul></li>`)}</ul>`;
}

function leaf(file, open, toggle) {
  const { number, kind, name, type, before, after, was, files = 1 } = file;
  const sizes = [before, kind === "gone" ? null : after].filter((each) => each !== null && each !== undefined);
  const said = html`<span class=${`kind ${kind}`} role="img" aria-label=${say(`changes.kind.${kind}`)}>${MARKS[kind]}</span>
    <span class="mono grow">${was ? html`<span class="dim">${was} → </span>` : null}${name}${type === "folder" ? "/" : ""}</span>
    ${files !== 1 ? html`<small class="dim">${say("changes.files", { n: files })}</small>` : null}
    <small class="dim">${kind === "mode" ? "" : [...new Set(sizes)].map(bytes).join(" → ")}</small>`;
  const isText = toggle && type === "file" && kind !== "mode";
  return html`<li key=${number}>${isText ? html`<button type="button" class="leaf" aria-expanded=${open[number] !== undefined} onClick=${() => toggle(number)}>${said}${icon(open[number] !== undefined ? "down" : "right")}</button>` : html`<p class="leaf">${said}</p>`}
    ${open[number] === undefined ? null : open[number] ? diff(open[number]) : html`<p class="dim small">${say("changes.no_diff")}</p>`}</li>`;
}
