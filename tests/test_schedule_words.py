"""Check what a time in words means, English and Chinese; and what a job's file may hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from runs.schedule.due import coming
from runs.schedule.jobs import JobError, job_of
from runs.schedule.words import read_when

NOW = datetime(2026, 11, 22, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday


def daily(*times: str, repeat: str = "daily", **more: Any) -> dict[str, Any]:
    return {"schedule": ",".join(times), "repeat": repeat, **more}


def at(day: str, time: str) -> dict[str, Any]:
    return {"at": f"2026-{day}T{time}:00+01:00"}


MEANT: list[tuple[str, dict[str, Any]]] = [
    ("every weekday 08:00", daily("08:00", repeat="weekday")),
    ("weekdays at 8am", daily("08:00", repeat="weekday")),
    ("every day at 8 and 20", daily("08:00", "20:00")),
    ("every day at 8:30pm", daily("20:30")),
    ("every morning at 7", daily("07:00")),
    ("every evening at 8", daily("20:00")),
    ("every day at noon", daily("12:00")),
    ("at 8 every day", daily("08:00")),
    ("every morning", daily("09:00")),
    ("every other friday", daily("09:00", repeat="every_2w", on="fri")),
    (
        "every 2 weeks on monday and thursday at 9:30",
        daily("09:30", repeat="every_2w", on=["mon", "thu"]),
    ),
    ("mondays and fridays at 10", daily("10:00", repeat="weekly", on=["mon", "fri"])),
    ("monday to friday at 7:15", daily("07:15", repeat="weekday")),
    ("every other day at 8", daily("08:00", repeat="every_2d")),
    ("on the 1st of every month at 9", daily("09:00", repeat="monthly", on=1)),
    ("the last day of each month", daily("09:00", repeat="monthly", on="last")),
    ("first monday of every month at 9", {"cron": "0 9 * * 1#1"}),
    ("the last friday of the month at 17:00", {"cron": "0 17 * * 5L"}),
    ("every year on 24 december at 9", {"cron": "0 9 24 12 *"}),
    ("every two hours", {"repeat": "every_2h"}),
    ("hourly", {"repeat": "every_1h"}),
    ("every 15 minutes", {"repeat": "every_15m"}),
    ("every half hour", {"repeat": "every_30m"}),
    ("every 2 hours from 8 to 18", {"cron": "0 8,10,12,14,16,18 * * *"}),
    ("in 20 minutes", at("11-22", "14:50")),
    ("in half an hour", at("11-22", "15:00")),
    ("in 1 hour and 30 minutes", at("11-22", "16:00")),
    ("tomorrow at 9", at("11-23", "09:00")),
    ("next friday at 10", at("11-27", "10:00")),
    ("on 24 december at 18:00", at("12-24", "18:00")),
    ("2026-12-24T18:00", {"at": "2026-12-24T18:00:00"}),
    ("2026-12-24 18:00", {"at": "2026-12-24T18:00:00"}),
    ("0 8 * * 1-5", {"cron": "0 8 * * 1-5"}),
    ("0 8 * * MON-FRI", {"cron": "0 8 * * MON-FRI"}),
    ("@daily", {"cron": "0 0 * * *"}),
    ("every day 08:00 Asia/Shanghai", {"timezone": "Asia/Shanghai", **daily("08:00")}),
    ("after backup", {"after": "backup"}),
    ("at 9", at("11-23", "09:00")),
    ("18:00", at("11-22", "18:00")),
    ("tomorrow evening", at("11-23", "19:00")),
    ("a week from now", at("11-29", "14:30")),
    ("in 3 days at 14:00", at("11-25", "14:00")),
    ("every midnight", daily("00:00")),
    ("每天早上8点", daily("08:00")),
    ("每天晚上8点半", daily("20:30")),
    ("每晚9点", daily("21:00")),
    ("每天早上八点和晚上八点", daily("08:00", "20:00")),
    ("每个工作日 08:00", daily("08:00", repeat="weekday")),
    ("每週一三五早上９點", daily("09:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("每周一、周三、周五 9:00", daily("09:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("每星期五下午3点半", daily("15:30", repeat="weekly", on="fri")),
    ("每隔两小时", {"repeat": "every_2h"}),
    ("每半小时", {"repeat": "every_30m"}),
    ("每隔一天早上8点", daily("08:00", repeat="every_2d")),
    ("每月最后一天", daily("09:00", repeat="monthly", on="last")),
    ("每月1号和15号", daily("09:00", repeat="monthly", on=[1, 15])),
    ("每月第一个周一9点", {"cron": "0 9 * * 1#1"}),
    ("每年12月24日", {"cron": "0 9 24 12 *"}),
    ("隔周周五", daily("09:00", repeat="every_2w", on="fri")),
    ("每天8点到18点每2小时", {"cron": "0 8,10,12,14,16,18 * * *"}),
    ("20分钟后", at("11-22", "14:50")),
    ("两个半小时后", at("11-22", "17:00")),
    ("明天早上8点", at("11-23", "08:00")),
    ("今晚8点", at("11-22", "20:00")),
    ("在 backup 之后", {"after": "backup"}),
    ("三天后下午两点", at("11-25", "14:00")),
    ("8点", at("11-23", "08:00")),
    ("明天中午", at("11-23", "12:00")),
    ("今晚", at("11-22", "20:00")),
    ("明天半夜", at("11-24", "00:00")),
    ("隔天早上8点", daily("08:00", repeat="every_2d")),
    ("隔周五", daily("09:00", repeat="every_2w", on="fri")),
    ("每周二和周四10点", daily("10:00", repeat="weekly", on=["tue", "thu"])),
    ("每周一15点", daily("15:00", repeat="weekly", on="mon")),
    ("every single day at noon", daily("12:00")),
    ("M-F at 9", daily("09:00", repeat="weekday")),
    ("every Mon Wed Fri at 7", daily("07:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("every Tue/Thu at 5pm", daily("17:00", repeat="weekly", on=["tue", "thu"])),
    ("every second Tuesday of the month at 9", {"cron": "0 9 * * 2#2"}),
    (
        "every 1st of the month, 06:00 UTC",
        {"timezone": "UTC", **daily("06:00", repeat="monthly", on=1)},
    ),
    ("on the 1st and 15th at 10am", daily("10:00", repeat="monthly", on=[1, 15])),
    ("last working day of the month at 16:00", {"cron": "0 16 LW * *"}),
    ("end of every quarter", {"cron": "0 9 L 3,6,9,12 *"}),
    ("every January 1st at midnight", {"cron": "0 0 1 1 *"}),
    ("every first of may", {"cron": "0 9 1 5 *"}),
    ("every hour on the hour", {"cron": "0 * * * *"}),
    ("every hour on the half hour", {"cron": "30 * * * *"}),
    ("every hour at 15 past", {"cron": "15 * * * *"}),
    ("at quarter past every hour", {"cron": "15 * * * *"}),
    ("every 2 hours on the half hour", {"cron": "30 0,2,4,6,8,10,12,14,16,18,20,22 * * *"}),
    ("every 4 hours starting at 6am", {"cron": "0 2,6,10,14,18,22 * * *"}),
    ("twice daily at 9am and 9pm", daily("09:00", "21:00")),
    (
        "every weekday at 8am New York time",
        {"timezone": "America/New_York", **daily("08:00", repeat="weekday")},
    ),
    ("every night at 12", daily("00:00")),
    ("every night at 3", daily("03:00")),
    ("every night at 24:00", daily("00:00")),
    ("every day at 7 in the morning and 8 in the evening", daily("07:00", "20:00")),
    ("every morning at 7 and every evening at 8:30", daily("07:00", "20:30")),
    ("every morning and evening", daily("09:00", "19:00")),
    ("every evening at 8 and 10", daily("20:00", "22:00")),
    ("tomorrow at 15:30", at("11-23", "15:30")),
    ("天天早上8点", daily("08:00")),
    ("逢周三上午10点", daily("10:00", repeat="weekly", on="wed")),
    ("周一周三周五9点", daily("09:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("每周1、3、5 9点", daily("09:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("每周1-5 早上8点", daily("08:00", repeat="weekday")),
    ("每周五一次", daily("09:00", repeat="weekly", on="fri")),
    ("每周一三五九点", daily("09:00", repeat="weekly", on=["mon", "wed", "fri"])),
    ("一天三次，8点、12点和18点", daily("08:00", "12:00", "18:00")),
    ("每月最后一个工作日下午五点", {"cron": "0 17 LW * *"}),
    ("每个季度末", {"cron": "0 9 L 3,6,9,12 *"}),
    ("每个小时整点", {"cron": "0 * * * *"}),
    ("每小时第15分钟", {"cron": "15 * * * *"}),
    ("每4小时从6点开始", {"cron": "0 2,6,10,14,18,22 * * *"}),
    ("每天东京时间9点", {"timezone": "Asia/Tokyo", **daily("09:00")}),
    ("每天正午", daily("12:00")),
    ("每天夜里2点", daily("02:00")),
    ("每天晚上1点", daily("01:00")),
    ("每天半夜11点", daily("23:00")),
    ("nights at 11", daily("23:00")),
    ("weekday nights at 11", daily("23:00", repeat="weekday")),
    ("tonight at 12", at("11-23", "00:00")),
    ("每小时从9点到5点", {"cron": "0 9,10,11,12,13,14,15,16,17 * * *"}),
    ("下午三点到五点每半小时", {"cron": "*/30 15,16 * * *"}),
    ("晚上10点到早上6点每两小时", {"cron": "0 22,0,2,4,6 * * *"}),
    ("every fortnight", daily("09:00", repeat="every_2w")),
    ("every fortnight on thursday at 6pm", daily("18:00", repeat="every_2w", on="thu")),
    ("fortnightly on Mondays", daily("09:00", repeat="every_2w", on="mon")),
    ("every second tuesday at noon", daily("12:00", repeat="every_2w", on="tue")),
    ("every other wednesday at half past 8", daily("08:30", repeat="every_2w", on="wed")),
    ("every day at half past 8", daily("08:30")),
    ("every day at half past eight in the evening", daily("20:30")),
    ("weekdays at quarter to nine", daily("08:45", repeat="weekday")),
    ("every morning at a quarter past seven", daily("07:15")),
    ("daily at ten to six pm", daily("17:50")),
    ("every day at twenty past 4pm", daily("16:20")),
    ("every night at 24:00", daily("00:00")),
    ("daily at midnight", daily("00:00")),
    ("at noon on weekdays", daily("12:00", repeat="weekday")),
    ("every day at 12am", daily("00:00")),
    ("every day at 12 noon", daily("12:00")),
    ("last day of the month", daily("09:00", repeat="monthly", on="last")),
    ("at 5pm on the last day of every month", daily("17:00", repeat="monthly", on="last")),
    ("at the end of each month at 18:00", daily("18:00", repeat="monthly", on="last")),
    ("beginning of each month", daily("09:00", repeat="monthly", on=1)),
    ("first monday of each month", {"cron": "0 9 * * 1#1"}),
    ("the second and fourth saturday of every month at 11", {"cron": "0 11 * * 6#2,6#4"}),
    ("last sunday of each month at 8pm", {"cron": "0 20 * * 0L"}),
    (
        "workdays at 9 except friday",
        daily("09:00", repeat="weekly", on=["mon", "tue", "wed", "thu"]),
    ),
    (
        "every day except sunday at 7",
        daily("07:00", repeat="weekly", on=["mon", "tue", "wed", "thu", "fri", "sat"]),
    ),
    ("every day but weekends at 8", daily("08:00", repeat="weekday")),
    ("every weekday at 9 and at 17:30", daily("09:00", "17:30", repeat="weekday")),
    ("twice a day at 8 and 20", daily("08:00", "20:00")),
    ("once a week on Tuesday", daily("09:00", repeat="weekly", on="tue")),
    ("once a month on the 15th at 10", daily("10:00", repeat="monthly", on=15)),
    ("once a day at 6", daily("06:00")),
    ("quarterly at 9", {"cron": "0 9 1 1,4,7,10 *"}),
    ("every 90 minutes", {"repeat": "every_90m"}),
    ("every hour and a half", {"repeat": "every_90m"}),
    ("every hour from 9 to 5 on weekdays", {"cron": "0 9,10,11,12,13,14,15,16,17 * * 1-5"}),
    ("every 10 minutes between 9am and 5pm", {"cron": "*/10 9,10,11,12,13,14,15,16 * * *"}),
    ("tonight at half past nine", at("11-22", "21:30")),
    ("tomorrow at a quarter to eight", at("11-23", "07:45")),
    ("tomorrow at noon", at("11-23", "12:00")),
    ("in a fortnight", at("12-06", "14:30")),
    ("in an hour and a half", at("11-22", "16:00")),
    ("the day after tomorrow at 7 in the evening", at("11-24", "19:00")),
    ("Mon, Wed and Fri at 6:45am", daily("06:45", repeat="weekly", on=["mon", "wed", "fri"])),
    ("every Saturday and Sunday morning", daily("09:00", repeat="weekly", on=["sun", "sat"])),
    (
        "monday through thursday at 8",
        daily("08:00", repeat="weekly", on=["mon", "tue", "wed", "thu"]),
    ),
    ("every 3rd day at 10", daily("10:00", repeat="every_3d")),
    ("every 6 weeks on a Friday", daily("09:00", repeat="every_6w", on="fri")),
    ("the 1st and 15th of the month at midnight", daily("00:00", repeat="monthly", on=[1, 15])),
    ("every other thursday at quarter past five pm", daily("17:15", repeat="every_2w", on="thu")),
    ("twenty to seven every morning", daily("06:40")),
    ("weekdays at five to nine", daily("08:55", repeat="weekday")),
    ("fridays at half past four in the afternoon", daily("16:30", repeat="weekly", on="fri")),
    ("every fortnight on sundays at 9pm", daily("21:00", repeat="every_2w", on="sun")),
    (
        "every weekday other than wednesday at 10",
        daily("10:00", repeat="weekly", on=["mon", "tue", "thu", "fri"]),
    ),
    ("daily except saturdays and sundays at 6:30", daily("06:30", repeat="weekday")),
    ("every month on the last day at noon", daily("12:00", repeat="monthly", on="last")),
    ("the third thursday of each month at 19:30", {"cron": "30 19 * * 4#3"}),
    ("every 45 minutes", {"repeat": "every_45m"}),
    ("three times a day at 8, 13 and 18", daily("08:00", "13:00", "18:00")),
    ("twice a week on Monday and Thursday", daily("09:00", repeat="weekly", on=["mon", "thu"])),
    ("in 45 minutes", at("11-22", "15:15")),
    ("this evening at 8", at("11-22", "20:00")),
    ("every day at 7 o'clock", daily("07:00")),
    ("on weekends at eleven", daily("11:00", repeat="weekend")),
    ("every three hours", {"repeat": "every_3h"}),
    ("from 22 to 6 every hour", {"cron": "0 22,23,0,1,2,3,4,5,6 * * *"}),
    ("every quarter hour", {"repeat": "every_15m"}),
    ("每隔一天", daily("09:00", repeat="every_2d")),
    ("每两天早上七点", daily("07:00", repeat="every_2d")),
    ("每两周", daily("09:00", repeat="every_2w")),
    ("每两周一次", daily("09:00", repeat="every_2w")),
    ("每两周的周三下午四点", daily("16:00", repeat="every_2w", on="wed")),
    ("每隔一周的星期一", daily("09:00", repeat="every_2w", on="mon")),
    ("每月月底下午五点", daily("17:00", repeat="monthly", on="last")),
    ("每月最后一天晚上10点", daily("22:00", repeat="monthly", on="last")),
    ("每个月的最后一天", daily("09:00", repeat="monthly", on="last")),
    ("每月第一个周一", {"cron": "0 9 * * 1#1"}),
    ("每个月第三个星期五下午两点半", {"cron": "30 14 * * 5#3"}),
    ("每月最后一个周五18点", {"cron": "0 18 * * 5L"}),
    ("早上八点半", at("11-23", "08:30")),
    ("每天早上八点半", daily("08:30")),
    ("每天上午九点一刻", daily("09:15")),
    ("每天差一刻九点", daily("08:45")),
    ("每天八点三刻", daily("08:45")),
    ("每天中午", daily("12:00")),
    ("每天中午12点", daily("12:00")),
    ("每天半夜", daily("00:00")),
    ("每天半夜十二点", daily("00:00")),
    ("每天午夜", daily("00:00")),
    ("每天零点", daily("00:00")),
    ("每天24点", daily("00:00")),
    ("每天凌晨三点", daily("03:00")),
    ("每天傍晚六点", daily("18:00")),
    ("每天晚上十二点", daily("00:00")),
    ("工作日上午九点，周五除外", daily("09:00", repeat="weekly", on=["mon", "tue", "wed", "thu"])),
    (
        "除了周日每天早上七点",
        daily("07:00", repeat="weekly", on=["mon", "tue", "wed", "thu", "fri", "sat"]),
    ),
    ("除周末外每天八点", daily("08:00", repeat="weekday")),
    ("每周一到周四早上8点", daily("08:00", repeat="weekly", on=["mon", "tue", "wed", "thu"])),
    ("周一至周五早上6:45", daily("06:45", repeat="weekday")),
    ("每周六日上午十点", daily("10:00", repeat="weekly", on=["sun", "sat"])),
    ("每周末上午", daily("09:00", repeat="weekend")),
    ("每天早晚八点", daily("08:00", "20:00")),
    ("每天一次，早上六点", daily("06:00")),
    ("每月十五号上午十点", daily("10:00", repeat="monthly", on=15)),
    ("每月1日、15日零点", daily("00:00", repeat="monthly", on=[1, 15])),
    ("每季度第一天早上9点", {"cron": "0 9 1 1,4,7,10 *"}),
    ("每一个半小时", {"repeat": "every_90m"}),
    ("每90分钟", {"repeat": "every_90m"}),
    ("每隔三天上午10点", daily("10:00", repeat="every_3d")),
    ("每三周周五", daily("09:00", repeat="every_3w", on="fri")),
    ("工作日九点到十七点每小时", {"cron": "0 9,10,11,12,13,14,15,16,17 * * 1-5"}),
    ("上午九点到下午五点之间每10分钟", {"cron": "*/10 9,10,11,12,13,14,15,16 * * *"}),
    ("今晚九点半", at("11-22", "21:30")),
    ("明早七点三刻", at("11-23", "07:45")),
    ("后天晚上七点", at("11-24", "19:00")),
    ("两周后", at("12-06", "14:30")),
    ("一个半小时后", at("11-22", "16:00")),
    ("每逢周三晚上八点", daily("20:00", repeat="weekly", on="wed")),
    ("每隔一周的周四下午五点一刻", daily("17:15", repeat="every_2w", on="thu")),
    ("每天早上六点四十", daily("06:40")),
    ("工作日八点五十五", daily("08:55", repeat="weekday")),
    ("每周五下午四点半", daily("16:30", repeat="weekly", on="fri")),
    ("每两周周日晚上九点", daily("21:00", repeat="every_2w", on="sun")),
    ("除了周三，每个工作日十点", daily("10:00", repeat="weekly", on=["mon", "tue", "thu", "fri"])),
    ("每天六点半，周末除外", daily("06:30", repeat="weekday")),
    ("每月最后一天中午", daily("12:00", repeat="monthly", on="last")),
    ("每月第三个周四晚上七点半", {"cron": "30 19 * * 4#3"}),
    ("每四十五分钟", {"repeat": "every_45m"}),
    ("每天三次，8点、13点和18点", daily("08:00", "13:00", "18:00")),
    ("每周两次，周一和周四", daily("09:00", repeat="weekly", on=["mon", "thu"])),
    ("四十五分钟后", at("11-22", "15:15")),
    ("今天晚上八点", at("11-22", "20:00")),
    ("每天七点整", daily("07:00")),
    ("周末十一点", daily("11:00", repeat="weekend")),
    ("每三个小时", {"repeat": "every_3h"}),
    ("每刻钟", {"repeat": "every_15m"}),
    ("明天早上差五分八点", at("11-23", "07:55")),
    ("每天下午五点差十分", daily("16:50")),
]
NOT_MEANT = (
    "biweekly on friday at 10",
    "end of the month",
    "first weekday of the month",
    "every day except the 1st",
    "twice a day",
    "three times a week",
    "every leap year",
    "every 2 hours on the last Friday of each month",
    "last Friday of the month from 9 to 17",
    "weekdays from 9 to 5",
    "every day from 9 to 17",
    "at 3",
    "Wednesday at 3",
    "tonight at 3",
    "every Wednesday at 3",
    "in 2 days at 5",
    "tomorrow at 4:30",
    "every morning at 12",
    "every 3 months",
    "every other month on the 1st",
    "every day starting at 6",
    "every 5 hours starting at 6",
    "every 10 minutes starting at 6am",
    "every day at 15 past",
    "after 6pm and before 8",
    "when it rains",
    "every full moon",
    "fridays at 24:00",
    "every day from 8:30 to 17 every hour",
    "every couple of hours",
    "月底",
    "月初",
    "每月初一早上九点",
    "每月第一个工作日",
    "每天两次",
    "每天9点到17点",
    "三点",
    "每周一三点",
    "周五四点",
    "今晚3点",
    "明天五点半",
    "每天早上12点",
    "每天早上9点和3点",
    "每半年",
    "每周三次",
    "每天25点",
    "下雨的时候",
    "每周五24点",
    "每隔几个小时",
)


@pytest.mark.parametrize(("said", "meant"), MEANT)
def test_a_time_in_words_means_one_thing(said: str, meant: dict[str, Any]) -> None:
    keys = read_when(said, NOW, "Europe/Berlin")
    assert keys == meant
    job = job_of("job", {"timezone": "Europe/Berlin", **keys, "prompt": "p"})
    assert job.after or coming(job, NOW.astimezone(UTC), NOW.astimezone(UTC))


@pytest.mark.parametrize("said", NOT_MEANT)
def test_what_could_be_meant_in_two_ways_or_in_none_is_not_guessed(said: str) -> None:
    with pytest.raises(JobError):
        read_when(said, NOW, "Europe/Berlin")


def test_minutes_and_hours_pass_as_they_do_when_the_clocks_change() -> None:
    now = datetime(
        2026, 10, 25, 2, 50, tzinfo=ZoneInfo("Europe/Berlin")
    )  # ten minutes before three is two again
    assert read_when("in 20 minutes", now, "Europe/Berlin") == {"at": "2026-10-25T02:10:00+01:00"}
    assert read_when("in 2 days", now, "Europe/Berlin") == {"at": "2026-10-27T02:50:00+01:00"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("every day at 8 when it rains", 'understood "every day, at 8", but not "when it rains"'),
        ("every day at 25:00", "25:00"),
        ("sometimes", "says no time that is understood"),
        ("every feb 30", "day-of-month cannot be"),
        ("today 10:00", "is over: it was 2026-11-22 10:00"),
        ("2026-02-30T08:00", "no such day"),
        ("0 0 30 2 *", "day-of-month cannot be"),
        ("0 0 31 2,4 *", "day-of-month"),
        ("* * * * * *", "says no time"),
        ("every 2 hours at 8", "takes no time of the day"),
        ("after backup at 8", 'not "after backup"'),
        ("每天8点下雨的话", "下雨"),
        ("有空再说", "says no time"),
        ("20分钟后8点", "take no time of the day"),
        ("三天后每天9点", "not when or how often"),
        ("in 500000 weeks", "later than any calendar"),
        ("every day 08:00 Mars/Olympus", 'no timezone "Mars/Olympus"'),
        ("", "there is no time"),
        ("8" * 400, "300 characters"),
    ],
)
def test_what_is_not_understood_is_said(said: str, problem: str) -> None:
    with pytest.raises(JobError) as refused:
        read_when(said, NOW, "Europe/Berlin")
    assert problem in str(refused.value) and len(str(refused.value).splitlines()) <= 2


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"schedule": "08:00", "enable": False}, "Did you mean enabled?"),
        ({"schedule": "8 Uhr"}, "times of a day"),
        ({"schedule": "24:00"}, "times of a day"),
        ({"repeat": "every_0m"}, "every 0 is never"),
        ({"repeat": "fortnightly"}, "repeat must be"),
        ({"repeat": "every_2h", "schedule": "08:00, 09:00"}, "one time"),
        ({"schedule": "08:00", "repeat": "monthly", "on": 32}, "days of a month"),
        ({"schedule": "08:00", "repeat": "monthly", "on": "0"}, "days of a month"),
        ({"schedule": "08:00", "repeat": "weekly", "on": "noday"}, "weekdays"),
        ({"schedule": "08:00", "on": "fri"}, '"on"'),
        ({"schedule": "08:00", "cron": "* * * * *"}, "in one way"),
        ({}, "in one way"),
        ({"cron": "60 * * * *"}, "minute cannot be"),
        ({"cron": "0 0 * *"}, "five fields"),
        ({"at": "tomorrow"}, "date and time"),
        ({"at": "2026-12-24"}, "lacks the time"),
        ({"schedule": "08:00", "timezone": "Nowhere"}, "no timezone"),
        ({"schedule": "08:00", "enabled": "yes"}, "true or false"),
        ({"schedule": "08:00", "max_delay_hours": -1}, "0 or more"),
        ({"schedule": "08:00", "catch_up": "some"}, "latest, all, skip"),
        ({"schedule": "08:00", "limits": {"cost": 1}}, "no limit"),
        ({"schedule": "08:00", "limits": {"turns": 0}}, "above 0"),
        ({"schedule": "08:00", "session": "ours"}, "shared:ID"),
        ({"schedule": "08:00", "sop": "x"}, "what is to be done"),
        ({"schedule": "08:00", "parameters": {"a": 1}}, "belong to"),
    ],
)
def test_a_file_is_read_strictly(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError) as refused:
        job_of("job", {"prompt": "p", "timezone": "UTC", **fields})
    assert problem in str(refused.value)


def due(fields: dict[str, Any], now: str, zone: str = "Europe/Berlin") -> list[str]:
    job = job_of("job", {"prompt": "p", "timezone": zone, **fields})
    moment = datetime.fromisoformat(now).astimezone(UTC)
    return [f"{each.astimezone(job.zone):%m-%dT%H:%M%z}" for each in coming(job, moment, moment)]


def test_the_seed_format_is_read() -> None:
    fields = {
        "schedule": "08:00",
        "repeat": "daily",
        "enabled": True,
        "max_delay_hours": 6,
        "prompt": "p",
    }
    assert job_of("daily", fields, "UTC").cron == ("0 8 * * *",)


@pytest.mark.parametrize(
    ("fields", "now", "expected"),
    [
        ({"schedule": "2:30"}, "2026-03-28T12:00+01:00", ["03-29T03:00+0200", "03-30T02:30+0200"]),
        ({"schedule": "2:30"}, "2026-10-24T12:00+02:00", ["10-25T02:30+0200", "10-26T02:30+0100"]),
        ({"schedule": "2:30"}, "2026-10-25T02:15+01:00", ["10-26T02:30+0100"]),
        ({"cron": "*/30 2 * * *"}, "2026-10-25T01:00+02:00", ["10-25T02:00+0200", "10-25T02:30+0200", "10-25T02:00+0100", "10-25T02:30+0100"]),
        ({"cron": "0 9 29 2 *"}, "2026-01-01T00:00+01:00", ["02-29T09:00+0100"]),
        ({"repeat": "monthly", "on": 31}, "2026-04-01T00:00+02:00", ["05-31T09:00+0200", "07-31T09:00+0200"]),
        ({"repeat": "monthly", "on": "last"}, "2028-02-01T00:00+01:00", ["02-29T09:00+0100", "03-31T09:00+0200"]),
        ({"repeat": "weekly", "on": ["mon", "sun"]}, "2026-11-22T14:00+01:00", ["11-23T09:00+0100", "11-29T09:00+0100"]),
        ({"repeat": "every_2w", "on": "fri"}, "2026-11-22T14:00+01:00", ["11-27T09:00+0100", "12-11T09:00+0100"]),
        ({"repeat": "every_2h"}, "2026-03-29T00:30+01:00", ["03-29T03:30+0200", "03-29T05:30+0200"]),
        ({"repeat": "every_5h", "schedule": "9:15"}, "2026-11-22T14:00+01:00", ["11-22T14:15+0100", "11-22T19:15+0100", "11-23T09:15+0100"]),
        ({"repeat": "every_90m", "schedule": "21:00"}, "2026-11-22T14:00+01:00", ["11-22T21:00+0100", "11-22T22:30+0100", "11-23T21:00+0100"]),
        ({"repeat": "every_2h", "start": "2026-11-22T20:00"}, "2026-11-22T14:00+01:00", ["11-22T20:00+0100", "11-22T22:00+0100"]),
        ({"schedule": "8:00", "until": "2026-11-24"}, "2026-11-22T14:00+01:00", ["11-23T08:00+0100", "11-24T08:00+0100"]),
        ({"schedule": "20:00", "repeat": "once"}, "2026-11-22T14:00+01:00", ["11-22T20:00+0100"]),
    ],
)  # fmt: skip
def test_due_times_follow_the_clock_of_the_jobs_own_timezone(
    fields: dict[str, Any], now: str, expected: list[str]
) -> None:
    assert due(fields, now)[: len(expected)] == expected
    if fields.get("until") or fields.get("repeat") == "once":
        assert due(fields, now) == expected


def test_monday_is_one_and_sunday_is_zero_and_seven() -> None:
    for line, day in (("0 9 * * 1", "11-23"), ("0 9 * * 0", "11-29"), ("0 9 * * 7", "11-29")):
        assert due({"cron": line}, "2026-11-22T14:00+01:00")[0].startswith(day)
