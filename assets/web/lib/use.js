// What pages are made of: data that is fetched and kept fresh, one thing at a time, and keys.
import { html, onBeforeUnmount, reactive, watch } from "./html.js";
import { Refused } from "./api.js";
import { listen } from "./live.js";
import { icon } from "../parts/icon.js";

/**
 * {data, error, isLoading, reload}: fetched by `fetchIt(...)`, again when what `deps()` gives changes, after a resync, and
 * when the server says that one of `kinds` ("sops", "inbox" …; or a function of the message) has changed.
 */
export function useFetched(fetchIt, { deps = () => null, kinds = [] } = {}) {
  const fetched = reactive({ data: null, error: null, isLoading: false, reload });
  let newest = 0;
  let timer = 0;

  async function reload({ fresh = false } = {}) {
    const mine = (newest += 1);
    if (fresh) fetched.data = null;
    fetched.isLoading = true;
    try {
      const data = await fetchIt();
      if (mine === newest) Object.assign(fetched, { data, error: null });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (mine === newest) fetched.error = error;
    } finally {
      if (mine === newest) fetched.isLoading = false;
    }
  }

  const concerns = (message) =>
    message.type === "resync" || (typeof kinds === "function" ? kinds(message) : message.type === "changed" && kinds.includes(message.what));
  const stop = listen((message) => {
    if (!concerns(message)) return;
    clearTimeout(timer); // many changes in a row are one
    timer = setTimeout(reload, 150);
  });
  watch(deps, () => reload({ fresh: true }), { deep: true });
  onBeforeUnmount(() => {
    stop();
    clearTimeout(timer);
    newest += 1;
  });
  reload();
  return fetched;
}

/** {text, field(label)}: a search field, and what stands in it once nobody types. */
export function useTyped() {
  const typed = reactive({ typed: "", text: "", field, put });
  let timer = 0;
  function put({ target }) {
    typed.typed = target.value;
    clearTimeout(timer);
    timer = setTimeout(() => (typed.text = typed.typed.trim()), 300);
  }
  function field(label) {
    return html`<label class="search">${icon("search")}<span class="hidden">${label}</span><input type="search" value=${typed.typed} placeholder=${label} onInput=${put} /></label>`;
  }
  return typed;
}

/** {is, start}: `start(act)` does one thing at a time; `is` while it works. */
export function useBusy() {
  const busy = reactive({ is: false, start });
  async function start(act) {
    if (busy.is) return undefined;
    busy.is = true;
    try {
      return await act();
    } finally {
      busy.is = false;
    }
  }
  return busy;
}

/** Calls `pressed(event)` for keys that nobody is typing with. */
export function useKeys(pressed) {
  const heard = (event) => {
    const { target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
    pressed(event);
  };
  document.addEventListener("keydown", heard);
  onBeforeUnmount(() => document.removeEventListener("keydown", heard));
}
