"""Settings: what the file and the environment may say, and the error that each wrong thing gets."""

from pathlib import Path

import pytest

from config import Config, ConfigError, Limits, Price, find_home, find_lang, load
from tests.rows import cases


def written(home: Path, text: str) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    file = home / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def problem(home: Path, text: str, **environ: str) -> str:
    """Return the error that this config.yaml gets, without the file's name."""
    file = written(home, text)
    with pytest.raises(ConfigError) as caught:
        load(home, "en", environ)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(f"{file}")
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value).removeprefix(str(file))


def test_nothing_configured_is_a_config_of_defaults(home: Path) -> None:
    assert load(home, "zh", {}) == Config(home=home, lang="zh")
    written(home, "")
    assert load(home, "en", {}) == Config(home=home, lang="en")
    written(home, "models:\nlimits:\n")
    assert load(home, "en", {}) == Config(home=home, lang="en")


def test_the_file_of_the_contract_is_read(home: Path) -> None:
    written(
        home,
        """
models:
  - {name: main, kind: openai, model: gpt-5.4, base_url: https://example.org/v1, api_key: ${KEY}, protocol: native}
  - {name: local, kind: openai, model: qwen3, base_url: http://127.0.0.1:11434/v1, protocol: text,
     price: {input: 1, cached: 0.1, output: 2.5}}
embeddings: {kind: openai, model: text-embedding-3-small}
redis: {url: redis://127.0.0.1:6379/0}
graph: {kind: neo4j, uri: bolt://127.0.0.1:7687, user: neo4j, password: ${PASSWORD}}
queue: {url: postgresql://x@127.0.0.1/q}
mcp: {servers: {files: {command: [npx, server]}}}
safety: {roots: [~/work], sandbox: auto, confirm: [delete, send], forbid: [shutdown]}
limits: {turns: 12, cost_usd: 0, minutes: 1.5, tool_seconds: 9}
""",
    )
    config = load(home, "en", {"KEY": "k-1", "PASSWORD": "p-1"})
    main, local = config.models
    assert (main.name, main.api_key, main.base_url, main.price) == (
        "main",
        "k-1",
        "https://example.org/v1",
        None,
    )
    assert (local.protocol, local.price) == ("text", Price(1, 0.1, 2.5))
    assert config.limits == Limits(12, 0, 1.5, 9)
    assert config.safety.roots == (Path.home() / "work",)
    assert config.safety.confirm == ("delete", "send")
    assert config.graph is not None
    assert config.graph.password == "p-1"
    assert config.mcp.servers["files"].command == ("npx", "server")
    assert "k-1" not in repr(config)
    assert "p-1" not in repr(config)


def test_a_model_is_called_by_its_own_name_and_its_cache_costs_as_all_input_does_where_nothing_else_is_said(
    home: Path,
) -> None:
    written(home, "models: [{model: qwen3, price: {input: 1, output: 2}}]")
    (model,) = load(home, "en", {}).models
    assert (model.name, model.price) == ("qwen3", Price(1, 1, 2))


@cases
def test_wrong_file_is_an_error_with_key_and_line(home: Path, text: str, said: str) -> None:
    assert said in problem(home, text)


def test_variable_that_is_not_set_is_named_with_its_key_and_line(home: Path) -> None:
    said = problem(home, "models:\n  - name: a\n    model: b\n    api_key: ${NO_SUCH_KEY}\n")
    assert said.startswith(", line 4: models[0].api_key refers to NO_SUCH_KEY, which is not set.")
    in_braces = problem(home, "models:\n  - {name: a, model: b, api_key: ${NO_SUCH_KEY}}\n")
    assert in_braces.startswith(
        ", line 2: models[0].api_key refers to NO_SUCH_KEY, which is not set."
    )
    assert problem(home, "limits: {turns: '${N}'}", N="many").endswith("it is '${N}'.")


def test_value_of_a_variable_is_not_shown_when_it_does_not_fit(home: Path) -> None:
    assert "hush" not in problem(home, "limits: {turns: $K}".replace("$K", '"${KEY}"'), KEY="hush")
    assert "hush" not in problem(home, "models: [{name: a, model: b, kind: '${KEY}'}]", KEY="hush")


def test_file_that_is_no_text_is_an_error(home: Path) -> None:
    file = written(home, "")
    file.write_bytes(b"models: \xff\xfe")
    with pytest.raises(ConfigError, match=r"is not UTF-8 text \(byte 8\)"):
        load(home, "en", {})
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(home, "en", {})


def test_deeply_nested_file_is_an_error(home: Path) -> None:
    assert "limits must be a mapping" in problem(home, "limits: " + "[" * 20_000 + "]" * 20_000)


@cases
def test_environment_wins_over_the_file_and_alone_is_enough(
    home: Path, text: str, environ: dict[str, str], expected: list[list[str | None]]
) -> None:
    """Hold name, model, address and key of each model. A key alone sends no local owner to a
    provider."""
    if text:
        written(home, text)
    found = load(home, "en", environ).models
    assert [[each.name, each.model, each.base_url, each.api_key] for each in found] == expected


def test_wrong_address_in_the_environment_is_an_error(home: Path) -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL must be an address"):
        load(home, "en", {"OPENAI_BASE_URL": "127.0.0.1:80", "SOPWITH_MODEL": "m"})


def test_home_is_the_option_then_the_variable_then_the_default(tmp_path: Path) -> None:
    environ = {"SOPWITH_HOME": str(tmp_path / "b")}
    assert find_home(str(tmp_path / "a"), environ) == tmp_path / "a"
    assert find_home(None, environ) == tmp_path / "b"
    assert find_home(None, {"SOPWITH_HOME": ""}) == Path.home() / ".sopwith"
    assert find_home("here", {}) == Path.cwd() / "here"
    assert find_home("~/x", {}) == Path.home() / "x"
    with pytest.raises(ConfigError, match="--home DIR"):
        find_home("~nobody-of-that-name", {})


@cases
def test_language_is_the_option_then_the_locale(
    option: str | None, environ: dict[str, str], lang: str
) -> None:
    assert find_lang(option, environ) == lang
