"""Make the parts of a run from config and options: models, gate, sandbox, budget, recall, window,
credentials, filter."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import Config, ConfigError, ModelConfig, SopwithError
from context import Prompts
from memory.home import MAIN, Session
from memory.inbox import Inbox
from memory.sops import SopStore
from models.base import Model
from models.chain import Budget
from runs.options import Options
from runs.start.recalling import Recalling
from runs.start.trust import origins_before, own_data
from safety.gate import SHARED_TOOLS, Ask, Gate
from safety.paths import RUNS, shared_folder_of
from safety.secrets import Redactor, held_values
from sandbox.network import Leave
from text import plugin
from tools.registry import Family, all_tools, families
from tools.staged.dry import is_dry
from tools.toolbox import Foreign, Toolbox

if TYPE_CHECKING:
    from memory.journal.turns import Turn
    from memory.window import Window
    from models.eyes import Eyes
    from sandbox.cells import Sandbox, levels
    from sandbox.cells.levels import Kind
    from sandbox.undo import UndoStore
    from tools.base import Tool
    from tools.staged import Staging

SEEDS = Path(__file__).parent.parent / "sops"
WINDOW_TURNS = 6  # that a model reads: three rounds
MAX_RETRIES = 4  # of one model call; what is no turn of a run is asked twice at most
SHARED_EFFECTS = {"none", "ask"}  # all that a shared session's tools may do outside of its folder


class Parts:
    """Makes the parts of the runs of one home folder (runs/assemble.py puts them together)."""

    def __init__(self, config: Config, prompts: Prompts, sops: SopStore) -> None:
        self.config, self.prompts, self.sops = config, prompts, sops
        self.is_dry = is_dry()

    @cached_property
    def sandbox(self) -> levels.Level:
        """Return what holds the code that runs, here and by the owner's config."""
        from sandbox.cells import levels

        return levels.chosen(levels.probe(self.config.home), self.config.safety.sandbox)

    def gate(self, options: Options, attended: bool, name: str | None) -> Gate:
        """Return the gate of a run; `name` is the SOP that it does."""
        from sandbox.cells import levels

        sop = self.sops.get(name) if name else None
        own = partial(own_data, self.config.home, options.session, sop.folder if sop else None)
        rule, why = levels.runs_code(self.sandbox, self.config.safety.sandbox, attended=attended)
        sandboxed = self.sandbox.name != "none"
        shared = self.shared_folder(options)
        cwd, settings, bounds = shared or options.cwd, self.config.safety, options.bounds
        is_alone = bounds is not None and bounds.is_alone
        if bounds is not None and is_alone:
            from safety.gate import alone_settings

            settings = alone_settings(settings, Path(bounds.folder))
            rule, why = (rule, why) if sandboxed else ("no", self.sandbox.reason)
        return Gate(
            settings,
            self.config.home,
            Path.home(),
            cwd,
            rule,
            why,
            sandboxed,
            own,
            shared,
            is_alone,
            reads=self.config.auto.reads,
        )

    def held(self, gate: Gate, folder: Path, request: str = "") -> Sandbox | None:
        """Return the sandbox of a run's scripts; `folder` is the run's."""
        from sandbox.cells import Profile, Sandbox

        if not gate.sandboxed:
            return None
        if gate.shared is None:
            from safety.reach import Reach
            from sandbox.network import Exits, local_ports

            private = self.config.safety.private_hosts
            ports = () if self.is_dry else local_ports(request, private)
            exits = Exits(folder, Reach(private).find, ports)
            kind: Kind = "dry" if self.is_dry else "owner"
            return Sandbox(self.sandbox, Profile(kind, gate.places), exits)
        (scripts := folder / "scripts").mkdir(exist_ok=True)
        places = gate.places._replace(roots=(gate.shared,))
        return Sandbox(self.sandbox, Profile("shared", places, readable=(scripts.resolve(),)))

    def staging(self, gate: Gate, held: Sandbox | None, folder: Path) -> Staging | None:
        """Return where the changes of a run's scripts are judged; None where this machine has no
        stage."""
        is_mounted = self.sandbox.name == "full"
        is_seen = is_mounted or (self.sandbox.name == "partial" and sys.platform == "linux")
        if held is None or gate.shared or self.is_dry or not is_seen:
            return None
        from tools.staged import Staging

        home, roots = self.config.home, gate.places.roots
        if is_mounted and not Staging.works(home, roots):
            return None
        return Staging.of(is_mounted, folder, roots, self.undo_store, [home / "sops"])

    def undo_store(self) -> UndoStore:
        """Return the undo store, with the owner's limits."""
        from sandbox.undo import UndoStore

        return UndoStore.limited(self.config.home, self.config.undo)

    def shared_folder(self, options: Options) -> Path | None:
        """Return where a shared session may work, which takes a full sandbox."""
        if options.session == "main" or self.sandbox.name != "full":
            return None
        return shared_folder_of(self.config.home, Session.parse(options.session).id)

    def budget(self, options: Options, spent_usd: float) -> Budget:
        """Return what a run that goes on now may use."""
        limits = self.config.limits
        return Budget(
            limits.cost_usd if options.max_cost is None else options.max_cost,
            limits.minutes if options.max_minutes is None else options.max_minutes,
            spent_usd=spent_usd,
        )

    def models(self, options: Options) -> list[Model]:
        """Return the models that a run of this session asks; those of a group read no path of the
        owner's."""
        models = self.configured(options)
        if options.session == "main":
            return models
        from context.places import Placeless, Places

        names = {
            self.config.home: "~/.sopwith",
            Path.home(): "~",
            options.cwd: "~/…",
            SEEDS.parent: "~/…",
        }
        if folder := self.shared_folder(options):
            names |= {folder: ".", self.config.home / "runs": RUNS}
        return [Placeless(model, Places(names)) for model in models]

    def configured(self, options: Options, max_retries: int = MAX_RETRIES) -> list[Model]:
        """Return the chosen models, each with its endpoint."""
        return [
            self._endpoint(each, max_retries, options.counts_local)
            for each in self.chosen_models(options)
        ]

    def chosen_models(self, options: Options) -> list[ModelConfig]:
        """Return what the config says of the models that the owner asked for. Raises
        ConfigError."""
        return chosen_models(self.config, options.model)

    def first_model(self) -> Model:
        """Return the configured model that is asked first, for what is no turn of a run. Raises
        ConfigError without one."""
        models = self.configured(Options(), max_retries=1)
        if not models:
            raise ConfigError("error.run.no-model")
        return models[0]

    def _endpoint(self, settings: ModelConfig, max_retries: int, counts_local: bool) -> Model:
        if settings.kind == "scripted":
            from models.scripted import ScriptedModel

            return ScriptedModel.load(Path(settings.model).expanduser(), settings.name)
        from models.endpoint import EndpointModel
        from runs.protocols import keep_protocol, protocol_of

        home = self.config.home
        return EndpointModel(
            settings,
            lang=self.config.lang,
            counts_local=counts_local,
            max_retries=max_retries,
            eyes=self._eyes(settings),
            protocol=protocol_of(home, settings),
            tell_protocol=partial(keep_protocol, home, settings),
        )

    def _eyes(self, settings: ModelConfig) -> Eyes | None:
        """Return the model that describes images for the others: the first that the owner says has
        eyes."""
        seeing = next((each for each in self.config.models if each.eyes), settings)
        if seeing is settings:
            return None
        from models.eyes import Eyes

        return Eyes(self._endpoint(seeing, 1, counts_local=True), self.config.lang)

    @cached_property
    def foreign(self) -> Foreign | None:
        """Find the tools of MCP servers by their names."""
        if not self.config.mcp.servers:
            return None
        from tools.mcp import finder

        return finder(self.config)

    def toolbox(self) -> Toolbox:
        """Return all tools that there are here."""
        return Toolbox(all_tools(), self.families, foreign=self.foreign)

    @cached_property
    def families(self) -> dict[str, Family]:
        """Return the families of tools, those of the owner's plugins too."""
        if self.config.plugins:
            plugin.check(self.config.plugins)
        return families(self.config.plugins)

    def tools(self, options: Options) -> tuple[dict[str, Tool], dict[str, Family]]:
        """Return the tools and families of a session, as far as its bounds leave them."""
        tools, offered, bounds = all_tools(), self.families, options.bounds
        if options.session != "main":
            own = SHARED_TOOLS if self.shared_folder(options) else frozenset()
            tools = {
                n: tool
                for n, tool in tools.items()
                if set(tool.effects) <= SHARED_EFFECTS or n in own
            }
            del tools["more_tools"]
            offered = {}
        return (bounds.core(tools), bounds.families(offered)) if bounds else (tools, offered)

    def recalling(self, session: Session) -> Recalling:
        """Return what a session's runs recall."""
        home = self.config.home
        return Recalling(
            home,
            session,
            self.config.embeddings,
            lambda run: origins_before(home, [run]),
            lambda: self.recent(session, ()),
        )

    @property
    def set_credentials(self) -> list[str]:
        """Return the names of the credentials that are set."""
        return [name for name in self.config.safety.credentials if os.environ.get(name)]

    def told(self) -> Callable[[], Window] | None:
        """Return the window that a run tells what is said; without Redis the run's own log is
        enough."""
        return (lambda: self.window) if self.config.redis else None

    def recent(self, session: Session, without: Sequence[str]) -> list[Turn]:
        """Return what was said last in a session. Answers that came of other people's words are
        left out: they are not the owner's, and the run that reads them would have to be asked
        about more."""
        turns, home = self.window.recent(session, WINDOW_TURNS, without=without), self.config.home
        read = {
            run: origins_before(home, [run]) for run in {turn.run for turn in turns if turn.run}
        }
        return [turn for turn in turns if turn.who != "agent" or not read.get(turn.run)]

    @cached_property
    def window(self) -> Window:
        """Return the last turns of the sessions, as far as this process and Redis know them."""
        from memory.window import Window

        redis = self.config.redis
        return Window(self.config.home, redis.url if redis else "", redact=self.redactor())

    def l2_index(self, options: Options, redact: Callable[[str], str]) -> str:
        """Return the index of the facts, which only the owner's own session reads."""
        if options.session != "main":
            return ""
        from memory.reader import reader_for

        with suppress(OSError, SopwithError):  # it cannot be read; the event `context` has said so
            return redact(
                "\n".join(reader_for(self.config.home, MAIN).facts_index().splitlines()[:30])
            )
        return ""

    def credentials(self, options: Options, *, attended: bool) -> dict[str, str]:
        """Return what tools may use by name: where the owner is there, and alone."""
        if not (self.config.safety.credentials and attended and options.session == "main"):
            return {}
        from safety.secrets import given

        return given(self.config.safety.credentials, os.environ)

    def redactor(self) -> Redactor:
        """Hide what the agent holds and nobody may read."""
        return Redactor(held_values(self.config, os.environ))

    def inbox(self) -> Inbox:
        """Return where a run leaves what waits for the owner."""
        return Inbox(self.config.home)


def chosen_models(config: Config, name: str | None) -> list[ModelConfig]:
    """Return what the config says of the models of this name; without one, of all. Raises
    ConfigError."""
    chosen = [each for each in config.models if name in (None, each.name, each.model)]
    if name and not chosen:
        known = ", ".join(each.name for each in config.models) or "none"
        raise ConfigError("error.run.no-such-model", model=name, known=known)
    return chosen


def leave(
    gate: Gate, session: str, request: str, tool: str, args: dict[str, Any], paths: tuple[Path, ...]
) -> Leave:
    """Return what this call may reach; in a dry run nothing."""
    if is_dry():
        return Leave()
    from sandbox.network import leave_of

    return leave_of(gate, Ask(tool, args, ("execute",), paths, session, request))
