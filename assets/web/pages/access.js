// Who else may: tokens for other programs, and the end of this browser's stay.
import { html, reactive } from "../lib/html.js";
import { get, part, post, remove } from "../lib/api.js";
import { doing, store } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { act, copies, Dialog, head, instead } from "../parts/bits.js";

export const Access = {
  setup() {
    const tokens = useFetched(() => get("/api/tokens"));
    const form = reactive({ name: "", changes: false, token: "" });
    const busy = useBusy();
    const make = (event) => (event?.preventDefault(), busy.start(() => doing(async () => {
      form.token = (await post("/api/tokens", { name: form.name, changes: form.changes })).token;
      form.name = "";
      tokens.reload();
    })));
    const take = (id) => doing(async () => (await remove(`/api/tokens/${part(id)}`), tokens.reload()));
    return () => html`<div class="page narrow">${head(say("page.access"))}
      <section class="card"><h2>${say("tokens.title")}</h2><p class="dim">${say("tokens.why")}</p>
        <form class="inline" onSubmit=${make}><label class="grow"><span class="hidden">${say("tokens.name")}</span><input value=${form.name} placeholder=${say("tokens.name")} disabled=${!store.changes} onInput=${(event) => (form.name = event.target.value)} /></label>
          <label class="mini check"><input type="checkbox" checked=${form.changes} onChange=${(event) => (form.changes = event.target.checked)} />${say("tokens.changes")}</label>
          ${act(say("tokens.make"), make, { busy: busy.is, disabled: !form.name.trim() })}</form>
        ${instead(tokens, !tokens.data?.tokens.length, say("tokens.none")) ?? html`<ul class="rows">${tokens.data.tokens.map((each) => html`<li key=${each.id} class="row"><span class="title">${each.name}</span>
          <span class="facts"><span>${say(each.changes ? "tokens.may_change" : "tokens.may_read")}</span><time>${when(each.made)}</time></span><span class="actions">${act(say("tokens.take"), () => take(each.id), { kind: "small danger" })}</span></li>`)}</ul>`}</section>
      <section class="card"><h2>${say("browser.title")}</h2><p class="dim">${say("browser.why")}</p>
        <div class="actions"><button type="button" class="btn" onClick=${signOut}>${say("browser.sign_out")}</button><a href="/api/openapi.json" target="_blank" rel="noopener">${say("tokens.api")}</a></div></section>
      ${form.token && html`<${Dialog} title=${say("once.token")} onClosed=${() => (form.token = "")}><p>${say("once.why")}</p>
        <div class="fix"><code>${form.token}</code>${copies(form.token)}</div></${Dialog}>`}</div>`;
  },
};

const signOut = () => doing(async () => {
  await post("/api/sign-out", {});
  store.isSignedIn = false;
});
