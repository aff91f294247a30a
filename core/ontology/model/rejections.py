"""Why something that a model proposed was left out: the words that are counted and shown."""

from enum import StrEnum


class Drop(StrEnum):
    """Why something proposed was left out."""

    UNKNOWN_TYPE = "unknown_type"
    REPEATED_ID = "repeated_id"
    QUOTE_LENGTH = "quote_length"
    QUOTE_NOT_FOUND = "quote_not_found"
    QUOTE_AMBIGUOUS = "quote_ambiguous"
    NOT_ONE_SENTENCE = "not_one_sentence"
    NAME_NOT_IN_QUOTE = "name_not_in_quote"
    NUMBER_NOT_IN_QUOTE = "number_not_in_quote"
    WRONG_MODALITY = "wrong_modality"
    ALIAS_NOT_SAID = "alias_not_said"
    UNKNOWN_END = "unknown_end"
    WRONG_ENDS = "wrong_ends"
    ENDS_NOT_IN_QUOTE = "ends_not_in_quote"
    RELATION_NOT_SAID = "relation_not_said"
