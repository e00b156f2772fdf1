// One message of a shared chat, with the name of who said it.
import { html } from "../lib/html.js";
import { say, when } from "../lib/words.js";
import { Markdown } from "./markdown.js";

/** message: SAID of docs/web-api.md; `me`: the reader's own name. */
export function said(message, me = "") {
  const isMine = !message.is_agent && message.who === me;
  return html`<li key=${message.n} class=${{ message: true, agent: message.is_agent, mine: isMine }}><p class="said-head"><b>${message.is_agent ? say("who.agent") : message.who}</b><time datetime=${message.at}>${when(message.at)}</time></p>
    ${message.is_agent ? html`<${Markdown} text=${message.text} />` : html`<div class="bubble">${message.text}</div>`}</li>`;
}
