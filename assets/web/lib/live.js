// The WebSocket: connects by itself, catches up by sequence number after sleep, and hands each message to its listeners.
import { reactive } from "./html.js";

const QUIET_SECONDS = 25; // without a word from the server a ping is sent
const ANSWER_SECONDS = 8; // for the pong; then the connection counts as dead
const LONGEST_WAIT_SECONDS = 8;

/** state: "off" | "connecting" | "on" | "lost". */
export const live = reactive({ state: "off", epoch: null, seq: null });

const listeners = new Set();
let path = null;
let socket = null;
let failures = 0;
let timer = 0;
let heard = 0;
let watched = [];

/** `heard(message)` for every message, until the function that comes back is called. */
export function listen(heard) {
  listeners.add(heard);
  return () => listeners.delete(heard);
}

export function tell(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** The runs whose growing text and output this tab wants. */
export function watchRuns(runs) {
  watched = runs;
  tell({ type: "watch", runs });
}

export function connect(at = "/ws") {
  path = at;
  failures = 0;
  open();
}

export function disconnect() {
  path = null;
  clearTimeout(timer);
  socket?.close();
  live.state = "off";
}

function open() {
  clearTimeout(timer);
  if (!path || (socket && socket.readyState <= WebSocket.OPEN)) return;
  live.state = failures ? "lost" : "connecting";
  const opened = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
  socket = opened;
  opened.onopen = () => tell({ type: "hello", epoch: live.epoch, seq: live.seq, watch: watched });
  opened.onmessage = (event) => opened === socket && receive(JSON.parse(event.data));
  opened.onclose = () => opened === socket && lost();
}

function lost() {
  socket = null;
  if (!path) return;
  failures += 1;
  live.state = "lost";
  const wait = Math.min(LONGEST_WAIT_SECONDS, 0.25 * 2 ** Math.min(failures, 6)) * (0.7 + 0.6 * Math.random());
  timer = setTimeout(open, wait * 1000);
}

function receive(message) {
  heard = Date.now();
  if (message.type === "hello") {
    failures = 0;
    live.state = "on";
    if (!message.caught_up || live.epoch !== message.epoch) live.seq = message.seq;
    live.epoch = message.epoch;
    if (!message.caught_up) deliver({ type: "resync" });
    return;
  }
  if (message.type === "pong") return;
  if (message.seq !== undefined && message.seq !== null) live.seq = message.seq;
  deliver(message);
}

function deliver(message) {
  for (const each of [...listeners]) each(message);
}

function lookAlive() {
  if (live.state === "lost") return open();
  if (live.state !== "on") return;
  const asked = Date.now();
  tell({ type: "ping" });
  const opened = socket;
  setTimeout(() => heard < asked && opened === socket && opened?.close(), ANSWER_SECONDS * 1000);
}

setInterval(() => Date.now() - heard > QUIET_SECONDS * 1000 && lookAlive(), 5000);
addEventListener("online", lookAlive);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookAlive());
