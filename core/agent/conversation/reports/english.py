"""Words of reports in English, beside the rules of `misconduct`."""

import re

from core.agent.conversation.reports.words import ReportWords, any_of

_EN_JOBS = (
    r"(?:boss|manager|supervisor|leader|lead|colleague|co-?worker|teammate|director|head|"
    r"ceo|cfo|cto|coo|driver|buyer|accountant"
    r"|foreman|dispatcher|chief|intern|clerk|department|trainer|cashier|caretaker|guard|"
    r"controller|planner|officer|vp"
    r"|secretary|assistant|engineer|technician|operator|janitor|receptionist|recruiter|"
    r"executive|team|guy|woman|man|owner"
    r"|president|management|mentor|instructor|apprentices?|coach|staff|storekeeper|shift)s?\b"
)
_NOT_THE_ASKER = r"(?<!i'm )(?<!im )(?<!am )(?<!as )(?<!only )"
"""Who says what they are tells of nobody else."""
ENGLISH = ReportWords(
    somebody=any_of(r"(?!)"),
    victim=any_of(r"(?!)"),
    harm=any_of(r"(?!)"),
    deed=any_of(r"(?!)"),
    blamed=any_of(
        r"i (?:want|need|would like|have) to report something\b",
        r"since my (?:statement|complaint|report|testimony)\b",
        r"i was (?:let go|dismissed|fired|sacked) (?:after|because) i\b",
    ),
    confessed=any_of(
        r"i (?:claimed|booked|reported) .{0,40}\b(?:never (?:had|happened|worked|existed|"
        r"made)|did not (?:have|work))"
    ),
    spoke=any_of(r"(?!)"),
    suffers=any_of(r"(?!)"),
    asks=any_of(
        r"(?:what|who|where|how|when|why)'?s\b|(?:from|up to|by|for|until|since|at|on|in|to) "
        r"(?:what|which|when|whom)\b|any (?:rules?|limit|advice)\b",
        r"(?:how|where|to whom|whom?|whose|what|which|can|could|may|must|shall|should|would|"
        r"will|do|does|did|is|isn't|are|aren't|am|was|were|has|have|why|when (?:do|does|is|"
        r"are|must|can|should|may|will))\b",
        r"(?:tell me|explain|describe|list|summari[sz]e|compare|define|show|give|find|help me|"
        r"write|draft|translate|rules?|policy|limits?|difference|definition)\b",
        r"i (?:wonder|need (?:the|to know|information|help with)|am looking|"
        r"would like to (?:know|ask)|want to (?:know|ask)|have a question|was wondering)\b|"
        r"i'd like to (?:know|ask)\b|i'm looking\b",
    ),
    asks_later=any_of(
        r"(?:can|could|may|must|shall|should|would|will|do|does|did|is|isn't|are|aren't|am|was|"
        r"were|has|have) (?:i|we|it|that|this|they|there|he|she|you|the|my|our|an?|anyone)\b",
        r"(?:what|how|why)(?:'?s)?\b|(?:who|when|where) (?:do|does|can|should|must|is|are)\b",
        r"who (?:pays|decides|signs|approves)\W*$|any (?:advice|rules?|limit)\b",
        r"which (?:\w+ ){1,3}?(?:do|does|can|should|must|applies|is)\b",
    ),
    everyday=any_of(
        r"(?:parental|maternity|paternity|sick|annual|medical|unpaid|study|on) leave\b",
        r"on (?:vacation|holiday|sabbatical|honeymoon)\b|off sick\b|out of office\b",
        r"(?:is|are|was|were|'s|got|gets|getting) (?:\w+ )?(?:retiring|promoted|married|engaged)\b",
        r"retires?\b|(?:is|are|'s) (?:leaving (?:us|the|next|this|in|on|at)|moving|relocating)\b",
        r"(?:is|are|was|'s)(?:n't| not)? (?:\w+ )?(?:ill|sick|abroad|away|in the list|available)\b",
        r"(?:has|had|have|celebrates?) (?:an? |his |her |their )?(?:birthday|anniversary|baby)\b",
    ),
    granted=any_of(r"(?!)"),
    supposes=any_of(r"(?:if|whether|suppose|supposing|in case|imagine)\b"),
    modal=any_of(r"(?!)"),
    by_mistake=any_of(r"(?:by (?:mistake|accident)|accidentally|mistakenly)\b"),
    lost=any_of(r"(?!)"),
    greeting=re.compile(
        r"^(?:(?:hi|hello|hey|so|and|but|please|sorry|ok|well|good (?:morning|"
        r"afternoon))\b[ ,!:]{0,3}){1,6}"
    ),
    insider=any_of(
        r"(?:our|the) (?:company|site|plant|lab|board|hr head|guards|shop|branch|factory|sales"
        r" team) (?:is|are|has|have|had|\w+(?:s|ed)|hid|paid|sold|made|let)\b",
        rf"{_NOT_THE_ASKER}an employee\b|they made (?:me|us)\b",
        rf"(?:my|our|his|her|another|one of (?:my|our|the)) (?:[\w-]+ ){{0,2}}?(?:{_EN_JOBS})",
        rf"{_NOT_THE_ASKER}(?:an?|the|two|some) (?:[\w-]+ ){{0,2}}?(?:boss|manager|supervisor|lead|"
        r"colleagues?|co-?workers?|teammate|director|head of [a-z]+|ceo|cfo|accountant|"
        r"foreman|dispatcher|chief|guard|caretaker|controller|driver|(?:night|day|early|"
        r"late) shift|new guy|cashier|works council|janitor)\b|management (?:is|has|keeps|"
        r"lies)|an employee of\b",
        r"(?:he|she|somebody|someone)\b|(?:mr|mrs|ms)\b\.? \w+|they (?:pressur|forc|threaten|"
        r"took|make|call)\w*|every(?:body|one) knows",
        r"\w+ (?:from|in) (?:purchasing|accounting|finance|sales|hr|it|dispatch|marketing|"
        r"logistics|the warehouse|procurement|legal|production|payroll)\b|(?:here|"
        r"in my (?:department|team)|in our (?:department|team)),? (?:people|they|we|nobody|"
        r"everyone)\b",
        r"(?:because i(?:'m| am)|because of my) (?:\w+ )?(?:pregnant|gay|lesbian|black|muslim|"
        r"jewish|disabled|foreign|a woman|trans|headscarf|skin|age|religion|accent|pregnancy|"
        r"disability|origin|gender)\b",
    ),
    done_to_me=any_of(r"they (?:pressur|forc|threaten|fired|sacked)\w* (?:me|us)\b"),
    helps=any_of(
        r"what (?:can|should|shall|do|must) (?:i|we) do(?: now| about (?:it|this|that))?$|"
        r"who can help(?: me)?$|can (?:you|anyone|somebody) help(?: me)?$|what now$|"
        r"who (?:do|can|should) i (?:talk|speak|turn|go) to$|whom? (?:do|can|"
        r"should) i tell$|help(?: me)?$|is (?:this|that|it) normal$|(?:can|"
        r"may) (?:he|she|they) do (?:that|this)$",
    ),
    why=any_of(r"(?!)"),
)
