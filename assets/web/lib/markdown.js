// Markdown of models and of the web as safe HTML: raw HTML is shown as text, and what marked makes goes through DOMPurify.
import { Marked } from "../vendor/marked.js";
import DOMPurify from "../vendor/purify.js";

const OUR_FILE = /^\/api\/runs\/[\w-]+\/files\/(?!.*(\.|%2e){2})[^?#\\]+$/i;
const LINK = /^(https?:|mailto:)/i;
const escaped = (text) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

const marked = new Marked({ gfm: true, breaks: false, async: false });
marked.use({
  renderer: {
    html: (token) => escaped(token.text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image({ href, text }) { // a picture elsewhere would tell its host that it was looked at
      return OUR_FILE.test(href) ? `<img src="${escaped(href)}" alt="${escaped(text)}">` : `<a href="${escaped(href)}">${escaped(text || href)}</a>`;
    },
  },
});

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.hasAttribute("class") && !/^language-[\w+#-]+$/.test(node.getAttribute("class"))) node.removeAttribute("class");
  if (node.tagName === "A") {
    if (!LINK.test(node.getAttribute("href") ?? "")) node.removeAttribute("href");
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "IMG" && !OUR_FILE.test(node.getAttribute("src") ?? "")) node.remove();
});
const plain = DOMPurify(window);
const ALLOWED = {
  ALLOWED_TAGS: [..."h1 h2 h3 h4 h5 h6 p br hr ul ol li blockquote pre code em strong del a img table thead tbody tr th td span".split(" ")],
  ALLOWED_ATTR: ["href", "src", "alt", "class", "start", "align", "target", "rel"],
  ALLOW_DATA_ATTR: false,
};

export function rendered(text) {
  return purify.sanitize(marked.parse(text), ALLOWED);
}

/** Colours for the code blocks below `element`, and for wide tables a frame that scrolls. */
export async function decorate(element, copied) {
  for (const table of element.querySelectorAll("table:not(.framed table)")) {
    const frame = document.createElement("div");
    Object.assign(frame, { className: "framed", tabIndex: 0 });
    table.replaceWith(frame);
    frame.append(table);
  }
  const blocks = [...element.querySelectorAll("pre > code")];
  for (const block of blocks) addCopy(block, copied);
  if (blocks.length) for (const block of blocks) await colour(block);
}

function addCopy(block, copied) {
  const pre = block.parentElement;
  pre.tabIndex = 0;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: copied.copy });
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = copied.done;
    setTimeout(() => (button.textContent = copied.copy), 1500);
  };
  const frame = document.createElement("div");
  frame.className = "code";
  pre.replaceWith(frame);
  frame.append(pre, button);
}

async function colour(block) {
  const language = /language-([\w+#-]+)/.exec(block.className)?.[1];
  if (!language || block.textContent.length > 50_000) return;
  const { default: highlight } = await import("../vendor/highlight.js");
  if (!highlight.getLanguage(language)) return;
  const { value } = highlight.highlight(block.textContent, { language, ignoreIllegals: true });
  block.innerHTML = plain.sanitize(value, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"] });
}
