// The schedule: jobs with what comes next, a calendar of what was and will be due, the ledger of each job.
import { html, reactive } from "../lib/html.js";
import { get, part, post } from "../lib/api.js";
import { doing, store, toast } from "../lib/store.js";
import { useBusy, useFetched } from "../lib/use.js";
import { longDay, monthName, say, sayOr, time, weekdays, when } from "../lib/words.js";
import { AddJob } from "../parts/add_job.js";
import { act, chip, Dialog, head, instead, switchOf } from "../parts/bits.js";
import { icon } from "../parts/icon.js";

const dayOf = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

/** The days that a calendar shows for a month: whole weeks, Monday first. */
function daysOf(month) {
  const first = new Date(month.getFullYear(), month.getMonth(), 1);
  const start = new Date(first);
  start.setDate(1 - ((first.getDay() + 6) % 7));
  const last = new Date(month.getFullYear(), month.getMonth() + 1, 0);
  const weeks = Math.ceil((((first.getDay() + 6) % 7) + last.getDate()) / 7);
  return Array.from({ length: weeks * 7 }, (_, n) => new Date(start.getFullYear(), start.getMonth(), start.getDate() + n));
}

export const Schedule = {
  setup() {
    const shown = reactive({ month: new Date(), day: dayOf(new Date()), isAdding: false, ledger: null });
    const days = () => daysOf(shown.month);
    const until = () => {
      const end = days().at(-1);
      return new Date(end.getFullYear(), end.getMonth(), end.getDate() + 1);
    };
    const kinds = (message) => message.type === "run_changed" || (message.type === "changed" && message.what === "schedule");
    const jobs = useFetched(() => get("/api/schedule"), { kinds });
    const due = useFetched(() => get("/api/schedule/calendar", { from: days()[0].toISOString(), to: until().toISOString() }), { deps: () => dayOf(shown.month), kinds });
    const named = () => { // a due time carries the id of its job; people know it by its task
      const tasks = new Map((jobs.data?.jobs ?? []).map((job) => [job.id, job.task || job.sop]));
      return (due.data?.due ?? []).map((each) => ({ ...each, name: tasks.get(each.job) || each.job }));
    };
    const busy = useBusy();
    const put = (id, what) => busy.start(() => doing(async () => {
      const given = await post(`/api/schedule/${part(id)}/${what}`, {});
      toast(given?.said ?? say(`schedule.${what}_done`));
      jobs.reload();
      due.reload();
    }));
    const turn = (by) => (shown.month = new Date(shown.month.getFullYear(), shown.month.getMonth() + by, 1));
    return () => html`<div class="page">${head(say("page.schedule"), act(say("schedule.add"), () => (shown.isAdding = true), { kind: "primary", name: "plus" }),
        jobs.data && !jobs.data.is_on ? html`<p class="bad">${say("schedule.off")}</p>` : null)}
      <div class="schedule">
        <section class="card calendar"><header><h2>${monthName(shown.month)}</h2><span class="grow"></span>
            <button type="button" class="btn quiet square" aria-label=${say("schedule.before")} onClick=${() => turn(-1)}>${icon("left")}</button>
            <button type="button" class="btn small" onClick=${() => Object.assign(shown, { month: new Date(), day: dayOf(new Date()) })}>${say("schedule.today")}</button>
            <button type="button" class="btn quiet square" aria-label=${say("schedule.after")} onClick=${() => turn(1)}>${icon("right")}</button></header>
          ${grid(days(), shown, named())} ${ofDay(shown.day, due, named())}</section>
        <section><h2>${say("schedule.jobs")}</h2>
          ${instead(jobs, !jobs.data?.jobs.length, say("schedule.none")) ?? html`<ul class="jobs">${jobs.data.jobs.map((job) => card(job, put, shown, busy))}</ul>`}</section>
      </div>
      ${shown.isAdding && html`<${AddJob} onClosed=${() => (shown.isAdding = false)} onAdded=${() => ((shown.isAdding = false), jobs.reload(), due.reload())} />`}
      ${shown.ledger && html`<${Ledger} job=${shown.ledger} onClosed=${() => (shown.ledger = null)} />`}</div>`;
  },
};

function grid(days, shown, due) {
  const byDay = Map.groupBy(due, (each) => dayOf(new Date(each.at)));
  const count = (all) => all.reduce((sum, each) => sum + 1 + (each.more ?? 0), 0);
  const today = dayOf(new Date());
  return html`<div class="grid" role="group" aria-label=${say("schedule.calendar")}>${weekdays().map((name) => html`<span class="weekday" key=${name} aria-hidden="true">${name}</span>`)}
    ${days.map((date) => {
      const day = dayOf(date);
      const all = byDay.get(day) ?? [];
      return html`<button type="button" key=${day} class=${{ day: true, other: date.getMonth() !== shown.month.getMonth(), today: day === today }} aria-pressed=${shown.day === day}
        onClick=${() => (shown.day = day)}><span class="hidden">${longDay(date)}: ${say("schedule.due", { n: count(all) })}</span>
        <b>${date.getDate()}</b><span class="dots">${all.slice(0, 4).map((each, n) => html`<i key=${n} class=${`dot ${each.state}`}></i>`)}${rest(count(all) - 4)}</span>
        ${shownOf(all).map((each, n) => html`<span class=${`event ${each.state}`} key=${n}>${time(each.at)} ${each.name}</span>`)}<span class="others">${rest(count(all) - 2)}</span></button>`;
    })}</div>`;
}

const rest = (n) => (n > 0 ? html`<small>+${n}</small>` : null);

/** Two due times of a day, of different jobs where there are several: one that runs often hides no other. */
function shownOf(all) {
  const firsts = [...new Map([...all].reverse().map((each) => [each.job, each])).values()].reverse();
  return [...firsts, ...all.filter((each) => !firsts.includes(each))].slice(0, 2);
}

function ofDay(day, due, named) {
  if (!due.data) return instead(due);
  const all = named.filter((each) => dayOf(new Date(each.at)) === day);
  return html`<div class="agenda"><h3>${longDay(day)}</h3>${due.data.is_cut ? html`<p class="bad" role="status">${say("schedule.cut")}</p>` : null}${all.length ? html`<ul class="rows">${all.map((each, n) => html`<li key=${n}>${entry(each, true)}</li>`)}</ul>` : html`<p class="dim">${say("schedule.free")}</p>`}</div>`;
}

function entry(each, withJob = false) {
  const inside = html`<time class="mono" datetime=${each.at}>${withJob ? time(each.at) : when(each.at)}</time>${chip(each.state)}<span class="title">${withJob ? each.name : ""} <span class="dim">${each.more ? say("schedule.more", { n: each.more, last: time(each.last) }) : each.why}</span></span>`;
  return each.run ? html`<a class="row" href=${`/runs/${part(each.run)}`}>${inside}</a>` : html`<span class="row">${inside}</span>`;
}

function card(job, put, shown, busy) {
  return html`<li key=${job.id} class=${{ card: true, off: !job.enabled }}><header><b class="grow clamp">${job.task || job.sop || job.id}</b>${job.health && job.health !== "ok" ? chip(job.health, sayOr(`health.${job.health}`, job.health)) : null}
      ${switchOf(say("schedule.enabled"), job.enabled, (on) => put(job.id, on ? "enable" : "disable"), { disabled: busy.is || !store.changes })}</header>
    <p class="facts small"><span>${job.when}</span>${job.next?.length ? html`<span>${say("schedule.next", { when: when(job.next[0]) })}</span>` : null}<span class="mono">${job.id}</span>${job.problem ? html`<span class="bad">${job.problem}</span>` : null}</p>
    <div class="actions">${act(say("schedule.run_now"), () => put(job.id, "run-now"), { busy: busy.is, kind: "small" })}
      <button type="button" class="btn small" onClick=${() => (shown.ledger = job)}>${say("schedule.ledger")}</button>
      ${act(say("schedule.remove"), () => put(job.id, "remove"), { busy: busy.is, kind: "small danger" })}</div></li>`;
}

const Ledger = {
  props: { job: Object },
  emits: ["closed"],
  setup(props, { emit }) {
    const past = useFetched(() => get(`/api/schedule/${part(props.job.id)}/history`), { kinds: ["schedule"] });
    return () => html`<${Dialog} title=${say("schedule.ledger_of", { job: props.job.task || props.job.id })} onClosed=${() => emit("closed")}>
      ${instead(past, !past.data?.rows.length, say("schedule.no_ledger")) ?? html`<ul class="rows">${past.data.rows.map((each, n) => html`<li key=${n}>${entry(each)}</li>`)}</ul>`}</${Dialog}>`;
  },
};
