"""Questions of working life that a corpus may be silent about: near its subject, and unanswerable.

One is asked of a corpus in which none of its telling words stands, in any form.
"""

from collections.abc import Collection, Iterator

from core.language.content_words import content_words

TOPICS: tuple[tuple[str, str], ...] = (
    ("How many days of paternity leave do I get?", "paternity"),
    ("Do I get a jubilee bonus after ten years with the company?", "jubilee anniversary"),
    ("Is there a works canteen subsidy for lunch?", "canteen subsidy"),
    ("May I bring my dog to the office?", "dog dogs pets"),
    ("How much does the company pay towards a gym membership?", "gym fitness"),
    ("Do we get shares at a discount in the employee share plan?", "shares share stock equity"),
    ("How long is the probation period for new hires?", "probation probationary"),
    ("What is the notice period if I resign?", "resign resignation"),
    ("Is there a dress code in the office?", "dress clothing"),
    ("Can I lease a bicycle through the company?", "bicycle bike"),
    ("Who pays for my relocation if I move for the job?", "relocation"),
    ("Can I take a sabbatical of six months?", "sabbatical"),
    ("Does the company pay for a language course?", "language"),
    ("How much is the bonus for referring a friend for a job?", "referral referring refer"),
    ("Is smoking allowed on the balcony?", "smoking smoke tobacco"),
    ("Do I get paid for overtime at the weekend?", "overtime"),
    ("Where can I park an electric car, and is charging free?", "parking park"),
    ("Does the company contribute to a nursery place for my child?", "nursery childcare daycare"),
    ("Can I have a standing desk?", "standing desk ergonomic"),
    ("When is my salary paid each month?", "salary salaries payroll wage wages"),
    ("How do I join the company pension scheme?", "pension retirement"),
    ("Am I insured on the way to work?", "insured insurance"),
    ("Can I take unpaid leave to care for my parents?", "unpaid"),
    ("Do I get a day off for moving house?", "moving move"),
    ("May I carry holiday over into next year?", "holiday holidays vacation"),
    ("Who represents employees on the works council?", "council union"),
    ("Do apprentices get their travel to college paid?", "apprentices apprentice college"),
    ("How do I claim for new glasses?", "glasses eyesight optician"),
    ("Is there a quota for women on the board?", "quota"),
    ("Can volunteers take paid days for charity work?", "volunteers volunteering volunteer"),
)
"""A question, and the words that would show that something is said about it."""


def unanswered_topics(said: Collection[str]) -> Iterator[str]:
    """Yield the questions about topics that no text speaks of.

    Args:
        said: The stems of all words of the corpus.
    """
    for question, telling in TOPICS:
        if content_words(telling).isdisjoint(said):
            yield question
