// Which page is shown: the path of the address. Links within the page are followed without loading it anew.
import { reactive } from "./html.js";

/** page: the first part of the path; rest: the others, decoded; query: URLSearchParams. */
export const route = reactive({ page: "", rest: [], query: new URLSearchParams() });

function read() {
  const [page, ...rest] = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  Object.assign(route, { page: page ?? "overview", rest, query: new URLSearchParams(location.search) });
}

export function go(path, { replace = false } = {}) {
  if (path === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", path);
  read();
}

addEventListener("popstate", read);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = link.getAttribute("href");
  if (!to.startsWith("/") || to.startsWith("/api/") || to.startsWith("/assets/") || link.target || link.download) return;
  event.preventDefault();
  go(to);
});
read();
