// A day that is typed as 2026-11-22, or picked: the browser's own field writes days as its own language has them, not the page's.
import { html, reactive, ref, watch } from "../lib/html.js";
import { say } from "../lib/words.js";
import { icon } from "./icon.js";

const DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

/** The day as YYYY-MM-DD; "" for nothing, null for what is none. */
export function dayOf(typed) {
  if (!typed.trim()) return "";
  const found = DAY.exec(typed.trim().replace(/[./年月]/g, "-").replace(/日$/, ""));
  if (!found) return null;
  const [, year, month, day] = found;
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = new Date(`${iso}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : null;
}

/** A field for a day; `chosen` is told YYYY-MM-DD, or "". */
export const Day = {
  props: { label: String, value: String },
  emits: ["chosen"],
  setup(props, { emit }) {
    const typed = reactive({ text: props.value, isWrong: false });
    const picker = ref(null);
    watch(() => props.value, (value) => Object.assign(typed, { text: value, isWrong: false }));
    const take = (text) => {
      const day = dayOf(text);
      Object.assign(typed, { text, isWrong: day === null });
      if (day !== null && day !== props.value) emit("chosen", day);
    };
    return () => html`<span class="mini day-field"><label>${props.label} <input type="text" inputmode="numeric" autocomplete="off" size="10" maxlength="12" value=${typed.text} placeholder=${say("day.form")}
        aria-invalid=${typed.isWrong || null} title=${typed.isWrong ? say("day.wrong") : null} onChange=${({ target }) => take(target.value)} onInput=${({ target }) => dayOf(target.value) && take(target.value)} /></label>
      <button type="button" class="btn quiet square" aria-label=${say("day.pick", { label: props.label })} onClick=${() => picker.value.showPicker?.()}>${icon("schedule")}</button>
      <input type="date" class="picked" tabindex="-1" aria-hidden="true" ref=${picker} value=${props.value} onChange=${({ target }) => take(target.value)} /></span>`;
  },
};
