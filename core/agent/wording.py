"""What a person reads, by outcome: never an exception's text, never a bare "I don't know"."""

from core.agent.conversation.small_talk import SmallTalk
from core.domain.answer import RefusalKind

REFUSALS = {
    RefusalKind.POLICY_SILENT: "I found no answer to this in the policies that I can read here.",
    RefusalKind.NOT_FOUND: "I found no passage that answers this reliably.",
    RefusalKind.NOT_SURE: (
        "This is the closest passage that I found; it may not answer your question."
    ),
    RefusalKind.OUT_OF_SCOPE: (
        "I answer questions about the company's policies, asked in English, and this does not look"
        " like one."
    ),
    RefusalKind.NOT_PERMITTED: (
        "I answer questions of this company's own staff, and your account here is not one that may"
        " ask me. Please turn to the person at the company whom you work with."
    ),
    RefusalKind.LANGUAGE: "I can't answer in this language here.",
    RefusalKind.CONFLICT: (
        "Two policies in force contradict each other here, so I can't say which one holds."
    ),
}
"""Words of a refusal. Those of `not_permitted` are for whoever may not ask, whatever they ask."""
NOT_KNOWN = (
    "I can't find out just now whether you may ask me: the groups of this workspace can't be read."
    " Please ask again in a few minutes."
)
"""Reply to a guest whose being let in hangs on a group."""
GROUPS_UNREAD = (
    "I can't find out just now who belongs to which group, so this rests only on what everyone may"
    " read. Ask again in a few minutes if it should say more."
)
"""Note where the groups of those who read can't be told."""

UNCALIBRATED = "not yet calibrated"
"""Beside a badge that rests on coefficients which nobody fitted."""
ON_SAMPLES = "calibrated on sample policies, not on yours"
"""Beside one that rests on labelled answers about policies of others."""
URGENT = "I am not sure that this is what you ask about, but it can't wait:"
"""Above duties with a deadline of days or less, where there is no answer."""
NOTHING_SURER = "Beyond this I found no sure answer."
"""Below them."""
IF_IT_DOES_NOT = "If it does not answer your question, you can pass that on to Compliance."
"""Below the closest passage."""
ASK_A_PERSON = "You can pass the question on to Compliance."
PASSED_ON = (
    "I have passed it on to Compliance as case {number}: your words, without your name. The reply"
    " comes to you alone, in our direct messages."
)
"""In place of it, where the question is with Compliance already."""
NOT_PASSED_ON = (
    "Several of your questions went to Compliance today, so I have not passed this one on by"
    " myself."
)
"""Before it, where as many of the asker's as are passed on by themselves are there already."""
NOT_ANSWERED_YET = (
    "The question could not be answered just now. It is recorded; please ask"
    " again, or ask Compliance."
)
WHAT_TO_ASK = "What would you like to know about the company's policies?"
SMALL_TALK = {
    SmallTalk.GREETING: f"Hello. {WHAT_TO_ASK}",
    SmallTalk.THANKS: "You're welcome. Ask whenever you need to know more.",
    SmallTalk.HELP: (
        "I answer questions about the company's policies, and quote the passage behind every"
        ' statement. Ask in your own words, for example "May I accept a gift from a supplier?" What'
        " I can't answer you can pass on to Compliance."
    ),
}
"""Replies to what asks nothing of the policies."""
UNASKED = "I answer questions about the company's policies. What would you like to know about this?"
"""Reply to a mere statement, where no policy speaks of it."""
TOO_LONG = "I read at most {limit} characters at a time: please ask in fewer words."
ASK_DIRECTLY = "Not everybody here may read our policies: please ask me in a direct message."
WITHOUT_MODEL = "Quoted from the policies, without a language model."
MODEL_UNAVAILABLE = (
    "The language model is not available just now: this is quoted from the policies without it."
)
DAY_BUDGET_SPENT = (
    "Today's budget for the language model is spent: this is quoted from the policies without it."
)
PARTIAL = "A part of the question was not found in the policies."
"""Note where a language model says so. Fixed words: what it says is missing is not verified, and
even the asker's own words, chosen by it, could state something."""
UNMENTIONED = (
    "A part of the question was not found: no policy that I can read here mentions {words}."
)
"""The same where code has checked that the asker's own words stand in no policy in scope."""
UNMET = 'The passages that I found do not mention "{condition}".'
"""Note where nothing quoted speaks of a condition. The condition is in the asker's words, cut to 40
characters without markup; it says what was not found, and so states nothing."""
FOR_GROUP = "For {groups}: {claim}"
"""A rule for one group of staff, where the asker is not known to belong to it."""
WHICH_GROUP = (
    "The rule that I found is for {groups} alone. Do you work here as one of them, or as an"
    " employee?"
)
"""Asked before it."""
NOTHING_ON = "I found nothing on: {asked}"
"""Note where one question of several is open: the asker's own words, and nothing that they say."""
NO_SURE_ANSWER_TO = "I found no sure answer to: {asked}"
"""The same where something was found that may not answer it."""
READ_WITH = "Read together with the message that the question is about."
"""Note where the question takes its subject from what somebody wrote; those words are not shown."""
PAST_REVIEW = "“{title}” was due for review by {day}; it holds until it is changed."
"""Note below what cites a policy whose review is overdue."""
PAST_REVIEW_OF = (
    "“{title}” was due for review by {day}; it holds until it is changed. Its owner: {owner}."
)
"""The same where its owner is known."""
THREAD_UNREAD = (
    "I could not read the earlier messages of this thread: name in your question what you mean."
)
"""Note where a question points at them and the platform did not let us."""
ALL_OPTION = 'Or say "all" for every case.'
"""Added to a clarification with options."""
FROM_ELSEWHERE = "I found nothing in {titles} that answers this."
"""Note where a question names policies, and what is quoted, if anything is, is of others."""
WHICH_POLICY = "Several policies have that name. Which one do you mean?"
"""Asked where a fact is wanted of a policy whose name several have; their titles are the options.
"""
POLICIES_HERE = "These policies are in force here:"
"""Above a list of policies."""
POLICIES_FOR = "These policies name {role}:"
"""Above the policies that apply to somebody, or a rule of which does; in the asker's word."""
WHOLE, ONE_RULE = "as a whole", "in a rule"
"""How far such a policy does."""
UNNAMED_APPLY = "Policies that hold for everybody do not name them, and are not listed here."
"""Below them."""
MORE_POLICIES = "{count} more are not listed."
"""Note where a list of policies is cut off."""
MAIN_RULES = (
    "Main rules of \u201c{title}\u201d, quoted: one each from {quoted} of {sections} chapters that"
    " have rules."
)
"""Above the first rules of a policy's sections."""
BY_COMPLIANCE = "Answered by Compliance, approved on {day}"
"""Above an officer's words that are told as a precedent."""
SIMILAR = "Compliance answered a similar question: "
SIMILAR_QUESTION = (
    SIMILAR + "\u201c{question}\u201d Ask it in these words if it is yours, and I show the answer."
)
"""Note beside an answer or a refusal, in an officer's wording of the other question."""
FROM_METADATA = "Read from what is stored with the policies; no language model was asked."
"""Note of an answer about the policies themselves."""
