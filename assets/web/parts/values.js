// A form for the parameters of an SOP, made from their JSON schema.
import { html, reactive } from "../lib/html.js";
import { say } from "../lib/words.js";
import { act } from "./bits.js";

const NUMBERS = ["integer", "number"];

export const Values = {
  props: { schema: Object, isOptional: Boolean, go: String, start: Object },
  emits: ["given"],
  setup(props, { emit }) {
    const typed = reactive(Object.fromEntries(Object.entries(props.start ?? {}).map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : value])));
    const read = (schema, text) => (schema?.type === "array" ? JSON.stringify(text.split("\n").map((line) => line.trim()).filter(Boolean)) : String(text)); // the server reads texts
    function give(event) {
      event?.preventDefault();
      const { properties = {} } = props.schema ?? {};
      const given = Object.entries(typed).filter(([, value]) => value !== "" && value !== undefined);
      emit("given", Object.fromEntries(given.map(([name, value]) => [name, read(properties[name], value)])));
    }
    return () => {
      const { properties = {}, required = [] } = props.schema ?? {};
      const isMissing = !props.isOptional && required.some((name) => String(typed[name] ?? "") === "" && properties[name]?.type !== "boolean");
      return html`<form class="form" onSubmit=${give}>${Object.entries(properties).map(([name, schema], n) => html`<label key=${name} class="field">
          <span>${name}${required.includes(name) || props.isOptional ? "" : ` (${say("optional")})`} ${schema.description ? html`<small class="dim">${schema.description}</small>` : null}</span>${field(name, schema, typed, n === 0)}</label>`)}
        ${Object.keys(properties).length ? null : html`<p class="dim">${say("values.none")}</p>`}
        <div class="actions">${act(props.go, give, { kind: "primary", disabled: isMissing })}</div></form>`;
    };
  },
};

function field(name, schema, typed, isFirst) {
  const set = (event) => (typed[name] = event.target.value);
  if (schema.enum) return html`<select value=${typed[name] ?? ""} onChange=${set}><option value=""></option>${schema.enum.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}</select>`;
  if (schema.type === "boolean") return html`<input type="checkbox" checked=${!!typed[name]} onChange=${(event) => (typed[name] = event.target.checked)} />`;
  if (schema.type === "array") return html`<textarea rows="3" value=${typed[name] ?? ""} placeholder=${say("values.lines")} onInput=${set}></textarea>`;
  const hint = schema.examples?.[0] ?? (schema.format === "path" ? "~/…" : "");
  return html`<input type=${NUMBERS.includes(schema.type) ? "number" : "text"} step=${schema.type === "number" ? "any" : null} min=${schema.minimum ?? null} max=${schema.maximum ?? null}
    autofocus=${isFirst} value=${typed[name] ?? ""} placeholder=${hint} autocomplete="off" spellcheck="false" onInput=${set} />`;
}
