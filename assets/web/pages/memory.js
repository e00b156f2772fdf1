// Memory: search with time words, the journal by day, facts, MEMORY.md with sources, and what changed, which can be undone.
import { html, reactive } from "../lib/html.js";
import { get, part, post } from "../lib/api.js";
import { go, route } from "../lib/route.js";
import { doing, errandDone, store, toast } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { longDay, say, sayOr, time, when } from "../lib/words.js";
import { act, Dialog, head, instead, tabs } from "../parts/bits.js";
import { icon } from "../parts/icon.js";
import { Markdown } from "../parts/markdown.js";

const TABS = ["journal", "search", "facts", "file", "changes"];
const VIEWS = {};

export const Memory = {
  setup() {
    const overview = useFetched(() => get("/api/memory/overview"), { kinds: ["journal", "memory"] });
    const tab = () => (TABS.includes(route.rest[0]) ? route.rest[0] : TABS[0]);
    return () => html`<div class="page">${head(say("page.memory"), null, overview.data && html`<p class="dim">${about(overview.data)}</p>`)}
      ${tabs(TABS.map((name) => [name, say(`memory.${name}`)]), tab(), (name) => go(`/memory/${name}`))}
      <div role="tabpanel" aria-label=${say(`memory.${tab()}`)}><${VIEWS[tab()]} key=${tab()} /></div></div>`;
  },
};

function about({ turns, days, first, waiting, problem }) {
  if (problem) return problem;
  if (!turns) return say("memory.empty");
  return [say("memory.turns", { n: turns }), say("memory.days", { n: days }), say("memory.since", { when: longDay(first) }), queued(waiting) ? say("memory.waiting", { n: queued(waiting) }) : ""].filter(Boolean).join(" · ");
}

/** How many turns are not looked at yet: the longest of the queues. */
const queued = (waiting) => Math.max(0, ...Object.values(waiting ?? {}));

/** One turn as it was said; `open` shows what was said around it. */
function turn(each, open = null, marked = false) {
  return html`<li key=${each.id} class=${{ said: true, marked }}>
    <div class="said-head"><b>${who(each.who)}</b><time datetime=${each.at}>${when(each.at)}</time>
      ${each.session && each.session !== "main" ? html`<span class="chip calm">${each.session}</span>` : null}
      ${each.run ? html`<a class="small" href=${`/runs/${part(each.run)}`}>${say("run.trace")}</a>` : null}
      ${open && html`<button type="button" class="btn quiet small" onClick=${() => open(each)}>${say("memory.around")}</button>`}</div>
    ${saidText(each)}
    ${each.why || each.source ? html`<p class="dim small">${[each.why, each.source].filter(Boolean).join(" · ")}</p>` : null}</li>`;
}

const opened = reactive(new Set()); // ids of long turns that are shown whole

/** What was said: a model's as Markdown; a long one is cut until it is asked for. */
function saidText({ id, who: by, text }) {
  const isCut = (text.length > 700 || text.split("\n").length > 8) && !opened.has(id);
  const look = { "said-text": true, whole: !isCut };
  return html`${by === "agent" ? html`<div class=${look}><${Markdown} text=${text} /></div>` : html`<p class=${look}>${text}</p>`}
    ${isCut ? html`<button type="button" class="btn small" onClick=${() => opened.add(id)}>${say("more")}</button>` : null}`;
}

const who = (name) => sayOr(`who.${name}`, name);

VIEWS.search = {
  setup() {
    const shown = reactive({ q: route.query.get("q") ?? "", typed: route.query.get("q") ?? "", around: null });
    const found = useFetched(() => (shown.q ? get("/api/memory/search", { q: shown.q, limit: 30 }) : Promise.resolve(null)), { deps: () => shown.q });
    function search(event) {
      event.preventDefault();
      shown.q = shown.typed.trim();
      go(`/memory/search?q=${encodeURIComponent(shown.q)}`, { replace: true });
    }
    const example = (text) => Object.assign(shown, { typed: text, q: text });
    return () => html`<form class="filters" onSubmit=${search} role="search"><label class="search grow">${icon("search")}<span class="hidden">${say("memory.search_label")}</span>
        <input type="search" value=${shown.typed} placeholder=${say("memory.search_hint")} onInput=${(event) => (shown.typed = event.target.value)} /></label>
        <button class="btn primary" disabled=${!shown.typed.trim()}>${say("memory.search")}</button></form>
      ${!shown.q ? html`<p class="dim">${say("memory.try")} ${["memory.try1", "memory.try2", "memory.try3"].map((key) => html`<button type="button" class="btn small" key=${key} onClick=${() => example(say(key))}>${say(key)}</button> `)}</p>`
        : instead(found, !found.data?.results.length, say("memory.no_results")) ?? html`
          ${found.data.ranges?.length ? html`<p class="facts">${found.data.ranges.map((range, n) => html`<span class="chip calm" key=${n}>${say("memory.understood", { text: range.text, from: when(range.start) || "…", to: when(range.end) || "…" })}</span>`)}</p>` : null}
          ${found.data.degraded?.length ? html`<p class="dim small">${say("memory.degraded", { what: found.data.degraded.join(", ") })}</p>` : null}
          ${found.data.sure ? null : html`<p>${say("memory.near")}</p>`}
          <ol class="turns">${found.data.results.map((each) => turn(each, (one) => (shown.around = one)))}</ol>`}
      ${shown.around && html`<${Around} turn=${shown.around} onClosed=${() => (shown.around = null)} />`}`;
  },
};

const Around = {
  props: { turn: Object },
  emits: ["closed"],
  setup(props, { emit }) {
    const found = useFetched(() => get(`/api/memory/turns/${part(props.turn.id)}`));
    return () => html`<${Dialog} title=${say("memory.around_title", { when: when(props.turn.at) })} onClosed=${() => emit("closed")}>
      ${instead(found) ?? html`<ol class="turns">${found.data.around.map((each) => turn(each, null, each.id === props.turn.id))}</ol>`}</${Dialog}>`;
  },
};

VIEWS.journal = {
  setup() {
    const days = useFetched(() => get("/api/memory/days"), { kinds: ["journal"] });
    const chosen = () => route.rest[1] ?? days.data?.days[0]?.day ?? null;
    const day = useFetched(() => (chosen() ? get(`/api/memory/days/${part(chosen())}`) : Promise.resolve({ turns: [], note: "" })), { deps: chosen, kinds: ["journal"] });
    return () => instead(days, !days.data?.days.length, say("memory.empty")) ?? html`<div class="journal">
      <nav class="days" aria-label=${say("memory.journal")}><ul class="list">${days.data.days.map((each) => html`<li key=${each.day}><a href=${`/memory/journal/${each.day}`} aria-current=${chosen() === each.day ? "page" : null}>
        <span>${each.day}</span><small>${each.turns}${each.note ? " ✎" : ""}</small></a></li>`)}</ul></nav>
      <section><h2>${longDay(chosen())}</h2>
        ${instead(day) ?? html`${day.data.note ? html`<details class="card" open><summary>${say("memory.note_of_day")}</summary><${Markdown} text=${day.data.note} /></details>` : null}
          <ol class="turns">${day.data.turns.map((each) => html`<li key=${each.id} class="said"><div class="said-head"><b>${who(each.who)}</b><time datetime=${each.at}>${time(each.at)}</time>
            ${each.run ? html`<a class="small" href=${`/runs/${part(each.run)}`}>${say("run.trace")}</a>` : null}</div>${saidText(each)}</li>`)}</ol>`}</section></div>`;
  },
};

VIEWS.facts = {
  setup() {
    const facts = useFetched(() => get("/api/memory/facts"), { kinds: ["memory"] });
    const typed = reactive({ text: "" });
    const sections = () => Map.groupBy(facts.data.facts, (fact) => fact.section);
    const note = (event) => {
      event.preventDefault();
      doing(async () => {
        toast((await post("/api/memory/note", { text: typed.text })).said);
        typed.text = "";
      });
    };
    return () => html`<form class="filters" onSubmit=${note}><label class="grow"><span class="hidden">${say("memory.note")}</span>
        <input value=${typed.text} placeholder=${say("memory.note_hint")} disabled=${!store.changes} onInput=${(event) => (typed.text = event.target.value)} /></label>${act(say("memory.note"), note, { disabled: !typed.text.trim() })}</form>
      ${instead(facts, !facts.data?.facts.length, say("memory.no_facts")) ?? [...sections()].map(([name, all]) => html`<section class="card" key=${name}><h2>${sayOr(`section.${name}`, name)}</h2>
        <ul class="entries">${all.map((fact) => html`<li key=${fact.id || fact.text}><p>${fact.text}</p>${sourceOf(fact)}</li>`)}</ul></section>`)}`;
  },
};

function sourceOf({ day, source, due, verbatim, category }) {
  const run = /^\d{8}-\d{6}-[0-9a-f]+/.exec(source ?? "")?.[0];
  return html`<p class="facts small"><span>${day}</span>${category ? html`<span>${sayOr(`kind.${category}`, category)}</span>` : null}
    ${run ? html`<a class="mono" href=${`/runs/${run}`}>${source}</a>` : source ? html`<span>${sayOr(`source.${source}`, source)}</span>` : null}
    ${due ? html`<span class="chip wait">${say("memory.due")}</span>` : null}${verbatim ? html`<q class="dim">${verbatim === true ? say("memory.verbatim") : verbatim}</q>` : null}</p>`;
}

VIEWS.file = {
  setup() {
    const file = useFetched(() => get("/api/memory/file"), { kinds: ["memory"] });
    const shown = reactive({ isText: false });
    const busy = useBusy();
    const distil = () => busy.start(async () => {
      const given = await doing(() => post("/api/memory/digest", {}));
      if (!given) return;
      const errand = await errandDone(given.errand);
      toast(errand.lines.join(" ") || say(`errand.${errand.state}`), errand.state === "failed" ? "error" : "info");
      file.reload();
    });
    return () => html`<div class="filters"><div class="by" role="group">${[false, true].map((isText) => html`<button type="button" key=${isText} aria-pressed=${shown.isText === isText} onClick=${() => (shown.isText = isText)}>${say(isText ? "memory.as_text" : "memory.as_entries")}</button>`)}</div>
        <span class="grow"></span>${act(say("memory.distil"), distil, { busy: busy.is, title: say("memory.distil_why") })}</div>
      ${instead(file, !file.data?.entries.length && !(shown.isText && file.data?.text), say("memory.no_file")) ?? (shown.isText ? html`<${Markdown} text=${file.data.text} />`
        : html`<ul class="entries card">${file.data.entries.map((entry) => html`<li key=${entry.id || entry.text} class=${{ gone: entry.superseded_by }}><p>${entry.text}</p>${sourceOf(entry)}</li>`)}</ul>`)}`;
  },
};

VIEWS.changes = {
  setup() {
    const past = useFetched(() => get("/api/memory/history"), { kinds: ["memory", "sops"] });
    const busy = useBusy();
    const undo = () => busy.start(() => doing(async () => {
      toast((await post("/api/memory/undo", {})).said);
      past.reload();
    }));
    return () => instead(past, !past.data?.changes.length, say("memory.no_changes")) ?? html`<p class="dim">${say("memory.undo_why")}</p>
      <ol class="versions">${past.data.changes.map((each, n) => html`<li key=${each.commit} class="card"><header><p class="grow">${each.text}</p><time class="dim">${when(each.at)}</time>
        ${each.run ? html`<a class="small" href=${`/runs/${part(each.run)}`}>${say("run.trace")}</a>` : null}${n === 0 ? act(say("memory.undo"), undo, { busy: busy.is, kind: "small" }) : null}</header></li>`)}</ol>`;
  },
};
