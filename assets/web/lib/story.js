// Makes of a run's events (docs/events.md) what is shown of it: its parts in order, its turns with what they cost, its end.
import { reactive } from "./html.js";

const SUMMARY = /<summary>([\s\S]*?)<\/summary>\s*/g;
const QUIET_TOOLS = new Set(["ask_user"]); // shown by what they ask

/**
 * parts: {kind: "text"|"call"|"asked"|"confirm"|"note"|"steered"|"rote", turn, …} in order.
 * turns: what each cost: {turn, model, kind, seconds, tokens, cost}.
 */
export function newStory(run, task = "") {
  return reactive({
    run, task, files: [], parts: [], turns: [], turn: 0, status: "working", started: null,
    session: "main", models: [], sop: null, persona: null, rote: null, doing: "working", context: null, ended: null, logged: 0,
    parameters: {}, changed: 0,
  });
}

export function tell(story, event) {
  LOOKS[event.type]?.(story, event);
  if (event.type !== "text" && event.type !== "tool_output" && event.type !== "text_reset") story.logged += 1;
}

export function storyOf(run, events, { text = "", files = [], status = "" } = {}) {
  const story = newStory(run);
  for (const event of events) tell(story, event);
  story.files = files;
  if (text && story.status === "working") tell(story, { type: "text", delta: text });
  if (status && status !== "working" && story.status === "working") story.status = status; // its process was killed
  return story;
}

/** What a reply says beside its calls: the one-line summary is for the model's own notes. */
export function spoken(text) {
  return text.replace(SUMMARY, "").replace(/<summary>[^<]*$/, "").trim();
}

export function summaryOf(text) {
  return [...text.matchAll(SUMMARY)].map((found) => found[1].trim()).join(" ");
}

const add = (story, kind, part) => {
  story.parts.push({ key: `${story.run}.${story.parts.length}`, kind, turn: story.turn, ...part });
  return story.parts[story.parts.length - 1];
};
const note = (what, more = () => ({})) => (story, event) => add(story, "note", { what, event, ...more(event) });
const lastText = (story) => story.parts.findLast((part) => part.kind === "text" && part.turn === story.turn);
const callOf = (story, id) => story.parts.findLast((part) => part.kind === "call" && part.id === id && !part.status);
const partOf = (story, kind, id) => story.parts.findLast((part) => part.kind === kind && part.id === id);

function textPart(story) {
  const said = lastText(story);
  return said?.isGrowing ? said : add(story, "text", { text: "", raw: "", isGrowing: true });
}

function saying(story, delta) {
  const part = textPart(story);
  part.raw += delta;
  part.text = spoken(part.raw);
  story.doing = "answering";
}

/** Whether a text is lines that a program printed, with nothing in them that Markdown would mean: its lines must stay. */
function isOutput(text) {
  return text.includes("\n") && !/^\s*(?:[-*+] |\d+[.)] |#{1,6} |>|\||```|~~~)|`[^`\n]+`|\*\*[^*\n]+\*\*|\]\([^)\n]+\)/m.test(text);
}

function modelCalled(story, event) {
  const { turn, model, kind, seconds, tokens, cost, reply } = event;
  story.turns.push({ turn, model, kind, seconds, tokens, cost });
  story.doing = "working";
  const growing = lastText(story);
  const calls = reply?.calls ?? [];
  const notes = kind === "rote" ? (reply?.text ?? "").split(" · ").slice(2).join(" · ") : summaryOf(reply?.text ?? "");
  story.next = notes === calls[0]?.name ? "" : notes;
  const said = kind === "rote" && calls.length ? "" : spoken(reply?.text ?? "");
  const text = kind === "rote" && isOutput(said) ? `\`\`\`\`\n${said}\n\`\`\`\`` : said;
  if (growing?.isGrowing) Object.assign(growing, { text, isGrowing: false });
  else if (text) add(story, "text", { text, isGrowing: false });
}

function toolStarted(story, event) {
  if (QUIET_TOOLS.has(event.tool)) return;
  const { call: id, tool, args, at } = event;
  add(story, "call", { id, tool, args, at, status: "", output: "", note: story.next ?? "", step: story.rote?.step ?? "", data: null });
  story.next = "";
  story.doing = "tool";
}

function toolEnded(story, event) {
  if (QUIET_TOOLS.has(event.tool) && event.status === "ok") return;
  const { call: id, tool, status, seconds, data, origin, reason, words } = event;
  const part = callOf(story, id) ?? add(story, "call", { id, tool, args: event.args ?? null, output: "", note: story.next ?? "", step: "" });
  Object.assign(part, { status, seconds, data, origin, reason, words });
  story.doing = "working";
}

function rote(story, event) {
  const { sop, version, step, state, reason } = event;
  if (!story.rote) add(story, "rote", { sop, version });
  story.rote = { sop, version, step, state };
  if (state === "diverged") add(story, "note", { what: "diverged", event, text: reason });
}

function ended(story, event) {
  Object.assign(story, { ended: event, status: event.status, doing: "" });
  for (const part of story.parts) {
    if (part.isGrowing) part.isGrowing = false;
    if (part.kind === "call" && !part.status) part.status = "cancelled";
  }
  const flat = (text) => text.replace(/\s+/g, "");
  const said = story.parts.findLast((part) => part.kind === "text");
  if (event.status === "done" && event.result && !flat(said?.text ?? "").includes(flat(event.result)))
    add(story, "text", { text: event.result, isGrowing: false });
}

const LOOKS = {
  run_started(story, event) {
    const { task, session, models, sop, persona, at } = event;
    Object.assign(story, { task, session, models: models ?? [], sop, persona, started: at, status: "working", cwd: event.cwd, lane: event.lane, parameters: event.parameters ?? {} });
  },
  run_resumed(story, event) {
    Object.assign(story, { status: "working", ended: null, doing: "working" });
    add(story, "note", { what: "resumed", event });
  },
  context(story, event) {
    story.context = event;
  },
  turn_started(story, event) {
    Object.assign(story, { turn: event.turn, doing: "thinking" });
  },
  text: (story, event) => saying(story, event.delta),
  text_reset(story) {
    const growing = lastText(story);
    if (growing?.isGrowing) Object.assign(growing, { text: "", raw: "" });
  },
  model_called: modelCalled,
  tool_started: toolStarted,
  tool_output(story, event) {
    const part = callOf(story, event.call);
    if (part) part.output = (part.output + event.delta).slice(-20_000);
  },
  tool_ended: toolEnded,
  rote,
  steered: (story, event) => add(story, "steered", { text: event.text }),
  confirm: (story, event) => add(story, "confirm", { id: event.id, tool: event.tool, reason: event.reason, words: event.words, risk: event.risk, decision: "" }),
  confirmed(story, event) {
    const part = partOf(story, "confirm", event.id);
    if (part) Object.assign(part, { decision: event.decision, said: event.reason });
  },
  chosen: (story, event) => Object.assign(story, { sop: event.sop, lane: event.lane, parameters: event.parameters ?? {} }),
  changes(story, event) {
    story.changed += (event.new ?? 0) + (event.changed ?? 0) + (event.moved ?? 0) + (event.gone ?? 0);
  },
  asked: (story, event) => add(story, "asked", { id: event.id, question: event.question, candidates: event.candidates ?? [], answer: null }),
  answered(story, event) {
    const part = partOf(story, "asked", event.id);
    if (part) part.answer = event.text;
  },
  run_ended: ended,
  learned: note("learned"),
  handover: note("handover", (event) => ({ text: event.text })),
  uncertain: note("uncertain"),
  undone: note("undone", (event) => ({ text: String(event.paths.length) })),
  compacted: note("compacted"),
  reminder: note("reminder"),
  reloaded: note("reloaded"),
  model_retry: note("model_retry", (event) => ({ text: event.reason, words: event.words })),
  model_failed: note("model_failed", (event) => ({ text: event.reason, words: event.words })),
  noted: note("noted", (event) => ({ text: event.text })),
  journal_failed: note("journal_failed", (event) => ({ text: event.reason, words: event.words })),
  reply_reused: note("reply_reused"),
};

/** The kinds of notes that a trace shows and a chat does not. */
export const TRACE_ONLY = new Set(["reminder", "compacted", "reloaded", "reply_reused", "handover", "model_retry"]);

/** The parts in which a text stands: in what was said, in arguments, in outputs. */
export function found(story, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return story.parts;
  return story.parts.filter((part) => JSON.stringify([part.text, part.tool, part.args, part.output, part.data, part.question, part.note], (_, value) => value ?? "").toLowerCase().includes(JSON.stringify(wanted).slice(1, -1)));
}
