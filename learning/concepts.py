"""Words that mean the same in a request, English and Chinese: what a wording may be said with instead.

One line of a table is one thing. Words may stand for each other in *every* procedure, unless marked with ~: those may only
support somebody's claim (learning/likeness.py), and where nobody claims anything they mean themselves (`sure`): "change" is
often "replace", but whoever changes a.txt into b.txt does not put b.txt in its place. What is close but not the same stays on
lines of its own, so that it is told apart: restore is no backup, newer is not older. Words in no table mean themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = """
delete remove erase discard get_rid_of clean_out~ clear_out~ throw_away throw_out drop~ wipe~ trash dispose_of~ clear_away~ | 删除 删掉 删 删去 清理掉~ 清掉~ 清除~ 移除 扔掉 丢掉 去掉 去除 删了 删除掉 扔进回收站
show list display show_me give_me tell_me get_me~ let_me_see see view let_me_know let_me_have~ give_us~ show_us take_a_look_at have_a_look_at look_at look_up~ | 显示 列出 列一下 列出来 看看 看一下 看 查看 给出 查一下~ 告诉 查看一下 告诉我 给我看 给我看看 打印出~ 打出~ 展示 输出~
find look_for search_for locate find_out~ search seek~ discover~ spot~ | 找 查找 寻找 搜索 找出 找到 找一下 搜一下 搜 查出~ 找一找 找一找出 查询~ 查~
count how_many how_often~ how_frequently~ how_many_times number_of_times number_of_occurrences the_number_of_times number_of count_up tally~ what_number_of~ number_of the_number_of count_of tot_up~ | 数 数一下 多少 几 数数 计数 数一数 个数 数量 统计 统计一下 统计出 有多少 有几 算算~ 几个 多少个
back_up backup make_a_backup_of take_a_backup_of create_a_backup_of make_backup_of do_a_backup_of | 备份 做个备份 做备份 备份一下
restore recover bring_back~ undelete~ | 恢复 还原
copy make_a_copy_of duplicate~ copy_over | 复制 拷贝 拷 抄 拷贝到 复制到
move transfer~ relocate shift~ | 移动 移到 移 挪到 搬到 移动到 挪 转移~ 转移到~ 挪动 挪 移至 移入 搬
rename change_the_name_of be_called~ | 重命名 改名 更名 重新命名 改名为 改名成 重新命名为 重命名为 命名为
convert transform turn~ | 转换 转成 转为 转~ 转换成 转换为 转化~ 转化为 转化成 变成 变为
create make generate produce write_up~ put_together~ report~ | 创建 新建 生成 建立 建~ 建个 制作 生成一份 生成一个 做~ 做一个 做一份 写一份~ 写成~ 整理成~
add insert~ | 添加 加上 增加~ 加~ 新增 添上 加到 加入 添加到
send | 发送 发 发给 发出
email mail | 邮寄
start launch~ | 启动
stop halt | 停止 停掉~ 停~
restart | 重启
enable | 启用
disable | 禁用 停用
install | 安装
uninstall | 卸载
open | 打开
close | 关闭 关掉~
run execute | 运行 执行
compress pack~ tar~ bundle~ pack_up~ tar_up~ | 压缩 压缩成 压缩为 压缩到 打包~ 打成包~ 打个包~
unzip unpack~ decompress~ uncompress~ expand~ | 解压 解压缩 解压到 解压至 解开~ 解包~
zip zip_up |
archive | 归档 归档到
extract pull_out~ take_out~ pick_out~ | 提取 抽取 提取出 抽出 取出~ 摘出~
merge combine join~ concatenate~ put_together~ join_together~ unite~ merged~ combined~ joined~ | 合并 合并成 合并到 合并为 拼接~ 拼成~ 合成~ 连接~ 连接成~ 拼在一起~ 已合并~ 合并过~ 合并的~ 已经合并~
split split_up | 拆分 切分 分割
sort order~ arrange~ rank~ | 排序 排列~ 排个序 排好序 排好
filter select~ pick~ | 筛选 筛选出 筛出 选出~ 挑出~ 过滤~ 过滤出~
filter_out | 过滤掉 排除~ 剔除~
keep retain | 保留 留下
download fetch~ | 下载 下载到 抓取~
upload | 上传
check | 检查
verify | 验证 校验 核对~
validate |
compare diff~ | 比较 对比 对照~
replace substitute~ change~ swap~ exchange~ become~ | 替换 换成 改成~ 改为~ 替换成 替换为 替换掉 换为 换掉
update | 更新
upgrade | 升级
cancel call_off void~ annul~ abort~ | 取消
confirm | 确认
approve | 批准
reject | 拒绝
refund | 退款
return | 退货
ship dispatch~ | 发货
order place_an_order~ | 订购 下单
buy purchase | 购买 买
pay | 支付 付款
charge | 收费
calculate compute work_out determine~ figure_out~ | 计算 算 算一下 算出 求~ 求出~ 求一下~
sum_up~ add_up total~ sum sum_of~ | 求和 合计 总和 加总 总计~ 求总和 汇总~ 加起来 总数~ 总计是~
average mean~ | 平均 平均值 求平均 均值
put place~ | 放 放入~ 放到 放进~
tag label~ mark~ | 打标签 打上标签 标记~ 标记为~ 打上~ 打~ 加标签 标记~
commit | 提交
push | 推送
pull | 拉取
clone | 克隆
checkout check_out | 检出
revert undo~ | 撤销
resize | 缩放
rotate | 旋转
crop | 裁剪
translate | 翻译
summarise summarize | 总结 概括
save store~ write~ keep_a_copy~ | 保存 保存到 保存为 存 存到 存为 存成 存入 写到~ 写入~ 写进~ 另存为~
export | 导出 导出到 导出成 导出为
import | 导入
print | 打印
write save~ store~ output~ | 写 写入~ 写到 写进~ 写成 保存~ 保存到~ 存到~ 存入~
read | 读 读取
append | 追加
edit modify change~ changed~ modified~ touch~ touched~ alter~ revise~ edited~ altered~ | 修改 编辑 改动~ 改~ 改过~ 变更~ 更改~ 改了~ 动过~
changed modified | 改过 改动过
change set~ alter~ | 改~ 设置~ 设为~ 改动~
clean | 清洗
clear~ empty | 清空
clean_up~ tidy_up tidy | 清理 整理~ 打扫~ 整理好~
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
wait wait_for~ wait_until~ | 等 等待 等到~ 等候
kill terminate | 杀掉 结束~
schedule | 安排
remind | 提醒
sync synchronise synchronize | 同步
mount | 挂载
unmount | 卸下
hide | 隐藏
unhide | 取消隐藏
group group_by break_down~ | 分组 归类~
format | 格式化
truncate | 截断
deduplicate dedupe remove_duplicates remove_duplicate_lines drop_duplicates delete_duplicates delete_duplicate_lines | 去重 去重复 除重 去掉重复 去掉重复行 去除重复 去除重复行
reset | 重置
register | 注册
log | 记录
prepend | 加前缀
"""

THINGS = """
file document~ | 文件 档案~
folder directory dir subfolder~ subdirectory~ | 文件夹 目录 子文件夹~ 子目录~
image picture photo~ | 图片 照片~ 图像 相片~
video movie~ clip~ | 视频
row record~ entry~ | 行 条记录~ 记录~ 条目~ 记录行~
line | 行
column field~ | 列 字段~ 栏~ 列名
table | 表
spreadsheet | 表格 电子表格
order | 订单
customer client~ | 客户 顾客 顾客
invoice | 发票
product item~ article~ | 商品 产品
price | 价格 单价
stock~ inventory | 库存
status state~ | 状态
report | 报告 报表 报告书
repository repo | 仓库 代码仓库 版本库 代码库
branch | 分支
tag label~ | 标签
release | 发行版
version | 版本
word | 单词 词 单词数~ 词数~ 字数~
character letter~ | 字符 字~
name | 名字 名称 名 人名~
date | 日期
size | 大小
title | 标题
note | 笔记
letter | 信
contact | 联系人 联络人 联系信息~
task todo to-do | 任务 待办
meeting | 会议
photo_album album | 相册
backup | 备份
copy | 副本
extension ending~ suffix~ file_extension type~ kind~ format~ | 后缀 扩展名 后缀名 类型~ 种类~ 格式~
mail e-mail email e-mail_address~ email_address~ mail_address~ | 邮箱~ 邮件 电子邮件 邮箱地址~ 电子邮箱~ 邮件地址~ 电邮
address | 地址
result outcome | 结果
error mistake~ failure~ | 错误 出错~ 报错~
level severity~ | 级别 等级
space~ room~ disk_space storage | 空间 磁盘空间 占用空间~
commit | 提交
person people human | 人 个人
prefix | 前缀 开头~
front prefix~ beginning~ begin~ start~ | 前面 前边 前缀~ 开头~
archive zip~ zip_file~ tarball~ tar_file~ archive_file | 压缩包 压缩文件 归档文件 档案包
content contents | 内容
link~ url web_address | 链接~ 网址
job | 作业 工作~ 任务~
desk counter~ | 台
subject topic~ | 主题
language | 语言
country | 国家
city town | 城市
region area~ | 地区 区域
month | 月份
key | 键
paragraph | 段落 段
sentence | 句子
comment | 评论 注释~
heading~ header | 标头 表头 标题行~
chapter | 章
employee worker | 员工
student pupil | 学生
cost~ expense~ | 费用 花费~
time | 时间
picture_size dimension | 尺寸
duplicate double~ | 重复项
log logfile | 日志
archive | 归档包
page | 页 页面
website site~ | 网站
disk drive~ | 磁盘 硬盘
memory ram | 内存
process | 进程
program~ app application | 程序 应用 软件
computer machine~ pc | 电脑 机器 计算机
server | 服务器
user | 用户
account | 账户 帐户 账号
password | 密码
text | 文本 文字
data | 数据
value | 值 取值
amount | 金额
total | 总额
trash bin recycle_bin rubbish_bin waste_bin wastebasket trash_can recycling_bin | 回收站 废纸篓 垃圾桶 垃圾箱
"""

TURNS = """
largest biggest max maximum greatest top~ best~ from_large_to_small~ | 最大 最大的 从大到小~ 由大到小~ 最大值 最占~
smallest tiniest min minimum bottom~ worst~ from_small_to_large~ | 最小 最小的 从小到大~ 由小到大~ 最小值 倒数~
newest latest most_recent | 最新 最新的
oldest earliest~ | 最旧 最旧的 最早~ 最早的~
highest top~ largest~ biggest~ best~ from_high_to_low~ | 最高 最高的 从高到低~ 排名前~ 前~
lowest bottom~ smallest~ from_low_to_high~ | 最低 最低的 从低到高~ 倒数~
most | 最多
least fewest | 最少
first top~ | 第一~ 最前~ 前 开头~ 头~
last final~ latest~ | 最后 最后的 末尾~ 末~ 最近~ 倒数~ 尾~
large big | 大 大的
small little | 小 小的
new | 新 新的
old | 旧 旧的 老
older more_than~ nobody_touched_for~ nobody_changed_for~ nobody_used_for~ untouched_for~ unchanged_for~ | 超过 早于 多于~
newer younger | 晚于 以内 之内
larger bigger | 大于
smaller | 小于
longer | 长于
shorter | 短于
more | 多于
less fewer | 少于
above over | 以上 高于
below | 以下 低于
before prior_to | 之前 以前 前的~ 前~
after | 之后 以后 后的
since | 以来 起~ 自~ 开始~
until till | 直到
between | 之间
empty blank~ | 空 空的 空白 没有内容的
duplicate duplicated identical~ repeated same~ twice~ more_than_once~ double~ | 重复 重复的 相同~ 一样~ 相同的~ 重复行~
unique distinct without_duplicates~ without_duplicate_lines~ without_repeated_lines~ without_double_lines~ each_only_once~ only_once~ without_repeats~ | 不重复 唯一 去重后~ 不同~
open | 未完成
closed | 已关闭
active | 活跃
hidden | 隐藏的
today today's current_date | 今天 今日 今天的
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
and plus~ | 和 与 以及 并 并且 及
or | 或 或者
then afterwards | 然后 接着 之后再 再
if when~ whenever~ unless~ | 如果 当~ 要是 假如
different various~ | 不同的 各不相同
reverse reversed backwards | 倒序 反向 逆序
why | 为什么 为何
how | 怎么 如何 怎样
whether | 是否 有没有 是不是
where | 哪里 在哪
who | 谁
ascending from_lowest_to_highest from_smallest_to_largest in_ascending_order | 升序 升序排列 升序排序
descending in_descending_order from_large_to_small from_high_to_low from_highest_to_lowest from_largest_to_smallest from_biggest_to_smallest | 降序 降序排列 降序排序 从大到小 从高到低 由高到低 由大到小
"""

UNITS = """
second seconds sec secs s | 秒 秒钟
minute minutes min mins | 分钟
hour hours hr hrs h | 小时 个小时 钟头
day days | 天 日~
week weeks | 周~ 星期~ 个星期 礼拜
month months | 月~ 个月
year years | 年
byte bytes | 字节
kb kilobyte kilobytes kib~ k~ |
mb megabyte megabytes mib~ m~ |
gb gigabyte gigabytes gib~ g~ |
tb terabyte terabytes tib~ |
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

FAMILIES = """
show find check print read
write save export output put
copy save back_up
delete clear clean_up clean empty
move put
replace change edit update
rename change replace
convert change export create save
archive zip compress create save put
unzip extract open
merge create save add put
filter extract write save copy find keep show
sort write save create rank
sum_up calculate group
count calculate group
add create register save tag put
put add rename prepend
tag add create put set
download save write
back_up copy save create put
create write save summarise
send email mail
order buy
"""  # verbs that may be said of the same task; a line per family, a verb may be of several
GENERIC_THINGS = frozenset(
    f"o:{thing}"
    for thing in (
        "file",
        "folder",
        "name",
        "text",
        "data",
        "value",
        "content",
        "table",
        "number",
        "row",
        "person",
        "time",
        "result",
        "space",
    )
)  # they say little about which task is meant
NEED = _set("need needs want wants 要 需要 想要")  # something that is to be there then
NEUTRAL_TURNS = frozenset({"t:also", "t:and"})  # what they add is looked at itself
READING_TURNS = frozenset(
    {"t:how", "t:who", "t:where", "t:whether"}
)  # questions, to what only reads
SAME_DIRECTION = {
    **dict.fromkeys(("t:largest", "t:highest", "t:most", "t:descending"), "t:up"),
    **dict.fromkeys(("t:smallest", "t:lowest", "t:least", "t:ascending"), "t:down"),
    **dict.fromkeys(("t:newest", "t:last"), "t:late"),
    **dict.fromkeys(("t:oldest",), "t:early"),
    **dict.fromkeys(("t:older", "t:before", "t:old"), "t:ago"),
    **dict.fromkeys(("t:since", "t:after"), "t:on"),
}
IDLE = _set(
    "every each such following about everything anything able else-there knows known know tell says given called named please just there's it's its one ones thing things way like that's some"
    " up out together where whose who which having has have had with get got getting let make made makes take takes taken taking"
    " put go goes going gone can could should shall would will may must begin begins start end ends using used via through"
    " into onto be been being do there exist exists contain contains containing say says hold holds"
    " 里边 来自 对于 关于 根据 以 对 跟 同 与 等 等于 于 包含 含有 含 带有 带 做 弄 搞 处理 进来 起来 出来 过来 完 要求 关系 目前 现在的 情况 东西 哪些 几 谁"
    " already currently 已经 已 每 每个 每一个 每一 每条 每种 各 各个 各种 分别"
)
NAMED_THINGS = frozenset(  # what may stand beside a path and says no more than the path does
    f"o:{thing}"
    for thing in (
        "file",
        "folder",
        "repository",
        "archive",
        "table",
        "page",
        "image",
        "spreadsheet",
        "report",
        "log",
    )
)
NUMBERS = frozenset(
    {"v:count", "v:sum up", "v:average", "v:calculate"}
)  # what comes of these is a number
QUESTIONS = _set(  # at the beginning of a request
    "who who's what what's whats which is are was were did does do am should shall will would must may might 是不是 有没有"
)
LIGHT = _set(
    "does is are was were be been do did made make take takes up use uses used have has had get where contain contains containing with that occur occurs occurring"
)


@cache
def families(things: frozenset[str]) -> frozenset[int]:
    """The numbers of the families that these things to do are of."""
    verbs = {thing[2:].replace(" ", "_") for thing in things if thing.startswith("v:")}
    lines = enumerate(FAMILIES.strip().splitlines())
    return frozenset(number for number, line in lines if verbs & set(line.split()))


@cache
def alike(things: frozenset[str]) -> frozenset[str]:
    """What may be said for these things to do: all of the families that one of them heads."""
    verbs = {thing[2:].replace(" ", "_") for thing in things if thing.startswith("v:")}
    own = [line.split() for line in FAMILIES.strip().splitlines() if line.split()[0] in verbs]
    return frozenset(f"v:{verb.replace('_', ' ')}" for line in own for verb in line)


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
MAKES = (
    "成",
    "为",
    "到",
    "至",
    "入",
    "进",
)  # a Chinese verb that ends so says what comes of it: "to"
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
    "the a an my our your this these that those which there is are be me us all whole entire any its"
    " please them they simply kindly so i i'd i'm want need would us it"
)
FREE_CHINESE = _set(
    "整个 全 全体 进行 一位 一条 一种 一些 其 其中 里头 之中 上面 让 想 要 需要 哪个 哪 哪几个 它 它的 呀 嘛 了吧 的 了 地 得 把 将 一下 请 帮 我 我的 给我 这个 那个 这 那 一共 总共 共 所有 所有的 全部 全部的 都 有 是 里 里面 中 下 上 内 个 一个 一份 哪些 什么 吧 呢 啊 来 出来 掉"
)
ALIKE = (  # words for one place; before anything else each of them says something of its own
    (("path", "file", "url"), _set("in inside within under of on at")),
    (("quoted", "bare", "name", "code", "enum", "email"), _set("in inside within of")),
)
EMPTIES = _set(
    "clean_out clear_out clear_away wipe 清理掉 清掉 清除"
)  # said of things, "delete"; of a folder itself, not
SIZES = frozenset({"u:kb", "u:mb", "u:gb", "u:tb", "u:byte"})
ABOVE = _set(
    "over above more_than exceeding larger_than bigger_than 超过 大于 高于 多于"
)  # before a size: the same
BELOW = _set("under below less_than smaller_than 小于 低于 少于 不到")
KINDS_BY_ENDING = {  # a thing, and the endings that say it too
    "o:image": _set("jpg jpeg png gif webp bmp tif tiff svg heic"),
    "o:video": _set("mp4 mkv mov avi webm"),
    "o:archive": _set("zip tar gz tgz xz bz2 7z"),
    "o:spreadsheet": _set("xlsx xls ods"),
    "o:log": _set("log"),
}
PAST = _set("was were did had been")
ASKING = _set("does do have has was were been had did")  # the same, in "how many rows does it have"
SEEING = _set(
    "what what's whats find check get look_up wish know see view"
)  # questions that a procedure that only reads answers by showing
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
    return _listed(table)[0]


@cache
def _listed(table: str) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """All words of a table with their things, and those marked with ~ with the things that they are not sure to mean."""
    found: dict[str, frozenset[str]] = {}
    unsure: dict[str, frozenset[str]] = {}
    for line in table.strip().splitlines():
        words = [word.replace("_", " ") for word in line.split() if word != "|"]
        thing = words[0].removesuffix("~")
        for marked in words:
            word = marked.removesuffix("~")
            found[word] = found.get(word, frozenset()) | {thing}
            if marked != word:
                unsure[word] = unsure.get(word, frozenset()) | {thing}
    return found, unsure


ENDINGS = _set(
    "到 为 成 至 进 入 在 好 一下 出 出来 掉 完 起来 下来"
)  # of a Chinese verb, which stays the same


@cache
def meanings() -> dict[str, frozenset[str]]:
    """Each known word with what it may mean: "v:delete" to do, "o:file" a thing, "t:older" what turns a meaning, "u:day"."""
    found: dict[str, frozenset[str]] = {}
    for mark, table in (("v", VERBS), ("o", THINGS), ("t", TURNS), ("u", UNITS)):
        for word, things in groups(table).items():
            found[word] = found.get(word, frozenset()) | {f"{mark}:{thing}" for thing in things}
    for word, things in groups(VERBS).items():
        if not word.isascii() and len(word) > 1:
            for ending in ENDINGS:
                found.setdefault(word + ending, frozenset(f"v:{thing}" for thing in things))
    return found


@cache
def _unsure() -> dict[str, frozenset[str]]:
    """Each marked word with what it does not mean in every procedure."""
    found: dict[str, frozenset[str]] = {}
    for mark, table in (("v", VERBS), ("o", THINGS), ("t", TURNS), ("u", UNITS)):
        for word, things in _listed(table)[1].items():
            found[word] = found.get(word, frozenset()) | {f"{mark}:{thing}" for thing in things}
    listed = groups(VERBS)
    for word in [each for each in found if not each.isascii() and len(each) > 1]:
        for ending in ENDINGS:
            if word + ending not in listed:
                found.setdefault(word + ending, found[word])
    return found


@cache
def sure(word: str) -> frozenset[str]:
    """What a lower-case word means in every procedure; itself, when the tables only say what it may mean."""
    may_mean = meaning(word)
    unsure = _unsure().get(word, frozenset()) | _unsure().get(stem(word), frozenset())
    return may_mean - unsure | {f"w:{stem(word)}"} if may_mean & unsure else may_mean


@cache
def phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The English words of several parts by their first part, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for word in meanings():
        parts = tuple(word.split(" "))
        if len(parts) > 1:
            found.setdefault(parts[0], []).append(parts)
    return {
        first: tuple(sorted(several, key=len, reverse=True)) for first, several in found.items()
    }


@cache
def chinese_words() -> frozenset[str]:
    """All Chinese words of the tables, for cutting a sentence into words."""
    known = {word for word in meanings() if not word.isascii()}
    return frozenset(
        {*known, *FREE_CHINESE, *(word for word in PLACES if not word.isascii()), *BEHIND}
    )


def stem(word: str) -> str:
    """A word without the endings of plurals and forms of verbs; short ones as they are."""
    for ending, instead in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
    ):
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
