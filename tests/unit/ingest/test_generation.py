"""A change of how documents are read is noticed, and told to those who have stored some."""

import hashlib
from pathlib import Path

from core.ingest import READING
from core.ingest.prepare import prepare
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument

SAMPLES = Path(__file__).parents[3] / "samples" / "policies"
READ_AS = {1: "e0272f0ce22311225106dd6bc6bf06522593f29baffca5eabfc8557656577c98"}
"""Generation -> what the samples are read as."""


def test_the_samples_are_read_as_this_generation_says() -> None:
    """If this fails, raise `core.ingest.READING`, and put the new hash in place of the old."""
    read = hashlib.sha256()
    for path in sorted(SAMPLES.glob("*.*")):
        if path.suffix == ".toml":
            continue
        prepared = prepare(path.read_bytes(), source_name=path.name)
        document = SourceDocument(
            text=prepared.document.text,
            sections=prepared.sections,
            policy_key=prepared.metadata.key,
            title=prepared.metadata.title,
            jurisdiction=prepared.metadata.jurisdiction,
        )
        read.update(extract(document).sha256())
        read.update(repr((document.text, prepared.sections, prepared.chunks)).encode())
    assert {READING: read.hexdigest()} == READ_AS
