// A run as a conversation shows it: the request, what was said and done for it, and its last line.
import { html } from "../lib/html.js";
import { amount, bytes, money, say, sayOr, seconds, when, worded } from "../lib/words.js";
import { TRACE_ONLY } from "../lib/story.js";
import { Call, fileAddress } from "./call.js";
import { Markdown } from "./markdown.js";
import { chip } from "./bits.js";
import { icon } from "./icon.js";

const ATTACHED = /\n\n[^\n]*\n(- [^\n]*\/files\/[^\n]*(\n|$))+$/; // what the server adds for the model; people see the files themselves

/** The whole of a run. `isTrace`: nothing is left out, and turns have a line with what they cost. */
export function thread(story, { isTrace = false, sent = null, waiting = [], branch = null } = {}) {
  const isPut = (part) => waiting.some((each) => each.id === part.id); // a card below asks it
  const isAsked = waiting.some((each) => each.run === story.run);
  return html`<article class="run" key=${story.run} aria-label=${story.task.slice(0, 120)}>
    <div class="asks"><div class="bubble">${spokenTask(story)}</div>${files(story)}
      <p class="dim small said-line">${[story.persona, when(story.started)].filter(Boolean).join(" · ")}
        ${branch && html`<button type="button" class="btn quiet small" onClick=${() => branch(spokenTask(story))}>${say("chat.edit")}</button>
        <button type="button" class="btn quiet small" onClick=${() => branch(null)}>${say("chat.branch")}</button>`}</p></div>
    ${story.parts.filter((part) => (isTrace || part.kind !== "note" || !TRACE_ONLY.has(part.what)) && !isPut(part)).flatMap((part, n, all) => [
      isTrace && part.turn && all[n - 1]?.turn !== part.turn ? turnLine(story, part.turn, sent) : null,
      one(part, story, isAsked), // each with its key: an opened call stays open when something comes before it
    ])}
    ${isAsked ? null : last(story)}
  </article>`;
}

const spokenTask = (story) => (story.files.length ? story.task.replace(ATTACHED, "") : story.task);

function one(part, story, isAsked) {
  if (part.kind === "text") return part.text || part.isGrowing ? html`<${Markdown} key=${part.key} text=${part.text} isGrowing=${!!part.isGrowing} />` : null;
  if (part.kind === "call") return html`<${Call} key=${part.key} part=${part} run=${story.run} isAsked=${isAsked} />`;
  if (part.kind === "steered") return html`<div class="asks steered" key=${part.key}><div class="bubble">${part.text}</div></div>`;
  if (part.kind === "rote")
    return html`<p class="line rote" key=${part.key}>${icon("rote")}<a href=${`/sops/${encodeURIComponent(part.sop)}`}>${say("rote.name", part)}</a></p>`;
  if (part.kind === "asked")
    return html`<div class="line put" key=${part.key}><p>${part.question}</p>${part.answer !== null ? html`<p class="said">${part.answer}</p>` : null}</div>`;
  if (part.kind === "confirm")
    return html`<div class="line put" key=${part.key}><p><b>${part.tool}</b> · ${sayOr(`risk.${part.risk}`, part.risk)}: ${worded(part, part.reason)}</p>
      ${part.decision ? html`<p class=${`said ${part.decision === "no" ? "bad" : "good"}`}>${say(`decision.${part.decision}`)}${part.said ? ` · ${part.said}` : ""}</p>` : null}</div>`;
  return noteLine(part);
}

function noteLine(part) {
  const { event } = part;
  if (part.what === "learned") {
    const at = event.what === "sop" ? `/sops/${encodeURIComponent(event.name)}` : "/memory/facts";
    return html`<p class="line good" key=${part.key}>${icon("rote")}<a href=${at}>${say("learned.line", { name: event.name })}</a> ${chip(event.status)}</p>`;
  }
  const text = say(`note.${part.what}`, { ...event, kind: event.kind && sayOr(`kind.${event.kind}`, event.kind) });
  if (!part.text) return html`<p class="line" key=${part.key}>${text}</p>`;
  return html`<details class="line" key=${part.key}><summary>${text}</summary><pre class="plain" tabindex="0">${worded(part, part.text)}</pre></details>`;
}

function turnLine(story, turn, sent) {
  const cost = story.turns.find((each) => each.turn === turn);
  const { input = 0, cached = 0, output = 0 } = cost?.tokens ?? {};
  return html`<div class="turn-line" key=${`turn-${turn}`}><h2>${say("turn.n", { turn })}</h2>
    ${cost && html`<span>${cost.kind === "rote" ? say("overview.rote") : cost.model}</span>
      ${input + output ? html`<span>${say("tokens.line", { fresh: amount(input - cached), cached: amount(cached), output: amount(output) })}</span>` : null}
      <span>${[money(cost.cost), seconds(cost.seconds)].filter(Boolean).join(" · ")}</span>`}
    ${sent && cost?.kind !== "rote" && html`<button type="button" class="btn quiet small" onClick=${() => sent(turn)}>${say("sent.show")}</button>`}</div>`;
}

/** What came with the request; what the run wrote into its folder is shown by its trace. */
function files(story) {
  const came = story.files.filter((file) => file.path.startsWith("files/"));
  return came.length ? fileList(story, came) : null;
}

export function fileList(story, all) {
  return html`<ul class="files">${all.map((file) => html`<li key=${file.path}>
    ${file.is_image ? html`<a href=${fileAddress(story.run, file.path)} target="_blank" rel="noopener"><img src=${fileAddress(story.run, file.path)} alt=${file.name} loading="lazy" /></a>`
      : html`<a class="file" href=${fileAddress(story.run, file.path)} target="_blank" rel="noopener">${icon("file")}${file.name} <small>${bytes(file.size)}</small></a>`}</li>`)}</ul>`;
}

function last(story) {
  const { ended } = story;
  if (!ended && story.status === "working") return html`<p class="doing" role="status"><i class="spinner"></i>${say(`doing.${story.doing || "working"}`)}</p>`;
  const bad = ended && !["done", "waiting"].includes(ended.status) && ended.result;
  return html`${bad ? html`<p class=${`ending ${ended.status}`}>${worded(ended, ended.result)}</p>` : null}
    <p class="closing">${story.status === "done" ? null : chip(story.status)}
      <a href=${`/runs/${story.run}`}>${ended ? closing(ended) : say("run.trace")}</a></p>`;
}

/** Turns, calls, tokens fresh and cached, cost, seconds; or that it went by rote. */
export function closing(event) {
  const { input = 0, cached = 0, output = 0 } = event.tokens ?? {};
  const parts = event.rote && !event.model_calls ? [say("end.rote")] : [say("turns", { n: event.turns ?? 0 })];
  if (event.model_calls) {
    parts.push(say("calls", { n: event.model_calls }));
    parts.push(say("tokens.line", { fresh: amount(input - cached), cached: amount(cached), output: amount(output) }));
    parts.push(money(event.cost));
  }
  return [...parts, seconds(event.seconds ?? 0)].filter(Boolean).join(" · ");
}
