// The settings: models with a test, MCP servers with what their tools do, approvals and limits, notifications.
import { html, reactive } from "../lib/html.js";
import { get, post } from "../lib/api.js";
import { go, route } from "../lib/route.js";
import { doing, errandDone, loadState, toast } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { say } from "../lib/words.js";
import { act, chip, Dialog, head, instead, tabs } from "../parts/bits.js";

const TABS = ["models", "mcp", "approvals", "notify"];
const EFFECTS = ["read", "change", "send", "delete", "spend", "system", "unknown"];
const CONFIRMED = ["delete", "send", "install", "spend"];
const KINDS = ["openai", "anthropic"];
const LIMITS = [["limits.turns", 1], ["limits.cost_usd", 0.1], ["limits.minutes", 1], ["limits.cost_usd_per_day", 0.1], ["undo.keep_days", 1]];

export const Settings = {
  setup() {
    const all = useFetched(() => get("/api/settings"));
    const tab = () => (TABS.includes(route.rest[0]) ? route.rest[0] : TABS[0]);
    const put = (key, value = null) => doing(async () => {
      toast((await post("/api/settings", { key, value })).said);
      await Promise.all([all.reload(), loadState()]); // the chat offers the models
      return true;
    });
    const VIEWS = { models: Models, mcp: Servers, approvals: Approvals, notify: Notify };
    return () => html`<div class="page narrow">${head(say("page.settings"), null, html`<p class="dim">${say("settings.why", { file: all.data?.file ?? "config.yaml" })}</p>`)}
      ${tabs(TABS.map((name) => [name, say(`settings.${name}`)]), tab(), (name) => go(`/settings/${name}`, { replace: true }))}
      <div role="tabpanel" aria-label=${say(`settings.${tab()}`)}>${instead(all) ?? html`<${VIEWS[tab()]} key=${tab()} held=${all.data} put=${put} />`}</div></div>`;
  },
};

/** {of(name), start(what, name)}: tries something out and keeps what it said. */
function useTests() {
  const told = reactive({});
  async function start(what, name = "") {
    told[name] = { state: "working", lines: [] };
    const given = await doing(() => post(`/api/test/${what}`, { name }));
    if (given) told[name] = await errandDone(given.errand);
    else delete told[name];
  }
  const of = (name = "") => told[name] && html`<div class=${`errand ${told[name].state}`} role="status">${told[name].state === "working" ? html`<p><i class="spinner"></i> ${say("settings.testing")}</p>` : html`<p>${chip(told[name].state)}</p>`}
    ${told[name].lines.length ? html`<pre class="plain" tabindex="0">${told[name].lines.join("\n")}</pre>` : null}</div>`;
  return { of, start, isAt: (name = "") => told[name]?.state === "working" };
}

const Models = {
  props: { held: Object, put: Function },
  setup(props) {
    const tests = useTests();
    const shown = reactive({ form: null });
    const store = (form) => props.put(`models.${form.name}`, Object.fromEntries(Object.entries(form).filter(([key, value]) => key !== "name" && value)));
    return () => html`<section class="card"><header><h2>${say("settings.models")}</h2><span class="grow"></span>${act(say("settings.add_model"), () => (shown.form = { name: "", kind: "openai", model: "", base_url: "", api_key: "" }), { name: "plus" })}</header><p class="dim">${say("settings.models_why")}</p>
      ${props.held.models.length ? html`<ul class="entries">${props.held.models.map((each) => html`<li key=${each.name} class="tool-row"><p class="grow"><b>${each.name}</b> <span class="mono">${each.model}</span> <span class="dim">${[each.kind, each.base_url].filter(Boolean).join(" · ")}</span></p>
        <div class="actions">${act(say("settings.test"), () => tests.start("models", each.name), { kind: "small", busy: tests.isAt(each.name) })}
          ${act(say("settings.edit"), () => (shown.form = { name: each.name, kind: each.kind, model: each.model, base_url: each.base_url ?? "", api_key: "" }), { kind: "small" })}
          ${act(say("settings.remove"), () => props.put(`models.${each.name}`), { kind: "small danger" })}</div>${tests.of(each.name)}</li>`)}</ul>` : html`<p>${say("settings.no_models")}</p>`}</section>
      ${shown.form && html`<${ModelForm} start=${shown.form} onClosed=${() => (shown.form = null)} onGiven=${async (form) => (await store(form)) && (shown.form = null)} />`}`;
  },
};

const ModelForm = {
  props: { start: Object },
  emits: ["closed", "given"],
  setup(props, { emit }) {
    const form = reactive({ ...props.start });
    const isNew = !props.start.name;
    const field = (key, hint = "", more = {}) => html`<label class="field" key=${key}><span>${say(`settings.model_${key}`)} ${hint ? html`<small class="dim">${hint}</small>` : null}</span><input value=${form[key]} autocomplete="off" spellcheck="false" ...${more} onInput=${(event) => (form[key] = event.target.value.trim())} /></label>`;
    const give = (event) => (event?.preventDefault(), emit("given", { ...form }));
    return () => html`<${Dialog} title=${say(isNew ? "settings.add_model" : "settings.edit")} onClosed=${() => emit("closed")}><form class="form" onSubmit=${give}>
      ${field("name", say("settings.model_name_hint"), { disabled: !isNew, placeholder: "local", autofocus: isNew })}
      <label class="field"><span>${say("settings.model_kind")}</span><select value=${form.kind} onChange=${(event) => (form.kind = event.target.value)}>${KINDS.map((each) => html`<option key=${each} value=${each}>${say(`settings.kind_${each}`)}</option>`)}</select></label>
      ${field("model", "", { placeholder: "qwen3" })} ${field("base_url", say("settings.model_url_hint"), { placeholder: say("settings.model_url_example"), type: "url" })}
      ${field("api_key", say("settings.model_key_hint", { NAME: "{NAME}" }), { placeholder: "${OPENAI_API_KEY}" })}
      <div class="actions">${act(say("settings.save"), give, { kind: "primary", disabled: !/^[\w-]{1,60}$/.test(form.name) || !form.model })}</div></form></${Dialog}>`;
  },
};

const Servers = {
  props: { held: Object, put: Function },
  setup(props) {
    const all = useFetched(() => get("/api/mcp"));
    const correct = async (server, tool, effect) => (await props.put(`mcp.servers.${server}.effects.${tool}`, effect || null)) && all.reload();
    const choice = (server, tool, name) => html`<label><span class="hidden">${say("settings.effect_of", { tool: name })}</span><select value=${all.data.effects[server]?.[name] ?? ""} onChange=${(event) => correct(server, name, event.target.value)}>
      <option value="">${[say("settings.by_name"), all.data.effects[server]?.[name] ? "" : say(`settings.effect_${tool.effect}`)].filter(Boolean).join(" · ")}</option>${EFFECTS.map((each) => html`<option key=${each} value=${each}>${say(`settings.effect_${each}`)}</option>`)}</select></label>`;
    return () => html`<p class="dim">${say("settings.mcp_why")}</p>${instead(all, !all.data?.servers.length, say("settings.no_servers")) ?? all.data.servers.map((server) => html`<section class="card" key=${server.name}><header><h2>${server.name}</h2>${chip(server.ok ? "ok" : "failed", say(server.ok ? "settings.answers" : "settings.no_answer"))}</header>
      ${server.problem ? html`<p class="bad">${server.problem}</p>` : null}${server.left_out ? html`<p class="dim">${server.left_out}</p>` : null}
      <ul class="entries">${server.tools.map((tool) => html`<li key=${tool.name} class="tool-row"><div class="grow"><p class="mono">${tool.name}</p><p class="dim small clamp">${tool.description}</p></div>${choice(server.name, tool, tool.name.slice(server.name.length + 1))}</li>`)}</ul></section>`)}`;
  },
};

const Approvals = {
  props: { held: Object, put: Function },
  setup(props) {
    const typed = reactive({});
    const busy = useBusy();
    const flip = (kind, isOn) => props.put("safety.confirm", CONFIRMED.filter((each) => (each === kind ? isOn : props.held.safety.confirm.includes(each))));
    const lines = (key) => busy.start(() => props.put(`safety.${key}`, typed[key].split("\n").map((line) => line.trim()).filter(Boolean)));
    const list = (key) => html`<label class="field" key=${key}><span>${say(`settings.${key}`)} <small class="dim">${say(`settings.${key}_hint`)}</small></span><textarea rows="3" class="mono" spellcheck="false" value=${typed[key] ?? props.held.safety[key].join("\n")} onInput=${(event) => (typed[key] = event.target.value)}></textarea></label>
      <div class="actions">${act(say("settings.save"), () => lines(key), { kind: "small", busy: busy.is, disabled: typed[key] === undefined })}</div>`;
    const value = (key) => key.split(".").reduce((held, name) => held?.[name], props.held);
    return () => html`<section class="card"><h2>${say("settings.confirm")}</h2><p class="dim">${say("settings.confirm_why")}</p>
      <ul class="checks-list">${CONFIRMED.map((kind) => html`<li key=${kind}><label class="mini check"><input type="checkbox" checked=${props.held.safety.confirm.includes(kind)} onChange=${(event) => flip(kind, event.target.checked)} />${say(`settings.confirm_${kind}`)}</label></li>`)}</ul></section>
      <section class="card form"><h2>${say("settings.always")}</h2>${list("forbid")} ${list("hosts")}</section>
      <section class="card form"><h2>${say("settings.limits")}</h2>${LIMITS.map(([key, step]) => html`<label class="field limit" key=${key}><span>${say(`settings.${key}`)}</span><input type="number" min="0" step=${step} ^value=${value(key)} onChange=${(event) => props.put(key, event.target.value === "" ? null : Number(event.target.value))} /></label>`)}</section>`;
  },
};

const Notify = {
  props: { held: Object, put: Function },
  setup(props) {
    const tests = useTests();
    const typed = reactive({ urls: "", quiet: props.held.notify.quiet });
    const store = async () => (await props.put("notify.urls", typed.urls.split("\n").map((line) => line.trim()).filter(Boolean))) && (typed.urls = "");
    return () => html`<section class="card form"><h2>${say("settings.notify")}</h2><p class="dim">${say("settings.notify_why")}</p><p>${say("settings.notify_n", { n: props.held.notify.urls })}</p>
      <label class="field"><span>${say("settings.urls")} <small class="dim">${say("settings.urls_hint")}</small></span><textarea rows="3" class="mono" spellcheck="false" placeholder="ntfy://my-topic" value=${typed.urls} onInput=${(event) => (typed.urls = event.target.value)}></textarea></label>
      <div class="actions">${act(say("settings.save"), store, { kind: "primary", disabled: !typed.urls.trim() })} ${act(say("settings.test"), () => tests.start("notify"), { busy: tests.isAt(), disabled: !props.held.notify.urls })}</div>${tests.of()}
      <label class="field"><span>${say("settings.quiet")} <small class="dim">${say("settings.quiet_hint")}</small></span><input value=${typed.quiet} placeholder="22:00-07:00" onInput=${(event) => (typed.quiet = event.target.value)} /></label>
      <div class="actions">${act(say("settings.save"), () => props.put("notify.quiet", typed.quiet.trim() || null), { kind: "small", disabled: typed.quiet === props.held.notify.quiet })}</div></section>
      <section class="card"><h2>${say("settings.channels")}</h2><p class="dim">${say("settings.channels_why")}</p><dl class="pairs">${[["telegram", "Telegram"], ["webhook", "Webhook"]].map(([key, name]) => html`<div key=${key}><dt>${name}</dt><dd>${props.held.channels[key] ? chip("open", say("settings.channel_on")) : chip("closed", say("settings.channel_off"))}</dd></div>`)}</dl></section>`;
  },
};
