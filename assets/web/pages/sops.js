// SOPs: the tree of what has been learned, one of them with its text, steps, versions, evidence and learning curve; teaching.
import { html, reactive } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { route } from "../lib/route.js";
import { useFetched, useTyped } from "../lib/use.js";
import { percent, say, sayOr } from "../lib/words.js";
import { chip, instead, tile } from "../parts/bits.js";
import { icon } from "../parts/icon.js";
import { Sop } from "./sop.js";

const ORDER = ["active", "probation", "candidate", "draft", "suspended", "archived", "seed"]; // seeds last: what the owner has taught comes first

export const Sops = {
  setup() {
    const all = useFetched(() => get("/api/sops"), { kinds: ["sops"] });
    const shown = reactive({ by: localStorage.getItem("sops.by") ?? "status" });
    const find = useTyped();
    const found = useFetched(() => (find.text ? get("/api/sops/search", { text: find.text }) : Promise.resolve(null)), { deps: () => find.text });
    const by = (how) => {
      shown.by = how;
      localStorage.setItem("sops.by", how);
    };
    return () => html`<div class=${{ split: true, "has-detail": route.rest[0] }}>
      <nav class="side" aria-label=${say("page.sops")}>
        <div class="side-head"><h1 tabindex="-1">${say("page.sops")}</h1><a class="btn" href="/teach">${icon("plus")}${say("sops.teach")}</a></div>
        ${find.field(say("sops.search"))}
        ${find.text ? decision(found) : instead(all, !all.data?.sops.length, say("sops.none")) ?? html`
          <div class="by" role="group" aria-label=${say("sops.by")}>${["status", "name"].map((how) => html`
            <button type="button" key=${how} aria-pressed=${shown.by === how} onClick=${() => by(how)}>${say(`sops.by_${how}`)}</button>`)}</div>
          ${groups(all.data.sops, shown.by).map(([name, sops]) => html`<details class="group" key=${shown.by + name} open><summary>${shown.by === "status" ? sayOr(`status.${name}`, name) : name} <small>${sops.length}</small></summary>
            <ul class="list">${sops.map((sop) => item(sop, shown.by))}</ul></details>`)}`}
      </nav>
      <section class="main">${route.rest[0] ? html`<${Sop} key=${route.rest[0]} name=${route.rest[0]} />` : overview(all.data?.sops ?? [])}</section>
    </div>`;
  },
};

/** What is there before one is chosen: how much was learned, and how more comes. */
function overview(sops) {
  const runs = sops.reduce((sum, sop) => sum + (sop.runs ?? 0), 0);
  const rote = sops.reduce((sum, sop) => sum + (sop.runs ?? 0) * (sop.rote_rate ?? 0), 0);
  return html`<div class="empty big">${icon("sops")}<p>${say("sops.pick")}</p>
    ${sops.length ? html`<div class="tiles">${tile(sops.filter((sop) => !sop.is_seed).length, say("sops.learned"))}${tile(sops.filter((sop) => sop.has_steps).length, say("sops.with_steps"))}
      ${tile(runs, say("curve.runs"))}${tile(runs ? percent(rote / runs) : "–", say("curve.by_rote"))}</div>` : null}
    <p class="how">${say("sops.how")}</p></div>`;
}

function groups(sops, by) {
  const named = new Map();
  for (const sop of sops) {
    const name = by === "name" ? sop.name.split("-")[0] : sop.is_seed ? "seed" : sop.status;
    named.set(name, [...(named.get(name) ?? []), sop]);
  }
  const rank = ([name]) => (by === "status" ? ORDER.indexOf(name) : 0);
  return [...named].sort((a, b) => rank(a) - rank(b) || a[0].localeCompare(b[0]));
}

function item(sop, by) {
  return html`<li key=${sop.name}><a href=${`/sops/${part(sop.name)}`} aria-current=${route.rest[0] === sop.name ? "page" : null}>
    <span class="title">${sop.name}</span><span class="dim small clamp">${sop.description}</span>
    <span class="facts small">${by === "name" ? chip(sop.status) : null}${sop.problem ? html`<span class="chip bad">${say("sops.problem")}</span>` : null}
      ${sop.runs ? html`<span>${say("sops.runs", { n: sop.runs })}</span><span>${say("sops.rote_rate", { share: percent(sop.rote_rate) })}</span>` : null}
      ${sop.has_steps ? null : html`<span>${say("sops.text_only")}</span>`}</span></a></li>`;
}

function decision(found) {
  return instead(found) ?? html`<p class="dim small">${say(`sops.decision.${found.data.decision}`)}</p>
    <ul class="list">${found.data.candidates.map((each) => html`<li key=${each.name}><a href=${`/sops/${part(each.name)}`} aria-current=${route.rest[0] === each.name ? "page" : null}>
      <span class="title">${each.name}</span><span class="dim small">${each.why}</span></a></li>`)}</ul>`;
}
