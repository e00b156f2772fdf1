"""SOPs of other kinds, to fill a store with: what routing must tell apart from what is asked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

DOING = {
    "resize": "调整大小", "rotate": "旋转", "crop": "裁剪", "translate": "翻译", "encrypt": "加密", "publish": "发布", "deploy": "部署",
    "restart": "重启", "mute": "静音", "print": "打印", "lint": "检查格式", "compile": "编译", "benchmark": "测速", "mount": "挂载",
    "share": "分享", "archive": "归档", "rename": "重命名", "move": "移动", "copy": "复制", "delete": "删除", "count": "统计", "sort": "排序",
    "convert": "转换", "merge": "合并", "list": "列出", "download": "下载", "order": "订购", "cancel": "取消", "tag": "打标签", "restore": "恢复",
}  # fmt: skip
WHAT = {
    "photos": "照片", "videos": "视频", "invoices": "发票", "playlists": "播放列表", "contracts": "合同", "calendars": "日历",
    "containers": "容器", "databases": "数据库", "tickets": "工单", "e-mails": "邮件", "recipes": "菜谱", "maps": "地图", "slides": "幻灯片",
    "passwords": "密码", "bookmarks": "书签", "fonts": "字体", "subtitles": "字幕", "logos": "标志", "podcasts": "播客", "printers": "打印机",
}  # fmt: skip
SHAPES = (
    ("{does} the {what} in {{folder}}", "{zh_does} {{folder}} 里的{zh_what}", ("folder",)),
    (
        "{does} all {what} older than {{days}} days in {{folder}}",
        "{zh_does} {{folder}} 里超过 {{days}} 天的{zh_what}",
        ("folder", "days"),
    ),
    (
        "{does} the {what} of {{file}} into {{target}}",
        "把 {{file}} 的{zh_what}{zh_does}到 {{target}}",
        ("file", "target"),
    ),
)


@dataclass(frozen=True, slots=True)
class Stranger:
    """One SOP that has nothing to do with the tasks."""

    name: str
    wordings: tuple[str, ...]
    parameters: tuple[str, ...]

    def write(self, sops: Path) -> None:
        """Put its folder into a store."""
        kinds = {name: {"type": "integer"} if name == "days" else {"type": "string", "format": "path"} for name in self.parameters}  # fmt: skip
        steps = {
            "parameters": {
                "type": "object",
                "properties": kinds,
                "required": list(self.parameters),
            },
            "wordings": list(self.wordings),
            "effects": "none",
            "plan": [
                {
                    "tool": "code_run",
                    "args": {"type": "bash", "script": "echo done"},
                    "save": {"said": "output"},
                }
            ],
            "result": "{{said}}",
        }
        said = f'---\nname: {self.name}\ndescription: {self.name.replace("-", " ")}\nmetadata:\n  sopwith-status: active\n  sopwith-version: "1"\n---\n\nDo it.\n'  # fmt: skip
        (sops / self.name).mkdir()
        (sops / self.name / "SKILL.md").write_text(said, "utf-8")
        (sops / self.name / "sop.yaml").write_text(json.dumps(steps, ensure_ascii=False), "utf-8")


def crowd(rng: Random) -> Iterator[Stranger]:
    """Strangers in an order of its own, over a thousand."""
    every = list(product(DOING, WHAT, range(len(SHAPES))))
    rng.shuffle(every)
    for does, what, shape in every:
        english, chinese, names = SHAPES[shape]
        words = {"does": does, "what": what, "zh_does": DOING[does], "zh_what": WHAT[what]}
        wordings = english.format(**words), chinese.format(**words)
        yield Stranger(f"{does}-{what.replace('-', '')}-{shape + 1}", wordings, names)
