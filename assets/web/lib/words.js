// The words of the page, from words/en.json and zh.json, and how times, amounts and sizes are written.
import { reactive } from "./html.js";

const LANGS = ["en", "zh"];
const words = reactive({ lang: "en", texts: {} });

export function lang() {
  return words.lang;
}

/** Starts with the owner's choice, else the browser's language. */
export function firstLang() {
  const kept = localStorage.getItem("lang");
  if (LANGS.includes(kept)) return kept;
  return (navigator.languages || ["en"]).some((each) => each.startsWith("zh")) && !navigator.language.startsWith("en") ? "zh" : "en";
}

export async function setLang(chosen) {
  words.texts = await (await fetch(new URL(`../words/${chosen}.json`, import.meta.url))).json();
  words.lang = chosen;
  document.documentElement.lang = chosen === "zh" ? "zh-CN" : "en";
}

export function keepLang(chosen) {
  localStorage.setItem("lang", chosen);
  return setLang(chosen);
}

/** The text of `key` with its {values}. "one turn|{n} turns": the first when n is 1. */
export function say(key, values = {}) {
  const text = words.texts[key];
  if (text === undefined) return key;
  const [one, many] = text.split("|");
  return (many === undefined || values.n === 1 ? one : many).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** say(), or `otherwise` where there is no such text: for names that come from the server. */
export function sayOr(key, otherwise) {
  return words.texts[key] === undefined ? otherwise : say(key);
}

/** What the code says, in the language of the page: its `words` where the server sent them. */
export function worded(said, otherwise) {
  return said?.words?.[words.lang] ?? otherwise;
}

const locale = () => (words.lang === "zh" ? "zh-CN" : "en-GB");
const sameDay = (a, b) => a.toDateString() === b.toDateString();

export function time(iso) {
  return iso ? new Date(iso).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" }) : "";
}

/** 14:05 today, "yesterday 14:05", "3 Nov 14:05", "3 Nov 2025", "3 Nov 2027 14:05". */
export function when(iso, now = new Date()) {
  if (!iso) return "";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  const yesterday = new Date(now.getTime() - 86_400_000);
  const tomorrow = new Date(now.getTime() + 86_400_000);
  if (sameDay(at, now)) return time(iso);
  if (sameDay(at, yesterday)) return say("time.yesterday", { time: time(iso) });
  if (sameDay(at, tomorrow)) return say("time.tomorrow", { time: time(iso) });
  const isNear = at.getFullYear() === now.getFullYear();
  const day = at.toLocaleDateString(locale(), { day: "numeric", month: "short", ...(isNear ? {} : { year: "numeric" }) });
  return isNear || at > now ? `${day} ${time(iso)}` : day; // of what is to come, the hour matters
}

/** A day as "Sunday, 22 November 2026". */
export function longDay(day) {
  const at = typeof day === "string" ? new Date(`${day.slice(0, 10)}T00:00`) : day;
  return at.toLocaleDateString(locale(), { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

export function monthName(date) {
  return date.toLocaleDateString(locale(), { month: "long", year: "numeric" });
}

export function weekdays() {
  return [1, 2, 3, 4, 5, 6, 7].map((day) => new Date(2024, 0, day).toLocaleDateString(locale(), { weekday: "short" }));
}

/** 0.3 s, 12 s, 3 min 20 s, 2 h 5 min. */
export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 9.95) return say("time.seconds", { n: value.toFixed(1) });
  if (value < 120) return say("time.seconds", { n: value.toFixed(0) });
  if (value >= 3600) return say("time.hours", { hours: Math.floor(value / 3600), minutes: Math.floor((value % 3600) / 60) });
  return say("time.minutes", { minutes: Math.floor(value / 60), seconds: Math.floor(value % 60) });
}

/** 950, 12.3k, 1.2M. */
export function amount(value) {
  if (!value) return "0";
  if (value < 10) return String(Math.round(value * 10) / 10);
  if (value < 10_000) return Math.round(value).toLocaleString(locale());
  if (value < 1_000_000) return `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** $0.0123; nothing when no price is known. */
export function money(cost) {
  if (!cost || cost <= 0) return "";
  return `$${cost >= 1 ? cost.toFixed(2) : cost.toFixed(4)}`;
}

export function bytes(size) {
  if (size < 1000) return `${size} B`;
  if (size < 1_000_000) return `${(size / 1000).toFixed(0)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

export function percent(share) {
  return share === null || share === undefined ? "" : `${Math.round(share * 100)} %`;
}
