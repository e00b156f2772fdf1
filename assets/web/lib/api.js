// Asks the server over HTTP (docs/web-api.md). What it refuses comes as `Refused`, with a text for people.
import { lang, say } from "./words.js";

export class Refused extends Error {
  constructor(kind, text, status, answer = {}) {
    super(text);
    Object.assign(this, { kind, text, status, answer });
  }
}

let signedOut = () => {};

/** `told(answer)` is called whenever the server does not know this browser (any more). */
export function onSignedOut(told) {
  signedOut = told;
}

async function ask(method, path, body, headers = {}) {
  const sent = { method, credentials: "same-origin", headers: { "Accept-Language": lang(), ...headers } };
  if (method !== "GET") {
    sent.headers["X-Sopwith"] = "1";
    sent.headers["Content-Type"] ??= "application/json";
    sent.body = body instanceof Blob ? body : JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(path, sent);
  } catch {
    throw new Refused("away", say("error.away"), 0);
  }
  const isJson = (answer.headers.get("Content-Type") || "").includes("json");
  const read = answer.status === 204 ? null : isJson ? await answer.json() : await answer.text();
  if (answer.ok) return read;
  const error = read?.error ?? {};
  if (answer.status === 401) signedOut(read ?? {});
  throw new Refused(error.kind ?? "failed", error.text ?? say("error.status", { status: answer.status }), answer.status, read);
}

export function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return ask("GET", given.length ? `${path}?${new URLSearchParams(given)}` : path);
}

export const post = (path, body) => ask("POST", path, body);
export const remove = (path) => ask("DELETE", path);

/** Sends a file; → {id, name, size, type}. */
export function upload(file) {
  const path = `/api/uploads?name=${encodeURIComponent(file.name || "file")}`;
  return ask("POST", path, file, { "Content-Type": "application/octet-stream" });
}

/** One part of a path: names may hold anything. */
export const part = encodeURIComponent;
