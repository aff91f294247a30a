"""PDF."""
from core.domain.policy import LoadedDocument
def load_pdf(data: bytes) -> LoadedDocument:
    raise NotImplementedError
