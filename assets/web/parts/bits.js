// Small things that many pages show: states, tabs, empty and failed lists, dialogs, code and differences.
import { html, onMounted, ref } from "../lib/html.js";
import { say, sayOr } from "../lib/words.js";
import { store } from "../lib/store.js";
import { icon } from "./icon.js";

const TONES = {
  done: "good", active: "good", ok: "good", open: "good",
  working: "live", probation: "live", coming: "calm", candidate: "calm", draft: "calm", seed: "calm",
  waiting: "wait", interrupted: "wait", suspended: "wait", skipped: "wait", timeout: "wait", refused: "wait", limit: "wait",
  failed: "bad", no_model: "bad", error: "bad", damaged: "bad", diverged: "bad",
};

/** A state as a coloured word. */
export function chip(state, label = null) {
  return html`<span class=${`chip ${TONES[state] ?? "calm"}`}>${label ?? sayOr(`status.${state}`, state)}</span>`;
}

/** What a fetched list shows while it has nothing: it loads, it failed, or it is empty. Null when there is something. */
export function instead(fetched, isEmpty = false, empty = "") {
  if (fetched.error)
    return html`<div class="empty" role="alert"><p>${fetched.error.text}</p>
      <button class="btn" onClick=${() => fetched.reload()}>${say("again")}</button></div>`;
  if (!fetched.data) return html`<div class="empty loading" aria-busy="true">${say("loading")}</div>`;
  return isEmpty ? html`<div class="empty"><p>${empty || say("nothing")}</p></div>` : null;
}

const seen = ({ el }) => el.scrollIntoView({ block: "nearest", inline: "nearest" });

/** Tabs; `chosen` is a name, `choose(name)` is called. tabs: [[name, label]]. */
export function tabs(all, chosen, choose) {
  const step = (event, by) => {
    event.preventDefault();
    const names = all.map(([name]) => name);
    choose(names[(names.indexOf(chosen) + by + names.length) % names.length]);
    const { parentElement } = event.currentTarget;
    requestAnimationFrame(() => parentElement.querySelector("[aria-selected=true]")?.focus());
  };
  return html`<div class="tabs" role="tablist">${all.map(([name, label]) => html`
    <button role="tab" type="button" key=${name} aria-selected=${chosen === name} tabindex=${chosen === name ? 0 : -1} onVnodeMounted=${(node) => chosen === name && seen(node)} onVnodeUpdated=${(node, before) => chosen === name && !before.props["aria-selected"] && seen(node)}
      onClick=${() => choose(name)} onKeydown=${(event) =>
        event.key === "ArrowRight" ? step(event, 1) : event.key === "ArrowLeft" && step(event, -1)}>${label}</button>`)}</div>`;
}

/** A button that changes something: closed while the page only reads. */
export function act(label, onClick, { kind = "", busy = false, disabled = false, name = null, title = null } = {}) {
  return html`<button type="button" class=${`btn ${kind}`} disabled=${busy || disabled || !store.changes} onClick=${onClick}
    title=${store.changes ? title : say("readonly.why")} aria-busy=${busy || null}>${name && icon(name)}${label}</button>`;
}

/** A small menu behind three dots. all: [[label, act]]. */
export function menu(label, all) {
  const chosen = (act) => ({ currentTarget }) => (currentTarget.closest("details").removeAttribute("open"), act());
  return html`<details class="menu" onFocusout=${(event) => event.currentTarget.contains(event.relatedTarget) || event.currentTarget.removeAttribute("open")}
    onKeydown=${(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}><summary class="btn quiet square" aria-label=${label}>${icon("more")}</summary>
    <ul>${all.map(([name, act]) => html`<li key=${name}><button type="button" class="btn quiet wide" disabled=${!store.changes} onClick=${chosen(act)}>${name}</button></li>`)}</ul></details>`;
}

/** A button that copies a text. */
export function copies(text) {
  const copy = async ({ currentTarget: button }) => {
    await navigator.clipboard.writeText(text);
    button.textContent = say("copied");
    setTimeout(() => (button.textContent = say("copy")), 1500);
  };
  return html`<button type="button" class="btn small" onClick=${copy}>${say("copy")}</button>`;
}

/** A dialog in the middle; `closed()` is called on Escape, on its cross and beside it. */
export const Dialog = {
  props: { title: String },
  emits: ["closed"],
  setup(props, { emit, slots }) {
    const element = ref(null);
    onMounted(() => element.value.showModal());
    const close = () => element.value?.close();
    return () => html`<dialog ref=${element} class="dialog" aria-label=${props.title} onClose=${() => emit("closed")}
        onClick=${(event) => event.target === element.value && close()}>
      <div class="dialog-box"><header><h2>${props.title}</h2>
        <button type="button" class="btn quiet square" onClick=${close} aria-label=${say("close")}>${icon("close")}</button></header>
        ${slots.default?.()}</div></dialog>`;
  },
};

/** A unified diff, added and taken lines coloured. */
export function diff(text) {
  const tone = (line) =>
    /^(\+\+\+|---|diff |index )/.test(line) ? "head" : line.startsWith("@@") ? "at" : line[0] === "+" ? "plus" : line[0] === "-" ? "minus" : "";
  return html`<pre class="diff" tabindex="0">${text.replace(/\n$/, "").split("\n").map((line, n) =>
    html`<span key=${n} class=${tone(line)}>${line || " "}\n</span>`)}</pre>`;
}

/** Anything as text: a string as it is, the rest as JSON. */
export function written(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function code(value, label = null) {
  return html`<pre class="plain" tabindex="0" aria-label=${label}>${written(value)}</pre>`;
}

const LONG = new Set(["script", "code", "path", "paths", "content", "old", "new", "url"]);

/** The arguments of a call: long ones whole, short ones together on a line. */
export function given(args) {
  const all = Object.entries(args ?? {});
  const isShort = ([name, value]) => !LONG.has(name) && String(written(value)).length < 40;
  const short = all.filter(isShort);
  const long = all.filter((each) => !isShort(each));
  return html`${long.map(([name, value]) => html`<div class="named" key=${name}>${long.length > 1 ? html`<p class="key">${name}</p>` : null}${code(Array.isArray(value) ? value.map(written).join("\n") : value, name)}</div>`)}
    ${short.length ? html`<p class="facts small">${short.map(([name, value]) => html`<span key=${name}>${name} <b>${written(value)}</b></span>`)}</p>` : null}`;
}

/** Asks for another `name`, or where none is given whether it may go; `sure(name)` is called. */
export const Sure = {
  props: { title: String, why: String, go: String, label: String, hint: String, name: String },
  emits: ["closed", "sure"],
  setup(props, { emit }) {
    const typed = ref(props.name);
    const isRename = props.name !== null;
    const give = (event) => (event?.preventDefault(), emit("sure", isRename ? typed.value.trim() : ""), emit("closed"));
    return () => html`<${Dialog} title=${props.title} onClosed=${() => emit("closed")}><form class="form" onSubmit=${give}>${props.why ? html`<p class="asked-text">${props.why}</p>` : null}
      ${isRename ? html`<label class="field"><span>${props.label} <small class="dim">${props.hint}</small></span><input autofocus maxlength="300" value=${typed.value} spellcheck="false" onInput=${(event) => (typed.value = event.target.value)} /></label>` : null}
      <div class="actions">${act(props.go, give, { kind: isRename ? "primary" : "danger", disabled: isRename && [props.name, ""].includes(typed.value.trim()) })}</div></form></${Dialog}>`;
  },
};

/** A number with its name below. */
export function tile(value, label, more = "") {
  return html`<div class="tile"><b>${value}</b><span>${label}</span>${more && html`<small>${more}</small>`}</div>`;
}

export function switchOf(label, isOn, flip, { disabled = false, hint = "" } = {}) {
  return html`<button type="button" class="switch" role="switch" aria-checked=${isOn} disabled=${disabled} title=${hint || null} onClick=${() => flip(!isOn)}>
    <i></i><span>${label}</span></button>`;
}

/** The head of a page: its title, and what can be done. */
export function head(title, actions = null, below = null) {
  return html`<header class="page-head"><h1 tabindex="-1">${title}</h1><div class="actions">${actions}</div>${below}</header>`;
}
