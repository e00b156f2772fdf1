// What waits for the owner, answered in place: a question, a confirmation of one exact call, a secret, a proposal, a notice.
import { html, reactive } from "../lib/html.js";
import { part, post } from "../lib/api.js";
import { say, sayOr, when, worded } from "../lib/words.js";
import { doing, loadInbox, store } from "../lib/store.js";
import { useBusy } from "../lib/use.js";
import { act, chip, copies, diff, given } from "./bits.js";
import { counts, fileTree } from "./changes.js";

export const Asked = {
  props: { asked: Object, withRun: Boolean },
  setup(props) {
    const typed = reactive({ text: "", isDenying: false });
    const busy = useBusy();

    function put(body) {
      const { asked } = props;
      return busy.start(() => doing(async () => {
        if (asked.isNow) {
          await post(`/api/asked/${part(asked.id)}`, body);
          store.waiting = store.waiting.filter((each) => each.id !== asked.id);
        } else {
          await post(`/api/inbox/${part(asked.id)}`, forInbox(body));
          await loadInbox();
        }
      }));
    }

    return () => {
      const { asked } = props;
      return html`<section class=${`asked ${asked.kind}`} aria-label=${`${say(`asked.${asked.kind}`)}: ${worded(asked, asked.text).slice(0, 80)}`}>
        <header><h2>${say(`asked.${asked.kind}`)}</h2>
          ${asked.risk && html`<span class="chip wait">${sayOr(`risk.${asked.risk}`, asked.risk)}</span>`}
          <span class="dim small">${when(asked.at)}${asked.session && asked.session !== "main" ? ` · ${asked.session}` : ""}</span>
          ${props.withRun && asked.run && html`<a class="small" href=${`/chat/${part(asked.run)}`}>${say("run.open")}</a>`}
          ${asked.is_expired && chip("expired", say("asked.expired"))}</header>
        ${task(props) && html`<p class="dim small asked-task">${task(props)}</p>`}
        <p class="asked-text">${worded(asked, asked.text)}</p>
        ${asked.kind === "confirmation" && given(asked.args)} ${effect(asked)}
        ${answers(asked, typed, put, busy)}
      </section>`;
    };
  },
};

/** What its run is about, where that does not stand above it. */
const task = ({ asked, withRun }) => withRun && (asked.task || store.working[asked.run]?.task);

/** What a yes would change: it was done apart, and waits. */
function effect({ changes, shown, preview }) {
  const lines = (shown || preview || "").split("\n");
  const from = lines.findIndex((line) => line.startsWith("--- "));
  if (!changes?.length) return preview ? html`<pre class="plain" tabindex="0" aria-label=${say("asked.preview")}>${preview}</pre>` : null;
  return html`<div class="would"><h3>${say("asked.would")}</h3>${counts(changes)} ${fileTree(changes)}
    ${from >= 0 ? html`<details open=${lines.length < 60}><summary>${say("call.change")}</summary>${diff(lines.slice(from).join("\n"))}</details>` : null}</div>`;
}

function forInbox(body) {
  if (body.answer !== undefined) return { decision: "answer", text: body.answer };
  return { decision: body.decision === "no" ? "deny" : "approve", text: body.reason ?? "" };
}

function answers(asked, typed, put, busy) {
  const options = { busy: busy.is };
  const later = asked.isNow && act(say("asked.later"), () => put({ later: true }), { ...options, kind: "quiet", title: say("asked.later_why") });
  if (asked.kind === "notice" || asked.kind === "proposal")
    return html`${asked.command ? html`<div class="fix"><code>${asked.command}</code>${copies(asked.command)}</div>` : null}
      <div class="actions">${act(say(asked.kind === "notice" ? "asked.seen" : "asked.leave"), () => put({ decision: "no" }), options)}</div>`;
  if (asked.kind === "confirmation") {
    const no = () => put({ decision: "no", reason: typed.text });
    if (typed.isDenying)
      return html`<form class="inline" onSubmit=${(event) => (event.preventDefault(), no())}>
        <label class="grow"><span class="hidden">${say("asked.why_not")}</span>
          <input autofocus value=${typed.text} placeholder=${say("asked.why_not")} onInput=${(event) => (typed.text = event.target.value)}
            onVnodeMounted=${({ el }) => el.focus()} /></label>
        ${act(say("decision.no"), no, { ...options, kind: "danger" })}
        <button type="button" class="btn quiet" onClick=${() => (typed.isDenying = false)}>${say("cancel")}</button></form>`;
    return html`<div class="actions">
      ${act(say("asked.once"), () => put({ decision: "once" }), { ...options, kind: "primary", name: "check" })}
      ${asked.isNow && act(say("asked.run"), () => put({ decision: "run" }), { ...options, title: say("asked.run_why") })}
      ${act(say("asked.no"), () => (typed.isDenying = true), { ...options, kind: "danger" })} ${later}</div>`;
  }
  const isSecret = asked.kind === "secret";
  return html`${asked.candidates?.length ? html`<div class="actions">${asked.candidates.map((each) =>
      html`<span key=${each}>${act(each, () => put({ answer: each }), options)}</span>`)}</div>` : null}
    <form class="inline" onSubmit=${(event) => (event.preventDefault(), typed.text && put({ answer: typed.text }))}>
      <label class="grow"><span class="hidden">${say("asked.answer")}</span>
        <input type=${isSecret ? "password" : "text"} autocomplete="off" value=${typed.text} placeholder=${say(isSecret ? "asked.secret_hint" : "asked.answer")}
          disabled=${!store.changes} onInput=${(event) => (typed.text = event.target.value)} /></label>
      ${act(say("asked.send"), () => typed.text && put({ answer: typed.text }), { ...options, kind: "primary", disabled: !typed.text })} ${later}</form>`;
}
