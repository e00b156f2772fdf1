// The inbox: everything that waits for the owner, oldest first.
import { html } from "../lib/html.js";
import { store } from "../lib/store.js";
import { say } from "../lib/words.js";
import { Asked } from "../parts/asked.js";
import { head } from "../parts/bits.js";
import { icon } from "../parts/icon.js";

export const Inbox = {
  setup: () => () => {
    const now = store.waiting.map((each) => ({ ...each, isNow: true }));
    const ids = new Set(now.map((each) => each.id));
    const all = [...now, ...store.inbox.filter((each) => !ids.has(each.id))];
    return html`<div class="page narrow">${head(say("page.inbox"))}
      ${all.length ? all.map((asked) => html`<${Asked} key=${asked.id} asked=${asked} withRun=${true} />`)
        : html`<div class="empty big">${icon("inbox")}<p>${say("inbox.none")}</p><p class="dim">${say("inbox.none_more")}</p></div>`}</div>`;
  },
};
