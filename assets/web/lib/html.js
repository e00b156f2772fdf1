// Markup in render functions: Vue's runtime and htm put together. There is no template compiler, so the page needs no eval.
import { Fragment, h } from "../vendor/vue.js";
import htm from "../vendor/htm.js";

export {
  computed, createApp, nextTick, onBeforeUnmount, onMounted, reactive, ref, shallowRef, watch, watchEffect,
} from "../vendor/vue.js";

export const html = htm.bind(function (type, props, ...children) {
  this[0] = 3; // htm must not keep a node for the next drawing: Vue owns it
  if (type === "") return h(Fragment, null, children);
  if (typeof type === "string") return h(type, props, children);
  return children.length ? h(type, props, { default: () => children }) : h(type, props);
});
