// The doctor: what works here and what is missing, each with the command that mends it.
import { html } from "../lib/html.js";
import { get } from "../lib/api.js";
import { store } from "../lib/store.js";
import { useFetched } from "../lib/use.js";
import { say, sayOr } from "../lib/words.js";
import { copies, head, instead } from "../parts/bits.js";
import { icon } from "../parts/icon.js";

const ORDER = [false, null, true];

export const Doctor = {
  setup() {
    const report = useFetched(() => get("/api/doctor"));
    const state = (check) => (check.ok === true ? "works" : check.ok === false ? "broken" : "better");
    return () => html`<div class="page narrow">${head(say("page.doctor"), html`<button type="button" class="btn" disabled=${report.isLoading} onClick=${() => report.reload({ fresh: true })}>${icon("again")}${say("doctor.again")}</button>`,
        html`<p class="dim">${say("doctor.version", { version: store.state.version })}</p>`)}
      ${instead(report) ?? html`<p class="doctor-says">${says(report.data.checks)}</p>
        <ul class="checks">${[...report.data.checks].sort((a, b) => ORDER.indexOf(a.ok) - ORDER.indexOf(b.ok)).map((check) => html`
        <li key=${check.name} class=${state(check)}><i role="img" aria-label=${say(`doctor.${state(check)}`)}>${{ works: "✓", broken: "✗", better: "•" }[state(check)]}</i>
          <div><b>${named(check.name)}</b><p>${check.detail}</p>
            ${check.fix && check.ok !== true ? html`<div class="fix"><code>${check.fix}</code>${copies(check.fix)}</div>` : null}</div></li>`)}</ul>`}</div>`;
  },
};

/** What was looked at: "model NAME" and such keep the name. */
function named(name) {
  const [what, ...rest] = name.split(" ");
  return [sayOr(`doctor.of.${what}`, what), ...rest].join(" ");
}

function says(checks) {
  const bad = checks.filter((check) => check.ok === false).length;
  return bad ? say("doctor.some", { n: bad }) : say("doctor.all");
}
