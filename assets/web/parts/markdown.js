// A text in Markdown, also while it grows.
import { html, onBeforeUnmount, onMounted, ref, watch } from "../lib/html.js";
import { decorate, rendered } from "../lib/markdown.js";
import { say } from "../lib/words.js";

const LONG_CHARS = 20_000; // longer texts are drawn less often while they grow
const SLOW_MS = 300;

export const Markdown = {
  props: { text: String, isGrowing: Boolean },
  setup(props) {
    const element = ref(null);
    let timer = 0;
    const draw = () => {
      timer = 0;
      if (!element.value) return;
      element.value.innerHTML = rendered(props.text ?? "");
      if (!props.isGrowing) decorate(element.value, { copy: say("copy"), done: say("copied") });
    };
    const soon = () => {
      timer ||= setTimeout(() => requestAnimationFrame(draw), props.isGrowing && props.text.length > LONG_CHARS ? SLOW_MS : 30);
    };
    onMounted(draw);
    watch(() => [props.text, props.isGrowing], soon);
    onBeforeUnmount(() => clearTimeout(timer));
    return () => html`<div class=${{ markdown: true, growing: props.isGrowing }} ref=${element}></div>`;
  },
};
