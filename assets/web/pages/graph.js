// The mind graph: who and what the talk is about; filters by kind of edge and by time; a click shows what says so.
import { html, onBeforeUnmount, onMounted, reactive, ref, shallowRef, watch } from "../lib/html.js";
import { get, part, post, Refused } from "../lib/api.js";
import { drawing } from "../lib/drawing.js";
import { listen, live, tell } from "../lib/live.js";
import { theme } from "../lib/theme.js";
import { doing, store } from "../lib/store.js";
import { say, sayOr, when } from "../lib/words.js";
import { act, chip, head } from "../parts/bits.js";
import { Day } from "../parts/day.js";
import { icon } from "../parts/icon.js";

export const PREDICATES = ["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "CAUSED_BY", "MENTIONED"];

const PAGE = 400; // edges at first
const MOST = 2_000; // as many as the server gives

export const Graph = {
  setup() {
    const wanted = reactive({ predicates: PREDICATES.filter((each) => each !== "MENTIONED"), since: "", until: "", name: "", typed: "", limit: PAGE });
    const graph = shallowRef({ nodes: new Map(), edges: new Map() });
    const shown = reactive({ chosen: null, evidence: null, error: null, isLoading: true, isCut: false, total: 0, isLost: false, isListed: false, name: "" });
    const element = ref(null);
    let picture = null;
    let isFirst = true;
    let newest = 0;
    let version = ""; // of what is shown
    let told = ""; // the version that the server named while this was loading

    const filter = () => ({ predicates: wanted.predicates.join(","), since: wanted.since && new Date(`${wanted.since}T00:00`).toISOString(), until: wanted.until && new Date(`${wanted.until}T23:59:59`).toISOString() });

    async function load() {
      const mine = (newest += 1);
      shown.isLoading = true;
      try {
        const found = wanted.name ? await get("/api/graph/neighbours", { name: wanted.name, limit: wanted.limit, ...filter() }) : await get("/api/graph", { ...filter(), limit: wanted.limit });
        if (mine !== newest) return;
        Object.assign(shown, { error: null, isCut: found.truncated, total: found.total ?? found.edges.length, isLost: !!wanted.name && !found.nodes.length });
        version = found.version;
        graph.value = { nodes: byId(found.nodes), edges: byId(found.edges) };
        picture?.show(graph.value);
        isFirst &&= !found.edges.length && !wanted.name;
        if (isFirst) wanted.predicates = PREDICATES; // what is spoken of is better than an empty picture
        isFirst = false;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        shown.error = error;
      } finally {
        if (mine === newest) shown.isLoading = false;
      }
      const isLate = mine === newest && told && told !== version;
      told = "";
      if (isLate) load();
    }

    const stop = listen((message) => {
      if (message.type === "resync") load();
      else if (message.type.startsWith("graph_") && shown.isLoading) told = message.version;
      else if (message.type.startsWith("graph_") && message.version !== version) load();
      else if (message.type === "selection_sync" && message.what === "graph") choose(message.id, false);
    });

    async function choose(id, isTold = true) {
      const chosen = graph.value.nodes.get(id) ?? graph.value.edges.get(id) ?? null;
      Object.assign(shown, { chosen, evidence: null, name: chosen?.name ?? "" });
      picture?.select(chosen && id);
      if (!chosen) return;
      if (isTold) tell({ type: "select", what: "graph", id });
      if (!chosen.source && chosen.kind !== "Scene") return;
      const found = await doing(() => get(`/api/graph/evidence/${part(id)}`));
      if (shown.chosen === chosen || shown.chosen?.id === id) shown.evidence = found?.turns ?? [];
    }

    onMounted(async () => {
      picture = await drawing(element.value, { clicked: choose, named: (id) => nameOf(graph.value, id), labelled });
      picture.show(graph.value);
    });
    onBeforeUnmount(() => {
      stop();
      newest += 1;
      picture?.end();
      tell({ type: "graph", filter: null });
    });
    watch(() => theme.is, () => picture?.paint(), { flush: "post" });
    watch(() => [wanted.predicates.join(), wanted.since, wanted.until, wanted.name, wanted.limit], load);
    watch(() => live.state === "on", (isOn) => isOn && tell({ type: "graph", filter: { limit: 1 } }), { immediate: true });
    load();

    const flip = (name) => (wanted.predicates = wanted.predicates.includes(name) ? wanted.predicates.filter((each) => each !== name) : [...wanted.predicates, name]);
    const search = (event) => (event.preventDefault(), (wanted.name = wanted.typed.trim()));
    const correct = (meant) => doing(async () => {
      await post("/api/graph/names", { name: shown.chosen.name, meant });
      Object.assign(shown, { chosen: null, evidence: null });
      await load();
    });
    const around = (name) => Object.assign(wanted, { typed: name, name });
    return () => html`<div class="page wide graph-page">${head(say("page.graph"))}
      <form class="filters" onSubmit=${search}><label class="search">${icon("search")}<span class="hidden">${say("graph.name")}</span>
          <input type="search" value=${wanted.typed} placeholder=${say("graph.name")} onInput=${({ target }) => ((wanted.typed = target.value), target.value || (wanted.name = ""))} /></label>
        <div class="pills" role="group" aria-label=${say("graph.predicates")}>${PREDICATES.map((name) => html`<button type="button" key=${name} class=${`pill ${name}`} aria-pressed=${wanted.predicates.includes(name)} onClick=${() => flip(name)}>${say(`graph.${name}`)}</button>`)}</div>
        <${Day} label=${say("graph.since")} value=${wanted.since} onChosen=${(day) => (wanted.since = day)} />
        <${Day} label=${say("graph.until")} value=${wanted.until} onChosen=${(day) => (wanted.until = day)} />
        <button type="submit" class="btn">${say("graph.search")}</button></form>
      ${shown.error ? html`<div class="empty" role="alert"><p>${shown.error.text}</p></div>` : null}
      <div class="graph-split"><div class="graph-box" aria-busy=${shown.isLoading}><div class="graph" ref=${element} role="img" aria-label=${say("graph.picture", { nodes: graph.value.nodes.size, edges: graph.value.edges.size })}></div>
          ${!graph.value.nodes.size && !shown.isLoading && !shown.error ? html`<div class="empty over"><p>${say(shown.isLost ? "graph.unknown" : "graph.none", { name: wanted.name })}</p>${shown.isLost ? null : html`<p class="small">${say("graph.none_more")}</p>`}</div>` : null}
          ${graph.value.nodes.size ? html`<div class="graph-tools"><button type="button" class="btn small" onClick=${() => picture?.fit()}>${say("graph.fit")}</button>${shown.isCut ? html`<span class="small" role="status">${say(shown.total > graph.value.edges.size ? "graph.cut" : "graph.cut_some", { n: graph.value.edges.size, total: shown.total })}</span>${wanted.limit < MOST ? html`<button type="button" class="btn small" onClick=${() => (wanted.limit = Math.min(MOST, wanted.limit * 2))}>${say("more")}</button>` : null}` : null}</div>` : null}</div>
        <aside class="card graph-side" aria-live="polite">${shown.chosen ? (shown.chosen.source ? edge(shown, graph.value, choose) : node(shown, graph.value, choose, around, correct)) : html`<p class="dim">${say("graph.pick")}</p>`}</aside></div>
      ${graph.value.edges.size ? html`<details class="card" onToggle=${({ target }) => (shown.isListed = target.open)}><summary>${say("graph.as_list", { n: graph.value.edges.size })}</summary>${shown.isListed ? html`<ul class="rows">${[...graph.value.edges.values()].map((each) => line(each, graph.value, choose))}</ul>` : null}</details>` : null}</div>`;
  },
};

const byId = (all) => new Map(all.map((each) => [each.id, each]));

const nameOf = (graph, id) => {
  const found = graph.nodes.get(id);
  if (!found) return "?";
  if (found.kind === "User" || found.kind === "Agent") return say(`graph.kind.${found.kind}`);
  return found.kind === "Scene" ? short(found.summary) || when(found.start ?? found.first_seen) : found.name;
};
const short = (text = "") => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
const labelled = (each) => (each.label ? sayOr(`graph.label.${each.label}`, each.label) : "");
const verb = (each) => labelled(each) || say(`graph.${each.predicate}`);

function line(each, graph, choose) {
  return html`<li key=${each.id}><button type="button" class="row" onClick=${() => choose(each.id)}><span class="title">${nameOf(graph, each.source)} <span class=${`dim pred ${each.predicate}`}>${verb(each)}</span> ${nameOf(graph, each.target)}</span>
    <span class="facts"><span>${Math.round(each.strength * 100)} %</span><time>${when(each.last_seen)}</time></span></button></li>`;
}

function node(shown, graph, choose, around, correct) {
  const { chosen } = shown;
  const edges = [...graph.edges.values()].filter((each) => each.source === chosen.id || each.target === chosen.id);
  return html`<header>${chip(chosen.kind, say(`graph.kind.${chosen.kind}`))}<h2>${nameOf(graph, chosen.id)}</h2></header>
    ${chosen.kind === "Scene" && chosen.summary ? html`<p>${chosen.summary}</p>` : null}
    <p class="facts small"><span>${say("graph.seen", { from: when(chosen.first_seen), to: when(chosen.last_seen) })}</span><span>${say("graph.degree", { n: chosen.degree })}</span></p>
    ${chosen.kind === "Entity" ? html`<button type="button" class="btn small" onClick=${() => around(chosen.name)}>${say("graph.around")}</button>${store.changes ? naming(shown, correct) : null}` : null}
    <ul class="rows">${edges.map((each) => line(each, graph, choose))}</ul>${turns(shown.evidence)}`;
}

/** Rename a node, merge it with another one by its name, or leave it out. */
function naming(shown, correct) {
  const save = (event) => (event?.preventDefault(), correct(shown.name.trim()));
  return html`<form class="inline" onSubmit=${save}><label class="grow">${say("graph.meant")}<input value=${shown.name} maxlength="60" onInput=${({ target }) => (shown.name = target.value)} /></label>
    ${act(say("graph.correct"), save, { kind: "small", disabled: !shown.name.trim() || shown.name === shown.chosen.name })}${act(say("graph.drop"), () => correct(""), { kind: "small danger", title: say("graph.drop_why") })}</form><p class="dim small">${say("graph.meant_why")}</p>`;
}

function edge(shown, graph, choose) {
  const { chosen } = shown;
  const end = (id) => html`<button type="button" class="btn quiet link" onClick=${() => choose(id)}>${nameOf(graph, id)}</button>`;
  return html`<header><h2>${end(chosen.source)} <span class=${`pred ${chosen.predicate}`}>${verb(chosen)}</span> ${end(chosen.target)}</h2></header>
    <dl class="pairs small"><div><dt>${say("graph.strength")}</dt><dd><meter min="0" max="1" value=${chosen.strength} aria-label=${say("graph.strength")}></meter> ${Math.round(chosen.strength * 100)} %</dd></div>
      <div><dt>${say("graph.confidence")}</dt><dd>${Math.round(chosen.confidence * 100)} %</dd></div><div><dt>${say("graph.count")}</dt><dd>${chosen.count}</dd></div>
      <div><dt>${say("graph.first")}</dt><dd>${when(chosen.first_seen)}</dd></div><div><dt>${say("graph.last")}</dt><dd>${when(chosen.last_seen)}</dd></div>
      ${chosen.mentioned ? html`<div><dt>${say("graph.mentioned")}</dt><dd>${chosen.mentioned.map((each) => when(each) || "…").join(" – ")}</dd></div>` : null}
      ${chosen.emotion ? html`<div><dt>${say("graph.emotion")}</dt><dd>${chosen.emotion}</dd></div>` : null}
      <div><dt>${say("graph.by")}</dt><dd>${sayOr(`graph.by.${chosen.by}`, chosen.by)}</dd></div></dl><h3>${say("graph.evidence")}</h3>${turns(shown.evidence) ?? html`<p class="dim">${say("loading")}</p>`}`;
}

function turns(all) {
  if (!all) return null;
  return all.length ? html`<ol class="turns">${all.map((each) => html`<li key=${each.id} class="said"><div class="said-head"><b>${sayOr(`who.${each.who}`, each.who)}</b><time>${when(each.at)}</time></div><p class="said-text">${each.text}</p></li>`)}</ol>` : html`<p class="dim">${say("graph.no_evidence")}</p>`;
}
