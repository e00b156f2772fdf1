// The inbox: everything that waits for the owner, oldest first.
import { html } from "../lib/html.js";
import { waiting } from "../lib/store.js";
import { say } from "../lib/words.js";
import { Asked } from "../parts/asked.js";
import { head } from "../parts/bits.js";
import { icon } from "../parts/icon.js";

export const Inbox = {
  setup: () => () => html`<div class="page narrow">${head(say("page.inbox"))}
      ${waiting.value.length ? waiting.value.map((asked) => html`<${Asked} key=${asked.id} asked=${asked} withRun=${true} />`)
        : html`<div class="empty big">${icon("inbox")}<p>${say("inbox.none")}</p><p class="dim">${say("inbox.none_more")}</p></div>`}</div>`,
};
