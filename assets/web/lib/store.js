// What every page knows: who is signed in, whether changes are on, what waits for the owner, what works.
import { computed, reactive } from "./html.js";
import { get, onSignedOut, post, Refused } from "./api.js";
import { listen, live } from "./live.js";
import { say } from "./words.js";

export const store = reactive({
  isSignedIn: null, // null: not known yet
  state: { models: [], personas: [], version: "", cwd: "" },
  changes: false,
  working: {}, // run → RUN
  waiting: [], // ASKED: put by a run of this server, now
  inbox: [],
  errands: {}, // id → ERRAND
  toasts: [],
});

/** All that waits for the owner: what is asked now, then what is in the inbox. */
export const waiting = computed(() => {
  const now = new Set(store.waiting.map(({ id }) => id));
  return [...store.waiting.map((each) => ({ ...each, isNow: true })), ...store.inbox.filter(({ id }) => !now.has(id))];
});
export const waitingFor = (runs) => waiting.value.filter(({ run }) => runs.includes(run));

export async function loadState() {
  const state = await get("/api/state");
  store.state = state;
  store.changes = state.changes;
  store.waiting = state.waiting ?? [];
  store.working = Object.fromEntries((state.working ?? []).map((run) => [run.run, run]));
  store.isSignedIn = true;
  if (live.epoch === null) Object.assign(live, { epoch: state.epoch, seq: state.seq }); // the socket goes on from here
}

/** A run's state; one that works and asks its owner something waits. */
export const stateOf = (run) => (run.status === "working" && waitingFor([run.run]).length ? "waiting" : run.status);

/** The runs that work and do not wait. */
export const atWork = () => Object.values(store.working).filter((run) => stateOf(run) === "working");

export async function loadInbox() {
  store.inbox = (await get("/api/inbox")).inbox;
}

export async function setChanges(on) {
  await doing(async () => {
    store.changes = (await post("/api/changes", { on })).changes;
  });
}

let toasts = 0;

export function toast(text, kind = "info") {
  const made = { id: (toasts += 1), text, kind };
  store.toasts.push(made);
  setTimeout(() => dismiss(made.id), kind === "error" ? 9000 : 4500);
}

export function dismiss(id) {
  store.toasts = store.toasts.filter((each) => each.id !== id);
}

/** Does what may be refused, and shows why it was. What `act` gives back; undefined when refused. */
export async function doing(act, done = "") {
  try {
    const given = await act();
    if (done) toast(done);
    return given;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.kind === "read_only") store.changes = false;
    if (error.status !== 401) toast(error.text, "error");
    return undefined;
  }
}

/** Waits for an errand (verify, teach …) to end; each of its states is in store.errands. */
export function errandDone(id) {
  return new Promise((resolve) => {
    const settle = (errand) => {
      store.errands[errand.id] = errand;
      if (errand.state === "working") return;
      stop();
      resolve(errand);
    };
    const stop = listen((message) => {
      if (message.type === "errand" && message.errand.id === id) settle(message.errand);
      if (message.type === "resync") ask();
    });
    const ask = () => doing(async () => settle(await get(`/api/errands/${id}`)));
    ask();
  });
}

onSignedOut(() => {
  store.isSignedIn = false;
});

listen((message) => {
  if (message.type === "resync") {
    doing(loadState);
    doing(loadInbox);
  } else if (message.type === "run_changed") {
    const run = message.summary;
    if (run.status === "working") store.working[run.run] = run;
    else delete store.working[run.run];
  } else if (message.type === "asked_now") {
    store.waiting = [...store.waiting.filter((each) => each.id !== message.asked.id), message.asked];
  } else if (message.type === "asked_over") {
    store.waiting = store.waiting.filter((each) => each.id !== message.id);
  } else if (message.type === "changed" && message.what === "inbox") {
    doing(loadInbox);
  } else if (message.type === "changes" && "on" in message) { // a run says "changes" too: of its files
    store.changes = message.on;
  } else if (message.type === "bye") {
    toast(say("live.bye"));
  } else if (message.type === "learned" && message.name) {
    toast(say("learned.line", { name: message.name }), "good");
  }
});
