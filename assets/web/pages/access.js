// Who else may: shared chats with their links, and tokens for other programs.
import { html, reactive } from "../lib/html.js";
import { get, part, post, remove } from "../lib/api.js";
import { doing, store } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { act, chip, copies, Dialog, head, instead } from "../parts/bits.js";
import { said } from "../parts/said.js";

export const Access = {
  setup() {
    const shared = useFetched(() => get("/api/shared"), { kinds: ["shared"] });
    const tokens = useFetched(() => get("/api/tokens"));
    const form = reactive({ title: "", most: 20, name: "", changes: false, shownOnce: null, open: null });
    const busy = useBusy();
    const once = (what, text) => (form.shownOnce = { what, text });
    const share = (event) => (event?.preventDefault(), busy.start(() => doing(async () => {
      once("link", (await post("/api/shared", { title: form.title, most: form.most })).link);
      form.title = "";
      shared.reload();
    })));
    const anew = (id) => doing(async () => once("link", (await post(`/api/shared/${part(id)}/link`, {})).link));
    const close = (id) => doing(async () => (await post(`/api/shared/${part(id)}/close`, {}), shared.reload()));
    const make = (event) => (event?.preventDefault(), busy.start(() => doing(async () => {
      once("token", (await post("/api/tokens", { name: form.name, changes: form.changes })).token);
      form.name = "";
      tokens.reload();
    })));
    const take = (id) => doing(async () => (await remove(`/api/tokens/${part(id)}`), tokens.reload()));
    return () => html`<div class="page narrow">${head(say("page.access"))}
      <section class="card"><h2>${say("shared.title")}</h2><p class="dim">${say("shared.why")} ${say("shared.limits")}</p>
        <form class="inline" onSubmit=${share}><label class="grow"><span class="hidden">${say("shared.name")}</span><input value=${form.title} placeholder=${say("shared.name")} disabled=${!store.changes} onInput=${(event) => (form.title = event.target.value)} /></label>
          <label class="mini">${say("shared.most")}<input type="number" class="few" min="1" max="100" value=${form.most} disabled=${!store.changes} onInput=${(event) => (form.most = Math.max(1, Math.min(100, Number(event.target.value) || 1)))} /></label>
          ${act(say("shared.open"), share, { kind: "primary", busy: busy.is, disabled: !form.title.trim() })}</form>
        ${instead(shared, !shared.data?.shared.length, say("shared.none")) ?? html`<ul class="rows">${shared.data.shared.map((each) => html`<li key=${each.id} class="row">
          ${chip(each.is_open ? "open" : "closed")}<span class="title">${each.title}</span><span class="facts"><span title=${say("shared.names_why")}>${say("shared.names", { n: each.names, most: each.most })}</span>${each.people ? html`<span>${say("shared.people", { n: each.people })}</span>` : null}<time>${when(each.made)}</time></span>
          <span class="actions"><button type="button" class="btn small" onClick=${() => (form.open = each)}>${say("shared.read")}</button>
            ${each.is_open ? html`${act(say("shared.new_link"), () => anew(each.id), { kind: "small", title: say("shared.new_link_why") })}${act(say("shared.close"), () => close(each.id), { kind: "small danger" })}` : null}</span></li>`)}</ul>`}</section>
      <section class="card"><h2>${say("tokens.title")}</h2><p class="dim">${say("tokens.why")}</p>
        <form class="inline" onSubmit=${make}><label class="grow"><span class="hidden">${say("tokens.name")}</span><input value=${form.name} placeholder=${say("tokens.name")} disabled=${!store.changes} onInput=${(event) => (form.name = event.target.value)} /></label>
          <label class="mini check"><input type="checkbox" checked=${form.changes} onChange=${(event) => (form.changes = event.target.checked)} />${say("tokens.changes")}</label>
          ${act(say("tokens.make"), make, { busy: busy.is, disabled: !form.name.trim() })}</form>
        ${instead(tokens, !tokens.data?.tokens.length, say("tokens.none")) ?? html`<ul class="rows">${tokens.data.tokens.map((each) => html`<li key=${each.id} class="row"><span class="title">${each.name}</span>
          <span class="facts"><span>${say(each.changes ? "tokens.may_change" : "tokens.may_read")}</span><time>${when(each.made)}</time></span><span class="actions">${act(say("tokens.take"), () => take(each.id), { kind: "small danger" })}</span></li>`)}</ul>`}</section>
      <section class="card"><h2>${say("browser.title")}</h2><p class="dim">${say("browser.why")}</p>
        <div class="actions"><button type="button" class="btn" onClick=${signOut}>${say("browser.sign_out")}</button><a href="/api/docs" target="_blank" rel="noopener">${say("tokens.api")}</a></div></section>
      ${form.shownOnce && html`<${Once} ...${form.shownOnce} onClosed=${() => (form.shownOnce = null)} />`}
      ${form.open && html`<${Said} chat=${form.open} onClosed=${() => (form.open = null)} />`}</div>`;
  },
};

const signOut = () => doing(async () => {
  await post("/api/sign-out", {});
  store.isSignedIn = false;
});

const Once = {
  props: { what: String, text: String },
  emits: ["closed"],
  setup: (props, { emit }) => () => html`<${Dialog} title=${say(`once.${props.what}`)} onClosed=${() => emit("closed")}><p>${say("once.why")}</p>
    <div class="fix"><code>${props.text}</code>${copies(props.text)}</div></${Dialog}>`,
};

const Said = {
  props: { chat: Object },
  emits: ["closed"],
  setup(props, { emit }) {
    const all = useFetched(() => get(`/api/shared/${part(props.chat.id)}/messages`));
    return () => html`<${Dialog} title=${props.chat.title} onClosed=${() => emit("closed")}>${instead(all, !messages(all.data).length, say("shared.silent")) ?? html`<ol class="said-list">${messages(all.data).map((each) => said(each))}</ol>`}</${Dialog}>`;
  },
};

const messages = (data) => data?.messages ?? [];
