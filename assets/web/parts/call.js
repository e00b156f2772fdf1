// One call of a tool: folded to a line with its state and time; open, its arguments, its outcome, its change as a diff.
import { html, ref } from "../lib/html.js";
import { part as pathPart } from "../lib/api.js";
import { say, sayOr, seconds, worded } from "../lib/words.js";
import { code, diff, given, written } from "./bits.js";
import { icon } from "./icon.js";

const MARKS = { ok: "✓", error: "✗", refused: "⊘", timeout: "◷", cancelled: "■" };
const TELLING = ["script", "code", "path", "paths", "url", "query", "question", "key_info", "sop", "keyword"]; // say the most
const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

/** The arguments of a call on one line, the most telling one first. */
export function telling(args) {
  if (!args || typeof args !== "object") return "";
  const name = TELLING.find((each) => args[each] && String(args[each]).trim());
  const text = name ? [args[name]].flat().join(", ") : Object.entries(args).map(([key, value]) => `${key}=${written(value)}`).join(", ");
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

export const Call = {
  props: { part: Object, run: String, isAsked: Boolean },
  setup(props) {
    const isOpen = ref(false);
    return () => {
      const { part } = props;
      const state = part.status || (props.isAsked ? "waiting" : "working");
      const change = part.data?.diff;
      const shownOpen = isOpen.value;
      return html`<section class=${`call ${state}`}>
        <button type="button" class="call-line" aria-expanded=${shownOpen} onClick=${() => (isOpen.value = !shownOpen)}>
          <span class="call-mark" aria-label=${sayOr(`call.${state}`, state)} role="img">${state === "working" ? html`<i class="spinner"></i>` : MARKS[state] ?? "?"}</span>
          <b>${part.tool}</b>
          <span class="call-says">${part.note || telling(part.args)}</span>
          <span class="call-time">${part.status ? seconds(part.seconds) : say(`call.${state}`)}</span>
          ${icon(shownOpen ? "down" : "right")}
        </button>
        ${!part.status && part.output && !shownOpen && html`<pre class="tailing">${part.output.trimEnd().split("\n").slice(-4).join("\n")}</pre>`}
        ${part.status && part.status !== "ok" && !shownOpen && html`<p class="call-why">${problem(part)}</p>`}
        ${change && !shownOpen && html`<div class="call-diff">${diff(cut(change))}</div>`}
        ${shownOpen && opened(part)}
        ${pictures(part, props.run)}
      </section>`;
    };
  },
};

function opened(part) {
  const { data } = part;
  const output = data === null || data === undefined ? part.output : typeof data === "object" ? data.output ?? data.error ?? data.text : data;
  const others = data && typeof data === "object" ? Object.entries(data).filter(([name]) => !["output", "error", "text", "diff"].includes(name)) : [];
  return html`<div class="call-open">
    ${part.step && html`<p class="dim">${say("call.step", { step: part.step })}</p>`}
    ${given(part.args)}
    ${data?.diff ? html`<div class="named"><p class="key">${say("call.change")}</p>${diff(data.diff)}</div>` : null}
    ${output ? html`<div class="named"><p class="key">${say("call.outcome")}</p>${code(output, say("call.outcome"))}</div>` : null}
    ${others.length ? html`<p class="facts">${others.map(([name, value]) => html`<span key=${name}>${name} <b>${written(value)}</b></span>`)}</p>` : null}
    ${part.origin && html`<p class="dim">${sayOr(`origin.${part.origin}`, part.origin)}</p>`}
  </div>`;
}

function problem(part) {
  const { data } = part;
  if (part.reason) return worded(part, part.reason); // the gate's
  const last = (text) => String(text || "").trimEnd().split("\n").at(-1).slice(0, 400);
  const own = typeof data === "string" ? data : data?.error || data?.reason || data?.note; // the tool's
  const exit = data?.exit_code ? say("call.exit", { code: data.exit_code }) : "";
  return [exit, last(data?.output), last(worded(part, own))].filter(Boolean).join(" · ");
}

const cut = (text, lines = 60) => {
  const all = text.split("\n");
  return all.length > lines ? [...all.slice(0, lines), `… ${say("more.lines", { n: all.length - lines })}`].join("\n") : text;
};

function pictures(part, run) {
  const named = part.data && typeof part.data === "object" ? [part.data.image, part.data.screenshot, ...(part.data.images ?? [])] : [];
  const files = named.filter((each) => typeof each === "string" && IMAGE.test(each)).map((each) => each.split(`/runs/${run}/`).at(-1));
  return files.map((file) => html`<figure key=${file} class="picture"><img src=${fileAddress(run, file)} alt=${file} loading="lazy" /></figure>`);
}

export function fileAddress(run, path) {
  return `/api/runs/${pathPart(run)}/files/${path.split("/").map(pathPart).join("/")}`;
}
