"""The one place where a run is put together: models, handler, context, memory, from config and
options."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_loop import End
from config import Config, ConfigError
from context import Compaction, History, Prompts, Reading
from handler import Owner
from learning.route import Remembered, Shown, Where
from memory.home import Session, open_home
from memory.logs import RunLogError, find_run, read_events
from memory.runlog import SHARED, RunLog
from memory.sops import Sop, SopStore
from memory.usage import Totals
from memory.written import forgets, is_to_forget
from models.base import Event, Model
from models.chain import ModelChain
from models.errors import ModelUnavailable
from runs.control.bounds import AbsentOwner, ApprovingOwner, is_attended
from runs.control.remote import queue_of
from runs.control.steering import Steering
from runs.options import Options, Replay, as_started
from runs.parts import SEEDS, Parts
from runs.replaying import guards, lane
from runs.resume import Progress, read_progress
from runs.run import Run, now
from runs.run_context import RunContext
from runs.start.answers import (
    Answering,
    Recorded,
    answer,
    asks_undo,
    forgotten,
    is_answered,
    nobody,
    serve,
)
from runs.start.briefing import Briefing, check_persona, is_only_to_remember, remembered
from runs.start.choosing import Chosen, chosen
from runs.start.run_started import in_full, named, opening, request_of, take_in
from runs.start.spoken import Spoken
from runs.workshop import Logs
from safety.taint import Origin
from text.sentences import say

if TYPE_CHECKING:
    from learning.guards import ReplayGuards
    from learning.verify import Outcome
    from replay.rote import RoteModel
    from runs.start.disambiguate import Asking


class Agent:
    """Starts and resumes runs in one home folder."""

    def __init__(self, config: Config, logs: Logs = RunLog) -> None:
        self.config, self.logs = config, logs
        open_home(config.home)
        self.prompts = Prompts(config.lang)
        self.sops = SopStore(SEEDS, config.home / "sops")
        self.parts = Parts(config, self.prompts, self.sops)

    def start(self, task: str, options: Options, owner: Owner, previous: Sequence[str] = ()) -> Run:
        """Return a new run. `previous` are the earlier runs of the conversation, oldest first."""
        found = chosen(task, options, self.parts)
        return self._start(task, options, owner, found, previous)

    def prepare(
        self,
        task: str,
        options: Options,
        origins: Iterable[str] = (),
        put: Callable[[str], str] = str,
    ) -> str:
        """Write how a run begins and leave it to a process of its own
        (runs/control/subprocess_run.py). Return its id.

        `origins`: whose words, beside the owner's, the task may be made of. `put`: how it is put to
        a model.
        """
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
        """Return a new run that does the SOP called `name` by rote. Raises SopwithError when it
        cannot be."""
        sop = self.released(name)
        if sop.status == "archived":
            raise ConfigError("error.run.disabled", name=name)
        if sop.procedure is None:
            why = f": {sop.problem}" if sop.problem else ""
            raise ConfigError("error.run.no-steps", name=name, why=why)
        words = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        replay = Replay(sop, sop.procedure.bind(parameters, options.cwd))
        return self._start(words, options, owner, Chosen(replay), ())

    def released(self, name: str) -> Sop:
        """Return the SOP called `name`, when its owner has let it in. Raises ConfigError."""
        sop = self.sop(name)
        if sop.is_quarantined:
            raise ConfigError("error.run.quarantine", name=name)
        return sop

    def sop(self, name: str) -> Sop:
        """Return the SOP called `name`. Raises ConfigError with the nearest names."""
        sop = self.sops.get(name)
        if sop is None:
            from difflib import get_close_matches

            known = [sop.name for sop in self.sops.all()]
            near = ", ".join(get_close_matches(name, known, 3) or known)
            raise ConfigError("error.run.no-sop", name=name, near=near)
        return sop

    def attempt(self, sop: Sop, values: Mapping[str, Any], cwd: Path) -> Outcome:
        """Return what an SOP would do with bound values: runs/replaying/trying.py. Raises
        NotTried."""
        from runs.replaying import outcome_of

        return outcome_of(self.config, sop, values, cwd)

    def try_out(self, sop: Sop, parameters: dict[str, Any], options: Options) -> Run:
        """Return a new run that counts for no statistics of the SOP, and asks nobody."""
        found = Chosen(Replay(sop, parameters, verifies=True))
        return self._start(f"verify {sop.name}", options, AbsentOwner(), found, ())

    def resume(self, run: str, options: Options, owner: Owner, say: str | None = None) -> Run:
        """Go on after the last turn that is on disk; `say` is what the owner adds. Raises
        RunLogError."""
        run = find_run(self.config.home, run) if self.logs is RunLog else run
        log = self._reopened(run)
        try:
            events = list(read_events(self.config.home, run))
            if not events:
                raise RunLogError("error.run.no-first-line", run=run)
            if events[0].get("teaches"):
                raise RunLogError("error.run.recording", run=run)
            prompts = Prompts(events[0]["lang"])
            progress = read_progress(events, prompts, log.folder)
            if progress.status == "done":
                raise RunLogError("error.run.done", run=run)
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
        owner = ApprovingOwner(AbsentOwner()) if self.parts.is_dry else owner
        attended = is_attended(options.approve, owner)
        first = opening(task, options, self.parts, found, previous, is_attended=attended)
        first |= {"attached": attached} if attached else {}
        beside = [in_full(attached) if options.shows_files else "", options.earlier]
        if any(beside):
            first["told"] = "\n\n".join(filter(None, [task, *beside]))
            first["origins"] = sorted({*first.get("origins", ()), Origin.OUTSIDE})
        progress = Progress(first, [], families=first.get("families", []))
        progress.totals = Totals(found.asked)
        briefing = Briefing(self.parts, self.prompts, log.run, first, found.hints)
        context = self._context(log, progress, options, owner, briefing)
        model = self._model(context, models, found.replay)
        if found.reminder:
            where = Where(options.cwd, Path.home())
            told = partial(serve, task, found.reminder, self.config.home, where)
            model = Answering(partial(told, self.config.lang))
        progress.totals = Totals()  # counted again when they are written
        noted = () if found.replay or is_only_to_remember(task) else briefing.note(1, task)
        return self._run(context, first, model, chain(found.asked, noted), found.pick)

    def _context(
        self, log: RunLog, progress: Progress, options: Options, owner: Owner, briefing: Briefing
    ) -> RunContext:
        budget = self.parts.budget(options, progress.totals.spent)
        steering = Steering(log.letters, progress.letter)
        return RunContext(self, log, progress, options, owner, briefing, budget, steering)

    def _reopened(self, run: str) -> RunLog:
        is_shared = (self.config.home / "runs" / run / SHARED).exists()
        if self.logs is RunLog and is_shared and self.config.queue:
            reopened: RunLog = queue_of(self.config).resumed_by_hand(self.config, run)
            return reopened
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
        replay = self._begun_replay(log.run, progress)
        hints = [each for name in start.get("hints", ()) if (each := self.sops.get(name))]
        briefing = Briefing(self.parts, prompts, log.run, start, hints, progress.versions)
        context = self._context(log, progress, options, owner, briefing)
        model = self._model(context, self.parts.models(options), replay)
        if progress.has_reply:
            assert progress.pending is not None
            model = Recorded(progress.pending, model)
        run = self._run(context, context.resumed(), model)
        if say:
            run.steer(say)
        return run

    def _begun_replay(self, run: str, progress: Progress) -> Replay | None:
        """Return the replay that a run was at. Raises RunLogError when its SOP has changed
        since."""
        start = progress.opening
        if not start["sop"] or progress.handed_over:
            return None
        sop = self.sop(start["sop"])
        if sop.procedure is None or sop.version != start["sop_version"]:
            raise RunLogError("error.run.changed-since", sop=start["sop"], run=run)
        return Replay(sop, start["parameters"])

    def _model(self, context: RunContext, models: list[Model], replay: Replay | None) -> Model:
        """Return the chain: the SOP lane first, then the configured models."""
        without = self._without_model(context, has_model=bool(models)) if replay is None else None
        if without is not None:
            return without
        first: list[RoteModel] = []
        if replay is not None:
            cwd, tools = context.options.cwd, self.parts.toolbox()
            first = lane(replay, context.progress, cwd, tools, self.config.lang)
        if not first and not models:
            return Answering(partial(nobody, self.prompts.text("no_model")), "none")
        history = self._history(context)
        readers = [Reading(model, history) for model in models]
        return ModelChain([*first, *readers], context.budget)

    def _without_model(self, context: RunContext, *, has_model: bool) -> Model | None:
        """Return what stands in a model's place for a request that needs none."""
        task, briefing, options = context.start["task"], context.briefing, context.options
        if options.bounds is not None:
            return None
        if is_only_to_remember(task):
            progress = context.progress
            note = partial(remembered, briefing, task, progress.next_turn)
            return Answering(partial(note, is_noted=progress.is_noted), "notes")
        if not context.is_own:
            return None
        changes = None if self.parts.is_dry else self._changing(context, task, has_model=has_model)
        if changes is None and is_answered(task, has_model=has_model):
            told = partial(answer, task, self.config.home, self.sops.all())
            return Answering(partial(told, self.config.lang))
        return changes

    def _changing(self, context: RunContext, task: str, *, has_model: bool) -> Model | None:
        """Return what forgets, or takes back, where a request asks for that."""
        asks_to_forget = bool(forgets(task)) and not has_model
        if asks_to_forget or is_to_forget(self.config.home, task):
            return Answering(partial(forgotten, self.config.home, task, self.config.lang))
        if context.is_attended and asks_undo(task):
            from runs.start.undoing import undone

            return Answering(partial(undone, self.config, context.log.run, context.owner), "undo")
        return None

    def _history(self, context: RunContext) -> History:
        """Return the history as the models read it, within the budget."""
        progress, briefing = context.progress, context.briefing
        compaction = Compaction(
            context.log.folder,
            briefing.prompts,
            progress.working.summaries,
            is_kept=Compaction.reads_back(context.start),
        )
        write = None if progress.is_opened else briefing.write
        return History(write, compaction, self.config.limits.context_tokens, progress.extent)

    def _run(
        self,
        context: RunContext,
        first: Event,
        model: Model,
        before: Iterable[Event] = (),
        pick: Shown | None = None,
    ) -> Run:
        options, start, bounds = context.options, context.start, context.options.bounds
        session, told = Session.parse(options.session), self.parts.told()
        spoken = Spoken(self.config.home, session, start, told, options.named)
        loop = context.loop(model)
        if options.rote and context.is_own and start["sop"] is None and not bounds:
            loop = self._or_meant(context, loop, pick)
        return Run(
            context.log,
            first,
            loop,
            context.steering,
            totals=context.progress.totals,
            sop=start["sop"],
            learn=partial(self._learn, start) if context.learns else None,
            before=chain(self._recovered(), before),
            redact=context.redactor.redact,
            said=context.redactor.stream,
            close=context.tool_context.close,
            spoken=None if context.is_trial or bounds else spoken,
        )

    def _recovered(self) -> list[Event]:
        """Bring to an end what a kill in the middle of a commit has left, and say so."""
        if not (self.config.home / "undo").is_dir():
            return []
        from sandbox.stage import recover

        self.parts.undo_store().evict()
        return [{"type": "recovered", "text": line} for line in recover(self.config.home)]

    def _or_meant(
        self, context: RunContext, loop: Generator[Event, None, End], pick: Shown | None
    ) -> Generator[Event, None, End]:
        """Go through the loop. A model's pick is shown before it; where no model can do the first
        turn, the owner is asked which SOP the request means, and that is done."""
        progress = context.progress
        try:
            if pick is None:
                return (yield from loop)
            found = yield from self._asking(context).confirm(pick)
        except ModelUnavailable as why:
            if pick is not None:  # it was not meant: the model does the task itself
                return (yield from loop)
            if progress.working.summaries or is_only_to_remember(progress.opening["task"]):
                raise
            found = yield from self._answered_or_asked(context, why)
        if isinstance(found, End):
            return found
        return (yield from self._by_rote(context, found))

    def _answered_or_asked(
        self, context: RunContext, why: ModelUnavailable
    ) -> Generator[Event, None, Shown | End]:
        """Return the answer that the memory has for sure, or the SOP that the owner chose. Raises
        ModelUnavailable, with the lines of the memory that may answer."""
        from runs.start.recalling import answered, near_answers

        home, task = self.config.home, context.start["task"]
        if told := answered(home, task, context.start["lang"]):
            return told
        try:
            return (yield from self._asking(context).ask(why))
        except ModelUnavailable as unable:
            near = near_answers(home, task, self.config.embeddings)
            if not near:
                raise
            head = say(context.start["lang"], "asking.remembered")
            raise ModelUnavailable("\n".join([head, *near, str(unable)])) from unable

    def _by_rote(self, context: RunContext, found: Shown) -> Generator[Event, None, End]:
        """Do the SOP that the owner chose."""
        from runs.start import disambiguate

        progress = context.progress
        yield (event := disambiguate.chosen(found))
        progress.opening |= {key: value for key, value in event.items() if key != "type"}
        task = progress.opening["task"]
        replay = Replay(found.sop, found.parameters, task, disambiguate.LANE)
        context = replace(context)  # its gate and turns are those of this SOP now
        try:
            return (yield from context.loop(self._model(context, [], replay)))
        finally:
            context.tool_context.close()

    def _asking(self, context: RunContext) -> Asking:
        """Return what the question which SOP is meant stands on."""
        from models.embeddings import embedder
        from runs.replaying import foreseen
        from runs.start.disambiguate import LANE, Asking

        start, options, tools = context.start, context.options, self.parts.toolbox()

        def guarded(each: Shown) -> ReplayGuards:
            replay = Replay(each.sop, each.parameters, start["task"], LANE)
            return guards(replay, options.cwd, tools, self.config.lang)

        return Asking(
            self.config.home,
            context.log.run,
            request_of(start),
            start["lang"],
            Where(options.cwd, Path.home()),
            context.owner,
            context.is_attended,
            self.parts.inbox(),
            Remembered(self.config.home).with_wordings(self.sops.all()),
            guarded,
            bool(self.parts.chosen_models(options)),
            context.progress.status == "waiting",
            partial(foreseen, self.config, options.cwd),
            cache(partial(embedder, self.config.embeddings)),
        )

    def _learn(self, start: Event, run: Run) -> Iterator[Event]:
        """Learn from a run that has ended. A seed that did well, and a run that nobody marked,
        teach nothing."""
        used = self.sops.get(run.sop) if run.sop and not start.get("bounds") else None
        if used is None:
            return (yield from self._learn_anew(run))
        if run.is_by_rote and start.get("lane", "wordings") != "wordings":
            self._remember_wording(start, used, run)
        if run.is_marked or not used.is_seed or run.status != "done":
            from runs.learning import learn

            yield from learn(self, run.id)

    def _remember_wording(self, start: Event, used: Sop, run: Run) -> None:
        where, values = Where(Path(start["cwd"]), Path.home()), start["parameters"]
        with suppress(OSError):  # a full disk: it is asked for in other words once more
            Remembered(self.config.home).add(request_of(start), used, values, run.id, where)

    def _learn_anew(self, run: Run) -> Iterator[Event]:
        """Learn from a marked run; take another into account as evidence for a candidate, and as
        one of its kind."""
        has_candidate = any(each.status == "candidate" for each in self.sops.all())
        if run.is_marked or (run.status == "done" and has_candidate):
            from runs.learning import learn  # loads most of learning/

            yield from learn(self, run.id)
        if run.status == "done" and not run.is_marked:
            from runs.learning import offer

            offer(self.config.home, self.config.lang, self.parts.inbox(), run.id)


__all__ = ["SEEDS", "Agent", "Options", "Replay"]
