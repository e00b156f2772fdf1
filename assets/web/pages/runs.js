// Runs: all of them in a list; one of them, and two beside each other, have pages of their own.
import { html, reactive } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { route } from "../lib/route.js";
import { stateOf } from "../lib/store.js";
import { useFetched, useTyped } from "../lib/use.js";
import { money, say, when } from "../lib/words.js";
import { chip, head, instead } from "../parts/bits.js";
import { icon } from "../parts/icon.js";
import { Compare } from "./compare.js";
import { Trace } from "./trace.js";

const STATES = ["working", "waiting", "interrupted", "done", "failed", "limit", "no_model", "cancelled"];
const PAGE = 60;

export const Runs = {
  setup: () => () => {
    const [run, verb, other] = route.rest;
    if (verb === "compare" && other) return html`<${Compare} key=${`${run} ${other}`} one=${run} other=${other} />`;
    return run ? html`<${Trace} key=${run} run=${run} />` : html`<${List} />`;
  },
};

const List = {
  setup() {
    const wanted = reactive({ status: "", limit: PAGE });
    const find = useTyped();
    const all = useFetched(() => get("/api/runs", { ...wanted, text: find.text }), { deps: () => [wanted.status, find.text], kinds: (message) => message.type === "run_changed" });
    const more = () => ((wanted.limit += PAGE), all.reload());
    return () => html`<div class="page">${head(say("page.runs"))}
      <div class="filters">${find.field(say("runs.search"))}
        <label><span class="hidden">${say("runs.status")}</span><select value=${wanted.status} onChange=${(event) => (wanted.status = event.target.value)}>
          <option value="">${say("runs.any")}</option>${STATES.map((each) => html`<option key=${each} value=${each}>${say(`status.${each}`)}</option>`)}</select></label></div>
      ${instead(all, !all.data?.runs.length, say(wanted.status || find.text ? "runs.none" : "runs.first")) ?? html`
        <ul class="rows runs">${all.data.runs.map((run) => html`<li key=${run.run}><a class="row" href=${`/runs/${part(run.run)}`}>
          ${chip(stateOf(run))}<span class="title">${run.task}</span>
          <span class="facts">${run.rote ? html`<span class="roted">${icon("rote")}${run.sop}</span>` : run.sop ? html`<span>${run.sop}</span>` : null}
            <span>${say("turns", { n: run.turns ?? 0 })}</span><span>${say("calls", { n: run.model_calls ?? 0 })}</span>${run.cost ? html`<span>${money(run.cost)}</span>` : null}
            <time datetime=${run.started}>${when(run.started)}</time></span></a></li>`)}</ul>
        ${all.data.more && html`<button type="button" class="btn wide" disabled=${all.isLoading} onClick=${more}>${say("more")}</button>`}`}
    </div>`;
  },
};
