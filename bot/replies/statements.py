"""The words of an answer as people read them: each statement of a paragraph in a line of its own.

What is stored joins statements of one policy to a paragraph; only where the lines break is ours.
"""

from collections.abc import Iterator, Sequence

from core.agent.reply.text_blocks import BULLET, ListBlock, blocks
from core.domain.answer import Answer


def laid_out(answer: Answer) -> str:
    """Return the text of an answer with the statements of a paragraph as a list.

    A paragraph of one statement stays one, and so does what is no statement.
    """
    claims = [
        f"{claim.text} {''.join(f'[{number}]' for number in claim.numbers)}"
        for claim in answer.claims
    ]
    told: list[str] = []
    for block in blocks(answer.text):
        if isinstance(block, ListBlock):
            # What introduces it stands right above it.
            part, joint = "\n".join(f"{BULLET}{item}" for item in block.items), "\n"
        else:
            part, joint = _listed(list(_statements(block.text, claims))), "\n\n"
        told += [joint, part] if told else [part]
    return "".join(told)


def _statements(paragraph: str, claims: Sequence[str]) -> Iterator[str]:
    """Yield a paragraph's statements; one that is worded otherwise than its claim stands apart."""
    begin = 0
    for said in claims:
        found = paragraph.find(said, begin)
        if found >= 0:
            yield from filter(None, [paragraph[begin:found].strip(), said])
            begin = found + len(said)
    yield from filter(None, [paragraph[begin:].strip()])


def _listed(statements: list[str]) -> str:
    if len(statements) < 2:  # noqa: PLR2004
        return "".join(statements)
    return "\n".join(f"{BULLET}{one}" for one in statements)
