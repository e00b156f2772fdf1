// An SOP as a form: what it is called for, its wordings, parameters, steps, what is expected of them, and its text.
import { html, reactive } from "../lib/html.js";
import { part, post } from "../lib/api.js";
import { doing, toast } from "../lib/store.js";
import { useBusy } from "../lib/use.js";
import { say } from "../lib/words.js";
import { act } from "./bits.js";

const TOUCHED = ["new", "changed", "gone"];
const OUTPUTS = ["none", "text", "lines", "number", "json"];
const PARTS = ["plan", "commit", "checks"];

/** Lines of a list whose items may be more than a text. */
const written = (all) => (all ?? []).map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n");
const readLine = (line) => (line.startsWith("{") ? JSON.parse(line) : line);
const readLines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean).map(readLine);
const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

export const SopForm = {
  props: { sop: Object },
  emits: ["stored"],
  setup(props, { emit }) {
    const { description, body } = props.sop;
    const made = reactive({ description, body, content: structuredClone(JSON.parse(JSON.stringify(props.sop.content))), texts: {}, wrong: "" });
    const busy = useBusy();
    /** A field whose text is read only when all is stored: half a JSON is none. */
    const later = (key, label, start, put, rows = 3) => {
      const text = made.texts[key]?.text ?? start;
      return html`<label class="field" key=${key}><span>${label}</span><textarea rows=${rows} class="mono" spellcheck="false" value=${text} aria-invalid=${made.wrong === key}
        onInput=${(event) => (made.texts[key] = { text: event.target.value, put, label })}></textarea></label>`;
    };
    const store = (event) => (event?.preventDefault(), busy.start(() => doing(async () => {
      made.wrong = "";
      for (const [key, { text, put, label }] of Object.entries(made.texts)) {
        try {
          put(text);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          made.wrong = key;
          return toast(say("form.not_json", { field: label }), "error");
        }
      }
      const given = { content: made.content, ...(made.description === description ? {} : { description: made.description }), ...(made.body === body ? {} : { body: made.body }) };
      toast((await post(`/api/sops/${part(props.sop.name)}/edit`, given)).said);
      emit("stored");
    })));
    return () => html`<form class="form sop-form" onSubmit=${store}><p class="dim">${say("form.why")}</p>
      <section class="card form"><label class="field"><span>${say("form.description")}</span><textarea rows="2" value=${made.description} onInput=${(event) => (made.description = event.target.value)}></textarea></label>
        ${made.content ? later("wordings", say("form.wordings", { name: "{name}" }), written(made.content.wordings), (text) => (made.content.wordings = readLines(text)), 5) : null}</section>
      ${made.content ? html`${parameters(made.content)} ${steps(made.content, later)} ${expectation(made.content, later)}` : null}
      <section class="card form"><label class="field"><span>${say("form.body")}</span><textarea rows="10" class="mono" value=${made.body} onInput=${(event) => (made.body = event.target.value)}></textarea></label></section>
      <div class="actions sticky">${act(say("form.store"), store, { kind: "primary", busy: busy.is })}<span class="dim">${say("form.proven_again")}</span></div></form>`;
  },
};

function parameters(content) {
  const { properties = {}, required = [] } = content.parameters ?? {};
  const names = Object.keys(properties);
  if (!names.length) return null;
  const need = (name, isNeeded) => (content.parameters.required = isNeeded ? [...required, name] : required.filter((each) => each !== name));
  return html`<section class="card form"><h2>${say("sop.parameters")}</h2>${names.map((name) => html`<div class="parameter" key=${name}><code>${name}</code> <small class="dim">${[properties[name].type, properties[name].format].filter(Boolean).join(" · ")}</small>
    <label class="grow"><span class="hidden">${say("form.about", { name })}</span><input value=${properties[name].description ?? ""} placeholder=${say("form.about", { name })} onInput=${(event) => (properties[name].description = event.target.value)} /></label>
    <label class="mini check"><input type="checkbox" checked=${required.includes(name)} onChange=${(event) => need(name, event.target.checked)} />${say("form.required")}</label></div>`)}</section>`;
}

function steps(content, later) {
  if (content.run) return html`<section class="card form"><h2>${say("form.script")} <small class="dim">${content.run.type}</small></h2>
    ${later("script", say("form.script_of", { folder: content.run.cwd ?? "." }), content.run.script, (text) => (content.run.script = text.replace(/\n*$/, "\n")), 8)}</section>`;
  return PARTS.filter((name) => content[name]?.length).map((name) => html`<section class="card form" key=${name}><h2>${say(`form.${name}`)}</h2>
    ${content[name].map((step, n) => html`<details key=${n} class="step-form"><summary><b>${step.tool ?? (step.command ? "code_run" : say("step.end"))}</b> ${asText(step.note ?? step.command ?? "").slice(0, 90)}</summary>
      ${Object.keys(step).filter((key) => key !== "tool").flatMap((key) => (key === "args" ? Object.keys(step.args).map((arg) => one(step.args, arg, `${name}.${n}.${arg}`, later)) : [one(step, key, `${name}.${n}.${key}`, later)]))}</details>`)}</section>`);
}

/** A field for one value: a text as it is, the rest as JSON. */
function one(owner, key, at, later) {
  const start = owner[key];
  const text = asText(start);
  return later(at, key, text, (typed) => (owner[key] = typeof start === "string" ? typed : JSON.parse(typed)), Math.min(12, text.split("\n").length + 1));
}

function expectation(content, later) {
  const { changes = {}, output = {} } = content.expect ?? {};
  const put = (kind) => (text) => (content.expect = { ...content.expect, changes: { ...content.expect?.changes, [kind]: readLines(text) } });
  const setType = (event) => (content.expect = { ...content.expect, output: { ...output, type: event.target.value } });
  return html`<section class="card form"><h2>${say("form.expect")}</h2>
    ${content.run ? html`<p class="dim">${say("form.expect_why", { name: "{name}" })}</p>${TOUCHED.map((kind) => later(`expect.${kind}`, say(`form.expect_${kind}`), written(changes[kind]), put(kind), 2))}
      <label class="field"><span>${say("form.output")}</span><select value=${output.type ?? "text"} onChange=${setType}>${OUTPUTS.map((each) => html`<option key=${each} value=${each}>${say(`form.output_${each}`)}</option>`)}</select></label>` : null}
    ${content.result === undefined ? null : one(content, "result", "result", later)}</section>`;
}
