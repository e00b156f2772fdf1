"""The one place where a run is put together: models, handler, context, memory, from config and options."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from agent_loop import End, agent_loop
from config import Config, ConfigError, ModelConfig, SopwithError
from context.compaction import Compaction, are_kept
from context.history import History, Reading
from context.prompts import Prompts
from handler import AgentHandler, Owner
from learning.guards import ReplayGuards, tools_used
from learning.learned_wordings import with_learned
from learning.routing import choose
from learning.slots import Where
from memory.home import open_home
from memory.inbox import Entry, Inbox
from memory.runlog import SHARED, RunLog, RunLogError, Totals, find_run, read_events
from memory.sessions import MAIN, Session
from memory.sops import Sop, SopStore
from models.base import Event, Model, ModelUnavailable, Reply, Request
from models.chain import Budget, ModelChain
from models.rote import MAX_SCRIPT_CALLS, RoteModel
from runs.attached import named, take_in
from runs.briefing import Briefing, Scribe, Source, check_persona, is_only_to_remember
from runs.options import Options, Replay, as_started
from runs.owners import AbsentOwner
from runs.plan_calls import plan_calls
from runs.recalling import Recalling
from runs.resume import Progress, read_progress
from runs.run import Run, now
from runs.spoken import Spoken
from runs.stand_ins import Nobody, Recorded, offline
from runs.steering import Steering
from runs.trust import origins_before, own_data
from runs.warming import warm
from safety import shared_folder
from safety.gate import Ask, Gate
from safety.held import held_values
from safety.secrets import Redactor
from tools.base import ToolContext
from tools.families import FAMILIES, Family
from tools.process_tree import stop_leftovers
from tools.registry import all_tools
from tools.schema import check_args
from tools.toolbox import Foreign, Toolbox

if TYPE_CHECKING:
    from learning.near import Near
    from learning.verify import ReplayResult
    from memory.turns import Turn
    from memory.window import Window
    from models.base import ToolResult
    from runs.meant import Asking
    from safety.sandbox import Level, Lift, Sandbox
    from tools.base import Wish

WINDOW_TURNS = 6  # that a model reads: three rounds
MAX_RETRIES = 4  # of one model call; what is no turn of a run is asked twice at most
SEEDS = Path(__file__).parent.parent / "sops"
SHARED_EFFECTS = {"none", "ask"}  # all that a shared session's tools may do outside of its folder
# Risks that a trial never takes.
NOT_ON_A_COPY = ("change", "send", "install", "spend", "outside", "system", "secret", "unknown")


class Logs(Protocol):
    """Where the log of a run comes from: this home folder alone (RunLog), or a database that machines share."""

    def create(self, home: Path, /) -> RunLog:
        """That of a new run."""
        ...

    def reopen(self, home: Path, run: str, /) -> RunLog:
        """That of a run which goes on."""
        ...

    def apart(self, home: Path, task: str, /) -> RunLog:
        """That of a new run which a process of its own makes go (runs/apart.py)."""
        ...

    def fetch(self, home: Path, run: str, /) -> None:
        """Brings the log of such a run here, as far as it is written elsewhere."""
        ...


class Leg(NamedTuple):
    """A part of a run that is done with the same handler: its loop, and what ends what its tools kept open."""

    loop: Generator[Event, None, End]
    close: Callable[[], None]
    redactor: Redactor


class Agent:
    """Starts and resumes runs in one home folder."""

    def __init__(self, config: Config, logs: Logs = RunLog) -> None:
        self.config, self.logs = config, logs
        open_home(config.home)
        self.prompts = Prompts(config.lang)
        self.sops = SopStore(SEEDS, config.home / "sops")

    def start(self, task: str, options: Options, owner: Owner, previous: Sequence[str] = ()) -> Run:
        """A new run. `previous` are the earlier runs of the conversation, oldest first."""
        replay, hints, asked = self._chosen(task, options)
        return self._start(task, options, owner, replay, previous, hints=hints, asked=asked)

    def prepare(self, task: str, options: Options, origins: Iterable[str] = (), put: Callable[[str], str] = str) -> str:
        """Writes how a run begins and lets go of it: a process of its own makes it go (runs/apart.py). Gives its id.

        `origins`: whose words, beside the owner's, the task may be made of. `put`: how it is put to a model."""
        replay, hints, asked = self._chosen(task, options)
        opening = self._opening(task, options, AbsentOwner(), replay, (), hints)
        opening |= {"told": told} if replay is None and (told := put(task)) != task else {}
        opening |= {"origins": sorted(origins)} if origins else {}
        redact = self.redactor().redact
        log = self.logs.apart(self.config.home, redact(task))
        try:
            for event in (opening, *asked):
                log.append({"type": event["type"], "run": log.run, "at": now(), **redact(event)})
            log.sync()
        finally:
            log.close()
        return log.run

    def _chosen(self, task: str, options: Options) -> tuple[Replay | None, Sequence[Sop], list[Event]]:
        """What a request leads to: an SOP that is done by rote, or SOPs that are near; and what it cost to find out."""
        if not options.rote or options.session != "main" or is_only_to_remember(task):
            return None, (), []
        asked: list[Event] = []
        known = with_learned(self.sops.all(), self.config.home)
        choice = choose(
            task, known, options.cwd, Path.home(), ask_model=self._chooser(options, asked), offline=offline(asked)
        )
        match = choice.match
        replay = Replay(match.sop, match.parameters, task, match.lane) if match else None
        return replay, choice.hints, asked

    def _chooser(self, options: Options, asked: list[Event]) -> Callable[[str, str], str] | None:
        """The first configured model, to be asked once which SOP a request means. What it cost goes to `asked`."""
        if not self.config.models:
            return None

        def ask(request: str, cards: str) -> str:
            prompt = self.prompts.text("choose_sop", cards=cards, request=request)
            answer = self._configured(options, max_retries=1)[0].reply(
                Request(0, [{"role": "user", "content": prompt}])
            )
            while True:
                try:
                    next(answer)  # what it says meanwhile is for no screen
                except StopIteration as stop:
                    reply: Reply = stop.value
                    asked.append(reply.event(0))
                    return reply.text

        return ask

    def run_sop(self, name: str, parameters: dict[str, Any], options: Options, owner: Owner) -> Run:
        """A new run that does the SOP called `name` by rote. Raises SopwithError when it cannot be."""
        sop = self.released(name)
        if sop.procedure is None:
            why = f": {sop.problem}" if sop.problem else ""
            raise ConfigError(f"{name} has no recorded steps{why}.\nRead it with: sopwith sops show {name}")
        words = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        return self._start(words, options, owner, Replay(sop, sop.procedure.bind(parameters, options.cwd)), ())

    def released(self, name: str) -> Sop:
        """The SOP called `name`, when its owner has let it in. Raises ConfigError."""
        sop = self.sop(name)
        if sop.is_quarantined:
            raise ConfigError(
                f"{name} is in quarantine: it came from elsewhere.\nLet it in: sopwith sops enable {name}"
            )
        return sop

    def replay(self, sop: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path) -> ReplayResult:
        """Tries an SOP in a scratch copy that lies at `root` (learning/verify.py): a run like any other, but no model
        goes on, nobody is asked, and the gate refuses all that reaches outside of `root` or that it cannot see through."""
        from learning.verify import ReplayResult

        safety = replace(
            self.config.safety,
            roots=(root,),
            confirm=(),
            forbid=(*self.config.safety.forbid, *NOT_ON_A_COPY),
            trash="home",
        )
        there = Agent(replace(self.config, models=(), safety=safety))
        trial = Replay(sop, dict(parameters), verifies=True)
        run = there._start(f"verify {sop.name}", Options(cwd=cwd), AbsentOwner(), trial, ())
        events = list(run.events())
        empty_trash(self.config.home, events, root)
        called = {event["tool"] for event in events if event["type"] == "tool_ended"}
        return ReplayResult(events, run.status, run.result, self.schemas({*tools_used(sop), *called}))

    def schemas(self, tools: Iterable[str]) -> list[dict[str, Any]]:
        """The function schemas of these tools as they are now, those of MCP servers too; and of all that are offered anyway."""
        return Toolbox(all_tools(), foreign=self._foreign).schemas_with(tools)

    def sop(self, name: str) -> Sop:
        """The SOP called `name`. Raises ConfigError with the nearest names."""
        sop = self.sops.get(name)
        if sop is None:
            from difflib import get_close_matches

            known = [sop.name for sop in self.sops.all()]
            near = ", ".join(get_close_matches(name, known, 3) or known)
            raise ConfigError(f'there is no SOP "{name}" (nearest: {near}).\nSee them with: sopwith sops list')
        return sop

    def resume(self, run: str, options: Options, owner: Owner, say: str | None = None) -> Run:
        """Goes on after the last turn that is on disk; `say` is what the owner adds. Raises RunLogError."""
        run = find_run(self.config.home, run) if self.logs is RunLog else run
        log = self._reopened(run)
        try:
            events = list(read_events(self.config.home, run))
            if not events:
                raise RunLogError(f"run {run} stopped before its first line was written.\nStart the task again.")
            if events[0].get("teaches"):
                raise RunLogError(f"run {run} is a recording.\nLearn from it: sopwith teach NAME --from-run {run}")
            prompts = Prompts(events[0]["lang"])
            progress = read_progress(events, prompts, log.folder)
            if progress.status == "done":
                raise RunLogError(f"run {run} is done.\nGo on in a conversation: sopwith chat --resume {run}")
            return self._go_on(log, progress, options, owner, prompts, say)
        except BaseException:
            log.close()
            raise

    def _start(
        self,
        task: str,
        options: Options,
        owner: Owner,
        replay: Replay | None,
        previous: Sequence[str],
        *,
        hints: Sequence[Sop] = (),
        asked: Sequence[Event] = (),
    ) -> Run:
        models = self._asked_in(options)
        if options.persona:
            check_persona(self.config.home, options.persona, self.config.lang)
        log = self.logs.create(self.config.home)
        attached = take_in(options.files, log.folder)
        task = named(task, attached, self.prompts.text("attached")) if attached else task
        opening = self._opening(task, options, owner, replay, previous, hints)
        opening |= {"attached": attached} if attached else {}
        progress = Progress(opening, [], families=opening.get("families", []))
        progress.totals = Totals(asked)
        briefing = Briefing(self._source(self.prompts), log.run, opening, hints)
        budget = self._budget(options, progress)
        model = self._model(models, replay, progress, options, briefing, log.folder, budget)
        progress.totals = Totals()  # counted again when they are written
        noted = () if replay or is_only_to_remember(task) else briefing.note(1, task)
        return self._run(log, opening, progress, model, options, owner, briefing, budget, chain(asked, noted))

    def _opening(
        self,
        task: str,
        options: Options,
        owner: Owner,
        replay: Replay | None,
        previous: Sequence[str],
        hints: Sequence[Sop],
    ) -> Event:
        """The first event of a new run."""
        return {
            "type": "run_started",
            "task": task,
            "session": options.session,
            "home": str(self.config.home),
            "models": [each.name for each in self._chosen_models(options)],
            "sop": replay.sop.name if replay and not replay.verifies else None,
            **({"verifies": replay.sop.name} if replay and replay.verifies else {}),
            "parameters": replay.parameters if replay else None,
            "sop_version": replay.sop.version if replay else None,
            **({"lane": replay.lane} if replay and replay.lane else {}),
            "attended": options.approve == "ask" and not isinstance(owner, AbsentOwner),
            "cwd": str(options.cwd),
            "sandbox": self.sandbox.name,
            "lang": self.config.lang,
            "previous": list(previous),
            **({"persona": options.persona} if options.persona else {}),
            **({} if options.window else {"window": False}),
            **({"named": True} if options.named else {}),
            **({"hints": [sop.name for sop in hints]} if hints else {}),
            **({"families": offered} if (offered := self._offered(task, options, replay, hints, previous)) else {}),
            **({"origins": read} if (read := origins_before(self.config.home, previous)) else {}),
            **(options.bounds.as_fields() if options.bounds else {}),
        }

    def _offered(
        self, task: str, options: Options, replay: Replay | None, hints: Sequence[Sop], previous: Sequence[str]
    ) -> list[str]:
        """The families of tools that a model is offered from the start; a replay calls what it calls."""
        if replay or options.session != "main" or not self.config.models:
            return []
        from runs.offers import families_for

        if options.bounds and options.bounds.tools is not None:
            return [name for name, family in options.bounds.families(FAMILIES).items() if not family.problem()]
        found = families_for(task, hints, self.config.home, previous)
        return found if "mcp" in found or not self._foreign else [*found, "mcp"]  # the owner has set it up to be used

    def _reopened(self, run: str) -> RunLog:
        if self.logs is RunLog and (self.config.home / "runs" / run / SHARED).exists() and self.config.queue:
            from runs.shared.log import resumed_by_hand

            return resumed_by_hand(self.config, run)
        return self.logs.reopen(self.config.home, run)

    def _go_on(
        self, log: RunLog, progress: Progress, options: Options, owner: Owner, prompts: Prompts, say: str | None
    ) -> Run:
        start = progress.opening
        options = as_started(options, start)
        replay = None
        if start["sop"] and not progress.handed_over:
            sop = self.sop(start["sop"])
            if sop.procedure is None or sop.version != start["sop_version"]:
                raise RunLogError(f"{start['sop']} has changed since run {log.run} began.\nStart the task again.")
            replay = Replay(sop, start["parameters"])
        hints = [each for name in start.get("hints", ()) if (each := self.sops.get(name))]
        briefing = Briefing(self._source(prompts), log.run, start, hints, versions=progress.versions)
        budget = self._budget(options, progress)
        model = self._model(self._asked_in(options), replay, progress, options, briefing, log.folder, budget)
        if progress.pending is not None and progress.pending.kind != "rote" and _may_be_used(progress):
            model = Recorded(progress.pending, model)
        opening: Event = {
            "type": "run_resumed",
            "turn": progress.next_turn,
            "task": start["task"],
            "stopped": stop_leftovers(log.run),  # what was still at work when the process before this one was killed
            "sandbox": self.sandbox.name,
        }
        run = self._run(log, opening, progress, model, options, owner, briefing, budget)
        if say:
            run.steer(say)
        return run

    def _model(
        self,
        models: list[Model],
        replay: Replay | None,
        progress: Progress,
        options: Options,
        briefing: Briefing,
        folder: Path,
        budget: Budget,
    ) -> Model:
        """The chain: the SOP lane first, then the configured models, which read the history as the budget has it."""
        start, limits = progress.opening, self.config.limits
        if replay is None and options.bounds is None and is_only_to_remember(start["task"]):
            return Scribe(briefing, start["task"], briefing.prompts, is_noted=progress.is_noted)
        lane: list[Model] = []
        if replay is not None and replay.sop.procedure is not None:
            sop, tools = replay.sop, Toolbox(all_tools(), foreign=self._foreign)
            rote = RoteModel(
                replay.sop.procedure,
                replay.parameters,
                sop=sop.name,
                version=sop.version,
                lang=self.config.lang,
                cwd=options.cwd,
                guards=self._guards(replay, options, tools),
                may_read=plan_calls(tools, cache(partial(_hosts, sop, start["task"]))),
                today=_day(progress.opening),
                knows=tools.__contains__,
            )
            rote.fast_forward(progress.replayed, progress.asked)
            lane = [rote]
        if not lane and not models:
            return Nobody(self.prompts.text("no_model"))
        is_kept = are_kept(progress.opening)
        compaction = Compaction(folder, briefing.prompts, progress.working.summaries, is_kept=is_kept)
        write = None if progress.is_opened else briefing.write
        history = History(write, compaction, limits.context_tokens, progress.extent)
        return ModelChain([*lane, *(Reading(model, history) for model in models)], budget)

    @cached_property
    def _foreign(self) -> Foreign | None:
        """Finds the tools of MCP servers by their names."""
        if not self.config.mcp.servers:
            return None
        from tools.mcp_client import finder

        return finder(self.config)

    def _guards(self, replay: Replay, options: Options, tools: Toolbox) -> ReplayGuards:
        return ReplayGuards.of(
            replay.sop,
            replay.request if replay.lane in ("", "wordings") else "",  # the other lanes have held it against the SOP
            tools=tools,
            schemas=tools.schemas_with(tools_used(replay.sop)),
            where=Where(options.cwd, Path.home()),
            lang=self.config.lang,
        )

    def _run(
        self,
        log: RunLog,
        opening: Event,
        progress: Progress,
        model: Model,
        options: Options,
        owner: Owner,
        briefing: Briefing,
        budget: Budget,
        before: Iterable[Event] = (),
    ) -> Run:
        start, bounds, steering = progress.opening, options.bounds, Steering(log.letters, progress.letter)
        leg = partial(self._leg, log, progress, options, owner, briefing, budget, steering)
        first = leg(model)
        loop = first.loop
        if options.rote and options.session == "main" and start["sop"] is None and not bounds:
            loop = self._or_meant(loop, log, progress, options, owner, briefing, budget, leg)
        learns = options.session == "main" and "verifies" not in start and not (bounds and bounds.parent)
        return Run(
            log,
            opening,
            loop,
            steering,
            totals=progress.totals,
            sop=start["sop"],
            learn=partial(self._learn, start) if learns else None,
            before=before,
            redact=first.redactor.redact,
            said=first.redactor.stream,
            close=first.close,
            spoken=None
            if "verifies" in start or bounds
            else Spoken(self.config.home, Session.parse(options.session), start, self._told(), is_named=options.named),
        )

    def _or_meant(
        self,
        loop: Generator[Event, None, End],
        log: RunLog,
        progress: Progress,
        options: Options,
        owner: Owner,
        briefing: Briefing,
        budget: Budget,
        leg: Callable[[Model], Leg],
    ) -> Generator[Event, None, End]:
        """The loop; where no model can do the first turn, the owner is asked which SOP the request means, and that is done."""
        try:
            return (yield from loop)
        except ModelUnavailable as why:
            if progress.working.summaries or is_only_to_remember(progress.opening["task"]):
                raise
            from runs.meant import LANE, chosen  # most runs are sure, or have a model

            found = yield from self._asking(log.run, progress.opening, options, owner).ask(why)
        if isinstance(found, End):
            return found
        yield (event := chosen(found))
        progress.opening |= {key: value for key, value in event.items() if key != "type"}
        replay = Replay(found.sop, found.parameters, progress.opening["task"], LANE)
        second = leg(self._model([], replay, progress, options, briefing, log.folder, budget))
        try:
            return (yield from second.loop)
        finally:
            second.close()

    def _asking(self, run: str, start: Event, options: Options, owner: Owner) -> Asking:
        """What the question which SOP is meant stands on."""
        from runs.meant import LANE, Asking

        tools = Toolbox(all_tools(), foreign=self._foreign)

        def guards(each: Near) -> ReplayGuards:
            return self._guards(Replay(each.sop, each.parameters, start["task"], LANE), options, tools)

        return Asking(
            self.config.home,
            run,
            start["task"],
            start["lang"],
            Where(options.cwd, Path.home()),
            owner,
            options.approve == "ask" and not isinstance(owner, AbsentOwner),
            Inbox(self.config.home, self._show),
            with_learned(self.sops.all(), self.config.home),
            guards,
            bool(self._chosen_models(options)),
        )

    def _leg(
        self,
        log: RunLog,
        progress: Progress,
        options: Options,
        owner: Owner,
        briefing: Briefing,
        budget: Budget,
        steering: Steering,
        model: Model,
    ) -> Leg:
        """The handler and the loop of a run, with this model."""
        home, start = self.config.home, progress.opening
        tools, bounds = all_tools(), options.bounds
        if options.session != "main":
            own = shared_folder.TOOLS if self._shared_folder(options) else frozenset()
            tools = {n: tool for n, tool in tools.items() if set(tool.effects) <= SHARED_EFFECTS or n in own}
            del tools["more_tools"]
        families = FAMILIES if options.session == "main" else {}
        if bounds:
            tools, families = bounds.core(tools), bounds.families(families)
        redactor = self.redactor()
        attended = options.approve == "ask" and not isinstance(owner, AbsentOwner)
        gate = replace(self._gate(options, attended, start["sop"]), run=log.folder)
        progress.state.origins.update(start.get("origins", ()))
        held = self._held(gate, log.folder) if "code_run" in tools or "terminal" in families else None
        if start["sop"] is None and self.config.models:  # a replay may do without
            warm(gate, held)
        context = ToolContext(
            gate.shared or options.cwd,
            log.folder,
            home,
            tool_seconds=self.config.limits.tool_seconds,
            deadline=budget.deadline,
            redact=redactor,
            sandbox=held,
            lifts=partial(_lifts, gate, options.session),
            recall=self._recalling(Session.parse(options.session)).asked,
            run=log.run,
            session=options.session,
            config=self.config,
            credentials=self._credentials(options, attended=attended),
            secret=owner.secret,
            delegate=partial(self._delegated, log.run, options, progress, budget)
            if options.session == "main"
            else None,
        )
        if (
            self._foreign
            and (sop := self.sops.get(start["sop"] or ""))
            and any("." in name for name in tools_used(sop))
        ):
            from tools.mcp_client import keep_servers

            keep_servers(context)  # the guards of this replay ask them before its first call does
        handler = AgentHandler(
            run=log.run,
            session=options.session,
            request=bounds.request if bounds else start["task"],
            tools=Toolbox(tools, families, progress.families, self._foreign if _may_call_foreign(families) else None),
            check_args=check_args,
            context=context,
            gate=gate,
            redact=redactor.redact,
            owner=owner,
            inbox=Inbox(home, self._show),
            prompts=briefing.prompts,
            working=progress.working,
            state=progress.state,
            l2_index=partial(self._l2_index, options, redactor),
            attended=attended,
            steering=steering.take,
            remember=briefing.note,
            context_changes=briefing.changes,
        )
        turns = options.max_turns or self.config.limits.turns + self._steps(progress)
        last_turn = progress.next_turn - 1 + turns if progress.status == "limit" else max(turns, progress.next_turn)
        loop: Generator[Event, None, End] = agent_loop(
            model, handler, progress.messages, first_turn=progress.next_turn, last_turn=last_turn
        )
        return Leg(loop, context.close, redactor)

    def _show(self, entry: Entry) -> None:
        """Shows on the desktop that something waits for the owner."""
        from runs.desktop import on_desktop

        on_desktop(self.config)(entry)

    @cached_property
    def sandbox(self) -> Level:
        """What holds the code that runs, here and by the owner's config."""
        from safety.sandbox import chosen, probe

        return chosen(probe(self.config.home), self.config.safety.sandbox)

    def _gate(self, options: Options, attended: bool, name: str | None) -> Gate:
        """The gate of a run; `name` is the SOP that it does."""
        from safety.sandbox import runs_code

        sop = self.sops.get(name) if name else None
        own = partial(own_data, self.config.home, options.session, sop.folder if sop else None)
        rule, why = runs_code(self.sandbox, self.config.safety.sandbox, attended=attended)
        sandboxed = self.sandbox.name != "none"
        shared = self._shared_folder(options)
        cwd, settings, bounds = shared or options.cwd, self.config.safety, options.bounds
        is_alone = bounds is not None and bounds.is_alone
        if bounds is not None and is_alone:
            from safety import alone

            settings = alone.settings(settings, Path(bounds.folder))
            rule, why = (rule, why) if sandboxed else ("no", self.sandbox.reason)
        return Gate(settings, self.config.home, Path.home(), cwd, rule, why, sandboxed, own, shared, is_alone)

    def _held(self, gate: Gate, folder: Path) -> Sandbox | None:
        """The sandbox of a run's scripts; `folder` is the run's."""
        from safety.sandbox import Profile, Sandbox

        if not gate.sandboxed:
            return None
        if gate.shared is None:
            return Sandbox(self.sandbox, Profile("owner", gate.places))
        (scripts := folder / "scripts").mkdir(exist_ok=True)
        places = replace(gate.places, roots=(gate.shared,))
        return Sandbox(self.sandbox, Profile("shared", places, readable=(scripts.resolve(),)))

    def _shared_folder(self, options: Options) -> Path | None:
        """Where a shared session may work, which takes a full sandbox."""
        if options.session == "main" or self.sandbox.name != "full":
            return None
        return shared_folder.folder_of(self.config.home, Session.parse(options.session).id)

    def _budget(self, options: Options, progress: Progress) -> Budget:
        """What a run that goes on now may use."""
        limits = self.config.limits
        return Budget(
            limits.cost_usd if options.max_cost is None else options.max_cost,
            limits.minutes if options.max_minutes is None else options.max_minutes,
            spent_usd=progress.totals.spent,
        )

    def _delegated(
        self, run: str, options: Options, progress: Progress, budget: Budget, call: str, wish: Wish
    ) -> Generator[Event | str, None, ToolResult]:
        """What helpers of the run do (tools/delegate.py)."""
        from runs.delegation import Delegation

        return Delegation(self, run, options, progress, budget).of(call, wish)

    def _learn(self, start: Event, run: Run) -> Iterator[Event]:
        """What comes of a run that has ended. A seed that did well, and a run that nobody marked, teach nothing."""
        used = self.sops.get(run.sop) if run.sop and not start.get("bounds") else None
        if used is not None and run.is_by_rote and start.get("lane", "wordings") != "wordings":
            from learning.learned_wordings import add
            from runs.meant import LANE

            where = Where(Path(start["cwd"]), Path.home())
            with suppress(OSError):  # a full disk: it is asked for in other words once more
                is_exact = start["lane"] == LANE
                sops = self.sops.all()
                add(self.config.home, used, start["task"], start["parameters"], run.id, where, sops, is_exact=is_exact)
        if run.is_marked or (used is not None and not (used.is_seed and run.status == "done")):
            from runs.learn import learn

            yield from learn(self, run.id)

    def _steps(self, progress: Progress) -> int:
        """The turns that a replay may take; they do not use up those of a model that goes on behind it."""
        name = progress.opening["sop"]
        sop = self.sops.get(name) if name and not progress.handed_over else None
        if sop is None or sop.procedure is None:
            return 0
        return MAX_SCRIPT_CALLS if sop.procedure.script else len(sop.procedure.steps)

    def first_model(self) -> Model:
        """The configured model that is asked first, for what is no turn of a run. Raises ConfigError without one."""
        models = self._configured(Options(), max_retries=1)
        if not models:
            raise ConfigError("no model is configured.\nSee: sopwith doctor")
        return models[0]

    def _asked_in(self, options: Options) -> list[Model]:
        """The models that a run of this session asks; those of a group read no path of the owner's."""
        models = self._configured(options)
        if options.session == "main":
            return models
        from context.places import Placeless, Places

        names = {self.config.home: "~/.sopwith", Path.home(): "~", options.cwd: "~/…", SEEDS.parent: "~/…"}
        if folder := self._shared_folder(options):
            names |= {folder: ".", self.config.home / "runs": shared_folder.RUNS}
        return [Placeless(model, Places(names)) for model in models]

    def _configured(self, options: Options, max_retries: int = MAX_RETRIES) -> list[Model]:
        return [self._endpoint(each, max_retries) for each in self._chosen_models(options)]

    def _chosen_models(self, options: Options) -> list[ModelConfig]:
        chosen = [c for c in self.config.models if options.model in (None, c.name, c.model)]
        if options.model and not chosen:
            known = ", ".join(c.name for c in self.config.models) or "none"
            raise ConfigError(f'no model is called "{options.model}" (configured: {known}).\nSee: sopwith doctor')
        return chosen

    def _endpoint(self, settings: ModelConfig, max_retries: int) -> Model:
        if settings.kind == "scripted":
            from models.scripted import ScriptedModel

            return ScriptedModel.load(Path(settings.model).expanduser(), settings.name)
        from models.openai_compat import OpenAICompatModel

        return OpenAICompatModel(settings, lang=self.config.lang, max_retries=max_retries)

    def _recalling(self, session: Session) -> Recalling:
        """What a session's runs recall."""
        home = self.config.home
        return Recalling(
            home,
            session,
            self.config.embeddings,
            lambda run: origins_before(home, [run]),
            lambda: self._recent(session, ()),
        )

    def _source(self, prompts: Prompts) -> Source:
        """What the briefing of each run is made from."""
        limits, redact = self.config.limits, self.redactor().redact
        return Source(
            self.config.home,
            prompts,
            self.sops,
            SEEDS,
            limits.context_tokens,
            redact,
            credentials=[name for name in self.config.safety.credentials if os.environ.get(name)],
            recent=self._recent,
            recall=lambda session, request: self._recalling(session).at_start(request),
        )

    def _told(self) -> Callable[[], Window] | None:
        """The window that a run tells what is said; without Redis the run's own log is enough."""
        return (lambda: self.window) if self.config.redis else None

    def _recent(self, session: Session, without: Sequence[str]) -> list[Turn]:
        """What was said last in a session. Answers that came of other people's words are left out: they are not the
        owner's, and the run that reads them would have to be asked about more."""
        turns, home = self.window.recent(session, WINDOW_TURNS, without=without), self.config.home
        read = {run: origins_before(home, [run]) for run in {turn.run for turn in turns if turn.run}}
        return [turn for turn in turns if turn.who != "agent" or not read.get(turn.run)]

    @cached_property
    def window(self) -> Window:
        """The last turns of the sessions, as far as this process and Redis know them."""
        from memory.window import Window

        redis = self.config.redis
        return Window(self.config.home, redis.url if redis else "", redact=self.redactor())

    def _l2_index(self, options: Options, redact: Callable[[str], str]) -> str:
        if options.session != "main":
            return ""
        from context.injectors import MAX_FACTS_LINES
        from memory.reader import reader_for

        with suppress(OSError, SopwithError):  # it cannot be read; the event `context` has said so
            return redact("\n".join(reader_for(self.config.home, MAIN).facts_index().splitlines()[:MAX_FACTS_LINES]))
        return ""

    def _credentials(self, options: Options, *, attended: bool) -> dict[str, str]:
        """What tools may use by name: where the owner is there, and alone."""
        if not (self.config.safety.credentials and attended and options.session == "main"):
            return {}
        from safety.credentials import given

        return given(self.config.safety.credentials, os.environ)

    def redactor(self) -> Redactor:
        """Hides what the agent holds and nobody may read."""
        return Redactor(held_values(self.config, os.environ))


def _may_be_used(progress: Progress) -> bool:
    """Whether the reply that has no result yet is carried out as the log has it. One that held a secret is asked for again,
    unless it gave tasks to helpers: they are told what the log says in any case, and some may be at it already."""
    calls = progress.pending.calls if progress.pending else ()
    return not progress.is_pending_redacted or bool(calls and calls[0].name == "delegate")


def _hosts(sop: Sop, task: str) -> frozenset[str]:
    from learning.reach import hosts_of  # few plans ask anybody

    return hosts_of(sop, task)


def _may_call_foreign(families: Mapping[str, Family]) -> bool:
    """Whether a run has the tools of MCP servers."""
    return "mcp" in families and "mcp_call" in families["mcp"].tools


def _lifts(gate: Gate, session: str, tool: str, args: dict[str, Any], paths: tuple[Path, ...]) -> frozenset[Lift]:
    from safety.lifts import lifts_of

    ask = Ask(tool, args, ("execute",), paths, session)
    lifts = lifts_of(gate, ask)
    if gate.is_alone and gate.decide(ask).decision == "allow":  # what nobody has approved reaches nobody
        return lifts - {"network"}
    return lifts


def empty_trash(home: Path, events: Sequence[Event], root: Path) -> None:
    """Removes what a trial moved to the trash: copies of files, nobody's own."""
    from safety.trash import Trash

    for event in events:
        data = event.get("data") if event["type"] == "tool_ended" and event["tool"] == "file_trash" else None
        if isinstance(data, dict) and "trash" in data:
            Trash(home).forget(data["trash"], root)


def _day(opening: Event) -> date:
    """The day on which the run began, here; a resumed run keeps it."""
    began = datetime.fromisoformat(opening["at"]) if "at" in opening else datetime.now().astimezone()
    return began.astimezone().date()


__all__ = ["SEEDS", "Agent", "Options", "Replay"]
