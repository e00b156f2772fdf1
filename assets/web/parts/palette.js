// Ctrl-K: one field that finds pages, conversations, SOPs, jobs and what was said, and goes there.
import { computed, html, nextTick, reactive } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { go } from "../lib/route.js";
import { useFetched, useTyped } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { Dialog } from "./bits.js";
import { icon } from "./icon.js";

const SAID = 6; // sentences of the journal

export const Palette = {
  props: { pages: Array },
  emits: ["closed"],
  setup(props, { emit }) {
    const find = useTyped();
    const shown = reactive({ at: 0 });
    const deps = () => find.text;
    const found = useFetched(() => get("/api/find", { q: find.text }), { deps });
    const said = useFetched(() => (find.text ? get("/api/memory/search", { q: find.text, limit: SAID }) : Promise.resolve({ results: [] })), { deps });
    const all = computed(() => {
      const typed = find.typed.trim().toLowerCase();
      const pages = props.pages.map((name) => ({ kind: "page", icon: name, text: say(`page.${name}`), to: `/${name}` })).filter((each) => each.text.toLowerCase().includes(typed));
      const { runs = [], sops = [], jobs = [] } = (find.text && found.data) || {};
      return [
        ...pages,
        ...runs.map((run) => ({ kind: "run", icon: "chat", text: run.task, more: when(run.started), to: `/chat/${part(run.run)}` })),
        ...sops.map((sop) => ({ kind: "sop", icon: "sops", text: sop.name, more: sop.description, to: `/sops/${part(sop.name)}` })),
        ...jobs.map((job) => ({ kind: "job", icon: "schedule", text: job.id, more: job.task, to: "/schedule" })),
        ...((find.text && said.data?.sure && said.data.results) || []).map((turn) => ({ kind: "said", icon: "memory", text: turn.text.slice(0, 200), more: when(turn.at), to: `/memory/journal/${turn.at.slice(0, 10)}` })),
      ];
    });
    const choose = (each) => each && (emit("closed"), go(each.to));
    const step = (by) => {
      shown.at = (shown.at + by + all.value.length) % Math.max(1, all.value.length);
      nextTick(() => document.querySelector(".palette [aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
    };
    const key = (event) => {
      const acts = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => choose(all.value[shown.at]) };
      if (event.isComposing || !acts[event.key]) return;
      event.preventDefault();
      acts[event.key]();
    };
    return () => html`<${Dialog} title=${say("palette")} onClosed=${() => emit("closed")}><div class="palette" onKeydown=${key} onInput=${() => (shown.at = 0)}>
      <label class="search">${icon("search")}<span class="hidden">${say("palette.label")}</span><input autofocus role="combobox" aria-expanded="true" aria-controls="found" aria-autocomplete="list"
        aria-activedescendant=${all.value.length ? `found-${shown.at}` : null} value=${find.typed} placeholder=${say("palette.label")} onInput=${find.put} /></label>
      <ul id="found" role="listbox" aria-label=${say("palette")}>${all.value.map((each, n) => html`<li key=${n} id=${`found-${n}`} role="option" aria-selected=${n === shown.at} onClick=${() => choose(each)} onMousemove=${() => (shown.at = n)}>
        ${icon(each.icon)}<span class="grow clamp">${each.text}</span><small class="dim clamp">${each.more ?? ""}</small><small class="chip">${say(`palette.${each.kind}`)}</small></li>`)}</ul>
      ${all.value.length ? null : html`<p class="dim" role="status">${say(found.isLoading ? "loading" : "palette.none")}</p>`}</div></${Dialog}>`;
  },
};
