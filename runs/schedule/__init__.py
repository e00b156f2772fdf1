"""Run things at set times: jobs, their due times, and the ledger of what became of each
(docs/schedules.md)."""
