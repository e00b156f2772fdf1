// Chat: conversations at the side, one of them open; what is asked in it is answered in place.
import { computed, html, nextTick, onBeforeUnmount, reactive, ref, watch } from "../lib/html.js";
import { get, part, post, Refused } from "../lib/api.js";
import { listen, live, watchRuns } from "../lib/live.js";
import { go, route } from "../lib/route.js";
import { newStory, storyOf, tell } from "../lib/story.js";
import { doing, stateOf, store, toast, waitingFor } from "../lib/store.js";
import { useFetched, useKeys, useTyped } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { Asked } from "../parts/asked.js";
import { act, chip, instead, menu, Sure } from "../parts/bits.js";
import { Composer } from "../parts/composer.js";
import { icon, mark } from "../parts/icon.js";
import { thread } from "../parts/thread.js";

const PAGE = 50; // conversations

export const Chat = {
  setup() {
    const find = useTyped();
    const limit = ref(PAGE);
    const all = useFetched(() => get("/api/conversations", { text: find.text, limit: limit.value }), { deps: () => find.text, kinds: (message) => message.type === "run_changed" });
    const asked = ref(null); // the conversation whose name is being changed
    const note = (each, given) => doing(async () => (await post(`/api/conversations/${part(each.last.run)}`, given), all.reload()));
    const talk = useTalk(() => route.rest[0] ?? null);
    const isListOpen = ref(false);
    watch(() => route.rest[0], () => (isListOpen.value = false));
    useKeys((event) => event.key === "n" && go("/chat"));
    return () => html`<div class=${{ split: true, chat: true, "show-list": isListOpen.value }}>
      <nav class="side" aria-label=${say("chat.list")}>
        <a class="btn wide" href="/chat">${icon("plus")}${say("chat.new")}</a>
        ${find.field(say("chat.search"))}
        ${instead(all, !all.data?.conversations.length, say(find.text ? "chat.not_found" : "chat.none")) ?? html`<ul class="list talks">${all.data.conversations.map((each) => html`
          <li key=${each.last.run}><a href=${`/chat/${part(each.last.run)}`} aria-current=${talk.stories.at(-1)?.run === each.last.run ? "page" : null}>
            <span class="title">${each.is_pinned ? icon("pin", say("chat.pinned")) : null}${each.title}</span>
            <span class="dim small">${when(each.at)} ${each.last.status !== "done" ? chip(stateOf(each.last)) : null}</span></a>
            ${menu(say("chat.more_of", { title: each.title }), [[say(each.is_pinned ? "chat.unpin" : "chat.pin"), () => note(each, { is_pinned: !each.is_pinned })], [say("chat.rename"), () => (asked.value = { ...each, what: "rename" })], [say("chat.delete"), () => (asked.value = { ...each, what: "delete" })]])}</li>`)}</ul>
          ${all.data.more && html`<button type="button" class="btn wide" disabled=${all.isLoading} onClick=${() => ((limit.value += PAGE), all.reload())}>${say("more")}</button>`}`}
      </nav>
      <section class="main talk">
        <header class="talk-head"><button type="button" class="btn quiet square only-narrow" aria-expanded=${isListOpen.value} aria-label=${say("chat.list")}
            onClick=${() => (isListOpen.value = !isListOpen.value)}>${icon("runs")}</button>
          <h1 tabindex="-1">${talk.title || talk.stories[0]?.task || say("chat.new")}</h1></header>
        ${talk.view()}
      </section>
      ${asked.value && html`<${Sure} title=${say(`chat.${asked.value.what}`)} go=${say(`chat.${asked.value.what}`)} label=${say("chat.name")} name=${asked.value.what === "rename" ? asked.value.title : null}
        why=${asked.value.what === "rename" ? "" : `${asked.value.title}\n\n${say("chat.delete_why")}`} onClosed=${() => (asked.value = null)} onSure=${(title) => note(asked.value, title ? { title } : { is_hidden: true })} />`}
    </div>`;
  },
};

/** The open conversation: fetched, then kept up by events; what was in the answer already is not told twice. */
function useTalk(wanted) {
  const talk = reactive({ id: null, title: "", stories: [], error: null, isLoading: false, branch: null, view });
  const scroller = ref(null);
  const isAtEnd = ref(true);
  let early = null; // messages that came while it was fetched
  let newest = 0;

  const current = computed(() => talk.stories.at(-1));
  const working = computed(() => talk.stories.find((story) => story.status === "working"));
  const runs = computed(() => talk.stories.map((story) => story.run));
  const waiting = computed(() => waitingFor(runs.value));

  async function load() {
    const run = wanted();
    const mine = (newest += 1);
    talk.branch = null;
    if (!run) return Object.assign(talk, { id: null, title: "", stories: [], error: null });
    early = [];
    talk.isLoading = true;
    try {
      const found = await get(`/api/conversations/${part(run)}`);
      if (mine !== newest) return;
      const stories = found.runs.map((each) => storyOf(each.run, each.events, each));
      Object.assign(talk, { id: found.id, title: found.title, stories, error: null });
      const missed = early;
      early = null;
      for (const message of missed) if (found.epoch !== live.epoch || message.seq > found.seq) apply(message);
      keepAtEnd();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (mine === newest) talk.error = error;
    } finally {
      if (mine === newest) Object.assign(talk, { isLoading: false });
    }
  }

  function apply(message) {
    const story = talk.stories.find((each) => each.run === message.run);
    if (story) tell(story, message);
    else if (message.type === "run_started" && message.previous?.length && message.previous.at(-1) === runs.value.at(-1)) {
      const made = newStory(message.run);
      tell(made, message);
      talk.stories.push(made);
    }
    if (story || message.type === "asked_now") keepAtEnd();
  }

  const stop = listen((message) => {
    if (message.type === "resync") load();
    else if (message.type === "run_changed") noticeEnd(message.summary);
    else if (message.type === "not_heard" && runs.value.includes(message.run)) giveBack(message);
    else if (typeof message.run !== "string") return;
    else if (early) early.push(message);
    else apply(message);
  });
  function noticeEnd(run) {
    const story = talk.stories.find((each) => each.run === run.run);
    if (story && story.status === "working" && run.status === "interrupted") story.status = "interrupted";
  }
  function giveBack({ text, why }) {
    toast(why, "error");
    fill(text);
  }
  onBeforeUnmount(stop);
  onBeforeUnmount(() => watchRuns([]));
  watch(() => working.value?.run, (run) => watchRuns(run ? [run] : []), { immediate: true });
  watch(() => waiting.value.length, keepAtEnd);
  watch(wanted, (run) => (run && runs.value.includes(run) ? null : load()), { immediate: true });

  function keepAtEnd() {
    if (isAtEnd.value) nextTick(() => scroller.value && (scroller.value.scrollTop = scroller.value.scrollHeight));
  }
  const scrolled = ({ target }) => (isAtEnd.value = target.scrollHeight - target.scrollTop - target.clientHeight < 80);

  async function send(message, putBack) {
    isAtEnd.value = true;
    const after = talk.branch ? talk.branch.after : current.value?.run ?? null;
    const given = await doing(() => post("/api/chat", { ...message, after }));
    if (!given) return putBack();
    if (talk.branch) return go(`/chat/${part(given.run)}`);
    if (!talk.stories.some((story) => story.run === given.run)) talk.stories.push(newStory(given.run, message.text));
    if (message.files.length) filesOf(given.run);
    if (!after) {
      sessionStorage.setItem(`draft:${given.run}`, sessionStorage.getItem("draft:new") ?? ""); // typed while it began
      sessionStorage.removeItem("draft:new");
      talk.id = given.run;
      go(`/chat/${part(given.run)}`, { replace: true });
    }
    keepAtEnd();
  }

  /** What is said next goes on from before or behind a message, in a conversation of its own. */
  function branchAt(number, text) {
    const before = text === null ? number : number - 1;
    talk.branch = { after: talk.stories[before]?.run ?? null, number };
    fill(text ?? "");
  }

  async function filesOf(run) {
    const found = await doing(() => get(`/api/runs/${part(run)}`, { after: 1_000_000_000 }));
    const story = talk.stories.find((each) => each.run === run);
    if (found && story) story.files = found.files;
  }

  async function steer(text, putBack) {
    if ((await doing(() => post(`/api/runs/${part(working.value.run)}/steer`, { text }))) === undefined) putBack();
  }
  const halt = () => doing(() => post(`/api/runs/${part(working.value.run)}/stop`, {}));
  const resume = () => doing(() => post(`/api/runs/${part(current.value.run)}/resume`));

  function view() {
    if (talk.error) return html`<div class="empty" role="alert"><p>${talk.error.text}</p></div>`;
    const canResume = current.value && ["interrupted", "cancelled", "limit", "failed", "no_model"].includes(current.value.status);
    return html`<div class="scroller" ref=${scroller} onScroll=${scrolled} tabindex="0" role="log" aria-label=${say("chat.log")} aria-busy=${talk.isLoading}>
        <div class="thread">
          ${!talk.stories.length && !talk.isLoading ? welcome() : null}
          ${talk.stories.map((story, n) => thread(story, { waiting: waiting.value, branch: store.changes && story.status !== "working" ? (text) => branchAt(n, text) : null }))}
          ${waiting.value.map((asked) => html`<${Asked} key=${asked.id} asked=${asked} />`)}
          ${canResume && !working.value ? html`<div class="actions">${act(say("resume"), resume, { name: "again" })}</div>` : null}
        </div>
      </div>
      ${!isAtEnd.value && html`<button type="button" class="btn to-end" onClick=${() => ((isAtEnd.value = true), keepAtEnd())}>${icon("down")}${say("chat.to_end")}</button>`}
      ${talk.branch ? html`<p class="notice branch" role="status"><span>${icon("branch")}${say("chat.branch_why")}</span><button type="button" class="btn small" onClick=${() => (talk.branch = null)}>${say("cancel")}</button></p>` : null}
      <${Composer} isWorking=${!!working.value && !talk.branch} draftOf=${talk.id ?? "new"} onSend=${send} onSteer=${steer} onStop=${halt} />`;
  }
  return talk;
}

function welcome() {
  return html`<div class="welcome">${mark()}<h2>${say("chat.welcome")}</h2><p>${say("chat.welcome_more")}</p>
    ${store.state.models?.length === 0 ? html`<p class="card lacks">${icon("doctor")}<span>${say("chat.no_model")} <a href="/doctor">${say("page.doctor")}</a></span></p>` : null}
    <ul>${["files", "report", ...(store.state.models?.length ? ["remember"] : [])].map((each) => html`<li key=${each}><button type="button" class="btn" disabled=${!store.changes}
      onClick=${() => fill(say(`chat.example.${each}`))}>${say(`chat.example.${each}`)}</button></li>`)}</ul></div>`;
}

function fill(text) {
  const field = document.getElementById("composer");
  if (!field) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}
