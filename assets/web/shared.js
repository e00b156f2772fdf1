// The page of a shared chat: a name to come in with, what everybody says, the agent's replies; nothing else of the owner.
import { createApp, html, nextTick, reactive, ref } from "./lib/html.js";
import { get, onSignedOut, part, post, Refused } from "./lib/api.js";
import { connect, disconnect, listen, live } from "./lib/live.js";
import { firstTheme, keepTheme, theme } from "./lib/theme.js";
import { firstLang, keepLang, lang, say, setLang } from "./lib/words.js";
import { icon, mark } from "./parts/icon.js";
import { Markdown } from "./parts/markdown.js";
import { said } from "./parts/said.js";

const MOST_CHARS = 8000;
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const at = `/shared/${part(id)}`;
const room = reactive({ state: "unknown", title: "", name: "", people: [], messages: [], typing: "", typed: "", error: "" });
let key = null;
const scroller = ref(null);

const JOINED = `joined:${id}`; // this browser has a cookie for this chat; without one the server need not be asked

async function load() {
  try {
    const state = await get(`${at}/state`);
    Object.assign(room, { ...state, state: state.is_open ? "in" : "closed", error: "" });
    document.title = `${state.title} · Sopwith`;
    toEnd();
    if (live.epoch === null) Object.assign(live, { epoch: state.epoch, seq: state.seq }); // the socket goes on from here
    if (state.is_open) connect(`${at}/ws`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 410) room.state = "closed";
    else if (error.status === 401) {
      localStorage.removeItem(JOINED);
      room.state = "door";
    }
    else if (error.status === 404) room.state = "closed";
    else setTimeout(load, 2000);
  }
}

listen((message) => {
  if (message.type === "said") {
    if (room.messages.some((each) => each.n === message.n)) return;
    room.messages.push(message);
    if (message.is_agent) room.typing = "";
  } else if (message.type === "typing") room.typing = message.text;
  else if (message.type === "people") room.people = message.people;
  else if (message.type === "closed") {
    room.state = "closed";
    disconnect();
  } else if (message.type === "resync") load();
  toEnd();
});
onSignedOut(() => room.state === "in" && ((room.state = "door"), disconnect()));

const toEnd = () => nextTick(() => scroller.value && (scroller.value.scrollTop = scroller.value.scrollHeight));

async function join(event) {
  event.preventDefault();
  try {
    await post(`${at}/join`, { key: key ?? "", name: room.name.trim() });
    key = null;
    localStorage.setItem(JOINED, "yes");
    await load();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    room.error = error.status === 410 ? "" : error.text;
    if (error.status === 410) room.state = "closed";
  }
}

async function send(event) {
  event?.preventDefault();
  const text = room.typed.trim();
  if (!text) return;
  room.error = "";
  room.typed = "";
  try {
    await post(`${at}/say`, { text });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    Object.assign(room, { error: error.text, typed: text });
  }
}

async function leave() {
  disconnect();
  try {
    await post(`${at}/leave`, {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  localStorage.removeItem(JOINED);
  Object.assign(room, { state: "left", messages: [] });
}

const top = () => html`<header class="shared-bar">${mark()}<h1>${room.title || say("shared.chat")}</h1>
  ${room.state === "in" && html`<p class="people dim" title=${room.people.join(", ")}>${room.people.join(", ")}</p>`}
  <button type="button" class="btn quiet small" lang=${lang() === "en" ? "zh-CN" : "en"} onClick=${() => keepLang(lang() === "en" ? "zh" : "en")}>${lang() === "en" ? "中文" : "English"}</button>
  <button type="button" class="btn quiet square" aria-label=${say(`theme.${theme.is}`)} onClick=${() => keepTheme(theme.is === "dark" ? "light" : "dark")}>${icon(theme.is === "dark" ? "sun" : "moon")}</button>
  ${room.state === "in" && html`<button type="button" class="btn small" onClick=${leave}>${say("shared.leave")}</button>`}</header>`;

const views = {
  unknown: () => html`<p class="dim">${say("loading")}</p>`,
  closed: () => html`<p>${say("shared.is_closed")}</p>`,
  left: () => html`<p>${say("shared.has_left")}</p>`,
  door: () => html`<form onSubmit=${join}><p>${say(key ? "shared.door" : "shared.no_key")}</p>
    ${key ? html`<label><span>${say("shared.your_name")}</span><input value=${room.name} maxlength="40" autocomplete="nickname" onInput=${({ target }) => (room.name = target.value)} /></label>
      ${room.error && html`<p class="bad" role="alert">${room.error}</p>`}<button class="btn primary wide" disabled=${!room.name.trim()}>${say("shared.enter")}</button>` : null}</form>`,
};

const typedKey = (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) send(event);
};

function inside() {
  return html`<main class="shared-main" id="main"><div class="scroller" ref=${scroller} tabindex="0" role="log" aria-label=${room.title}><ol class="said-list thread">${room.messages.map((each) => said(each, room.name))}
      ${room.typing ? html`<li class="message agent"><p class="said-head"><b>${say("who.agent")}</b></p><${Markdown} text=${room.typing} isGrowing=${true} /></li>` : null}
      ${room.messages.length ? null : html`<li class="empty"><p>${say("shared.first")}</p></li>`}</ol></div>
    <form class="composer" onSubmit=${send}>${room.error ? html`<p class="bad" role="alert">${room.error}</p>` : live.state === "lost" ? html`<p class="bad" role="status">${say("live.lost_long")}</p>` : null}
      <label><span class="hidden">${say("shared.say")}</span><textarea rows="2" maxlength=${MOST_CHARS} value=${room.typed} placeholder=${say("shared.say")} onInput=${({ target }) => (room.typed = target.value)} onKeydown=${typedKey}></textarea></label>
      <div class="composer-row"><span class="grow dim small">${say("shared.as", { name: room.name })}</span><button class="btn primary" disabled=${!room.typed.trim()}>${icon("send")}${say("composer.send")}</button></div></form></main>`;
}

const App = { setup: () => () => html`<div class="shared">${top()}${room.state === "in" ? inside() : html`<main class="gate" id="main">${views[room.state]()}</main>`}</div>` };

/** The key of the link, which does not stay in the address. */
function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) history.replaceState(null, "", location.pathname);
  return given;
}

// a new link was put into a tab that is open already: no page is loaded for it
addEventListener("hashchange", () => {
  key = takeKey() ?? key;
  if (key && room.state !== "in") Object.assign(room, { state: "unknown", error: "" }), nextTick(() => (room.state = "door"));
});

async function start() {
  firstTheme();
  await setLang(firstLang());
  key = takeKey();
  createApp(App).mount("#app");
  if (localStorage.getItem(JOINED)) await load();
  else room.state = "door";
}

start();
