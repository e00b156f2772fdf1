// The page of one run: its values and result, its changes, its turns and what they cost, the network, what the model was sent.
import { html, onBeforeUnmount, reactive, ref, watch } from "../lib/html.js";
import { get, part, post, Refused } from "../lib/api.js";
import { listen, live, watchRuns } from "../lib/live.js";
import { go, route } from "../lib/route.js";
import { doing, waitingFor } from "../lib/store.js";
import { found, storyOf, tell } from "../lib/story.js";
import { useFetched } from "../lib/use.js";
import { amount, money, say, seconds, when } from "../lib/words.js";
import { Again } from "../parts/again.js";
import { Asked } from "../parts/asked.js";
import { act, chip, code, Dialog, given, head, instead, tabs, tile } from "../parts/bits.js";
import { Changes } from "../parts/changes.js";
import { bars } from "../parts/chart.js";
import { icon } from "../parts/icon.js";
import { Markdown } from "../parts/markdown.js";
import { Network } from "../parts/network.js";
import { fileList, thread } from "../parts/thread.js";

export const Trace = {
  props: { run: String },
  setup(props) {
    const shown = reactive({ story: null, totals: null, error: null, sent: null, text: "", asks: "" });
    let early = [];
    async function load() {
      early = [];
      try {
        const found = await get(`/api/runs/${part(props.run)}`);
        const story = storyOf(props.run, found.events, { ...found, status: found.run.status });
        for (const message of early) if (found.epoch !== live.epoch || message.seq > found.seq) tell(story, message);
        Object.assign(shown, { story, totals: found.totals, error: null });
        early = null;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        shown.error = error;
      }
    }
    const stop = listen((message) => {
      if (message.type === "resync") return load();
      if (message.run !== props.run) return undefined;
      if (early) return early.push(message);
      tell(shown.story, message);
      return message.type === "run_ended" && load();
    });
    watchRuns([props.run]);
    onBeforeUnmount(() => (stop(), watchRuns([])));
    load();
    const sent = (turn) => (shown.sent = turn);
    const put = (what, body = {}) => doing(() => post(`/api/runs/${part(props.run)}/${what}`, body));
    return () => {
      const { story } = shown;
      if (!story) return html`<div class="page">${head(say("page.run"))}${instead({ error: shown.error, data: null, reload: load })}</div>`;
      const isWorking = story.status === "working";
      const actions = html`
        <a class="btn" href=${`/chat/${part(props.run)}`}>${icon("chat")}${say("run.open")}</a>
        ${isWorking ? act(say("stop"), () => put("stop"), { name: "stop" }) : null}
        ${["interrupted", "cancelled", "limit", "failed", "no_model"].includes(story.status) ? act(say("resume"), () => put("resume"), { name: "again" }) : null}
        ${isWorking ? null : act(say("run.again"), () => (shown.asks = "again"), { name: "again" })}
        ${isWorking ? null : html`<button type="button" class="btn" onClick=${() => (shown.asks = "compare")}>${icon("compare")}${say("run.compare")}</button>`}
        ${story.status === "done" && !story.ended?.rote ? html`<a class="btn" href=${`/teach?run=${part(props.run)}`}>${icon("sops")}${say("sops.teach_from")}</a>` : null}`;
      return html`<div class="page trace"><a class="back" href="/runs">${icon("left")}${say("page.runs")}</a>
        ${head(story.task || props.run, actions, html`<p class="facts">${chip(story.status)}<span class="mono">${props.run}</span><time>${when(story.started)}</time>
          ${story.sop ? html`<a href=${`/sops/${part(story.sop)}`}>${story.sop}</a>` : null}${story.session === "main" ? null : html`<span>${story.session}</span>`}<span class="mono">${story.cwd}</span></p>`)}
        ${totals(story, shown.totals)}
        ${tabs(TABS.map((each) => [each, `${say(`run.tab.${each}`)}${each === "changes" && story.changed ? ` (${story.changed})` : ""}`]), chosen(), (name) => go(`/runs/${part(props.run)}${name === TABS[0] ? "" : `/${name}`}`, { replace: true }))}
        <div role="tabpanel" aria-label=${say(`run.tab.${chosen()}`)}>${panel(chosen(), props.run, story, shown, sent)}</div>
        ${shown.asks === "again" && html`<${Again} story=${story} onClosed=${() => (shown.asks = "")} />`}
        ${shown.asks === "compare" && html`<${Others} story=${story} onClosed=${() => (shown.asks = "")} />`}
        ${shown.sent !== null && html`<${Sent} run=${props.run} turn=${shown.sent} onClosed=${() => (shown.sent = null)} />`}
      </div>`;
    };
  },
};

const TABS = ["timeline", "changes", "network"];
const chosen = () => (TABS.includes(route.rest[1]) ? route.rest[1] : TABS[0]);

function panel(name, run, story, shown, sent) {
  if (name === "changes") return html`<${Changes} key=${run} run=${run} isWorking=${story.status === "working"} />`;
  if (name === "network") return html`<${Network} key=${run} run=${run} />`;
  const waiting = waitingFor([run]);
  const parts = found(story, shown.text);
  return html`${values(story)}
    ${story.turns.length > 1 && story.turns.some(({ tokens }) => tokens?.input) ? html`<section class="card"><h2>${say("run.by_turn")}</h2>${byTurn(story)}</section>` : null}
    ${context(story)} ${written(story)}
    <div class="filters"><label class="search grow">${icon("search")}<span class="hidden">${say("run.search")}</span>
      <input type="search" value=${shown.text} placeholder=${say("run.search")} onInput=${(event) => (shown.text = event.target.value)} /></label>
      ${shown.text ? html`<span class="dim small" role="status">${say("run.found", { n: parts.length })}</span>` : null}</div>
    <div class="thread">${thread(shown.text ? { ...story, parts } : story, { isTrace: true, sent, waiting, text: shown.text })}
      ${waiting.map((asked) => html`<${Asked} key=${asked.id} asked=${asked} />`)}</div>`;
}

/** What it was given, where an SOP did it. */
function values(story) {
  return Object.keys(story.parameters).length ? html`<section class="card"><h2>${say("run.values")}</h2>${given(story.parameters)}</section>` : null;
}

/** Which other run to hold this one against: those of the same SOP first. */
const Others = {
  props: { story: Object },
  emits: ["closed"],
  setup(props, { emit }) {
    const all = useFetched(() => get("/api/runs", { limit: 200 }));
    const typed = ref("");
    return () => {
      const others = (all.data?.runs ?? []).filter(({ run, task }) => run !== props.story.run && task.toLowerCase().includes(typed.value.toLowerCase()));
      const rank = (run) => (props.story.sop && run.sop === props.story.sop ? 0 : run.task === props.story.task ? 0 : 1);
      const rows = others.toSorted((a, b) => rank(a) - rank(b)).slice(0, 30);
      return html`<${Dialog} title=${say("run.compare_with")} onClosed=${() => emit("closed")}>
        <label class="search">${icon("search")}<span class="hidden">${say("runs.search")}</span><input type="search" value=${typed.value} placeholder=${say("runs.search")} onInput=${(event) => (typed.value = event.target.value)} /></label>
        ${instead(all, !rows.length, say("runs.none")) ?? html`<ul class="rows runs">${rows.map((run) => html`<li key=${run.run}><a class="row" href=${`/runs/${part(props.story.run)}/compare/${part(run.run)}`} onClick=${() => emit("closed")}>
          ${chip(run.status)}<span class="title">${run.task}</span><span class="facts">${run.sop ? html`<span>${run.sop}</span>` : null}<time>${when(run.started)}</time></span></a></li>`)}</ul>`}</${Dialog}>`;
    };
  },
};

export function totals(story, given) {
  const all = story.status === "working" ? soFar(story) : (story.ended ?? given ?? {});
  const { input = 0, cached = 0, output = 0 } = all.tokens ?? {};
  return html`<div class="tiles">${tile(all.turns ?? story.turn, say("tile.turns"))}${tile(all.model_calls ?? 0, say("tile.calls"))}
    ${tile(amount(input - cached), say("tile.fresh"))}${tile(amount(cached), say("tile.cached"), input ? say("tile.share", { n: Math.round((100 * cached) / input) }) : "")}
    ${tile(amount(output), say("tile.output"))}${tile(money(all.cost) || "–", say("tile.cost"))}${tile(seconds(all.seconds ?? 0), say("tile.time"))}</div>`;
}

/** The sums of a run that works, from the turns that are told. */
function soFar(story) {
  const sum = (read) => story.turns.reduce((all, turn) => all + (read(turn) ?? 0), 0);
  const tokens = Object.fromEntries(["input", "cached", "output"].map((kind) => [kind, sum((turn) => turn.tokens?.[kind])]));
  const asked = story.turns.filter(({ kind }) => kind === "openai" || kind === "anthropic");
  return { turns: story.turn, model_calls: asked.length, tokens, cost: sum((turn) => turn.cost), seconds: sum((turn) => turn.seconds) };
}

const SERIES = [["cached", "tone-cached"], ["fresh", "tone-fresh"], ["output", "tone-output"]];

function byTurn(story) {
  const rows = story.turns.map(({ turn, tokens, kind, model }) => {
    const { input = 0, cached = 0, output = 0 } = tokens ?? {};
    return { label: String(turn), values: [cached, input - cached, output], title: `${say("turn.n", { turn })} · ${model} (${kind}) · ${say("tokens.line", { fresh: amount(input - cached), cached: amount(cached), output: amount(output) })}` };
  });
  return bars(rows, SERIES.map(([name, tone]) => ({ name: say(`tile.${name}`), tone })), { label: say("run.by_turn"), write: amount });
}

function context(story) {
  const { blocks = [] } = story.context ?? {};
  if (!blocks.length) return null;
  return html`<details class="card"><summary>${say("run.context", { n: amount(blocks.reduce((sum, each) => sum + (each.tokens ?? 0), 0)) })}</summary>
    <ul class="blocks">${blocks.map((each, n) => html`<li key=${n}><span>${each.name}</span><b>${amount(each.tokens ?? 0)}</b></li>`)}</ul></details>`;
}

function written(story) {
  const all = story.files.filter((file) => !file.path.startsWith("files/"));
  return all.length ? html`<details class="card"><summary>${say("run.files", { n: all.length })}</summary>${fileList(story, all)}</details>` : null;
}

const Sent = {
  props: { run: String, turn: Number },
  emits: ["closed"],
  setup(props, { emit }) {
    const sent = useFetched(() => get(`/api/runs/${part(props.run)}/sent`, { turn: props.turn }));
    const open = ref(-1);
    watch(() => sent.data, (data) => data && (open.value = data.messages.length - 1));
    return () => html`<${Dialog} title=${say("sent.title", { turn: props.turn })} onClosed=${() => emit("closed")}>
      ${instead(sent) ?? html`<p class="dim">${say("sent.size", { messages: sent.data.messages.length, tokens: amount(sent.data.tokens) })}</p>
        ${sent.data.messages.map((message, n) => html`<details key=${n} class="sent" open=${open.value === n}><summary><b>${message.role}</b>
          <span class="call-says">${text(message).slice(0, 120)}</span></summary>
          ${message.role === "assistant" ? html`<${Markdown} text=${text(message)} />` : code(text(message))}
          ${message.tool_calls?.length ? code(message.tool_calls) : null}</details>`)}`}</${Dialog}>`;
  },
};

function text(message) {
  const { content } = message;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((each) => each.text ?? `[${each.type}]`).join("\n") : "";
}
