// Runs: all of them in a list, and the trace of one: its turns, what they cost, what the model was sent.
import { html, onBeforeUnmount, reactive, ref, watch } from "../lib/html.js";
import { get, part, post, Refused } from "../lib/api.js";
import { listen, live, watchRuns } from "../lib/live.js";
import { go, route } from "../lib/route.js";
import { doing, stateOf, waitingFor } from "../lib/store.js";
import { storyOf, tell } from "../lib/story.js";
import { useFetched } from "../lib/use.js";
import { amount, money, say, seconds, when } from "../lib/words.js";
import { Asked } from "../parts/asked.js";
import { act, chip, code, Dialog, head, instead, tile } from "../parts/bits.js";
import { bars } from "../parts/chart.js";
import { icon } from "../parts/icon.js";
import { Markdown } from "../parts/markdown.js";
import { fileList, thread } from "../parts/thread.js";

const STATES = ["working", "waiting", "interrupted", "done", "failed", "limit", "no_model", "cancelled"];
const PAGE = 60;

export const Runs = { setup: () => () => (route.rest[0] ? html`<${Trace} key=${route.rest[0]} run=${route.rest[0]} />` : html`<${List} />`) };

const List = {
  setup() {
    const wanted = reactive({ status: "", text: "", typed: "", limit: PAGE });
    let timer = 0;
    const typed = ({ target }) => {
      wanted.typed = target.value;
      clearTimeout(timer);
      timer = setTimeout(() => (wanted.text = wanted.typed), 250);
    };
    const all = useFetched(() => get("/api/runs", { limit: wanted.limit, status: wanted.status, text: wanted.text }), { deps: () => [wanted.status, wanted.text], kinds: (message) => message.type === "run_changed" });
    const more = () => ((wanted.limit += PAGE), all.reload());
    return () => html`<div class="page">${head(say("page.runs"))}
      <div class="filters"><label class="search">${icon("search")}<span class="hidden">${say("runs.search")}</span>
          <input type="search" value=${wanted.typed} placeholder=${say("runs.search")} onInput=${typed} /></label>
        <label><span class="hidden">${say("runs.status")}</span><select value=${wanted.status} onChange=${(event) => (wanted.status = event.target.value)}>
          <option value="">${say("runs.any")}</option>${STATES.map((each) => html`<option key=${each} value=${each}>${say(`status.${each}`)}</option>`)}</select></label></div>
      ${instead(all, !all.data?.runs.length, say(wanted.status || wanted.text ? "runs.none" : "runs.first")) ?? html`
        <ul class="rows runs">${all.data.runs.map((run) => html`<li key=${run.run}><a class="row" href=${`/runs/${part(run.run)}`}>
          ${chip(stateOf(run))}<span class="title">${run.task}</span>
          <span class="facts">${run.rote ? html`<span class="roted">${icon("rote")}${run.sop}</span>` : run.sop ? html`<span>${run.sop}</span>` : null}
            <span>${say("turns", { n: run.turns ?? 0 })}</span><span>${say("calls", { n: run.model_calls ?? 0 })}</span>${run.cost ? html`<span>${money(run.cost)}</span>` : null}
            <time datetime=${run.started}>${when(run.started)}</time></span></a></li>`)}</ul>
        ${all.data.more && html`<button type="button" class="btn wide" disabled=${all.isLoading} onClick=${more}>${say("more")}</button>`}`}
    </div>`;
  },
};

const Trace = {
  props: { run: String },
  setup(props) {
    const shown = reactive({ story: null, totals: null, error: null, sent: null });
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
        ${["interrupted", "cancelled", "limit", "failed", "no_model"].includes(story.status) ? act(say("resume"), () => put("resume", { text: null }), { name: "again" }) : null}
        ${story.status === "done" && !story.ended?.rote ? act(say("sops.teach_from"), () => go(`/sops?teach=${part(props.run)}`), { name: "sops" }) : null}`;
      return html`<div class="page trace"><a class="back" href="/runs">${icon("left")}${say("page.runs")}</a>
        ${head(story.task || props.run, actions, html`<p class="facts">${chip(story.status)}<span class="mono">${props.run}</span><time>${when(story.started)}</time>
          ${story.sop ? html`<a href=${`/sops/${part(story.sop)}`}>${story.sop}</a>` : null}<span>${story.session}</span><span class="mono">${story.cwd}</span></p>`)}
        ${totals(story, shown.totals)}
        ${story.turns.length > 1 && story.turns.some(({ tokens }) => tokens?.input) ? html`<section class="card"><h2>${say("run.by_turn")}</h2>${byTurn(story)}</section>` : null}
        ${context(story)} ${written(story)}
        <div class="thread">${thread(story, { isTrace: true, sent, waiting: waitingFor([props.run]) })}
          ${waitingFor([props.run]).map((asked) => html`<${Asked} key=${asked.id} asked=${asked} />`)}</div>
        ${shown.sent !== null && html`<${Sent} run=${props.run} turn=${shown.sent} onClosed=${() => (shown.sent = null)} />`}
      </div>`;
    };
  },
};

function totals(story, given) {
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
