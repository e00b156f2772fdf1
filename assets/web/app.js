// Starts the page: signs in with the token of the address, draws the frame around the pages, listens to the server.
import { createApp, html, nextTick, reactive, ref, watch } from "./lib/html.js";
import { post, Refused } from "./lib/api.js";
import { connect, disconnect, live } from "./lib/live.js";
import { go, route } from "./lib/route.js";
import { atWork, dismiss, doing, loadInbox, loadState, setChanges, store, waiting } from "./lib/store.js";
import { firstTheme, keepTheme, theme } from "./lib/theme.js";
import { useKeys } from "./lib/use.js";
import { firstLang, keepLang, lang, say, setLang } from "./lib/words.js";
import { Dialog, switchOf } from "./parts/bits.js";
import { icon, mark } from "./parts/icon.js";
import { Access } from "./pages/access.js";
import { Chat } from "./pages/chat.js";
import { Doctor } from "./pages/doctor.js";
import { Graph } from "./pages/graph.js";
import { Inbox } from "./pages/inbox.js";
import { Memory } from "./pages/memory.js";
import { Overview } from "./pages/overview.js";
import { Runs } from "./pages/runs.js";
import { Schedule } from "./pages/schedule.js";
import { Settings } from "./pages/settings.js";
import { Sops } from "./pages/sops.js";
import { Teach } from "./pages/teach.js";
import { Palette } from "./parts/palette.js";

const PAGES = { overview: Overview, chat: Chat, runs: Runs, sops: Sops, memory: Memory, graph: Graph, schedule: Schedule, inbox: Inbox, access: Access, settings: Settings, doctor: Doctor, teach: Teach };
const KEYS = { o: "overview", c: "chat", r: "runs", s: "sops", m: "memory", g: "graph", p: "schedule", i: "inbox", a: "access", e: "settings", d: "doctor", t: "teach" };
const WITHIN = { teach: "sops" }; // pages that the rail shows as part of another
const names = () => Object.keys(PAGES);
const railed = () => names().filter((name) => !WITHIN[name]);

const App = {
  setup() {
    const shown = reactive({ isMenuOpen: false, isHelpOpen: false, isFinding: false });
    let isGoing = false; // after "g": the next key names a page
    useKeys((event) => {
      if (isGoing && KEYS[event.key]) go(`/${KEYS[event.key]}`);
      else if (event.key === "?") shown.isHelpOpen = true;
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector("[type=search], #composer")?.focus();
      }
      isGoing = event.key === "g" && !isGoing;
    });
    const find = (event) => {
      if (event.key?.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || !store.isSignedIn) return;
      event.preventDefault(); // wherever somebody types
      shown.isFinding = !document.querySelector("dialog[open]");
    };
    addEventListener("keydown", find);
    watch(() => route.page, (page) => {
      shown.isMenuOpen = false;
      if (page !== "chat") nextTick(() => document.querySelector("main h1")?.focus({ preventScroll: true }));
    });
    watch(() => [route.page, lang(), waiting.value.length], () => {
      document.title = `${waiting.value.length ? `(${waiting.value.length}) ` : ""}${say(`page.${PAGES[route.page] ? route.page : "overview"}`)} · Sopwith`;
    }, { immediate: true });
    return () => {
      if (store.isSignedIn === null) return html`<div class="gate" role="status" aria-label=${say("loading")}>${mark()}</div>`;
      if (!store.isSignedIn) return html`<${SignIn} />`;
      const page = PAGES[route.page];
      return html`<a class="skip" href="#main" onClick=${skip}>${say("skip")}</a>
        <div class=${{ frame: true, "menu-open": shown.isMenuOpen }}>
          ${topbar(shown)} ${rail(shown)}
          <main id="main" tabindex="-1">${notices()}${page ? html`<${page} key=${route.page} />` : html`<div class="empty"><h1>${say("page.unknown")}</h1></div>`}</main>
        </div>
        ${toasts()} ${shown.isFinding && html`<${Palette} pages=${names()} onClosed=${() => (shown.isFinding = false)} />`}
        ${shown.isHelpOpen && html`<${Help} onClosed=${() => (shown.isHelpOpen = false)} />`}`;
    };
  },
};

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function topbar(shown) {
  return html`<header class="topbar"><button type="button" class="btn quiet square" aria-label=${say("menu")} aria-expanded=${shown.isMenuOpen}
      onClick=${() => (shown.isMenuOpen = !shown.isMenuOpen)}>${icon("menu")}</button>
    <a class="brand" href="/overview">${mark()}<b>Sopwith</b></a>
    <a class="btn quiet square" href="/inbox" aria-label=${say("page.inbox_n", { n: waiting.value.length })}>${icon("inbox")}${count("inbox")}</a></header>`;
}

function rail(shown) {
  return html`<nav class="rail" aria-label=${say("menu")} onKeydown=${(event) => event.key === "Escape" && (shown.isMenuOpen = false)}>
    <a class="brand" href="/overview">${mark()}<b>Sopwith</b></a>
    <button type="button" class="btn find" onClick=${() => (shown.isFinding = true)}>${icon("search")}<span>${say("palette.find")}</span><kbd>Ctrl K</kbd></button>
    <ul>${railed().map((name) => html`<li key=${name}><a href=${`/${name}`} aria-current=${(WITHIN[route.page] ?? route.page) === name ? "page" : null}>
      ${icon(name)}<span>${say(`page.${name}`)}</span>${count(name)}</a></li>`)}</ul>
    <div class="rail-end">
      ${switchOf(say("changes"), store.changes, setChanges, { hint: say(store.changes ? "changes.on" : "readonly.why") })}
      <div class="rail-row">
        <button type="button" class="btn quiet" lang=${lang() === "en" ? "zh-CN" : "en"} onClick=${() => keepLang(lang() === "en" ? "zh" : "en")}>${lang() === "en" ? "中文" : "English"}</button>
        <button type="button" class="btn quiet square" aria-label=${say(`theme.${theme.is}`)} title=${say(`theme.${theme.is}`)}
          onClick=${() => keepTheme(theme.is === "dark" ? "light" : "dark")}>${icon(theme.is === "dark" ? "sun" : "moon")}</button>
        <button type="button" class="btn quiet square" aria-label=${say("keys")} title=${say("keys")} onClick=${() => (shown.isHelpOpen = true)}>?</button>
      </div>
      <p class=${`connection ${live.state}`} role="status"><i></i>${say(`live.${live.state}`)}</p>
    </div></nav>
    <div class="veil" onClick=${() => (shown.isMenuOpen = false)}></div>`;
}

function count(name) {
  const n = name === "inbox" ? waiting.value.length : name === "runs" ? atWork().length : 0;
  return n ? html`<span class=${`count ${name}`} aria-label=${say(`count.${name}`, { n })} role="img">${n}</span>` : null;
}

function notices() {
  return html`${live.state === "lost" && html`<p class="notice bad" role="status">${say("live.lost_long")}</p>`}
    ${!store.changes && !["chat", "overview"].includes(route.page) && html`<p class="notice"><span>${icon("lock")}${say("readonly")}</span>
      <button type="button" class="btn small" onClick=${() => setChanges(true)}>${say("readonly.turn_on")}</button></p>`}`;
}

function toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">${store.toasts.map((each) => html`<p key=${each.id} class=${`toast ${each.kind}`}>
    <span>${each.text}</span><button type="button" class="btn quiet square" aria-label=${say("close")} onClick=${() => dismiss(each.id)}>${icon("close")}</button></p>`)}</div>`;
}

const Help = {
  emits: ["closed"],
  setup: (_, { emit }) => () => html`<${Dialog} title=${say("keys")} onClosed=${() => emit("closed")}>
    <dl class="keys">${Object.entries(KEYS).filter(([, name]) => names().includes(name)).map(([key, name]) => html`<div key=${key}><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${say(`page.${name}`)}</dd></div>`)}
      ${[["Ctrl K", "palette"], ["n", "chat.new"], ["/", "keys.search"], ["?", "keys"], ["Enter", "keys.send"], ["Shift Enter", "keys.line"], ["Esc", "keys.stop"]].map(([keys, text]) => html`
        <div key=${text}><dt>${keys.split(" ").map((key) => html`<kbd key=${key}>${key}</kbd> `)}</dt><dd>${say(text)}</dd></div>`)}</dl></${Dialog}>`,
};

const SignIn = {
  setup() {
    const typed = ref("");
    const error = ref("");
    async function enter(event) {
      event.preventDefault();
      error.value = "";
      try {
        await signIn({ token: typed.value.trim().split("#token=").pop() }); // the whole address is as good
      } catch (refused) {
        if (!(refused instanceof Refused)) throw refused;
        error.value = refused.text;
      }
    }
    return () => html`<main class="gate"><form onSubmit=${enter}>${mark()}<h1>Sopwith</h1><p>${say("sign_in.token")}</p>
      <label><span>${say("sign_in.token_label")}</span><input type="password" autocomplete="current-password" value=${typed.value}
        onInput=${(event) => (typed.value = event.target.value)} /></label>
      ${error.value && html`<p class="bad" role="alert">${error.value}</p>`}
      <button class="btn primary wide" disabled=${!typed.value}>${say("sign_in")}</button>
      <button type="button" class="btn quiet" onClick=${() => keepLang(lang() === "en" ? "zh" : "en")}>${lang() === "en" ? "中文" : "English"}</button></form></main>`;
  },
};

async function signIn(proof) {
  await post("/api/sign-in", proof);
  await begin();
}

async function begin() {
  await loadState();
  connect();
  doing(loadInbox);
}

watch(() => store.isSignedIn, (isSignedIn) => isSignedIn === false && disconnect());

/** The token of the address, which does not stay there. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

// the whole address was put into a tab that is open already: no page is loaded for it
addEventListener("hashchange", () => {
  const token = takeToken();
  if (token && store.isSignedIn === false) doing(() => signIn({ token }));
});

async function start() {
  firstTheme();
  const token = takeToken();
  const entered = token ? signIn({ token }) : begin(); // while the words come
  entered.catch(() => {});
  await setLang(firstLang());
  createApp(App).mount("#app");
  try {
    await entered;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 0) setTimeout(start_again, 1500);
    else if (token && error.status === 401) doing(begin); // an old address, and a cookie that is still good
    else store.isSignedIn = false;
  }
}

const start_again = () => begin().catch((error) => (error instanceof Refused && error.status === 0 ? setTimeout(start_again, 1500) : (store.isSignedIn = false)));

start();
