// The dialog that makes an SOP: from a finished run, from a text, or from a file.
import { html, reactive } from "../lib/html.js";
import { get, part, post, upload } from "../lib/api.js";
import { go } from "../lib/route.js";
import { doing, errandDone, store } from "../lib/store.js";
import { useFetched } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { act, Dialog, tabs } from "../parts/bits.js";

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export const Teach = {
  props: { run: String },
  emits: ["closed"],
  setup(props, { emit }) {
    const form = reactive({ name: "", from: "run", run: props.run || "", text: "", request: "", file: null, errand: null });
    const runs = useFetched(() => get("/api/runs", { limit: 30, status: "done" }));
    const isReady = () => NAME.test(form.name) && (form.from === "run" ? form.run : form.from === "text" ? form.text.trim() : form.file);
    async function teach(event) {
      event?.preventDefault();
      if (!isReady() || form.errand?.state === "working") return;
      form.errand = { state: "working", lines: [] };
      const given = await doing(async () => {
        const from = form.from === "run" ? { run: form.run } : form.from === "text" ? { text: form.text } : { upload: (await upload(form.file)).id };
        return post("/api/sops/teach", { name: form.name, request: form.request, values: {}, ...from });
      });
      form.errand = given ? await errandDone(given.errand) : null;
    }
    return () => html`<${Dialog} title=${say("sops.teach")} onClosed=${() => emit("closed")}>
      <form class="form" onSubmit=${teach}>
        <label class="field"><span>${say("teach.name")} <small class="dim">${say("teach.name_hint")}</small></span>
          <input autofocus value=${form.name} autocomplete="off" spellcheck="false" placeholder="old-files" onInput=${(event) => (form.name = event.target.value)} /></label>
        ${tabs(["run", "text", "file"].map((name) => [name, say(`teach.${name}`)]), form.from, (name) => (form.from = name))}
        ${form.from === "run" ? html`<label class="field"><span>${say("teach.which_run")}</span><select value=${form.run} onChange=${(event) => (form.run = event.target.value)}><option value=""></option>
            ${props.run && !runs.data?.runs.some((run) => run.run === props.run) ? html`<option value=${props.run}>${props.run}</option>` : null}
            ${(runs.data?.runs ?? []).map((run) => html`<option key=${run.run} value=${run.run}>${when(run.started)} · ${run.task.slice(0, 90)}</option>`)}</select></label>`
          : form.from === "text" ? html`<label class="field"><span>${say("teach.text_hint")}</span>
            <textarea rows="8" class="mono" value=${form.text} onInput=${(event) => (form.text = event.target.value)}></textarea></label>`
          : html`<label class="field"><span>${say("teach.file_hint")}</span><input type="file" accept=".md,.sh,.yaml,.yml,.txt" onChange=${(event) => (form.file = event.target.files[0] ?? null)} /></label>`}
        <label class="field"><span>${say("teach.request")} <small class="dim">${say("optional")}</small></span>
          <input value=${form.request} placeholder=${say("teach.request_hint")} onInput=${(event) => (form.request = event.target.value)} /></label>
        ${form.errand && html`<div class=${`errand ${form.errand.state}`} role="status">${form.errand.state === "working" ? html`<p><i class="spinner"></i> ${say("teach.working")}</p>` : null}
          ${form.errand.lines?.length ? html`<pre class="plain">${form.errand.lines.join("\n")}</pre>` : null}</div>`}
        <div class="actions">${form.errand?.state === "done" ? html`<button type="button" class="btn primary" onClick=${() => (emit("closed"), go(`/sops/${part(form.name)}`))}>${say("teach.open")}</button>`
          : act(say("teach.go"), teach, { kind: "primary", disabled: !isReady(), busy: form.errand?.state === "working" })}
          ${store.changes ? null : html`<span class="dim">${say("readonly.why")}</span>`}</div>
      </form></${Dialog}>`;
  },
};
