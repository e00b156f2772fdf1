"""Hold everything that one run needs from here on: its log, limits, tools, gate, sandbox and texts,
each made once."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from agent_loop import End, agent_loop
from context import TurnTexts
from handler import AgentHandler, Owner
from learning.guards import tools_used
from memory.home import Session
from memory.runlog import RunLog
from memory.sops import Sop
from models.base import Event, Model
from models.chain import Budget
from runs.control.bounds import is_attended
from runs.control.consent import Consent
from runs.control.steering import Steering
from runs.options import Options
from runs.parts import Parts, leave
from runs.replaying import steps
from runs.resume import Progress
from runs.start.briefing import Briefing
from runs.start.run_started import spent
from runs.workshop import Workshop
from safety.gate import Ask
from safety.secrets import Redactor
from tools.base import ToolContext
from tools.processes import stop_leftovers
from tools.schema import check_args
from tools.staged import Recording
from tools.toolbox import Toolbox

if TYPE_CHECKING:
    from models.base import ToolResult
    from safety.changes import ChangeSet
    from safety.gate import Decision, Gate
    from sandbox.cells import Sandbox
    from tools.base import Tool, Wish
    from tools.registry import Family
    from tools.staged import Staging


@dataclass
class RunContext:
    """Make the parts of one run when they are first asked for. `replace` gives a run that chose an
    SOP new parts."""

    agent: Workshop
    log: RunLog
    progress: Progress
    options: Options
    owner: Owner
    briefing: Briefing
    budget: Budget
    steering: Steering

    @property
    def parts(self) -> Parts:
        """Return what makes the parts of runs."""
        return self.agent.parts

    @property
    def start(self) -> Event:
        """Return the first event of the run."""
        return self.progress.opening

    @property
    def is_attended(self) -> bool:
        """Return True where the owner answers what the run asks."""
        return is_attended(self.options.approve, self.owner)

    @property
    def is_trial(self) -> bool:
        """Return True for the try of an SOP."""
        return "verifies" in self.start

    @property
    def is_own(self) -> bool:
        """Return True in the owner's session, where a group has no say."""
        return self.options.session == "main"

    @property
    def learns(self) -> bool:
        """Return True for a run that may teach something: no trial, no helper, no group's."""
        bounds = self.options.bounds
        is_helper = bool(bounds and bounds.parent)
        return self.is_own and not self.is_trial and not is_helper

    @property
    def request(self) -> str:
        """Return the owner's own words, by which the gate goes."""
        bounds = self.options.bounds
        return bounds.request if bounds else str(self.start["task"])

    @property
    def sop(self) -> Sop | None:
        """Return the SOP that the run does, or has begun to do."""
        return self.parts.sops.get(self.start["sop"]) if self.start["sop"] else None

    @cached_property
    def redactor(self) -> Redactor:
        """Return the filter of secrets."""
        return self.parts.redactor()

    @cached_property
    def gate(self) -> Gate:
        """Return the gate of this run."""
        gate = self.parts.gate(self.options, self.is_attended, self.start["sop"])
        return replace(gate, run=self.log.folder)

    @cached_property
    def sandbox(self) -> Sandbox | None:
        """Return the sandbox of scripts; None where none of its tools runs one."""
        tools, families = self._tools
        if "code_run" not in tools and "terminal" not in families:
            return None
        return self.parts.held(self.gate, self.log.folder, self.request)

    @cached_property
    def staging(self) -> Staging | None:
        """Return where the changes of scripts are judged."""
        sandbox, folder = self.sandbox, self.log.folder
        return self.parts.staging(self.gate, sandbox, folder)

    @cached_property
    def toolbox(self) -> Toolbox:
        """Return the tools that a model may be offered."""
        tools, families = self._tools
        has_foreign = "mcp" in families and "mcp_call" in families["mcp"].tools
        foreign = self.parts.foreign if has_foreign else None
        return Toolbox(tools, families, self.progress.families, foreign)

    @cached_property
    def _tools(self) -> tuple[dict[str, Tool], dict[str, Family]]:
        return self.parts.tools(self.options)

    @cached_property
    def last_turn(self) -> int:
        """Return the last turn that the run may take; the steps of a replay come on top."""
        progress, limit = self.progress, self.parts.config.limits.turns
        by_rote = None if progress.handed_over else self.sop
        turns = self.options.max_turns or limit + steps(by_rote)
        if progress.status == "limit":  # it was resumed, and has as many once more
            return progress.next_turn - 1 + turns
        return max(turns, progress.next_turn)

    @cached_property
    def tool_context(self) -> ToolContext:
        """Return what tools may use of this run."""
        parts, options, gate = self.parts, self.options, self.gate
        is_kept = self.is_own and not parts.is_dry
        return ToolContext(
            gate.shared or options.cwd,
            self.log.folder,
            parts.config.home,
            tool_seconds=parts.config.limits.tool_seconds,
            deadline=self.budget.deadline,
            redact=self.redactor,
            sandbox=self.sandbox,
            staging=self.staging,
            recording=Recording(self.log.run, parts.undo_store) if is_kept else None,
            is_dry=parts.is_dry,
            leave=partial(leave, gate, options.session, self.request),
            recall=parts.recalling(Session.parse(options.session)).asked,
            run=self.log.run,
            session=options.session,
            config=parts.config,
            credentials=parts.credentials(options, attended=self.is_attended),
            secret=self.owner.secret,
            delegate=self._delegated if self.is_own else None,
        )

    @cached_property
    def texts(self) -> TurnTexts:
        """Return what writes the texts of a turn."""
        return TurnTexts(
            prompts=self.briefing.prompts,
            working=self.progress.working,
            last_turn=self.last_turn,
            tools=self.toolbox,
            attended=self.is_attended,
            l2_index=partial(self.parts.l2_index, self.options, self.redactor),
            sop_path=self._sop_path,
            spent=partial(spent, self.budget, self.briefing.prompts),
        )

    @cached_property
    def consent(self) -> Consent:
        """Return the way to the owner."""
        return Consent(
            self.log.run,
            self.options.session,
            self.owner,
            self.parts.inbox(),
            self.briefing.prompts,
            self.progress.state,
            self.tool_context,
            self.redactor.redact,
            self.gate.settings.confirm_hours,
        )

    @cached_property
    def handler(self) -> AgentHandler:
        """Return what carries out the calls of the run."""
        progress, briefing = self.progress, self.briefing
        return AgentHandler(
            run=self.log.run,
            session=self.options.session,
            request=self.request,
            tools=self.toolbox,
            check_args=check_args,
            context=self.tool_context,
            gate=self.gate,
            redact=self.redactor.redact,
            consent=self.consent,
            texts=self.texts,
            working=progress.working,
            state=progress.state,
            last_turn=self.last_turn,
            steering=self.steering.take,
            remember=briefing.note,
            changes=briefing.changes,
            attended=self.is_attended,
            prewarm=self._load_gate,
        )

    def loop(self, model: Model) -> Generator[Event, None, End]:
        """Return the loop of the run with this model."""
        progress = self.progress
        progress.state.origins.update(self.start.get("origins", ()))
        if self.start["sop"] is None and self.parts.config.models:  # a replay may do without
            self._prewarm()
        self._keep_servers()
        if self.staging:
            self.staging.judge, self.staging.decides = self._judged, self.gate.places.decides
        loop: Generator[Event, None, End] = agent_loop(
            model,
            self.handler,
            progress.messages,
            first_turn=progress.next_turn,
            last_turn=self.last_turn,
        )
        return loop

    def resumed(self) -> Event:
        """Return the event that says the run goes on; what a killed process left at work is
        stopped."""
        return {
            "type": "run_resumed",
            "turn": self.progress.next_turn,
            "task": self.start["task"],
            "stopped": stop_leftovers(self.log.run),
            "sandbox": self.parts.sandbox.name,
        }

    def _delegated(self, call: str, wish: Wish) -> Generator[Event | str, None, ToolResult]:
        """Let helpers of the run work (tools/agent/run.py)."""
        from runs.control.delegation import Delegation

        run, progress = self.log.run, self.progress
        return Delegation(self.agent, run, self.options, progress, self.budget).of(call, wish)

    def _prewarm(self) -> None:
        """Build the first cell while the model thinks: it takes longer than a call."""
        if self.sandbox and self.sandbox.level.name == "full":
            from tools.scripts import Cells

            cells = Cells.of(self.sandbox)
            cells.warm(self.sandbox, self.gate.cwd, is_staged=self.staging is not None)

    def _load_gate(self) -> None:
        """Load what the gate judges scripts by, which takes longer than a call."""
        example = {"script": "echo 'one' | head -n 1"}
        self.gate.decide(Ask("code_run", example, ("execute",), (self.gate.cwd,), "main"))

    def _keep_servers(self) -> None:
        """Start the MCP servers of a replay: its guards ask them before its first call does."""
        sop = self.sop
        if self.parts.foreign is None or self.parts.is_dry or sop is None:
            return
        if any("." in name for name in tools_used(sop)):
            from tools.mcp import keep_servers

            keep_servers(self.tool_context)

    def _judged(self, changes: ChangeSet) -> Decision:
        """Return what the gate says of the changes of a call; nobody is asked about those of a
        copy."""
        from safety.gate import judge_changes

        gate = self.gate
        return judge_changes(changes, gate.places, gate.settings, origin=self.handler.origins())

    def _sop_path(self, name: str) -> str:
        """Return where the text of an SOP lies; what is no name of one stays as the model wrote
        it."""
        sop = self.parts.sops.get(name)
        return str(sop.folder / "SKILL.md") if sop else name
