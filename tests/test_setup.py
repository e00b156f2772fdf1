"""The script `sopwith` and its set-up: at once when all is there, started over when it was not
finished, clear when it cannot. A copy of the scripts stands beside small locks, whose one package
is made here: no network."""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.machine import PATIENCE_SECONDS, ran

LAUNCH = "import sys; print(sys.prefix, sys.argv[1:])\n"


def wheel(folder: Path, name: str) -> str:
    """Make a wheel of one empty module; return its line for a lock."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    files = {
        f"{name}.py": "",
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{name}-1.0.dist-info/RECORD"
    digests = {
        file: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        for file, text in files.items()
    }
    lines = [f"{file},sha256={digests[file]},{len(text.encode())}" for file, text in files.items()]
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in {**files, record: "\n".join([*lines, f"{record},,"]) + "\n"}.items():
            archive.writestr(file, text)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout with a space in its path, whose locks name packages that lie in a folder of
    this test."""
    copy = tmp_path / "the checkout"
    for file in ("sopwith", "scripts/setup", "scripts/setup.py"):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / file, copy / file)
    (copy / "launch.py").write_text(LAUNCH)
    (copy / "requirements").mkdir()
    for lock in ("installer", "core", "test"):
        (copy / f"requirements/{lock}.lock").write_text(wheel(tmp_path / "wheels", f"tiny_{lock}"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return copy


def with_environment(checkout: Path) -> Path:
    """As after a finished set-up: an environment whose Python is this one, with the copy of the
    lock."""
    bin_folder = checkout / ".venv/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin_folder / "python").chmod(0o755)
    shutil.copy(checkout / "requirements/core.lock", checkout / ".venv/core.lock")
    return checkout


def call(
    script: Path, *args: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **(env or {})}
    return ran(script, *args, env=environ, timeout=PATIENCE_SECONDS * 2)


def test_finished_environment_is_used_at_once(checkout: Path) -> None:
    done = call(with_environment(checkout) / "sopwith", "run", "two words", "--x=$(y)")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("['run', 'two words', '--x=$(y)']\n")


def test_script_finds_its_checkout_through_links(checkout: Path, tmp_path: Path) -> None:
    with_environment(checkout)
    (tmp_path / "bin").mkdir()
    (tmp_path / "first").symlink_to(checkout / "sopwith")
    (tmp_path / "bin/sop").symlink_to("../first")
    done = call(Path("sop"), "a", env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("['a']\n")


def test_first_calls_at_once_set_up_once_and_all_run(checkout: Path) -> None:
    started = [
        subprocess.Popen(
            [checkout / "sopwith", str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    ended = [
        (*process.communicate(timeout=PATIENCE_SECONDS * 2), process.returncode)
        for process in started
    ]
    for number, (stdout, _, code) in enumerate(ended):
        assert (code, stdout) == (0, f"{checkout / '.venv'} ['{number}']\n")
    progress = "".join(stderr for _, stderr, _ in ended)
    assert progress.count("making a private Python environment") == 1
    assert progress.count("waiting for another set-up") == 2
    assert call(checkout / "sopwith").stderr == ""
    installed = checkout.glob(".venv/lib/*/site-packages/tiny_*.py")
    assert sorted(path.stem for path in installed) == ["tiny_core", "tiny_installer"]


def test_interrupted_set_up_is_started_over_and_a_new_lock_is_installed(
    checkout: Path, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [checkout / "sopwith"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    while "fetching the installer" not in process.stderr.readline():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (checkout / ".venv/core.lock").exists()
    again = call(checkout / "sopwith", "a")
    assert again.returncode == 0
    assert "making a private Python environment" in again.stderr
    (checkout / "requirements/core.lock").write_text(wheel(tmp_path / "wheels", "tiny_newer"))
    newer = call(checkout / "sopwith", "b")
    assert "making a private" not in newer.stderr
    assert "installing 1 packages" in newer.stderr
    assert list(checkout.glob(".venv/lib/*/site-packages/tiny_newer.py"))


def test_set_up_without_a_network_says_so_in_two_lines(checkout: Path) -> None:
    offline = {
        "PIP_NO_INDEX": "0",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    }
    done = call(checkout / "sopwith", env={**offline, "PIP_RETRIES": "0"})
    assert (done.returncode, done.stdout) == (1, "")
    said = [line for line in done.stderr.splitlines() if not line.startswith("sopwith set-up:")]
    assert len(said) == 2
    assert said[0].startswith("Sopwith could not be set up: ")
    assert said[1].startswith("Connect to the network")


def test_package_with_another_hash_is_not_installed(checkout: Path) -> None:
    lock = checkout / "requirements/core.lock"
    lock.write_text(lock.read_text()[:-65] + "0" * 64 + "\n")
    done = call(checkout / "sopwith")
    assert done.returncode == 1
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr
    assert not list(checkout.glob(".venv/lib/*/site-packages/tiny_core.py"))


def test_checkout_on_a_read_only_disk_keeps_its_environment_in_the_cache(
    checkout: Path, small_disk: Path
) -> None:
    copy = small_disk / "checkout"
    shutil.copytree(checkout, copy)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    first, again = call(copy / "sopwith", "a"), call(copy / "sopwith", "b")
    (environment,) = Path(os.environ["XDG_CACHE_HOME"]).glob("sopwith/*")
    assert (first.returncode, first.stdout) == (0, f"{environment} ['a']\n")
    assert (again.stdout, again.stderr) == (f"{environment} ['b']\n", "")


def test_wheel_keeps_everything_below_one_folder_and_runs(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    (path,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"sopwith"}
    assert {
        "sopwith/launch.py",
        "sopwith/assets/tools_schema.json",
        "sopwith/tools/scripts/calls.py",
    } <= set(names)
    assert any(name.startswith("sopwith/sops/") for name in names)
    code = "import sys, sopwith; sys.argv[0] = 'sopwith'; sys.exit(sopwith.main())"
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", code, "--help"]
    done = ran(*command, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: sopwith" in done.stdout
