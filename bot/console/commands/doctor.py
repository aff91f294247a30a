"""`citebound doctor`: what is set up, what is missing, how to fix it."""

import asyncio
import importlib
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from bot.console.doctor.diagnosis import Check, diagnose
from bot.console.views.safe_text import one_line
from bot.console.views.terminal import Row, Terminal, open_terminal
from bot.doctor_check import Finding, Health

EXIT_BROKEN = 3
_SUBJECT_WIDTH = 29
_SIGNS = {
    Health.FINE: ("ok", "green"),
    Health.MISSING: ("--", "yellow"),
    Health.DOUBTFUL: ("??", "yellow"),
    Health.BROKEN: ("!!", "bold red"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shows:
    """What is printed while it is found."""

    findings: bool
    defaults: bool
    """Settings that nobody has set, too."""


def run(arguments: Namespace) -> int:
    """Check everything; 3 if something is broken."""
    terminal = open_terminal()
    findings = asyncio.run(
        _collect(
            terminal,
            shows=_Shows(findings=not arguments.as_json, defaults=arguments.shows_all),
            is_live=arguments.is_live,
            surfaces=[importlib.import_module(name).check for name in arguments.surfaces],
        )
    )
    is_broken = any(finding.health is Health.BROKEN for finding in findings)
    if arguments.as_json:
        terminal.show_json({"is_fine": not is_broken, "findings": _as_json(findings)})
    else:
        unset = 0 if arguments.shows_all else sum(finding.is_default for finding in findings)
        listed = [Text(f"{unset} settings are at their defaults: --all lists them.", style="dim")]
        terminal.show(Text(), *(listed if unset else ()), _verdict(findings))
    return EXIT_BROKEN if is_broken else 0


async def _collect(
    terminal: Terminal, *, shows: _Shows, is_live: bool, surfaces: Sequence[Check]
) -> list[Finding]:
    findings: list[Finding] = []
    async for finding in diagnose(is_live=is_live, surfaces=surfaces):
        findings.append(finding)
        if shows.findings and (shows.defaults or not finding.is_default):
            terminal.show(_row(finding))
    return findings


def _row(finding: Finding) -> Row:
    sign, style = _SIGNS[finding.health]
    lines = [Text(one_line(finding.found))]
    if finding.cure:
        lines.append(Text(f"→ {one_line(finding.cure)}", style="cyan"))
    heads = (Text(sign, style=style), Text(f"{finding.subject:<{_SUBJECT_WIDTH}}"))
    return Row(heads=heads, lines=tuple(lines))


def _verdict(findings: Sequence[Finding]) -> Text:
    broken = [finding.subject for finding in findings if finding.health is Health.BROKEN]
    if broken:
        return Text(f"Broken: {', '.join(broken)}.", style="bold red")
    doubtful = [finding.subject for finding in findings if finding.health is Health.DOUBTFUL]
    missing = [finding.subject for finding in findings if finding.health is Health.MISSING]
    told = [f"Look at: {', '.join(doubtful)}."] if doubtful else []
    told += [f"Not set up: {', '.join(missing)}."] if missing else []
    if told:
        return Text(f"Works. {' '.join(told)}", style="yellow")
    return Text("Everything is set up.", style="green")


def _as_json(findings: Sequence[Finding]) -> list[dict[str, str]]:
    return [
        {
            "subject": finding.subject,
            "health": finding.health.value,
            "found": finding.found,
            "cure": finding.cure,
        }
        for finding in findings
    ]
