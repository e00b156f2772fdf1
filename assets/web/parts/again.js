// Do a task once more: an SOP with other values, anything else in other words.
import { html, ref } from "../lib/html.js";
import { get, part, post } from "../lib/api.js";
import { go } from "../lib/route.js";
import { doing } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { say } from "../lib/words.js";
import { act, Dialog, instead } from "./bits.js";
import { Values } from "./values.js";

export const Again = {
  props: { story: Object },
  emits: ["closed"],
  setup(props, { emit }) {
    const { sop, task, parameters } = props.story;
    const busy = useBusy();
    const typed = ref(task);
    const found = sop ? useFetched(() => get(`/api/sops/${part(sop)}`)) : null;

    const begin = (address, body) => busy.start(() => doing(async () => {
      const { run } = await post(address, body);
      emit("closed");
      go(`/runs/${part(run)}`);
    }));

    const inWords = () => html`<form class="form" onSubmit=${(event) => (event.preventDefault(), begin("/api/chat", { text: typed.value }))}>
      <label class="field"><span>${say("run.task")}</span><textarea rows="5" value=${typed.value} onInput=${(event) => (typed.value = event.target.value)}></textarea></label>
      <div class="actions">${act(say("run.again_go"), () => begin("/api/chat", { text: typed.value }), { kind: "primary", busy: busy.is, disabled: !typed.value.trim() })}</div></form>`;

    const withValues = () => instead(found) ?? (found.data.parameters && Object.keys(found.data.parameters.properties ?? {}).length
      ? html`<p class="dim">${say("run.again_sop", { sop })}</p>
        <${Values} schema=${found.data.parameters} start=${parameters} go=${say("run.again_go")} onGiven=${(values) => begin(`/api/sops/${part(sop)}/run`, { values })} />`
      : inWords());

    return () => html`<${Dialog} title=${say("run.again")} onClosed=${() => emit("closed")}>${found && !found.error ? withValues() : inWords()}</${Dialog}>`;
  },
};
