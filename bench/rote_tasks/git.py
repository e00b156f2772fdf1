"""Git: tag, clean up merged branches, commits since a date, files that changed."""

from __future__ import annotations

from datetime import date, timedelta

from bench.rote_tasks.base import (
    Draw,
    Reply,
    State,
    Task,
    Values,
    World,
    bash,
    lists,
    say,
    say_output,
    says_number,
)

REPOS = "website parser bookshop tracker firmware gateway planner renderer mailer scanner router toolbox catalog crawler"


def repository(world: World, repo: str) -> None:
    world.git(repo, "init", "-q")
    world.commit(repo, {"README.md": f"{repo}\n"}, "First words", at="2025-01-02T10:00:00")


def _repo(draw: Draw) -> str:
    return str(draw.fresh(lambda: f"~/{draw.rng.choice(['', 'src/', 'code/', 'work/'])}{draw.rng.choice(REPOS.split())}"))  # fmt: skip


class TagRepository(Task):
    name, kind = "git-tag", "git"
    asks = (
        "tag the repository {repo} as {tag}",
        "(put|set) the tag {tag} on {repo}",
        "create the tag {tag} in (the repo |){repo}",
        "tag {repo} with {tag}",
        "mark the current commit of {repo} as {tag}",
    )
    asks_zh = ("给仓库 {repo} 打上标签 {tag}", "在 {repo} 里创建标签 {tag}")

    def draw(self, draw: Draw) -> Values:
        tag = draw.fresh(
            lambda: f"v{draw.rng.randint(1, 9)}.{draw.rng.randint(0, 20)}.{draw.rng.randint(0, 9)}"
        )
        return {"repo": _repo(draw), "tag": tag}

    def prepare(self, world: World, values: Values) -> None:
        repository(world, values["repo"])
        world.git(values["repo"], "tag", "v0.0.1")
        world.commit(values["repo"], {"a.txt": "a"}, "More", at="2025-02-03T10:00:00")

    def teach(self, world: World, values: Values) -> list[Reply]:
        repo = values["repo"]
        return [bash(f"git -C {repo} status --short && git -C {repo} tag"), bash(f"git -C {repo} tag {values['tag']}"), bash(f"git -C {repo} rev-parse {values['tag']}"), say("The tag is set.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        place = f"{values['repo'][2:]}/.git"
        head = next(
            line.split()[1] for line in before[place] if line.startswith("refs/heads/main ")
        )
        return before | {place: sorted([*before[place], f"refs/tags/{values['tag']} {head}"])}


class MergedBranches(Task):
    name, kind = "git-merged-branches", "git"
    asks = (
        "delete the branches of {repo} that are merged into main",
        "remove all merged branches (from|in) {repo}",
        "clean up the merged branches in {repo}",
        "get rid of the branches in {repo} that have been merged (already|)",
        "{repo} has old merged branches, please delete them",
    )
    asks_zh = ("删除 {repo} 里已经合并到 main 的分支", "清理 {repo} 中已合并的分支")

    def draw(self, draw: Draw) -> Values:
        return {"repo": _repo(draw)}

    def prepare(self, world: World, values: Values) -> None:
        repo = values["repo"]
        repository(world, repo)
        for number in range(world.rng.randint(1, 3)):
            world.git(repo, "branch", f"done-{world.rng.choice('abcdef')}{number}")
        world.git(repo, "checkout", "-q", "-b", "open-work")
        world.commit(repo, {"open.txt": "open"}, "Not merged", at="2025-02-03T10:00:00")
        world.git(repo, "checkout", "-q", "main")

    def teach(self, world: World, values: Values) -> list[Reply]:
        repo = values["repo"]
        script = f"git -C {repo} branch --merged main --format='%(refname:short)' | grep -v -x main | xargs -r git -C {repo} branch -d"  # fmt: skip
        return [
            bash(f"git -C {repo} branch --merged main"),
            bash(script),
            bash(f"git -C {repo} branch"),
            say("The merged branches are deleted."),
        ]

    def after(self, before: State, values: Values) -> State:
        place = f"{values['repo'][2:]}/.git"
        return before | {
            place: [line for line in before[place] if not line.startswith("refs/heads/done-")]
        }


class CommitsSince(Task):
    name, kind = "git-commits-since", "git"
    asks = (
        "how many commits were made in {repo} since {day}?",
        "count the commits in {repo} since {day}",
        "how many commits does {repo} have since {day}?",
        "tell me the number of commits in {repo} since {day}",
        "since {day}, how many commits (went into|are in) {repo}?",
    )
    asks_zh = ("{repo} 从 {day} 以来有多少次提交？", "统计 {repo} 自 {day} 起的提交数")

    def draw(self, draw: Draw) -> Values:
        day = draw.fresh(
            lambda: (date(2025, 3, 1) + timedelta(days=draw.rng.randint(0, 200))).isoformat()
        )
        return {"repo": _repo(draw), "day": day}

    def prepare(self, world: World, values: Values) -> None:
        repository(world, values["repo"])
        for at in self._days(values):
            world.commit(values["repo"], {f"{at}.txt": at}, f"On {at}", at=f"{at}T12:00:00")

    def _days(self, values: Values) -> list[str]:
        middle = date.fromisoformat(values["day"])
        behind = 3 + middle.toordinal() % 9
        return [
            (middle + timedelta(days=days)).isoformat()
            for days in (-20, -6, -2, *range(2, 2 + behind))
        ]

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [
            bash(f"git -C {values['repo']} rev-list --count --since='{values['day']} 00:00' HEAD"),
            say_output,
        ]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        return says_number(answer, sum(at >= values["day"] for at in self._days(values)), values)


class ChangedFiles(Task):
    name, kind = "git-changed-files", "git"
    asks = (
        "which files changed in the last {count} commits of {repo}?",
        "list the files (that were |)changed in the last {count} commits (of|in) {repo}",
        "show (me |)what files the last {count} commits of {repo} touched",
        "what files did the last {count} commits in {repo} change?",
        "give me the changed files of the last {count} commits in {repo}",
    )
    asks_zh = (
        "{repo} 最近 {count} 次提交改了哪些文件？",
        "列出 {repo} 最近 {count} 个提交修改的文件",
    )

    def draw(self, draw: Draw) -> Values:
        return {"repo": _repo(draw), "count": draw.number(2, 16)}

    def prepare(self, world: World, values: Values) -> None:
        repository(world, values["repo"])
        for number in range(values["count"] + 3):
            world.commit(values["repo"], {f"file{number}.txt": str(number)}, f"Number {number}")

    def teach(self, world: World, values: Values) -> list[Reply]:
        return [
            bash(f"git -C {values['repo']} diff --name-only HEAD~{values['count']}"),
            say_output,
        ]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        files = [f"file{number}.txt" for number in range(values["count"] + 3)]
        return lists(answer, files[3:], [*files[:3], "README.md"])


GIT = (TagRepository(), MergedBranches(), CommitsSince(), ChangedFiles())
