"""Words that mean the same in a request, English and Chinese: what a wording may be said with instead.

One line of a table is one thing. A line holds only what may stand for each other in *every* procedure: "get rid of" is
"delete"; "clean" is not (data is cleaned too). What is close but not the same stays on lines of its own, so that it is
told apart: restore is no backup, newer is not older. Words that are in no table mean themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = """
delete remove erase discard get_rid_of clean_out clear_out throw_away throw_out | 删除 删掉 删 删去 清理掉 清掉 清除 移除 扔掉 丢掉
show list display show_me give_me tell_me get_me let_me_see see view | 显示 列出 列一下 列出来 看看 看一下 看 查看 给出 查一下 告诉
find look_for search_for locate find_out search | 找 查找 寻找 搜索 找出 找到 找一下 搜一下
count how_many number_of count_up tally | 数 数一下 多少 几 数数 计数 数一数 个数 数量
back_up backup make_a_backup_of take_a_backup_of create_a_backup_of make_backup_of do_a_backup_of | 备份 做个备份 做备份 备份一下
restore recover bring_back undelete | 恢复 还原
copy make_a_copy_of duplicate | 复制 拷贝 拷
move | 移动 移到 移 挪到 搬到 移动到 挪
rename change_the_name_of | 重命名 改名 更名 重新命名
convert transform | 转换 转成 转为 转 转换成 转换为 转化
create make generate | 创建 新建 生成 建立 建 建个
add | 添加 加上 增加 加
send | 发送 发 发给
email mail | 邮寄
start launch | 启动
stop halt | 停止 停掉 停
restart | 重启
enable | 启用
disable | 禁用 停用
install | 安装
uninstall | 卸载
open | 打开
close | 关闭 关掉
run execute | 运行 执行
compress | 压缩
unzip unpack decompress | 解压 解压缩
zip zip_up |
archive | 归档
extract | 提取 抽取
merge combine | 合并
split split_up | 拆分 切分 分割
sort | 排序 排列
filter | 筛选 筛选出 筛出
filter_out | 过滤掉 排除 剔除
keep retain | 保留 留下
download fetch | 下载
upload | 上传
check | 检查
verify | 验证 校验 核对
validate |
compare diff | 比较 对比
replace substitute | 替换
update | 更新
upgrade | 升级
cancel | 取消
confirm | 确认
approve | 批准
reject | 拒绝
refund | 退款
return | 退货
ship dispatch | 发货
order | 订购 下单
buy purchase | 购买 买
pay | 支付 付款
charge | 收费
calculate compute work_out | 计算 算 算一下 算出
sum_up add_up total sum | 求和 合计 总和 加总 总计
average mean | 平均 平均值 求平均
tag | 打标签 打上标签
commit | 提交
push | 推送
pull | 拉取
clone | 克隆
checkout check_out | 检出
revert undo | 撤销
resize | 缩放
rotate | 旋转
crop | 裁剪
translate | 翻译
summarise summarize | 总结 概括
save store | 保存
export | 导出
import | 导入
print | 打印
write | 写 写入
read | 读 读取
append | 追加
edit modify | 修改 编辑
change set | 改 设置 设为
clean | 清洗
clear empty | 清空
clean_up tidy_up tidy | 清理 整理
encrypt | 加密
decrypt | 解密
lock | 锁定
unlock | 解锁
share | 分享 共享
publish | 发布
deploy | 部署
build | 构建
test | 测试
ping |
kill terminate | 杀掉 结束
schedule | 安排
remind | 提醒
sync synchronise synchronize | 同步
mount | 挂载
unmount | 卸下
hide | 隐藏
unhide | 取消隐藏
group group_by | 分组
format | 格式化
truncate | 截断
deduplicate dedupe | 去重
reset | 重置
register | 注册
log | 记录
"""

THINGS = """
file | 文件
folder directory dir | 文件夹 目录
image picture photo | 图片 照片 图像 相片
video movie clip | 视频
row record | 行 条记录 记录
line | 行
column field | 列 字段
table | 表
spreadsheet | 表格 电子表格
order | 订单
customer client | 客户 顾客
invoice | 发票
product item article | 商品 产品
price | 价格 单价
stock inventory | 库存
status state | 状态
report | 报告 报表
repository repo | 仓库
branch | 分支
tag label | 标签
release | 发行版
version | 版本
word | 单词 词
character letter | 字符 字
name | 名字 名称 名
date | 日期
size | 大小
title | 标题
note | 笔记
letter | 信
contact | 联系人
task todo to-do | 任务 待办
meeting | 会议
photo_album album | 相册
backup | 备份
copy | 副本
log logfile | 日志
archive | 归档包
page | 页 页面
website site | 网站
disk drive | 磁盘 硬盘
memory ram | 内存
process | 进程
program app application | 程序 应用 软件
computer machine pc | 电脑 机器 计算机
server | 服务器
user | 用户
account | 账户 帐户 账号
password | 密码
text | 文本 文字
data | 数据
value | 值
amount | 金额
total | 总额
trash bin recycle_bin rubbish_bin waste_bin | 回收站 废纸篓 垃圾桶
"""

TURNS = """
largest biggest | 最大 最大的
smallest tiniest | 最小 最小的
newest latest most_recent | 最新 最新的
oldest earliest | 最旧 最旧的 最早 最早的
highest | 最高 最高的
lowest | 最低 最低的
most | 最多
least fewest | 最少
first | 第一 最前 前
last | 最后 最后的
large big | 大 大的
small little | 小 小的
new | 新 新的
old | 旧 旧的 老
older | 超过 早于
newer younger | 晚于
larger bigger | 大于
smaller | 小于
longer | 长于
shorter | 短于
more | 多于
less fewer | 少于
above over | 以上 高于
below | 以下 低于
before prior_to | 之前 以前 前的
after | 之后 以后 后的
since | 以来
until till | 直到
between | 之间
empty blank | 空 空的 空白
duplicate duplicated | 重复 重复的
unique distinct | 不重复
open | 未完成
closed | 已关闭
active | 活跃
hidden | 隐藏的
today | 今天 今日
tomorrow | 明天
yesterday | 昨天
now | 现在
tonight | 今晚
monday | 周一 星期一
tuesday | 周二 星期二
wednesday | 周三 星期三
thursday | 周四 星期四
friday | 周五 星期五
saturday | 周六 星期六
sunday | 周日 星期日 星期天
daily every_day | 每天 每日
weekly every_week | 每周
monthly every_month | 每月
morning | 早上
evening | 晚上
again once_more | 再次 再一次
also too as_well | 也 还
and plus | 和 与 以及 并 并且 及
or | 或 或者
then afterwards | 然后 接着 之后再 再
if when whenever unless | 如果 当 要是 假如
why | 为什么 为何
how | 怎么 如何 怎样
whether | 是否 有没有 是不是
where | 哪里 在哪
who | 谁
ascending | 升序
descending | 降序
"""

UNITS = """
second seconds sec secs s | 秒 秒钟
minute minutes min mins | 分钟
hour hours hr hrs h | 小时 个小时 钟头
day days | 天 日
week weeks | 周 星期 个星期 礼拜
month months | 月 个月
year years | 年
byte bytes | 字节
kb kilobyte kilobytes kib k |
mb megabyte megabytes mib m |
gb gigabyte gigabytes gib g |
tb terabyte terabytes tib |
percent % | 百分之
pixel pixels px | 像素
cm centimetres centimeters | 厘米
mm millimetres millimeters | 毫米
metre metres meter meters | 米
km kilometres kilometers | 公里 千米
mile miles | 英里
inch inches | 英寸
kg kilo kilos kilogram kilograms | 公斤 千克
gram grams | 克
degree degrees ° | 度
celsius ℃ | 摄氏度
fahrenheit ℉ | 华氏度
euro euros eur € | 欧元
dollar dollars usd $ | 美元
pound pounds gbp £ | 英镑
yuan rmb cny ¥ | 元 块 块钱 人民币
time times | 次 遍
piece pieces pcs | 件
"""

PLACES = {  # what stands before a value, and what it says about it
    **dict.fromkeys(("in", "inside", "within", "on", "of", "at", "under", "在"), "in"),
    **dict.fromkeys(("to", "into", "onto", "到", "至", "进", "往", "到了"), "to"),
    **dict.fromkeys(("from", "off", "从", "自"), "from"),
    **dict.fromkeys(("as", "成", "为", "成为", "作为", "叫", "叫做"), "to"),
    **dict.fromkeys(("with", "using", "用", "使用"), "with"),
    **dict.fromkeys(("for", "给", "替"), "for"),
    **dict.fromkeys(("by", "按", "按照", "由"), "by"),
    **dict.fromkeys(("than", "比"), "than"),
}
MAKES = ("成", "为", "到", "至")  # a Chinese verb that ends so says what comes of it: "to"
BEHIND = (
    "里面",
    "里边",
    "当中",
    "中的",
    "里的",
    "下面",
    "下的",
    "上的",
    "里",
    "中",
    "下",
    "上",
    "内",
)  # a value before them: "in"
FREE_ENGLISH = _set(
    "the a an my our your this these that those which there is are be me us all every each whole entire any its"
)
FREE_CHINESE = _set(
    "的 了 地 得 把 将 一下 请 帮 我 我的 给我 这个 那个 这 那 一共 总共 共 所有 所有的 全部 全部的 都 有 是 里 里面 中 下 上 内 个 一个 一份 哪些 什么 吧 呢 啊 来 出来 掉"
)
ASKING = _set("does do have has")  # the same, in "how many rows does it have"
SEEING = _set("what what's whats")  # questions that a procedure that only reads answers by showing
NEGATIONS = _set(
    "not no never none nothing without except excluding exclude but unless instead only dont don't doesn't didn't isn't aren't"
    " won't can't cannot nor neither besides apart other rather"
)
NEGATIONS_CHINESE = (
    "不",
    "没",
    "别",
    "未",
    "勿",
    "莫",
    "无",
    "除了",
    "除",
    "以外",
    "之外",
    "只",
    "仅",
    "而非",
    "非",
    "禁止",
)
LABELS = _set("file folder directory named called number path 文件 文件夹 目录 名为 名叫")


@cache
def groups(table: str) -> dict[str, frozenset[str]]:
    """Each word of a table with the things that it may mean; a thing is called by the first word of its line.

    Words of several parts are written with blanks: "get rid of".
    """
    found: dict[str, frozenset[str]] = {}
    for line in table.strip().splitlines():
        words = [word.replace("_", " ") for word in line.split() if word != "|"]
        for word in words:
            found[word] = found.get(word, frozenset()) | {words[0]}
    return found


@cache
def meanings() -> dict[str, frozenset[str]]:
    """Each known word with what it may mean: "v:delete" to do, "o:file" a thing, "t:older" what turns a meaning, "u:day"."""
    found: dict[str, frozenset[str]] = {}
    for mark, table in (("v", VERBS), ("o", THINGS), ("t", TURNS), ("u", UNITS)):
        for word, things in groups(table).items():
            found[word] = found.get(word, frozenset()) | {f"{mark}:{thing}" for thing in things}
    return found


@cache
def phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The English words of several parts by their first part, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for word in meanings():
        parts = tuple(word.split(" "))
        if len(parts) > 1:
            found.setdefault(parts[0], []).append(parts)
    return {first: tuple(sorted(several, key=len, reverse=True)) for first, several in found.items()}


@cache
def chinese_words() -> frozenset[str]:
    """All Chinese words of the tables, for cutting a sentence into words."""
    known = {word for word in meanings() if not word.isascii()}
    return frozenset({*known, *FREE_CHINESE, *(word for word in PLACES if not word.isascii()), *BEHIND})


def stem(word: str) -> str:
    """A word without the endings of plurals and forms of verbs; short ones as they are."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + instead
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def roots(word: str) -> str:
    """A stem for looking up: also without -ing, -ed, -er, -ion, so that more is found (it decides nothing)."""
    word = stem(word)
    for ending in ("ation", "ing", "ion", "ed", "er", "al", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def meaning(word: str) -> frozenset[str]:
    """What a lower-case word may mean: things of the tables, else the word itself without its ending."""
    known = meanings()
    base = stem(word)
    found = known.get(word, frozenset()) | frozenset(
        thing
        for thing in known.get(base, frozenset())
        if not thing.startswith("v:")  # "deletes" is no order to delete
    )
    if found and not any(thing.startswith("v:") for thing in found):
        return found
    return found | {f"w:{base}"}  # a verb may be a noun too: "log", "logs"


def is_verb(things: frozenset[str]) -> bool:
    """True when a word may be something to do."""
    return any(thing.startswith("v:") for thing in things)


def chinese_cut(text: str, more: frozenset[str] = frozenset()) -> Iterator[str]:
    """A run of Chinese characters cut into known words, the longest first; what is not known stays together."""
    known = chinese_words()
    unknown, at = "", 0
    while at < len(text):
        size = next(
            (
                n
                for n in range(min(8, len(text) - at), 0, -1)
                if text[at : at + n] in known or text[at : at + n] in more
            ),
            0,
        )
        if not size:
            unknown += text[at]
            at += 1
            continue
        if unknown:
            yield unknown
            unknown = ""
        yield text[at : at + size]
        at += size
    if unknown:
        yield unknown
