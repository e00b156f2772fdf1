"""The one place where a run is put together: models, handler, context, memory, from config and options."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from agent_loop import End, agent_loop
from config import Config, ConfigError
from context import Compaction, History, Prompts, Reading, TurnTexts
from handler import AgentHandler, Hearing, Owner
from learning.guards import ReplayGuards, tools_used
from learning.route import Remembered, Shown, Where
from memory.home.folder import open_home
from memory.home.sessions import Session
from memory.runlog.log import SHARED, RunLog, RunLogError, Totals, find_run, read_events
from memory.sops.store import Sop, SopStore
from models.base import Event, Model
from models.chain import Budget, ModelChain
from models.errors import ModelUnavailable
from runs.control.consent import Consent
from runs.control.owners import AbsentOwner, is_attended
from runs.control.steering import Steering
from runs.options import Options, Replay, as_started
from runs.parts import SEEDS, Parts, leave, lifts
from runs.replaying import Nobody, Recorded, guards, lane, steps
from runs.resume import Progress, read_progress
from runs.run import Run, now
from runs.start.answers import Answering, answer, is_answered
from runs.start.attachments import in_full, named, take_in
from runs.start.briefing import Briefing, Scribe, check_persona, is_only_to_remember
from runs.start.choosing import Chosen, chosen
from runs.start.reminding import keep
from runs.start.run_started import opening, spent
from runs.start.spoken import Spoken
from runs.warming import warm
from safety.origins import OUTSIDE
from safety.secrets import Redactor
from tools.base import ToolContext
from tools.families import Family
from tools.processes import stop_leftovers
from tools.schema import check_args
from tools.staged import Recording
from tools.toolbox import Toolbox

if TYPE_CHECKING:
    from learning.guards import ReplayGuards
    from learning.verify import ReplayResult
    from models.base import ToolResult
    from replay.rote import RoteModel
    from runs.start.disambiguate import Asking
    from safety.changes import ChangeSet
    from safety.gate import Decision, Gate
    from tools.base import Wish


class Logs(Protocol):
    """Where the log of a run comes from: this home folder alone (RunLog), or a database that machines share."""

    def create(self, home: Path, /) -> RunLog:
        """That of a new run."""
        ...

    def reopen(self, home: Path, run: str, /) -> RunLog:
        """That of a run which goes on."""
        ...

    def apart(self, home: Path, task: str, /) -> RunLog:
        """That of a new run which a process of its own makes go (runs/control/subprocess_run.py)."""
        ...

    def fetch(self, home: Path, run: str, /) -> None:
        """Brings the log of such a run here, as far as it is written elsewhere."""
        ...


class Leg(NamedTuple):
    """A part of a run that is done with the same handler: its loop, and what ends what its tools kept open."""

    loop: Generator[Event, None, End]
    close: Callable[[], None]
    redactor: Redactor


class Begun(NamedTuple):
    """A run as it is put together: its log, what has happened in it, and what holds for it from here on."""

    log: RunLog
    progress: Progress
    options: Options
    owner: Owner
    briefing: Briefing
    budget: Budget

    @property
    def is_attended(self) -> bool:
        """Whether its owner answers what it asks."""
        return is_attended(self.options.approve, self.owner)


class Agent:
    """Starts and resumes runs in one home folder."""

    def __init__(self, config: Config, logs: Logs = RunLog) -> None:
        self.config, self.logs = config, logs
        open_home(config.home)
        self.prompts = Prompts(config.lang)
        self.sops = SopStore(SEEDS, config.home / "sops")
        self.parts = Parts(config, self.prompts, self.sops)

    def start(self, task: str, options: Options, owner: Owner, previous: Sequence[str] = ()) -> Run:
        """A new run. `previous` are the earlier runs of the conversation, oldest first."""
        return self._start(task, options, owner, chosen(task, options, self.parts), previous)

    def prepare(
        self,
        task: str,
        options: Options,
        origins: Iterable[str] = (),
        put: Callable[[str], str] = str,
    ) -> str:
        """Writes how a run begins and lets go of it: a process of its own makes it go (runs/control/subprocess_run.py). Gives its id.

        `origins`: whose words, beside the owner's, the task may be made of. `put`: how it is put to a model."""
        found = chosen(task, options, self.parts)
        first = opening(task, options, self.parts, found, (), is_attended=False)
        first |= {"told": told} if found.replay is None and (told := put(task)) != task else {}
        first |= {"origins": sorted(origins)} if origins else {}
        redact = self.parts.redactor().redact
        log = self.logs.apart(self.config.home, redact(task))
        try:
            for event in (first, *found.asked):
                log.append({"type": event["type"], "run": log.run, "at": now(), **redact(event)})
            log.sync()
        finally:
            log.close()
        return log.run

    def run_sop(self, name: str, parameters: dict[str, Any], options: Options, owner: Owner) -> Run:
        """A new run that does the SOP called `name` by rote. Raises SopwithError when it cannot be."""
        sop = self.released(name)
        if sop.status == "archived":
            raise ConfigError(
                f"{name} is disabled: it is kept and not used.\nUse it again: sopwith sops enable {name}"
            )
        if sop.procedure is None:
            why = f": {sop.problem}" if sop.problem else ""
            raise ConfigError(
                f"{name} has no recorded steps{why}.\nRead it with: sopwith sops show {name}"
            )
        words = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        replay = Replay(sop, sop.procedure.bind(parameters, options.cwd))
        return self._start(words, options, owner, Chosen(replay), ())

    def released(self, name: str) -> Sop:
        """The SOP called `name`, when its owner has let it in. Raises ConfigError."""
        sop = self.sop(name)
        if sop.is_quarantined:
            raise ConfigError(
                f"{name} is in quarantine: it came from elsewhere.\nLet it in: sopwith sops enable {name}"
            )
        return sop

    def sop(self, name: str) -> Sop:
        """The SOP called `name`. Raises ConfigError with the nearest names."""
        sop = self.sops.get(name)
        if sop is None:
            from difflib import get_close_matches

            known = [sop.name for sop in self.sops.all()]
            near = ", ".join(get_close_matches(name, known, 3) or known)
            raise ConfigError(
                f'there is no SOP "{name}" (nearest: {near}).\nSee them with: sopwith sops list'
            )
        return sop

    def replay(
        self, sop: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path
    ) -> ReplayResult:
        """Tries an SOP in a scratch copy that lies at `root`: runs/replaying/dry_run.py."""
        from runs.replaying import trial

        return trial(self.config, sop, parameters, cwd, root)

    def try_out(self, sop: Sop, parameters: dict[str, Any], options: Options) -> Run:
        """A new run that counts for no statistics of the SOP, and asks nobody."""
        found = Chosen(Replay(sop, parameters, verifies=True))
        return self._start(f"verify {sop.name}", options, AbsentOwner(), found, ())

    def resume(self, run: str, options: Options, owner: Owner, say: str | None = None) -> Run:
        """Goes on after the last turn that is on disk; `say` is what the owner adds. Raises RunLogError."""
        run = find_run(self.config.home, run) if self.logs is RunLog else run
        log = self._reopened(run)
        try:
            events = list(read_events(self.config.home, run))
            if not events:
                raise RunLogError(
                    f"run {run} stopped before its first line was written.\nStart the task again."
                )
            if events[0].get("teaches"):
                raise RunLogError(
                    f"run {run} is a recording.\nLearn from it: sopwith teach NAME --from-run {run}"
                )
            prompts = Prompts(events[0]["lang"])
            progress = read_progress(events, prompts, log.folder)
            if progress.status == "done":
                raise RunLogError(
                    f"run {run} is done.\nGo on in a conversation: sopwith chat --resume {run}"
                )
            return self._go_on(log, progress, options, owner, prompts, say)
        except BaseException:
            log.close()
            raise

    def _start(
        self, task: str, options: Options, owner: Owner, found: Chosen, previous: Sequence[str]
    ) -> Run:
        models = self.parts.models(options)
        if options.persona:
            check_persona(self.config.home, options.persona, self.config.lang)
        log = self.logs.create(self.config.home)
        attached = take_in(options.files, log.folder)
        task = named(task, attached, self.prompts.text("attached")) if attached else task
        attended = is_attended(options.approve, owner)
        first = opening(task, options, self.parts, found, previous, is_attended=attended)
        first |= {"attached": attached} if attached else {}
        if options.shows_files and (text := in_full(attached)):
            first |= {"told": f"{task}\n\n{text}"}
            first |= {"origins": sorted({*first.get("origins", ()), OUTSIDE})}
        if options.earlier:
            first |= {"told": f"{task}\n\n{options.earlier}"}
            first |= {"origins": sorted({*first.get("origins", ()), OUTSIDE})}
        progress = Progress(first, [], families=first.get("families", []))
        progress.totals = Totals(found.asked)
        briefing = Briefing(self.parts.source(self.prompts), log.run, first, found.hints)
        budget = self.parts.budget(options, progress.totals.spent)
        begun = Begun(log, progress, options, owner, briefing, budget)
        model = self._model(begun, models, found.replay)
        if found.reminder:
            where = Where(options.cwd, Path.home())
            model = Answering(
                partial(keep, task, found.reminder, self.config.home, where, self.config.lang)
            )
        progress.totals = Totals()  # counted again when they are written
        noted = () if found.replay or is_only_to_remember(task) else briefing.note(1, task)
        return self._run(begun, first, model, chain(found.asked, noted), found.pick)

    def _reopened(self, run: str) -> RunLog:
        if (
            self.logs is RunLog
            and (self.config.home / "runs" / run / SHARED).exists()
            and self.config.queue
        ):
            from runs.workers.log import resumed_by_hand

            return resumed_by_hand(self.config, run)
        return self.logs.reopen(self.config.home, run)

    def _go_on(
        self,
        log: RunLog,
        progress: Progress,
        options: Options,
        owner: Owner,
        prompts: Prompts,
        say: str | None,
    ) -> Run:
        start = progress.opening
        options = as_started(options, start)
        replay = None
        if start["sop"] and not progress.handed_over:
            sop = self.sop(start["sop"])
            if sop.procedure is None or sop.version != start["sop_version"]:
                raise RunLogError(
                    f"{start['sop']} has changed since run {log.run} began.\nStart the task again."
                )
            replay = Replay(sop, start["parameters"])
        hints = [each for name in start.get("hints", ()) if (each := self.sops.get(name))]
        briefing = Briefing(
            self.parts.source(prompts), log.run, start, hints, versions=progress.versions
        )
        begun = Begun(
            log,
            progress,
            options,
            owner,
            briefing,
            self.parts.budget(options, progress.totals.spent),
        )
        model = self._model(begun, self.parts.models(options), replay)
        if (
            progress.pending is not None
            and progress.pending.kind != "rote"
            and _may_be_used(progress)
        ):
            model = Recorded(progress.pending, model)
        first: Event = {
            "type": "run_resumed",
            "turn": progress.next_turn,
            "task": start["task"],
            "stopped": stop_leftovers(
                log.run
            ),  # what was still at work when the process before this one was killed
            "sandbox": self.parts.sandbox.name,
        }
        run = self._run(begun, first, model)
        if say:
            run.steer(say)
        return run

    def _model(self, begun: Begun, models: list[Model], replay: Replay | None) -> Model:
        """The chain: the SOP lane first, then the configured models, which read the history as the budget has it."""
        progress, options, briefing = begun.progress, begun.options, begun.briefing
        start = progress.opening
        if replay is None and options.bounds is None and is_only_to_remember(start["task"]):
            return Scribe(briefing, start["task"], briefing.prompts, is_noted=progress.is_noted)
        is_own = replay is None and options.bounds is None and options.session == "main"
        if is_own and is_answered(start["task"], has_model=bool(models)):
            return Answering(partial(answer, start["task"], self.sops.all(), self.config.lang))
        first: list[RoteModel] = []
        if replay is not None:
            first = lane(replay, progress, options.cwd, self.parts.toolbox(), self.config.lang)
        if not first and not models:
            return Nobody(self.prompts.text("no_model"))
        kept = Compaction.reads_back(start)
        compaction = Compaction(
            begun.log.folder, briefing.prompts, progress.working.summaries, is_kept=kept
        )
        write = None if progress.is_opened else briefing.write
        history = History(write, compaction, self.config.limits.context_tokens, progress.extent)
        return ModelChain([*first, *(Reading(model, history) for model in models)], begun.budget)

    def _run(
        self,
        begun: Begun,
        first: Event,
        model: Model,
        before: Iterable[Event] = (),
        pick: Shown | None = None,
    ) -> Run:
        log, progress, options = begun.log, begun.progress, begun.options
        before = chain(self._recovered(), before)
        start, bounds, steering = (
            progress.opening,
            options.bounds,
            Steering(log.letters, progress.letter),
        )
        legs = partial(self._leg, begun, steering)
        leg = legs(model)
        loop = leg.loop
        if options.rote and options.session == "main" and start["sop"] is None and not bounds:
            loop = self._or_meant(begun, loop, legs, pick)
        learns = (
            options.session == "main" and "verifies" not in start and not (bounds and bounds.parent)
        )
        return Run(
            log,
            first,
            loop,
            steering,
            totals=progress.totals,
            sop=start["sop"],
            learn=partial(self._learn, start) if learns else None,
            before=before,
            redact=leg.redactor.redact,
            said=leg.redactor.stream,
            close=leg.close,
            spoken=None
            if "verifies" in start or bounds
            else Spoken(
                self.config.home,
                Session.parse(options.session),
                start,
                self.parts.told(),
                is_named=options.named,
            ),
        )

    def _recovered(self) -> list[Event]:
        """Bring to an end what a kill in the middle of a commit has left, and say so."""
        if not (self.config.home / "undo").is_dir():
            return []
        from sandbox.stage import recover

        return [{"type": "recovered", "text": line} for line in recover(self.config.home)]

    def _or_meant(
        self,
        begun: Begun,
        loop: Generator[Event, None, End],
        legs: Callable[[Model], Leg],
        pick: Shown | None,
    ) -> Generator[Event, None, End]:
        """The loop. What a model picked is shown before it; where no model can do the first turn, the owner is asked
        which SOP the request means, and that is done."""
        from runs.start import disambiguate as meant

        progress = begun.progress
        try:
            if pick is None:
                return (yield from loop)
            found = yield from self._asking(begun).confirm(pick)
        except ModelUnavailable as why:
            if pick is not None:  # it was not meant: the model does the task itself
                return (yield from loop)
            if progress.working.summaries or is_only_to_remember(progress.opening["task"]):
                raise
            from runs.start.recalling import answered

            if told := answered(self.config.home, progress.opening["task"]):
                return told
            found = yield from self._asking(begun).ask(why)
        if isinstance(found, End):
            return found
        yield (event := meant.chosen(found))
        progress.opening |= {key: value for key, value in event.items() if key != "type"}
        replay = Replay(found.sop, found.parameters, progress.opening["task"], meant.LANE)
        second = legs(self._model(begun, [], replay))
        try:
            return (yield from second.loop)
        finally:
            second.close()

    def _asking(self, begun: Begun) -> Asking:
        """What the question which SOP is meant stands on."""
        from runs.start.disambiguate import LANE, Asking

        start, options, tools = begun.progress.opening, begun.options, self.parts.toolbox()

        def guarded(each: Shown) -> ReplayGuards:
            replay = Replay(each.sop, each.parameters, start["task"], LANE)
            return guards(replay, options.cwd, tools, self.config.lang)

        return Asking(
            self.config.home,
            begun.log.run,
            start["task"],
            start["lang"],
            Where(options.cwd, Path.home()),
            begun.owner,
            begun.is_attended,
            self.parts.inbox(),
            Remembered(self.config.home).with_wordings(self.sops.all()),
            guarded,
            bool(self.parts.chosen_models(options)),
            begun.progress.status == "waiting",
        )

    def _leg(self, begun: Begun, steering: Steering, model: Model) -> Leg:
        """The handler and the loop of a run, with this model."""
        log, progress, options, owner, briefing, budget = begun
        home, start, bounds = self.config.home, progress.opening, options.bounds
        tools, families = self.parts.tools(options)
        redactor = self.parts.redactor()
        attended = begun.is_attended
        gate = replace(self.parts.gate(options, attended, start["sop"]), run=log.folder)
        progress.state.origins.update(start.get("origins", ()))
        held = (
            self.parts.held(gate, log.folder, bounds.request if bounds else start["task"])
            if "code_run" in tools or "terminal" in families
            else None
        )
        is_trial = "verifies" in start  # works on a copy
        staging = None if is_trial else self.parts.staging(gate, held, log.folder)
        is_kept = options.session == "main" and not is_trial
        if start["sop"] is None and self.config.models:  # a replay may do without
            warm(gate, held, is_staged=staging is not None)
        context = ToolContext(
            gate.shared or options.cwd,
            log.folder,
            home,
            tool_seconds=self.config.limits.tool_seconds,
            deadline=budget.deadline,
            redact=redactor,
            sandbox=held,
            staging=staging,
            recording=Recording(log.run, self.parts.undo_store) if is_kept else None,
            lifts=partial(lifts, gate, options.session),
            leave=partial(
                leave, gate, options.session, bounds.request if bounds else start["task"]
            ),
            recall=self.parts.recalling(Session.parse(options.session)).asked,
            run=log.run,
            session=options.session,
            config=self.config,
            credentials=self.parts.credentials(options, attended=attended),
            secret=owner.secret,
            delegate=partial(self._delegated, begun) if options.session == "main" else None,
        )
        if (
            self.parts.foreign
            and (sop := self.sops.get(start["sop"] or ""))
            and any("." in name for name in tools_used(sop))
        ):
            from tools.mcp import keep_servers

            keep_servers(context)  # the guards of this replay ask them before its first call does
        by_rote = self.sops.get(start["sop"]) if start["sop"] and not progress.handed_over else None
        turns = options.max_turns or self.config.limits.turns + steps(by_rote)
        last_turn = (
            progress.next_turn - 1 + turns
            if progress.status == "limit"
            else max(turns, progress.next_turn)
        )
        prompts, session = briefing.prompts, options.session
        offered = Toolbox(
            tools,
            families,
            progress.families,
            self.parts.foreign if _may_call_foreign(families) else None,
        )
        handler = AgentHandler(
            run=log.run,
            session=session,
            request=bounds.request if bounds else start["task"],
            tools=offered,
            check_args=check_args,
            context=context,
            gate=gate,
            redact=redactor.redact,
            consent=Consent(
                log.run,
                session,
                owner,
                self.parts.inbox(),
                prompts,
                progress.state,
                context,
                redactor.redact,
                gate.settings.confirm_hours,
            ),
            texts=TurnTexts(
                prompts,
                progress.working,
                last_turn=last_turn,
                tools=offered,
                attended=attended,
                l2_index=partial(self.parts.l2_index, options, redactor),
                sop_path=self._sop_path,
                spent=partial(spent, budget, prompts),
            ),
            working=progress.working,
            state=progress.state,
            last_turn=last_turn,
            hearing=Hearing(steering.take, briefing.note, briefing.changes),
            attended=attended,
        )
        if staging:
            staging.judge = partial(judged, gate, handler)
        loop: Generator[Event, None, End] = agent_loop(
            model, handler, progress.messages, first_turn=progress.next_turn, last_turn=last_turn
        )
        return Leg(loop, context.close, redactor)

    def _sop_path(self, name: str) -> str:
        """Return where the text of an SOP lies; what is no name of one stays as the model wrote it."""
        sop = self.sops.get(name)
        return str(sop.folder / "SKILL.md") if sop else name

    def _delegated(
        self, begun: Begun, call: str, wish: Wish
    ) -> Generator[Event | str, None, ToolResult]:
        """What helpers of the run do (tools/agent/delegate.py)."""
        from runs.control.delegation import Delegation

        return Delegation(self, begun.log.run, begun.options, begun.progress, begun.budget).of(
            call, wish
        )

    def _learn(self, start: Event, run: Run) -> Iterator[Event]:
        """What comes of a run that has ended. A seed that did well, and a run that nobody marked, teach nothing."""
        used = self.sops.get(run.sop) if run.sop and not start.get("bounds") else None
        if used is not None and run.is_by_rote and start.get("lane", "wordings") != "wordings":
            where, values = Where(Path(start["cwd"]), Path.home()), start["parameters"]
            with suppress(OSError):  # a full disk: it is asked for in other words once more
                Remembered(self.config.home).add(start["task"], used, values, run.id, where)
        if run.is_marked or (used is not None and not (used.is_seed and run.status == "done")):
            from runs.learning import learn

            yield from learn(self, run.id)
        elif run.status == "done" and used is None:
            yield from self._noticed(run)

    def _noticed(self, run: Run) -> Iterator[Event]:
        """Take an unmarked run into account: as evidence for a candidate that it followed, as one of its kind."""
        from runs.learning import learn, offer

        if any(each.status == "candidate" for each in self.sops.all()):
            yield from learn(self, run.id)
        offer(self.config.home, self.config.lang, self.parts.inbox(), run.id)


def judged(gate: Gate, handler: AgentHandler, changes: ChangeSet) -> Decision:
    """Return what the gate says of the changes of a call."""
    from safety.judging import judge_changes

    return judge_changes(
        changes, gate.places, gate.settings, attended=handler.attended, origin=handler.origins()
    )


def _may_be_used(progress: Progress) -> bool:
    """Whether the reply that has no result yet is carried out as the log has it. One that held a secret is asked for again,
    unless it gave tasks to helpers: they are told what the log says in any case, and some may be at it already."""
    calls = progress.pending.calls if progress.pending else ()
    return not progress.is_pending_redacted or bool(calls and calls[0].name == "delegate")


def _may_call_foreign(families: Mapping[str, Family]) -> bool:
    """Whether a run has the tools of MCP servers."""
    return "mcp" in families and "mcp_call" in families["mcp"].tools


__all__ = ["SEEDS", "Agent", "Options", "Replay"]
