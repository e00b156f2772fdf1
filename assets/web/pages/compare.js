// Two runs beside each other: their values, what they took, what came of them, their calls, and the files that they changed.
import { html } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { storyOf } from "../lib/story.js";
import { useFetched } from "../lib/use.js";
import { amount, money, say, seconds, when } from "../lib/words.js";
import { chip, head, instead, written } from "../parts/bits.js";
import { telling } from "../parts/call.js";
import { counts } from "../parts/changes.js";
import { icon } from "../parts/icon.js";
import { Markdown } from "../parts/markdown.js";

async function read(run) {
  const [found, changed] = await Promise.all([get(`/api/runs/${part(run)}`), get(`/api/runs/${part(run)}/changes`)]);
  return { ...found, changes: changed.changes, story: storyOf(run, found.events, { ...found, status: found.run.status }) };
}

export const Compare = {
  props: { one: String, other: String },
  setup(props) {
    const both = useFetched(() => Promise.all([read(props.one), read(props.other)]));
    return () => html`<div class="page compare"><a class="back" href=${`/runs/${part(props.one)}`}>${icon("left")}${say("page.run")}</a>${head(say("compare.title"))}
      ${instead(both) ?? html`${facts(both.data)} ${calls(both.data)}`}</div>`;
  },
};

const tokens = ({ totals }) => totals.tokens.input + totals.tokens.output;
const ROWS = [
  ["compare.run", ({ run }) => html`<a href=${`/runs/${part(run.run)}`}>${when(run.started)}</a>`],
  ["runs.status", ({ run }) => chip(run.status)],
  ["run.task", ({ run }) => run.task],
  ["compare.by", ({ run, story }) => (run.rote ? `${say("overview.rote")}: ${run.sop}` : [...new Set(story.turns.map((each) => each.model))].join(", "))],
  ["tile.turns", ({ totals }) => totals.turns, true],
  ["tile.calls", ({ totals }) => totals.model_calls, true],
  ["overview.tokens", (each) => tokens(each), true, amount],
  ["tile.cost", ({ totals }) => totals.cost, true, (value) => money(value) || "–"],
  ["compare.time", ({ totals }) => totals.seconds, true, seconds],
  ["compare.changes", ({ changes }) => (changes.length ? counts(changes) : "–")],
  ["compare.result", ({ story }) => html`<div class="result" tabindex="0" role="group" aria-label=${say("compare.result")}><${Markdown} text=${story.ended?.result ?? ""} /></div>`],
];

function facts([one, other]) {
  const names = [...new Set([...Object.keys(one.story.parameters), ...Object.keys(other.story.parameters)])];
  const values = names.map((name) => [name, (each) => (name in each.story.parameters ? written(each.story.parameters[name]) : "–")]);
  return html`<div class="card framed" tabindex="0" role="region" aria-label=${say("compare.title")}><table class="pairs"><tbody>
    ${ROWS.map(([name, value, isNumber, write]) => row(say(name), value, one, other, isNumber, write))}${values.map(([name, value]) => row(name, value, one, other))}</tbody></table></div>`;
}

function row(name, value, one, other, isNumber = false, write = String) {
  const [first, second] = [value(one), value(other)];
  const shown = (each) => (isNumber ? write(each) : each);
  const isSame = typeof first !== "object" && first === second;
  const share = isNumber && first && second !== first ? html` <small class=${second < first ? "good" : "bad"}>${second < first ? "−" : "+"}${Math.round((100 * Math.abs(second - first)) / first)} %</small>` : null;
  return html`<tr key=${name} class=${isSame ? "same" : ""}><th scope="row">${name}</th><td>${shown(first)}</td><td>${shown(second)}${share}</td></tr>`;
}

/** The calls in order; where the two differ, the line is marked. */
function calls(both) {
  const [one, other] = both.map(({ story }) => story.parts.filter(({ kind }) => kind === "call"));
  const most = Math.max(one.length, other.length);
  if (!most) return null;
  const said = (part) => (part ? html`<b>${part.tool}</b> ${chip(part.status)} <span class="mono">${telling(part.args)}</span>` : "–");
  const lines = Array.from({ length: most }, (_, n) => [one[n], other[n]]);
  const isSame = ([a, b]) => a && b && a.tool === b.tool && a.status === b.status && telling(a.args) === telling(b.args);
  return html`<section class="card framed" tabindex="0" role="region" aria-label=${say("compare.calls")}><h2>${say("compare.calls")}</h2><table class="pairs"><tbody>${lines.map((pair, n) => html`<tr key=${n} class=${isSame(pair) ? "same" : ""}><th scope="row">${n + 1}</th><td>${said(pair[0])}</td><td>${said(pair[1])}</td></tr>`)}</tbody></table></section>`;
}
