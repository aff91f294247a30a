"""What counts as a word, and how much it weighs: BM25 with a weak field for headings.

The weight of a term in a chunk is ``tf(k1+1) / (tf + k1(1-b + b*length/mean))`` of the text, plus
`HEADING_WEIGHT` times the same of the headings above it. A question's score is the sum of idf times
weight over its terms; idf is ``ln(1 + (N-df+.5)/(df+.5))`` (Robertson & Zaragoza 2009, with
Lucene's +1, so that it is never negative).
"""

K1 = 0.9
B = 0.6
"""As tuned for short legal passages (ObliQA dev); Anserini's defaults are .9 and .4."""
HEADING_WEIGHT = 0.2
"""R@10 .776 to .778 on ObliQA dev, at .2; headings in the text itself lose."""
CONFIGURATION = "english"
"""Text search configuration of Postgres: its parser keeps rule numbers ("4.15.12") whole."""
MAX_TERMS = 1_000
"""Terms of one chunk: what pgvector's HNSW takes, and what fits a row stored inline."""
MEAN_DRIFT = 0.1
"""Share by which the mean length may change before all chunks are weighed again."""

PLAIN_FROM = "/\u2018\u2019\u201b\u201c\u201d\u2013\u2014"
PLAIN_TO = " '''\"\"  "
"""For `translate(text, PLAIN_FROM, PLAIN_TO)`: to Postgres' parser "and/or" is a file name, and
typographic quotes and dashes are parts of words."""


def plain(text: str) -> str:
    """Return a text with the characters that mislead the parser, or that it refuses, made plain."""
    return text.translate(str.maketrans(f"{PLAIN_FROM}\0", f"{PLAIN_TO} "))


def highest_score(idf_sum: float) -> float:
    """Return the score of a chunk whose text had every term of the question without end."""
    return (K1 + 1) * idf_sum
