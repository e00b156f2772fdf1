// The first page: what works, waits, failed and is due; what rote has saved; what was used, by day, model and SOP.
import { html, reactive } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { atWork, stateOf, waiting } from "../lib/store.js";
import { useFetched } from "../lib/use.js";
import { amount, longDay, money, say, seconds, when, worded } from "../lib/words.js";
import { chip, head, instead, tile } from "../parts/bits.js";
import { bars } from "../parts/chart.js";
import { icon } from "../parts/icon.js";

const SHOWN = 5; // of a list
const SPANS = [7, 30, 90];
const TOKENS = [["cached", "tone-cached"], ["fresh", "tone-fresh"], ["output", "tone-output"]];

export const Overview = {
  setup() {
    const wanted = reactive({ days: 30 });
    const all = useFetched(() => get("/api/overview", { days: wanted.days }), {
      deps: () => wanted.days,
      kinds: (message) => ["run_changed", "undone"].includes(message.type) || (message.type === "changed" && ["inbox", "schedule", "sops"].includes(message.what)),
    });
    return () => html`<div class="page overview">${head(say("page.overview"), html`<a class="btn primary" href="/chat">${icon("plus")}${say("chat.new")}</a>`)}
      ${instead(all) ?? html`${now(all.data)} ${saved(all.data.saved)} ${used(all.data, wanted)} ${tables(all.data)}`}</div>`;
  },
};

function now({ failed, due }) {
  const working = atWork();
  return html`<div class="now">
    ${card("working", working.length, "/runs", working.slice(0, SHOWN).map(runRow))}
    ${card("waiting", waiting.value.length, "/inbox", waiting.value.slice(0, SHOWN).map((each) => html`<li key=${each.id}><a href=${each.run ? `/chat/${part(each.run)}` : "/inbox"}>${worded(each, each.text)}</a><small>${when(each.at)}</small></li>`))}
    ${card("failed", failed.n, "/runs", failed.runs.map(runRow))}
    ${card("due", due.n, "/schedule", due.rows.map((each) => html`<li key=${`${each.job} ${each.at}`}><a href="/schedule">${each.task || each.job}</a><small>${when(each.at)}${each.times > 1 ? ` · ${say("overview.times", { n: each.times })}` : ""}</small></li>`))}
  </div>`;
}

const TONES = { working: "live", waiting: "wait", failed: "bad", due: "calm" };

function card(name, n, href, rows) {
  return html`<section class=${`card ${n ? TONES[name] : "none"}`} aria-label=${say(`overview.${name}`)}>
    <h2><a href=${href}>${say(`overview.${name}`)}</a><b>${n}</b></h2>
    ${rows.length ? html`<ul>${rows}</ul>` : html`<p class="dim small">${say(`overview.${name}_none`)}</p>`}
    ${n > rows.length && rows.length ? html`<a class="small" href=${href}>${say("overview.rest", { n: n - rows.length })}</a>` : null}</section>`;
}

const runRow = (run) => html`<li key=${run.run}><a href=${`/runs/${part(run.run)}`}>${run.task || run.run}</a>${run.status === "working" ? null : chip(stateOf(run))}<small>${when(run.started)}</small></li>`;

function saved({ runs, sops, tokens, seconds: time, cost }) {
  return html`<section class="card saved" aria-label=${say("overview.saved")}><h2>${icon("rote")}${say("overview.saved")}</h2>
    ${runs ? html`<div class="tiles">${tile(amount(runs), say("overview.saved_runs", { n: runs }), say("overview.saved_sops", { n: sops }))}
        ${tile(signed(tokens, amount), say("overview.saved_tokens"))}${tile(signed(time, seconds), say("overview.saved_time"))}${tile(signed(cost, money) || "–", say("overview.saved_cost"))}</div>
      <p class="dim small">${say("overview.saved_how")}</p>` : html`<p class="dim">${say("overview.saved_none")}</p>`}</section>`;
}

/** A number that may be below zero: the runs by rote took more than the first one. */
const signed = (value, write) => (value < 0 ? `−${write(-value)}` : write(value));

function used({ days, budget }, wanted) {
  const sum = (read) => days.reduce((all, day) => all + read(day), 0);
  const rows = (values) => days.map((day) => ({ label: day.day.slice(8), title: longDay(day.day), values: values(day) }));
  const dearest = Math.max(...days.map((day) => day.cost));
  return html`<section class="card"><header class="used"><h2>${say("overview.used")}</h2>
      <label><span class="hidden">${say("overview.span")}</span><select value=${wanted.days} onChange=${(event) => (wanted.days = Number(event.target.value))}>
        ${SPANS.map((each) => html`<option key=${each} value=${each}>${say("overview.days", { n: each })}</option>`)}</select></label></header>
    <div class="tiles">${tile(amount(sum((day) => day.runs)), say("page.runs"), say("overview.by_rote", { n: amount(sum((day) => day.rote)) }))}
      ${tile(amount(sum((day) => day.calls)), say("tile.calls"))}${tile(amount(sum((day) => day.input + day.output)), say("overview.tokens"))}
      ${tile(money(sum((day) => day.cost)) || "–", say("tile.cost"), say("overview.today", { cost: money(budget.today) || "$0" }))}</div>
    ${limit(budget)}
    ${sum((day) => day.input + day.output) ? html`<h3>${say("overview.tokens_by_day")}</h3>
    ${bars(rows((day) => [day.cached, day.input - day.cached, day.output]), TOKENS.map(([name, tone]) => ({ name: say(`tile.${name}`), tone })), { label: say("overview.tokens_by_day"), write: amount, hasZero: false })}` : null}
    ${dearest ? html`<h3>${say("overview.money_by_day")}</h3>
      ${bars(rows((day) => [day.cost]), [{ name: say("tile.cost"), tone: "tone-output" }], { label: say("overview.money_by_day"), write: (value) => money(value) || "0", hasZero: false })}` : null}
    ${sum((day) => day.runs) ? html`<h3>${say("overview.runs_by_day")}</h3>
    ${bars(rows((day) => [day.rote, day.runs - day.rote - day.failed, day.failed].map((each) => Math.max(0, each))), [{ name: say("overview.rote"), tone: "tone-rote" }, { name: say("overview.model"), tone: "tone-fresh" }, { name: say("status.failed"), tone: "tone-wait" }], { label: say("overview.runs_by_day"), write: (value) => String(Math.round(value * 10) / 10), hasZero: false })}` : html`<p class="dim">${say("runs.first")}</p>`}
  </section>`;
}

function limit({ scheduled, scheduled_most: most, run_most: run }) {
  return html`<p class="budget"><span>${say("overview.budget", { spent: money(scheduled) || "$0", most: money(most) || "$0" })}</span>
    <meter min="0" max=${most || 1} low=${(most || 1) * 0.7} high=${(most || 1) * 0.95} value=${Math.min(scheduled, most || 1)} aria-label=${say("overview.budget", { spent: money(scheduled) || "$0", most: money(most) || "$0" })}></meter>
    <small class="dim">${say("overview.budget_run", { most: money(run) || "$0" })}</small></p>`;
}

function tables({ models, sops }) {
  return html`<div class="halves">
    ${table("overview.by_model", models, [["model", (each) => each.model], ["tile.calls", (each) => each.calls], ["tile.fresh", (each) => amount(each.input - each.cached)], ["tile.output", (each) => amount(each.output)], ["tile.cost", (each) => money(each.cost) || "–"]])}
    ${table("overview.by_sop", sops, [["sop", (each) => html`<a href=${`/sops/${part(each.sop)}`}>${each.sop}</a>`], ["page.runs", (each) => each.runs], ["overview.rote", (each) => each.rote], ["tile.calls", (each) => each.calls], ["tile.cost", (each) => money(each.cost) || "–"], ["overview.saved_tokens", (each) => (each.saved ? signed(each.saved.tokens, amount) : "–")]])}</div>`;
}

function table(title, rows, columns) {
  const [[, first], ...others] = columns;
  if (!rows.length) return null;
  return html`<section class="card"><h2>${say(title)}</h2><div class="framed" tabindex="0" role="region" aria-label=${say(title)}><table><thead><tr><th><span class="hidden">${say(title)}</span></th>${others.map(([name]) => html`<th key=${name} class="number">${say(name)}</th>`)}</tr></thead>
    <tbody>${rows.map((row, n) => html`<tr key=${n}><th scope="row">${first(row)}</th>${others.map(([name, read]) => html`<td key=${name} class="number">${read(row)}</td>`)}</tr>`)}</tbody></table></div></section>`;
}
