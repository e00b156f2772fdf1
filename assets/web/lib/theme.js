// Light or dark: as the system has it, until the owner chooses.
import { reactive } from "./html.js";

export const theme = reactive({ is: "light" });
const system = matchMedia("(prefers-color-scheme: dark)");

function apply() {
  theme.is = localStorage.getItem("theme") ?? (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme.is;
}

export function firstTheme() {
  system.addEventListener("change", apply);
  apply();
}

export function keepTheme(chosen) {
  localStorage.setItem("theme", chosen);
  apply();
}
