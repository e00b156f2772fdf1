// Where the owner writes: text, files (picked, dropped, pasted), model and persona; steers a run that works, and stops it.
import { computed, html, nextTick, onMounted, reactive, ref, watch } from "../lib/html.js";
import { upload } from "../lib/api.js";
import { bytes, say } from "../lib/words.js";
import { doing, setChanges, store, toast } from "../lib/store.js";
import { icon } from "./icon.js";

const LONG_PASTE_CHARS = 20_000; // a longer text is sent as a file
const MOST_CHARS = 1_000_000; // of a message; what was typed, or put in by a program, becomes a file beyond that

export const Composer = {
  props: { isWorking: Boolean, draftOf: String },
  emits: ["send", "steer", "stop"],
  setup(props, { emit }) {
    const draft = reactive({ text: "", files: [], model: "", persona: "", rote: true, isDragged: false, isTuned: false });
    const field = ref(null);
    const picker = ref(null);
    const uploading = computed(() => draft.files.some((file) => !file.id));
    const canSend = computed(() => store.changes && !uploading.value && (draft.text.trim() || draft.files.length));

    const key = () => `draft:${props.draftOf}`;
    watch(() => props.draftOf, () => (draft.text = sessionStorage.getItem(key()) ?? ""), { immediate: true });
    watch(() => draft.text, (text) => {
      if (text.length < LONG_PASTE_CHARS) sessionStorage.setItem(key(), text);
      nextTick(fit);
    });
    onMounted(() => {
      fit();
      if (matchMedia("(pointer: fine)").matches) field.value?.focus({ preventScroll: true });
    });

    function fit() {
      if (!field.value) return;
      if (draft.text.length > LONG_PASTE_CHARS) return (field.value.style.height = "40vh"); // to measure it would take seconds
      field.value.style.height = "auto";
      field.value.style.height = `${Math.min(field.value.scrollHeight, innerHeight * 0.4)}px`;
    }

    function add(files) {
      if (!store.changes) return toast(say("readonly.why"));
      for (const file of files) {
        const shown = reactive({ name: file.name || "file", size: file.size, id: null, picture: file.type.startsWith("image/") ? URL.createObjectURL(file) : "" });
        draft.files.push(shown);
        doing(() => upload(file)).then((given) => {
          if (given) shown.id = given.id;
          else draft.files = draft.files.filter((each) => each !== shown);
        });
      }
    }

    function pasted(event) {
      const { files } = event.clipboardData;
      const text = event.clipboardData.getData("text/plain");
      if (files.length) add([...files]);
      else if (text.length > LONG_PASTE_CHARS) add([new File([text], "pasted.txt", { type: "text/plain" })]);
      else return;
      event.preventDefault();
    }

    function send() {
      if (!canSend.value) return;
      const text = draft.text.trim();
      if (text.length > MOST_CHARS) {
        draft.text = "";
        toast(say("composer.too_long"));
        return add([new File([text], "message.txt", { type: "text/plain" })]);
      }
      const put = () => Object.assign(draft, { text, files }); // given back when it is refused
      const files = draft.files;
      if (props.isWorking && !files.length) emit("steer", text, put);
      else emit("send", { text, files: files.map((file) => file.id), model: draft.model || null, persona: draft.persona || null, rote: draft.rote }, put);
      Object.assign(draft, { text: "", files: [] });
    }

    const typed = (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
        event.preventDefault();
        send();
      } else if (event.key === "Escape" && props.isWorking) emit("stop");
    };
    const dropped = (event) => {
      event.preventDefault();
      draft.isDragged = false;
      add([...event.dataTransfer.files]);
    };

    const sends = () => say(props.isWorking && !draft.files.length ? "composer.say" : "composer.send");
    return () => !store.changes ? closed() : html`
      <form class=${{ composer: true, dragged: draft.isDragged }} onSubmit=${(event) => (event.preventDefault(), send())}
        onDragover=${(event) => (event.preventDefault(), (draft.isDragged = true))} onDragleave=${() => (draft.isDragged = false)} onDrop=${dropped}>
        ${draft.files.length ? html`<ul class="files">${draft.files.map((file, n) => html`<li key=${n} class="file">
          ${file.picture && html`<img src=${file.picture} alt="" onLoad=${() => URL.revokeObjectURL(file.picture)} />`}${file.id ? !file.picture && icon("file") : html`<i class="spinner"></i>`}${file.name} <small>${bytes(file.size)}</small>
          <button type="button" class="btn quiet square" aria-label=${say("composer.drop_file", { name: file.name })}
            onClick=${() => (draft.files = draft.files.filter((each) => each !== file))}>${icon("close")}</button></li>`)}</ul>` : null}
        <label><span class="hidden">${say("composer.label")}</span>
          <textarea ref=${field} rows="1" id="composer" value=${draft.text} placeholder=${say(props.isWorking ? "composer.steer" : "composer.hint")}
            onInput=${(event) => (draft.text = event.target.value)} onKeydown=${typed} onPaste=${pasted}></textarea></label>
        <div class="composer-row">
          <button type="button" class="btn quiet square" aria-label=${say("composer.attach")} title=${say("composer.attach")} onClick=${() => picker.value.click()}>${icon("attach")}</button>
          <input ref=${picker} type="file" multiple hidden onChange=${(event) => (add([...event.target.files]), (event.target.value = ""))} />
          ${props.isWorking ? null : html`<button type="button" class="btn quiet square only-narrow" aria-label=${say("composer.choices")} aria-expanded=${draft.isTuned} onClick=${() => (draft.isTuned = !draft.isTuned)}>${icon("tune")}</button>
            <span class=${{ choices: true, open: draft.isTuned }}>${choices(draft)}</span>`}
          <span class="grow"></span>
          ${props.isWorking && html`<button type="button" class="btn" aria-label=${say("stop")} onClick=${() => emit("stop")}>${icon("stop")}<span class="label">${say("stop")}</span></button>`}
          <button type="submit" class="btn primary" disabled=${!canSend.value} aria-label=${sends()}>${icon("send")}<span class="label">${sends()}</span></button>
        </div>
      </form>`;
  },
};

function choices(draft) {
  const { models = [], personas = [] } = store.state;
  const select = (name, all, none) => all.length > (name === "model" ? 1 : 0) && html`<label class="mini"><span class="hidden">${say(`composer.${name}`)}</span>
    <select value=${draft[name]} onChange=${(event) => (draft[name] = event.target.value)}><option value="">${none}</option>
      ${all.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}</select></label>`;
  return html`${select("model", models, say("composer.any_model"))}${select("persona", personas, say("composer.no_persona"))}
    <label class="mini check" title=${say("composer.rote_why")}><input type="checkbox" checked=${draft.rote} onChange=${(event) => (draft.rote = event.target.checked)} />${say("composer.rote")}</label>`;
}

function closed() {
  return html`<div class="composer closed"><span>${icon("lock")}${say("readonly.chat")}</span>
    <button type="button" class="btn primary" onClick=${() => setChanges(true)}>${say("readonly.turn_on")}</button></div>`;
}
