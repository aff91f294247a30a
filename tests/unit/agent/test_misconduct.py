"""A report of misconduct is told from a question about the rules."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.conversation.misconduct import is_report
from evals.measuring.questions import LabelledQuestion, load_questions

SAMPLES = Path(__file__).parents[3] / "samples" / "questions"

REPORTS = """\
That is exactly what our team lead did to me.
My manager takes cash from hauliers. I saw it. What should I do?
My boss keeps touching me.
I am being bullied by my team lead.
I think my colleague is stealing pallets.
Our accountant has been faking invoices for months.
I was demoted after I reported my supervisor.
My supervisor told me to backdate the contract.
Peter from dispatch is selling customer data on the side.
I witnessed my director accepting a bribe from a supplier.
A colleague makes racist jokes about me and won't stop.
My manager is threatening to fire me because I complained.
Someone in my team is falsifying timesheets.
I've been harassed by a customer.
I feel discriminated against because of my age.
She keeps making comments about my body.
What can I do? My manager is harassing me.
I found out that our buyer gets kickbacks.
my boss asked me to destroy evidence
I was fired after I complained about safety.
He hit me.
They forced me to sign a false report.
My boss gropes the interns.
My coworker sexually assaulted me.
I want to report my manager for bullying.
I want to report that my colleague stole money.
I would like to report a colleague.
I suspect our buyer of fraud.
Is it okay that my manager takes bribes?
How do I report my manager who is bullying me?
My manager is fiddling his expenses.
Anna from finance pays herself bonuses nobody approved.
The head of purchasing hides that his wife's company gets our orders. I am sure of it.
We get shouted at by our dispatcher every day.
Hi, my boss threatened me if I say a word.
I took money from the till.
My manager asked me to bribe an official, and I want to report him.
My manager touched my knee in a meeting.
Someone in finance pays fake invoices.
I\u2019m being harassed. Who can help?""".splitlines()
QUESTIONS = """\
What can my boss do to me?
Can my manager approve his own expenses?
Who do I tell about a bribe offer?
How do I report harassment?
May a manager accept cash?
Can I report my manager anonymously?
What happens if someone commits fraud?
What should I do if I suspect a colleague of fraud?
Who investigates when a manager is accused of bullying?
My manager wants me to book business class. Is that allowed?
My boss is on holiday. Who approves my expenses?
My colleague is leaving. Must they return their laptop?
A supplier offered me a gift. May I keep it?
My wife's company wants to supply us. Do I have to declare it?
My brother works for a competitor. Must I tell anyone?
I lost my laptop. Whom do I tell?
My laptop was stolen. What do I do?
Someone has stolen my laptop. What do I do?
I have been asked to sign the code of conduct. By when?
We have been working from home. How many days are allowed?
I think I sent an email with personal data to the wrong person. What now?
What is bribery?
What counts as harassment?
Does the policy protect people who report fraud?
Is retaliation against a whistleblower forbidden?
What if my manager retaliates after a report?
Are contractors covered by the anti-harassment rules?
Do I have to report a colleague who takes bribes?
My boss keeps asking for receipts. What do I need?
A customs officer asked me for a facilitation payment. What must I do?
The auditor has been asking for records. How long must we keep them?
Our driver has been given cash by a customer as a tip. Can he keep it?
How is fraud investigated?
May my manager read my emails?
We have been sent a fake invoice. What do we do?
Should I tell my manager that I was offered a bribe?
My manager has been asked for a bribe by a customs officer. What must he do?
They are taking goods out of the warehouse; what papers are needed?
If my manager takes bribes, whom do I tell?
Hello, what if our buyer takes bribes?
I was offered a bribe by a supplier. What now?
My colleague told me about the harassment training. Is it mandatory?
Must I report that I took part in a lottery?
An employee leaked data by mistake. What is the deadline?
The driver hit a gate with the truck. Who do I report it to?
After I reported a data breach I was told to wait. How long?
I saw that the policy on bribery has been updated. Since when?""".splitlines()


@pytest.mark.parametrize("text", REPORTS)
def test_a_report_is_recognised(text: str) -> None:
    """Somebody's misconduct, or harm that the asker suffered, is a report."""
    assert is_report(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_about_the_rules_is_no_report(text: str) -> None:
    """A question in general terms, or about an everyday matter, is answered."""
    assert not is_report(text)


def labelled() -> list[LabelledQuestion]:
    """Return the sample questions that rules may be written for."""
    names = ("dev", "dev2", "train")
    return [one for name in names for one in load_questions(SAMPLES / f"{name}.jsonl")]


def test_the_samples_are_told_apart() -> None:
    """Every sensitive question of the samples is a report, and none of the others is."""
    questions = labelled()
    assert sum(one.kind == "sensitive" for one in questions) >= 20
    mistaken = [one.id for one in questions if is_report(one.question) != (one.kind == "sensitive")]
    assert mistaken == []


@pytest.mark.parametrize("text", REPORTS[:5])
def test_a_report_stays_one_in_any_layout(text: str) -> None:
    """Line breaks and typographic apostrophes change nothing."""
    assert is_report(text.replace(" ", "\n").replace("'", "\u2019"))


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Reading never raises."""
    assert is_report(text) in {True, False}
