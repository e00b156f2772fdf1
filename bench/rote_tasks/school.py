"""Teaches a task as an owner does: a run by a model, `teach NAME --from-run`, other values to prove it on.

The model is a script behind a real endpoint; everything behind it is the product. What is learned comes from the run log.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.rote_tasks.base import Draw, Task, Values, World, sentence
from bench.rote_tasks.judge import Asked, InsideOnly, Kind, judge

if TYPE_CHECKING:
    from learning.draft import Draft
    from runs.assemble import Agent
    from runs.learning.teach import Trial
    from runs.run import Run

PROVEN = ("probation", "active")
SETS = 5  # sets of values that an owner has at hand, the first for the teaching


@dataclass(slots=True)
class Taught:
    """How the teaching went. `runs`: by the model; `supervised`: by rote under the owner's eyes, where no copy could
    be tried on; `why`: what kept the SOP from a better status."""

    task: str
    request: str
    status: str = "refused"
    runs: int = 0
    supervised: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    why: list[str] = field(default_factory=list)


class School:
    """One owner with one home folder, and a model at `model_url` or none. `rng` gives the same for the same names,
    whatever else is measured."""

    def __init__(self, home: Path, cwd: Path, world: World, seed: int, model_url: str = "") -> None:
        self.home, self.cwd, self.world, self.seed = home, cwd, world, seed
        self.model_url = model_url
        self.seen: list[Asked] = []  # runs of SOPs that are not proven yet, under the owner's eyes
        self._first: dict[
            str, tuple[Values, dict[str, Any]]
        ] = {}  # of each task: its values, and what learning calls them
        roots = json.dumps([str(world.owner), str(cwd)])
        home.mkdir()
        (home / "config.yaml").write_text(f"safety: {{roots: {roots}}}\n", "utf-8")

    def rng(self, *names: Any) -> Random:
        return Random("/".join(map(str, (self.seed, *names))))

    def agent(self, lang: str, base_url: str = "") -> Agent:
        """As a new process would put it together; with no `base_url` it has the owner's model, if there is one."""
        from config import load
        from runs.assemble import Agent

        base_url = base_url or self.model_url
        model = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": base_url, "SOPWITH_MODEL": "scripted"}
        return Agent(load(self.home, "zh" if lang == "zh" else "en", model if base_url else {}))

    def named(self, task: str, values: Values) -> dict[str, Any]:
        """A set of values under the names that the SOP of a task has for them."""
        mine, theirs = self._first.get(task, ({}, {}))
        found = {name: values.get(self.which(value, mine), value) for name, value in theirs.items()}
        for (
            name,
            value,
        ) in theirs.items():  # an ending with its dot, of which the task knows the letters alone
            if str(value).startswith(".") and (own := self.which(str(value)[1:], mine)):
                found[name] = f".{values[own]}"
        return found

    def by_name(self, agent: Agent, sop: str, values: Values) -> Run:
        """`sops run NAME k=v` with this set of values. Raises SopwithError."""
        from runs.assemble import Options

        return agent.run_sop(sop, self.named(sop, values), Options(cwd=self.cwd), InsideOnly())

    def which(self, value: Any, values: Values) -> str:
        """Which of these values this is; empty for none."""

        def plain(value: Any) -> str:
            return str(self.world.path(str(value))) if str(value).startswith("~") else str(value)

        return next((name for name, each in values.items() if plain(each) == plain(value)), "")

    def keep_names(self, task: str, values: Values, draft: Draft) -> None:
        self._first[task] = values, draft.taught[0].values

    def teach(self, task: Task, draw: Draw) -> Taught:
        """Teaches a task and proves what was learned as far as it goes."""
        sets = [task.draw(draw)]
        while len(sets) < SETS:  # an owner who is to prove it on other values takes other values
            values = task.draw(draw)
            if not any(set(values.items()) & set(other.items()) for other in sets[:2]):
                sets.append(values)
        draw.has_taught()
        self.world.clear()
        self.world.rng = self.rng(task.name, "teaching")
        taught = Taught(task.name, "")
        runs = [self._demonstrate(task, sets[0], taught)]
        lesson = _Lesson(self, task, sets, taught)
        for values in sets[1:]:
            task.prepare(self.world, values)
        lesson.learn(runs)
        if taught.status not in PROVEN and not taught.supervised:
            runs.append(self._demonstrate(task, sets[1], taught, is_prepared=True))
            lesson.learn(runs)
        return taught

    def _demonstrate(
        self, task: Task, values: Values, taught: Taught, *, is_prepared: bool = False
    ) -> str:
        """One run by the scripted model. Raises SystemExit when the task's own calls do not do the task."""
        from bench import tokens
        from runs.assemble import Options
        from tests.scripted_server import Answer, ScriptedServer

        if not is_prepared:
            task.prepare(self.world, values)
        request = sentence(
            (task.asks if task.taught_in == "en" else task.asks_zh)[0], values, self.world.rng
        )
        replies, before = task.teach(self.world, values), self.world.state()

        def answer(body: dict[str, Any], number: int) -> Answer:
            outputs = [
                str(message["content"]) for message in body["messages"] if message["role"] == "tool"
            ]
            reply = replies[min(number, len(replies) - 1)]
            return reply if isinstance(reply, Answer) else reply(outputs)

        started = time.monotonic()
        with ScriptedServer(answer) as server:
            agent = self.agent(task.taught_in, server.base_url)
            run = agent.start(request, Options(rote=False, cwd=self.cwd), InsideOnly())
            events = list(run.events())
        taught.seconds += time.monotonic() - started
        judged = judge(
            (task.name, "teaching", request), task, values, before, self.world.state(), events
        )
        if judged.outcome != "right":
            raise SystemExit(
                f"{task.name}: the teaching itself is not right:\n{json.dumps(asdict(judged), indent=1)}"
            )
        taught.request = taught.request or request
        taught.runs += 1
        taught.calls += len(server.requests)
        taught.tokens += sum(
            tokens.count(tokens.segments(recorded.body)) for recorded in server.requests
        )
        return run.id


class _Lesson:
    """One task on its way into the store."""

    def __init__(self, school: School, task: Task, sets: Sequence[Values], taught: Taught) -> None:
        self.school, self.task, self.sets, self.taught = school, task, sets, taught

    def learn(self, runs: Sequence[str]) -> None:
        """From runs to an SOP in the store, as `teach NAME --from-run` goes; a refusal is told in `why`."""
        from config import SopwithError
        from runs.learning import teach

        agent, taught = self.school.agent(self.task.taught_in), self.taught
        taught.why = []
        try:
            lesson = teach.lesson_from_run(agent, self.task.name, runs[0])
            lesson.existing = teach.known(agent, self.task.name)
            draft = self._draft(agent, lesson, runs)
            self.school.keep_names(self.task.name, self.sets[0], draft)
            taught.why = [
                *draft.problems,
                *(f"{slot.text} ({slot.where}): {slot.why}" for slot in draft.slots),
            ]
            with teach.trial(agent, draft.files, self.task.name, self.school.cwd) as trial:
                is_seen = draft.is_settled and self._prove(draft, trial, self.sets[len(runs) :])
                sop = teach.store(agent, lesson, trial.files(), trial.sop.status, "taught")
            taught.status = sop.status
            if is_seen:
                self._under_the_owners_eyes()
        except SopwithError as error:
            taught.why.append(str(error))

    def _draft(self, agent: Agent, lesson: Any, runs: Sequence[str]) -> Draft:
        """Of one run: with what the owner says varies. Of two: what they agree on does not vary. A model words it."""
        from runs.learning.authoring import author

        draft = self._deterministic(agent, lesson, runs)
        made = author(agent, draft, self.school.cwd)
        return made.draft if made else draft

    def _deterministic(self, agent: Agent, lesson: Any, runs: Sequence[str]) -> Draft:
        from learning.crystallise import crystallise
        from learning.trace import read_trace
        from runs.learning import teach

        if len(runs) > 1:
            traces, lang = [read_trace(self.school.home, run) for run in runs], agent.config.lang
            owner = self.school.world.owner
            return crystallise(
                traces, lesson.name, lang=lang, owner_home=owner, agent_home=self.school.home
            )
        offered = teach.values_that_vary(agent, lesson)
        confirmed = {
            name: value for name, value in offered.items() if self.school.which(value, self.sets[0])
        }
        known = {self.school.which(value, self.sets[0]) for value in confirmed.values()}
        confirmed |= {name: str(value) for name, value in self.sets[0].items() if name not in known}
        return teach.draft_of(agent, lesson, confirmed)

    def _prove(self, draft: Draft, trial: Trial, sets: Sequence[Values]) -> bool:
        """Gives the trial its status; True when only runs under the owner's eyes can give it."""
        from config import SopwithError
        from learning.verify import has_unchecked_commit, not_replayable

        procedure, why = draft.procedure(), self.taught.why
        if reason := not_replayable(procedure):
            why.append(reason)
            return True
        verdict = trial.prove()
        if not verdict.passed:
            why.append(f"its own values again: {verdict.reason}")
            for path in (trial.folder / "cases").iterdir():
                path.unlink()  # what it was taught on is gone: other values have to prove it
        if has_unchecked_commit(procedure):
            why.append("it changes something and no check looks at it")
        for values in sets:
            if trial.sop.status in PROVEN:
                break
            try:
                verdict = trial.prove(self.school.named(self.task.name, values))
                why.append(verdict.reason)
            except SopwithError as error:
                why.append(str(error))
        return False

    def _under_the_owners_eyes(self) -> None:
        """Runs of the stored SOP, confirmed one by one, until it may run alone."""
        for values in self.sets[1:]:
            agent = self.school.agent(self.task.taught_in)
            sop = agent.sop(self.task.name)
            self.taught.status = sop.status
            if sop.status in PROVEN:
                return
            before = self.school.world.state()
            events = list(self.school.by_name(agent, sop.name, values).events())
            asked: tuple[str, Kind, str] = (sop.name, "supervised", self.taught.request)
            found = judge(asked, self.task, values, before, self.school.world.state(), events)
            self.school.seen.append(found)
            self.taught.supervised += 1
            self.taught.why.append(
                f"under the owner's eyes: {found.outcome} {found.reason}".rstrip()
            )
            if found.outcome == "wrong":  # whoever looks sees it, and does not go on
                break
        self.taught.status = self.school.agent("en").sop(self.task.name).status
