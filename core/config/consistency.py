"""Settings of the nightly check whether equal questions still get equal answers."""

from dataclasses import dataclass

from core.config.setting import one_of, setting, within


@dataclass(frozen=True, kw_only=True)
class ConsistencySettings:
    """When past questions are asked again, and how many; see `core.replay.consistency`."""

    consistency: str = setting(
        "CITEBOUND_CONSISTENCY",
        "on",
        "`on`: past questions are asked again each night, and officers hear of answers that"
        " contradict each other; `off`",
        check=one_of("on", "off"),
    )
    consistency_hour: int = setting(
        "CITEBOUND_CONSISTENCY_HOUR",
        2,
        "Hour (UTC) from which that happens, 0 to 23",
        check=within(0, 23),
    )
    consistency_sample: int = setting(
        "CITEBOUND_CONSISTENCY_SAMPLE",
        20,
        "Questions that are asked again in a night, 1 to 500",
        check=within(1, 500),
    )
    consistency_budget_usd: float | None = setting(
        "CITEBOUND_CONSISTENCY_BUDGET_USD",
        None,
        "USD that this may cost per night, 0.01 to 1000; unset: questions are not asked again if"
        " answers cost money",
        check=within(0.01, 1_000),
    )
    """Embeddings of Voyage are not counted, but take a budget, too."""
