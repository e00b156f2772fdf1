// One SOP: what it says, does, has been, is proven by, and costs from run to run; run it, verify it, take a version back.
import { html, reactive } from "../lib/html.js";
import { get, part, post } from "../lib/api.js";
import { go, route } from "../lib/route.js";
import { doing, errandDone, toast } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { amount, lang, money, percent, say, sayOr, seconds, when } from "../lib/words.js";
import { act, chip, code, Dialog, diff, given, head, instead, Sure, tabs, tile } from "../parts/bits.js";
import { bars } from "../parts/chart.js";
import { icon } from "../parts/icon.js";
import { AddJob } from "../parts/add_job.js";
import { Markdown } from "../parts/markdown.js";
import { SopForm } from "../parts/sop_form.js";
import { telling } from "../parts/call.js";
import { Values } from "../parts/values.js";

const SHOWN = 5; // wordings; the others on demand
const ANY = "any"; // two versions of one's choice are compared
const TABS = ["body", "steps", "versions", "evidence", "curve", "edit"];

export const Sop = {
  props: { name: String },
  setup(props) {
    const at = `/api/sops/${part(props.name)}`;
    const sop = useFetched(() => get(at), { kinds: ["sops"] });
    const shown = reactive({ asks: "", said: null });
    const busy = useBusy();
    const tab = () => (TABS.includes(route.rest[1]) ? route.rest[1] : "body");
    const choose = (name) => go(`/sops/${part(props.name)}/${name}`, { replace: true });
    const put = (what, body = {}) => busy.start(() => doing(async () => {
      toast((await post(`${at}/${what}`, body)).said);
      if (what === "remove") return go("/sops", { replace: true });
      if (what === "rename") return go(`/sops/${part(body.new)}`, { replace: true });
      return sop.reload();
    }));
    async function start(values) {
      const what = shown.asks;
      shown.asks = "";
      if (what === "run") {
        const given = await doing(() => post(`${at}/run`, { values }));
        if (given) go(`/chat/${part(given.run)}`);
        return;
      }
      await busy.start(async () => {
        const given = await doing(() => post(`${at}/verify`, { values }));
        if (!given) return;
        shown.said = { state: "working", lines: [] };
        shown.said = await errandDone(given.errand);
        sop.reload();
      });
    }
    return () => html`<div class="page"><a class="back only-narrow" href="/sops">${icon("left")}${say("page.sops")}</a>
      ${instead(sop) ?? html`
        ${head(props.name, buttons(sop.data, shown, put, busy), html`<p class="facts">${chip(sop.data.status)}${sop.data.is_seed ? chip("seed") : null}
          ${sop.data.version ? html`<span>${say("sop.version", { version: sop.data.version })}</span>` : null}${sop.data.effects ? html`<span>${sayOr(`effects.${sop.data.effects}`, sop.data.effects)}</span>` : null}</p>
          <p>${sop.data.description}</p>${sop.data.problem ? html`<p class="bad">${sop.data.problem}</p>` : null}`)}
        ${shown.said && verified(shown)}
        ${tabs(TABS.map((name) => [name, say(`sop.${name}`)]), tab(), choose)}
        <div role="tabpanel" aria-label=${say(`sop.${tab()}`)}>${tab() === "body" ? body(sop.data) : tab() === "steps" ? steps(sop.data) : tab() === "versions"
          ? html`<${Versions} name=${props.name} now=${sop.data.version} />` : tab() === "evidence" ? evidence(sop.data) : tab() === "edit"
          ? html`<${Edit} name=${props.name} onStored=${() => (sop.reload(), choose("steps"))} />` : html`<${Curve} name=${props.name} />`}</div>`}
      ${shown.asks === "schedule" && html`<${AddJob} sop=${sop.data} onClosed=${() => (shown.asks = "")} onAdded=${() => go("/schedule")} />`}
      ${["rename", "remove"].includes(shown.asks) && html`<${Sure} title=${say(`sop.${shown.asks}_title`, { name: props.name })} why=${say(`sop.${shown.asks}_why`)} go=${say(`sop.${shown.asks}`)} label=${say("teach.name")} hint=${say("teach.name_hint")}
        name=${shown.asks === "rename" ? props.name : null} onClosed=${() => (shown.asks = "")} onSure=${(name) => put(shown.asks, name ? { new: name } : {})} />`}
      ${["run", "verify"].includes(shown.asks) && html`<${Dialog} title=${say(`sop.${shown.asks}_title`, { name: props.name })} onClosed=${() => (shown.asks = "")}>
        <p class="dim">${say(`sop.${shown.asks}_why`)}</p>
        <${Values} schema=${sop.data.parameters} isOptional=${shown.asks === "verify"} go=${say(`sop.${shown.asks}`)} onGiven=${start} /></${Dialog}>`}
    </div>`;
  },
};

function buttons(sop, shown, put, busy) {
  const isOff = ["archived", "suspended", "disabled"].includes(sop.status);
  const asks = (what) => () => (shown.asks = what);
  const isProven = ["active", "probation"].includes(sop.status);
  return html`${sop.steps?.length || sop.script ? html`${act(say("sop.run"), asks("run"), { kind: "primary" })}
      ${act(say("sop.verify"), asks("verify"), { busy: busy.is })} ${isProven ? act(say("sop.schedule"), asks("schedule")) : null}` : null}
    ${isOff ? act(say("sop.enable"), () => put("enable"), { busy: busy.is }) : act(say("sop.disable"), () => put("disable"), { busy: busy.is })}
    <a class="btn" href=${`/api/sops/${part(sop.name)}/export`} download>${say("sop.export")}</a>
    ${sop.is_seed ? null : html`${act(say("sop.rename"), asks("rename"))} ${act(say("sop.remove"), asks("remove"), { kind: "danger" })}`}`;
}

const Edit = {
  props: { name: String },
  emits: ["stored"],
  setup(props, { emit }) {
    const form = useFetched(() => get(`/api/sops/${part(props.name)}/form`));
    return () => instead(form) ?? html`<${SopForm} sop=${form.data} onStored=${() => emit("stored")} />`;
  },
};

function verified(shown) {
  const { said } = shown;
  return html`<section class=${`card errand ${said.state}`} role="status"><header><h2>${say(`sop.verify_${said.state}`)}</h2>
    ${said.state === "working" ? html`<i class="spinner"></i>` : html`<button type="button" class="btn quiet square" aria-label=${say("close")} onClick=${() => (shown.said = null)}>${icon("close")}</button>`}</header>
    ${said.lines?.length ? html`<pre class="plain">${said.lines.join("\n")}</pre>` : null}</section>`;
}

function body(sop) {
  const all = inOrder(sop.wordings ?? []);
  return html`${all.length ? html`<section class="card"><h2>${say("sop.wordings")}</h2>${wordings(all.slice(0, SHOWN))}
      ${all.length > SHOWN ? html`<details><summary class="dim">${say("more.lines", { n: all.length - SHOWN })}</summary>${wordings(all.slice(SHOWN))}</details>` : null}</section>` : null}
    <${Markdown} text=${sop.body || ""} />`;
}

/** Those in the language of the page first. */
const inOrder = (all) => {
  const isOurs = (wording) => /[\u4e00-\u9fff]/.test(wording) === (lang() === "zh");
  return [...all.filter(isOurs), ...all.filter((each) => !isOurs(each))];
};
const wordings = (all) => html`<ul class="wordings">${all.map((each) => html`<li key=${each} title=${each}>${slots(each)}</li>`)}</ul>`;
/** A wording as somebody would say it: of words that may stand for each other the first, each blank by its name. */
const spoken = (wording) => wording.replace(/\[([^\]]*)\]/g, (_, words) => words.split("|")[0]).replace(/ {2,}/g, " ").replace(/(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])/g, "").trim();
const slots = (wording) => spoken(wording).split(/(\{[^}]+\})/).map((piece, n) => (piece.startsWith("{") ? html`<code key=${n}>${piece.slice(1, -1)}</code>` : piece));

/** A text with blanks: {{folder}}, {{old.files | count}}; each blank is shown by its name. */
const filled = (text) => String(text ?? "").split(/(\{\{[^}]*\}\})/).map((piece, n) => (piece.startsWith("{{") ? html`<code key=${n} class="blank" title=${piece}>${piece.slice(2, -2).split("|")[0].trim()}</code>` : piece));

function steps(sop) {
  const { properties = {}, required = [] } = sop.parameters ?? {};
  const names = Object.keys(properties);
  return html`
    ${names.length ? html`<section class="card"><h2>${say("sop.parameters")}</h2><dl class="pairs">${names.map((name) => html`<div key=${name}><dt class="mono">${name}${required.includes(name) ? "" : "?"}</dt>
      <dd>${[properties[name].type, properties[name].format, properties[name].description].filter(Boolean).join(" · ")}</dd></div>`)}</dl></section>` : null}
    ${["run", "plan", "commit", "check"].map((name) => [name, (sop.steps ?? []).filter((step) => step.part === name)]).filter(([, all]) => all.length).map(([name, all]) => html`
      <section class=${`card steps ${name}`} key=${name}><h2>${say(`part.${name}`)} <small class="dim">${say(`part.${name}_why`)}</small></h2><ol>${all.map((step, n) => html`<li key=${n}>
        <details><summary><b>${step.tool || say("step.end")}</b> <span class="call-says">${filled(step.note || telling(step.args) || step.done || step.stop)}</span></summary>
          ${["when", "unless", "done", "stop"].filter((key) => step[key]).map((key) => html`<p class="small" key=${key}><span class="dim">${say(`step.${key}`)}</span> <code>${step[key]}</code></p>`)}
          ${given(step.args)}
          ${step.expect ? html`<div class="named"><p class="key">${say("step.expect")}</p>${code(step.expect)}</div>` : null}</details></li>`)}</ol></section>`)}
    ${sop.script ? html`<section class="card"><h2>${say("sop.script")}</h2><${Markdown} text=${"```python\n" + sop.script + "\n```"} /></section>` : null}
    ${sop.result ? html`<section class="card"><h2>${say("sop.result")}</h2><p class="result">${filled(sop.result)}</p></section>` : null}
    ${!sop.steps?.length && !sop.script ? html`<div class="empty"><p>${say("sop.no_steps")}</p></div>` : null}
    ${sop.cases?.length ? html`<section class="card"><h2>${say("sop.cases")}</h2><dl class="pairs">${sop.cases.map((each) => html`<div key=${each.name}><dt>${each.name}</dt><dd class="mono">${telling(each.parameters)}</dd></div>`)}</dl></section>` : null}`;
}

function evidence(sop) {
  if (!sop.evidence) return html`<div class="empty"><p>${say("sop.no_evidence")}</p></div>`;
  const runs = [...new Set(JSON.stringify(sop.evidence).match(/\b\d{8}-\d{6}-[0-9a-f]{4,8}\b/g) ?? [])];
  return html`${runs.length ? html`<section class="card"><header><h2>${say("sop.proved_by")}</h2><span class="grow"></span>${sop.is_seed ? null : html`<a class="btn small" href=${`/teach?run=${part(runs[0])}&name=${part(sop.name)}`}>${say("sop.teach_again")}</a>`}</header><ul class="rows">${runs.map((run) => html`<li key=${run}><a class="row" href=${`/runs/${run}`}><span class="mono">${run}</span></a></li>`)}</ul></section>` : null}
    <details class="card"><summary>${say("sop.evidence_whole")}</summary>${code(sop.evidence)}</details>
    ${sop.files?.length ? html`<section class="card"><h2>${say("sop.files")}</h2><ul class="mono small">${sop.files.map((each) => html`<li key=${each}>${each}</li>`)}</ul></section>` : null}`;
}

const Versions = {
  props: { name: String, now: [Number, String] },
  setup(props) {
    const at = `/api/sops/${part(props.name)}`;
    const past = useFetched(() => get(`${at}/history`), { kinds: ["sops"] });
    const shown = reactive({ commit: null, diff: null, from: "", to: "" });
    const busy = useBusy();
    async function compare(commit, from = null) {
      if (shown.commit === commit && !from) return (shown.commit = null);
      Object.assign(shown, { commit, diff: null });
      const given = await doing(() => get(`${at}/diff`, { to: shown.to && from ? shown.to : commit, from }));
      if (shown.commit === commit) shown.diff = given?.diff ?? "";
    }
    const ends = () => ["from", "to"].map((end) => html`<label class="mini" key=${end}>${say(`sop.compare_${end}`)}<select value=${shown[end]} onChange=${(event) => ((shown[end] = event.target.value), shown.from && shown.to && compare(ANY, shown.from))}>
      <option value=""></option>${past.data.history.map((each) => html`<option key=${each.commit} value=${each.commit}>${each.version ?? "?"} · ${when(each.at)}</option>`)}</select></label>`);
    const lines = () => (shown.diff === null ? html`<p class="dim">${say("loading")}</p>` : shown.diff ? diff(shown.diff) : html`<p class="dim">${say("sop.same")}</p>`);
    // turning it on or off is an entry of its own, and no version
    const isBefore = (each) => each.version && each.version !== props.now && past.data.history.find(({ version }) => version === each.version) === each;
    const back = (version) => busy.start(() => doing(async () => {
      toast((await post(`${at}/rollback`, { version })).said);
      past.reload();
    }));
    return () => instead(past, !past.data?.history.length, say("sop.no_versions")) ?? html`${past.data.history.length > 1 ? html`<div class="filters">${ends()}</div>${shown.commit === ANY ? lines() : null}` : null}
      <ol class="versions">${past.data.history.map((each, n) => html`
      <li key=${each.commit} class=${{ card: true, current: n === 0 }}><header><b>${say("sop.version", { version: each.version ?? "?" })}</b>${each.status ? chip(each.status) : null}
          <time class="dim">${when(each.at)}</time>${each.run ? html`<a class="small" href=${`/runs/${part(each.run)}`}>${say("run.trace")}</a>` : null}<span class="grow"></span>
          <button type="button" class="btn small" aria-expanded=${shown.commit === each.commit} onClick=${() => compare(each.commit)}>${say("sop.changes")}</button>
          ${isBefore(each) ? act(say("sop.roll_back"), () => back(each.version), { kind: "small", busy: busy.is }) : null}</header>
        <p>${each.reason}</p>
        ${shown.commit === each.commit ? lines() : null}</li>`)}</ol>`;
  },
};

const UNITS = { tokens: amount, model_calls: amount, seconds, turns: amount, cost: (value) => money(value) || "0" };

const Curve = {
  props: { name: String },
  setup(props) {
    const stats = useFetched(() => get(`/api/sops/${part(props.name)}/stats`), { kinds: (message) => message.type === "run_changed" });
    const shown = reactive({ unit: "" });
    const unit = () => shown.unit || (stats.data.runs.some((run) => run.tokens) ? "tokens" : "seconds"); // what is free by rote has no tokens to show
    return () => instead(stats, !stats.data?.runs.length, say("curve.none")) ?? html`
      ${gained(stats.data.runs)}
      <section class="card"><header><h2>${say("curve.title")}</h2><div class="by" role="group" aria-label=${say("curve.unit")}>${Object.keys(UNITS).map((each) => html`
        <button type="button" key=${each} aria-pressed=${unit() === each} onClick=${() => (shown.unit = each)}>${say(`curve.${each}`)}</button>`)}</div></header>
        ${curve(stats.data.runs, unit())}</section>
      <div class="framed" tabindex="0"><table><thead><tr>${["run", "lane", "turns", "model_calls", "tokens", "seconds", "outcome"].map((each) => html`<th key=${each}>${say(`curve.${each}`)}</th>`)}</tr></thead>
        <tbody>${[...stats.data.runs].reverse().map((run) => html`<tr key=${run.run}><td><a href=${`/runs/${part(run.run)}`}>${when(run.at)}</a></td><td>${sayOr(`lane.${run.lane}`, run.lane)}</td><td>${run.turns}</td>
          <td>${run.model_calls}</td><td>${amount(run.tokens)}</td><td>${seconds(run.seconds)}</td><td>${chip(run.outcome)}${run.stopped ? html` <span class="dim small">${run.stopped}</span>` : null}</td></tr>`)}</tbody></table></div>`;
  },
};

const LANES = [["model", "tone-fresh"], ["teach", "tone-output"], ["rote→model", "tone-wait"], ["rote", "tone-rote"]];

function curve(runs, unit) {
  const series = LANES.filter(([lane]) => runs.some((run) => run.lane === lane));
  const rows = runs.map((run, n) => ({
    label: String(n + 1), values: series.map(([lane]) => (run.lane === lane ? run[unit] ?? 0 : 0)), href: `/runs/${part(run.run)}`,
    title: `${n + 1} · ${when(run.at)} · ${sayOr(`lane.${run.lane}`, run.lane)} · ${UNITS[unit](run[unit] ?? 0)}`,
  }));
  return bars(rows, series.map(([lane, tone]) => ({ name: sayOr(`lane.${lane}`, lane), tone })), { label: say("curve.title"), write: UNITS[unit] });
}

/** From the first run to the last, in words that say what was gained. */
function gained(runs) {
  const [first, last] = [runs[0], runs.at(-1)];
  const change = (write, name) => (runs.length > 1 ? `${write(first[name])} → ${write(last[name])}` : write(first[name]));
  const rote = runs.filter((run) => run.lane === "rote" && run.outcome === "done").length;
  return html`<div class="tiles">${tile(runs.length, say("curve.runs"))}${tile(percent(rote / runs.length), say("curve.by_rote"))}
    ${tile(change(amount, "tokens"), say("curve.tokens"))}${tile(change(seconds, "seconds"), say("curve.seconds"))}</div>`;
}
