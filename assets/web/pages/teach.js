// The teach studio: from a run, a text or a file to an SOP, one step below the other; nothing is stored before the last one.
import { html, onMounted, reactive } from "../lib/html.js";
import { get, part, post, Refused, upload } from "../lib/api.js";
import { go, route } from "../lib/route.js";
import { doing, errandDone } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { say, when } from "../lib/words.js";
import { act, chip, code, head, tabs } from "../parts/bits.js";
import { counts, fileTree } from "../parts/changes.js";
import { icon } from "../parts/icon.js";
import { Values } from "../parts/values.js";

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const KEY = /^[a-z]\w{0,39}$/;
const SOURCES = ["run", "text", "file"];

export const Teach = {
  setup() {
    const given = (key) => route.query.get(key) ?? "";
    const form = reactive({ name: given("name"), from: "run", run: given("run"), text: "", request: "", file: null, upload: null, isNew: false });
    const seen = reactive({ found: null, rows: [], tries: [], error: "", isStale: false, errand: null });
    const runs = useFetched(() => get("/api/runs", { limit: 30, status: "done" }));
    const busy = useBusy();
    const source = () => form[form.from] && (form.from !== "text" || form.text.trim());
    const isReady = () => NAME.test(form.name) && !!source();
    const varying = () => Object.fromEntries(seen.rows.filter((row) => row.varies).map((row) => [row.name, row.text]));
    const change = (key) => (event) => Object.assign(form, { [key]: event.target.value, upload: null }) && forget(key !== "name");
    const forget = (isOther = true) => isOther && Object.assign(seen, { found: null, rows: [], tries: [], errand: null });
    const stale = () => (seen.isStale = true);

    async function asked() {
      if (form.from === "file") form.upload ??= (await upload(form.file)).id;
      const from = form.from === "run" ? { run: form.run } : form.from === "text" ? { text: form.text } : { upload: form.upload };
      return { name: form.name, request: form.request, ...from, ...(seen.found ? { values: varying() } : {}), new_version: form.isNew };
    }
    const look = (prove = {}) => busy.start(async () => {
      seen.error = "";
      try {
        const found = await post("/api/sops/look", { ...(await asked()), prove });
        if (!seen.found) seen.rows = found.candidates.map((each) => ({ ...each }));
        Object.assign(seen, { found, isStale: false, errand: null });
        return found;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        seen.error = error.text;
        return null;
      }
    });
    async function tryOn(values) {
      const found = await look(values);
      if (found?.others.length) seen.tries = [{ ...found.others.at(-1), isRight: false }];
    }
    async function store() {
      const right = seen.tries.find((each) => each.isRight && !each.why);
      seen.errand = { state: "working", lines: [] };
      const begun = await doing(async () => post("/api/sops/teach", { ...(await asked()), ...(right ? { prove: right.values } : {}) }));
      seen.errand = begun ? await errandDone(begun.errand) : null;
    }
    onMounted(() => form.run && form.name && look());

    return () => html`<div class="page narrow teach"><a class="back" href="/sops">${icon("left")}${say("page.sops")}</a>
      ${head(say("page.teach"), null, html`<p class="dim">${say("teach.why")}</p>`)}
      ${what(form, runs, change, forget, () => look(), isReady, busy)}
      ${seen.error ? html`<p class="notice bad" role="alert">${seen.error}</p>` : null}
      ${busy.is && !seen.found ? html`<p class="dim" role="status"><i class="spinner"></i> ${say("teach.looking")}</p>` : null}
      ${seen.found ? html`${lines(seen.found)} ${vary(seen, stale, () => look(), busy)} ${seen.found.kind === "script" ? html`${own(seen.found)} ${others(seen, tryOn, busy)}` : null} ${last(seen, form, store, busy)}` : null}</div>`;
  },
};

function what(form, runs, change, forget, look, isReady, busy) {
  const known = runs.data?.runs ?? [];
  const shown = form.run && !known.some((run) => run.run === form.run) ? [{ run: form.run, task: form.run, started: "" }, ...known] : known;
  const submit = (event) => (event.preventDefault(), isReady() && look());
  return html`<section class="card"><h2>${say("teach.step_what")}</h2><form class="form" onSubmit=${submit}>
    <label class="field"><span>${say("teach.name")} <small class="dim">${say("teach.name_hint")}</small></span>
      <input value=${form.name} autocomplete="off" spellcheck="false" placeholder="old-files" aria-invalid=${!!form.name && !NAME.test(form.name)} onInput=${change("name")} /></label>
    ${tabs(SOURCES.map((name) => [name, say(`teach.${name}`)]), form.from, (name) => ((form.from = name), forget()))}
    ${form.from === "run" ? whichRun(shown, form, change, runs.data)
      : form.from === "text" ? html`<label class="field"><span>${say("teach.text_hint")}</span><textarea rows="8" class="mono" value=${form.text} onInput=${change("text")}></textarea></label>`
      : html`<label class="field"><span>${say("teach.file_hint")}</span><input type="file" accept=".md,.sh,.yaml,.yml,.txt" onChange=${(event) => (Object.assign(form, { file: event.target.files[0] ?? null, upload: null }), forget())} /></label>`}
    <label class="field"><span>${say("teach.request")} <small class="dim">${say("optional")}</small></span>
      <input value=${form.request} placeholder=${say("teach.request_hint")} onInput=${change("request")} /></label>
    <div class="actions">${act(say("teach.look"), look, { kind: "primary", disabled: !isReady(), busy: busy.is })}</div></form></section>`;
}

function whichRun(shown, form, change, isLoaded) {
  if (isLoaded && !shown.length) return html`<p class="dim">${say("teach.no_runs")}</p>`;
  return html`<label class="field"><span>${say("teach.which_run")} <small class="dim">${say("teach.record_hint")}</small></span><select value=${form.run} onChange=${change("run")}><option value="">${say("teach.pick_run")}</option>
    ${shown.map((run) => html`<option key=${run.run} value=${run.run}>${when(run.started)} · ${run.task.slice(0, 90)}</option>`)}</select></label>`;
}

/** A script with its parameters marked, or the steps. */
function lines(found) {
  const names = Object.keys(found.parameters.properties ?? {});
  const marks = names.length ? new RegExp(`(\\$\\{?(?:${names.join("|")})\\b\\}?)`) : null;
  const marked = (text) => (marks ? text.split(marks).map((piece, n) => (n % 2 ? html`<mark key=${n}>${piece}</mark>` : piece)) : text);
  return html`<section class="card"><h2>${say("teach.step_lines")}</h2>
    ${found.kind === "script" ? html`<pre class="plain" tabindex="0">${marked(found.script)}</pre>`
      : html`<ol class="teach-steps">${found.steps.map((step, n) => html`<li key=${n}><b>${step.tool}</b> <small class="dim">${say(`part.${step.part}`)}</small>${Object.keys(step.args).length ? code(step.args) : null}</li>`)}</ol>`}
    ${found.left_out.length ? html`<h3>${say("teach.left_out")}</h3><ul class="small">${found.left_out.map((each) => html`<li key=${each}>${each}</li>`)}</ul>` : null}
    ${found.problem ? html`<p class="bad">${found.problem}</p>` : null}</section>`;
}

function vary(seen, stale, look, busy) {
  const { rows, found } = seen;
  const set = (row, key, value) => (Object.assign(row, { [key]: value }), stale());
  const isWrong = (row) => row.varies && (!KEY.test(row.name) || rows.some((each) => each !== row && each.varies && each.name === row.name));
  return html`<section class="card"><h2>${say("teach.step_vary")}</h2><p class="dim">${say(rows.length ? "teach.vary_why" : "teach.vary_none")}</p>
    ${rows.length ? html`<ul class="vary">${rows.map((row, n) => html`<li key=${n}><label class="mini check"><input type="checkbox" checked=${row.varies} onChange=${(event) => set(row, "varies", event.target.checked)} /><code>${row.text}</code></label>
      <label><span class="hidden">${say("teach.called", { value: row.text })}</span><input value=${row.name} disabled=${!row.varies} aria-invalid=${isWrong(row)} spellcheck="false" onInput=${(event) => set(row, "name", event.target.value.trim())} /></label>
      ${found.refused[row.name] ? html`<small class="bad">${found.refused[row.name]}</small>` : null}</li>`)}</ul>
    <div class="actions">${act(say("teach.again"), look, { disabled: !seen.isStale || rows.some(isWrong), busy: busy.is, name: "again" })}</div>` : null}</section>`;
}

const did = (tried) => html`${tried.why ? html`<p class="bad">${icon("close")} ${tried.why}</p>` : null}
  ${tried.changes.length ? html`${counts(tried.changes)}${fileTree(tried.changes)}` : html`<p class="dim">${say("teach.no_changes")}</p>`}
  ${tried.more ? html`<p class="dim small">${say("changes.more", { n: tried.more })}</p>` : null}
  ${tried.output.trim() ? html`<div class="named"><p class="key">${say("teach.output")}</p>${code(tried.output.trimEnd())}</div>` : null}`;

function own(found) {
  if (!found.own) return null;
  return html`<section class="card"><header><h2>${say("teach.step_own")}</h2>${found.own.why ? null : chip("done", say("teach.proven"))}</header><p class="dim">${say("teach.own_why")}</p>${did(found.own)}</section>`;
}

const varies = (found) => Object.keys(found.parameters.properties ?? {}).length > 0;

function others(seen, tryOn, busy) {
  const { found, tries } = seen;
  if (!varies(found)) return null;
  return html`<section class="card"><h2>${say("teach.step_others", { n: found.own ? 5 : 4 })}</h2><p class="dim">${say("teach.others_why")}</p>
    ${tries.map((each, n) => html`<div class="would" key=${n}><p class="mono">${Object.entries(each.values).map(([name, value]) => `${name}=${value}`).join("  ")}</p>${did(each)}
      ${each.why ? null : html`<label class="mini check"><input type="checkbox" checked=${each.isRight} onChange=${(event) => (each.isRight = event.target.checked)} />${say("teach.right")}</label>`}</div>`)}
    <${Values} key=${Object.keys(found.parameters.properties).join()} schema=${found.parameters} start=${tries[0]?.values ?? {}} go=${say("teach.try")} onGiven=${(values) => !busy.is && tryOn(values)} />
    ${busy.is ? html`<p class="dim" role="status"><i class="spinner"></i> ${say("teach.looking")}</p>` : null}</section>`;
}

/** The status that it will have, and why it is no more. */
function earned(seen) {
  if (seen.found.kind === "steps") return seen.found.status;
  const isProven = seen.found.own && !seen.found.own.why;
  const isTried = seen.tries.some((each) => each.isRight && !each.why);
  if (varies(seen.found)) return isTried ? seen.found.status : isProven || seen.found.status !== "draft" ? "candidate" : "draft";
  return isProven ? "probation" : "draft";
}

function last(seen, form, store, busy) {
  const { found, errand } = seen;
  const status = earned(seen);
  const isTaken = found.existing && !form.isNew;
  const isScript = found.kind === "script";
  return html`<section class="card"><h2>${say("teach.step_store", { n: 4 + !!(isScript && found.own) + !!(isScript && varies(found)) })}</h2>
    <p>${chip(status)} ${say(`teach.will_${status}`)}</p><p>${say("teach.asked", { wording: found.wording })}</p>
    ${found.twin ? html`<p class="bad">${say("teach.twin")} <a href=${`/sops/${part(found.twin)}`}>${found.twin}</a></p>` : null}
    ${found.existing ? html`<label class="mini check"><input type="checkbox" checked=${form.isNew} onChange=${(event) => (form.isNew = event.target.checked)} />${say("teach.new_version", { name: form.name, version: found.existing.version })}</label>` : null}
    ${errand && html`<div class=${`errand ${errand.state}`} role="status">${errand.state === "working" ? html`<p><i class="spinner"></i> ${say("teach.working")}</p>` : null}
      ${errand.lines?.length ? html`<pre class="plain">${errand.lines.join("\n")}</pre>` : null}</div>`}
    <div class="actions">${errand?.state === "done" ? html`<button type="button" class="btn primary" onClick=${() => go(`/sops/${part(form.name)}`)}>${say("teach.open")}</button>`
      : act(say("teach.go"), store, { kind: "primary", disabled: isTaken || seen.isStale, busy: busy.is || errand?.state === "working" })}
      ${seen.isStale ? html`<span class="dim">${say("teach.stale")}</span>` : null}</div></section>`;
}
