// The dialog that adds a job: a time in words, and a task, or an SOP with its values.
import { html, reactive } from "../lib/html.js";
import { post, Refused } from "../lib/api.js";
import { doing, store, toast } from "../lib/store.js";
import { useBusy } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { act, Dialog } from "./bits.js";
import { Values } from "./values.js";

export const AddJob = {
  props: { sop: Object },
  emits: ["closed", "added"],
  setup(props, { emit }) {
    const form = reactive({ when: "", task: "", said: "", next: [], error: "" });
    const busy = useBusy();
    let timer = 0;
    const typed = ({ target }) => {
      form.when = target.value;
      clearTimeout(timer);
      timer = setTimeout(look, 300);
    };
    let newest = 0; // of the questions: an answer that comes late is of what stood there before
    async function look() {
      const mine = (newest += 1);
      let found = { said: "", next: [], error: "" };
      if (form.when.trim() && store.changes) {
        try {
          found = { error: "", ...(await post("/api/schedule/preview", { when: form.when })) };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          found.error = error.text;
        }
      }
      if (mine === newest) Object.assign(form, found);
    }
    const add = (what) => busy.start(() => doing(async () => {
      toast((await post("/api/schedule", { when: form.when, ...what })).said);
      emit("added");
    }));
    const task = (event) => (event?.preventDefault(), add({ task: form.task }));
    const isReady = () => form.when.trim() && !form.error && !busy.is;
    return () => html`<${Dialog} title=${props.sop ? say("schedule.add_sop", { name: props.sop.name }) : say("schedule.add")} onClosed=${() => emit("closed")}>
      <label class="field"><span>${say("schedule.when")} <small class="dim">${say("schedule.when_hint")}</small></span><input autofocus value=${form.when} placeholder=${say("schedule.when_example")} onInput=${typed} /></label>
      <div class="reading">${form.error ? html`<p class="bad" role="alert">${form.error}</p>` : null}
      ${form.next.length ? html`<p role="status"><b>${form.said}</b><br /><span class="dim">${say("schedule.next", { when: form.next.slice(0, 3).map((each) => when(each)).join(" · ") })}</span></p>` : null}</div>
      ${props.sop ? html`<${Values} schema=${props.sop.parameters} go=${say("schedule.add")} onGiven=${(values) => isReady() && add({ sop: props.sop.name, values })} />`
        : html`<form class="form" onSubmit=${task}><label class="field"><span>${say("schedule.task")}</span><textarea rows="3" value=${form.task} placeholder=${say("schedule.task_example")} onInput=${(event) => (form.task = event.target.value)}></textarea></label>
      <div class="actions">${act(say("schedule.add"), task, { kind: "primary", busy: busy.is, disabled: !isReady() || !form.task.trim() })}</div></form>`}</${Dialog}>`;
  },
};
