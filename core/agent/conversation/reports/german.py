"""Words of reports in German."""

import re

from core.agent.conversation.reports.words import ReportWords
from core.expressions import expression


def _german(*patterns: str) -> re.Pattern[str]:
    """Return a pattern in which the `e` of an umlaut may be missing; they are written `a:`.

    Words are compounds of so many letters at most: of a longer one not every end is tried.
    """
    joined = "|".join(rf"\b(?:{one})" for one in patterns).replace(r"\w*", r"\w{0,40}")
    return expression(re.sub(r"([aou]):", r"\1e?", joined))


_DE_JOBS = (
    r"\w*(?:chef|boss|vorgesetzt|leiter|leitung|kolleg|mitarbeiter|manager|direktor|gescha:ftsfu:hr"
    r"|buchhalter|einka:ufer|verka:ufer|fahrer|disponent|meister|azubi|praktikant|kunde|vorstand"
    r"|betreuer|ausbilder|controller|sachbearbeiter|techniker|monteur|berater|assistent|supervisor"
    r"|sekreta:r|ingenieur|lagerist|teamlead|vorarbeiter|abteilung|team\b|typ\b|mann\b|frau\b)\w*"
)
_DE_OF = (
    r"(?:mein|unser|euer|sein|ihr|ein|kein|dies|jen)(?:e[mnrs]?)?|der|die|das|dem|den|des|"
    r"vom|zwei|zum"
)

_DE_MONEY = (
    r"(?:schmiergeld|bestechungsgeld|schwarzgeld|bargeld|geld|kickback|provision|umschla:g"
    r"|gegenleistung|kommission|luxusreise)\w*"
)
_DE_TAKE = (
    r"(?:an)?nimmt|(?:an)?nahm\w*|(?:an|ein|mit)?genommen|nehmen|kassier\w+|beko?mm\w+|bekam\w*"
    r"|erha:lt|erhielt\w*|verlangt\w*|fordert\w*|la:sst sich|liess sich|einsteckt\w*|"
    r"steckt\w*|eingesteckt|zahl\w+"
)

GERMAN = ReportWords(
    somebody=_german(
        rf"(?:{_DE_OF}) (?:[\w-]+ ){{0,2}}?{_DE_JOBS}",
        r"(?:er|sie|jemand|einer|leute)\b",
        r"(?:herrn?|frau) \w+",
        r"\w+ (?:aus|von|in) (?:der|dem|meine[mr]|"
        r"unsere[mr]) (?:[\w-]+ ){0,1}?(?:\w*abteilung|buchhaltung"
        r"|einkauf|vertrieb|team|finanz\w*|lager|personal\w*|it\b|schicht|bu:ro|produktion|"
        r"logistik|marketing)",
        r"\w+ (?:vom|im|aus dem) (?:\w*einkauf|\w*vertrieb|lager|bu:ro|team|empfang|"
        r"controlling|marketing|versand)",
    ),
    victim=_german(r"(?:ich|mich|mir|uns|wir)\b"),
    harm=_german(
        r"bela:stig(?!ung)\w+|mobb(?!ing)\w+|gemobbt|(?:be)?grapsch\w*|begrabsch\w*|angefasst|"
        r"fasst\w* (?:mich|uns|sie|ihr|mir)",
        r"betatsch\w*|angetatscht|geschlagen|schla:gt|schlug\w*|geohrfeigt|getreten|"
        r"verpru:gel\w*|geschubst|gewu:rgt",
        r"bedroh(?!ung)\w+|droht\w*|gedroht|erpress(?!ung)\w+|einschu:chter(?!ung)\w*|"
        r"eingeschu:chtert|schu:chter\w+",
        r"beleidig(?!ung)\w+|beschimpf(?!ung)\w+|schreit|schrie\w*|angeschrie\w+|anschrei\w*|"
        r"angebru:llt|bru:llt\w*",
        r"demu:tig(?!ung)\w+|gedemu:tigt|schikanier\w+|diskriminier(?!ung)\w+|benachteiligt\b|"
        r"ausgegrenzt|grenz\w+ (?:mich|uns) aus",
        r"stalk(?!ing)\w+|gestalkt|verfolgt mich|vergewaltig(?!ung)\w+|geno:tigt|no:tigt\w*|"
        r"zwing\w+|zwang|gezwungen|setzt (?:mich|uns) unter druck|unter druck gesetzt",
        r"nackt(?:bild|foto)\w*|anzu:glich\w*|sexuell\w*|rassistisch\w*|sexistisch\w*|"
        r"homophob\w*|obszo:n\w*|antisemitisch\w*",
        r"(?:u:ber|an) (?:meinen|meine|ihren?) (?:ko:rper|figur|brust|busen|po|hintern|"
        r"aussehen|oberschenkel|knie|bein\w*)",
        r"wegen (?:meiner|meines|seiner|ihrer) (?:herkunft|hautfarbe|religion|alters|"
        r"geschlechts|schwangerschaft|behinderung) \w+",
        r"macht\w* (?:mich|uns) (?:fertig|schlecht)|lacht \w+ u:ber mich|"
        r"macht sich (?:[\w-]+ )?u:ber (?:mich|uns|sie|ihn) lustig|"
        r"reden .{0,30}schlecht u:ber mich|geru:chte",
        r"ku:ss(?:t|en|te)\w*|geku:sst|beru:hr(?:t|te)\w*",
    ),
    deed=_german(
        r"stiehlt|stahl\w*|stehlen|gestohlen|klau(?:t|te|en|ten)|geklaut|unterschla:gt|"
        r"unterschlug\w*|unterschlag(?!ung)\w*|veruntreu(?!ung)\w+",
        r"zweigt .{0,40}\bab\b|abgezweigt|bedient sich|mitgehen la:sst|la:sst .{0,40}mitgehen",
        rf"(?:{_DE_TAKE})\b.{{0,60}}\b{_DE_MONEY}",
        rf"{_DE_MONEY}\b.{{0,60}}\b(?:{_DE_TAKE})\b",
        r"(?:nimmt|nahm\w*|nehmen)\b.{0,60}\b(?:nach hause|mit heim)|mit nach hause genommen|"
        r"ohne zu (?:be)?zahlen|auf eigene rechnung",
        r"bestich\w*|bestoch\w*|bestech(?!ung)\w+|schmiert\w*|geschmiert|unter der hand|"
        r"schwarz (?:be|aus)?zahl\w*|schwarzgeld",
        r"(?:ge|ver)?fa:lsch(?!ung)\w*|manipulier\w+|frisier\w+|betru:g\w+|betrog\w*|"
        r"schummel\w*|geschummelt|trickst\w*|getrickst",
        r"hinterzieh(?!ung)\w+|hinterzog\w*|verschleier(?!ung)\w+|vertusch(?!ung)\w+|"
        r"vernicht(?!ung)\w+|schredder\w*|geschreddert",
        r"(?:ru:ck|zuru:ck|vor)(?:zu)?datier\w*|wa:scht|gewaschen|geldwa:sche betreib\w*|"
        r"insider(?:tipp|wissen|informationen)\w*",
        r"verkauf(?:t|te|en)\w*\b.{0,60}\b(?:kundendaten|daten|geheimnis\w*|informationen|"
        r"firmeneigentum|material)",
        r"(?:kundendaten|daten|geheimnis\w*|informationen|unterlagen|"
        r"preise)\b.{0,60}\b(?:verkauft\w*|verra:t|verraten|weitergegeben|weitergibt|"
        r"weiterleitet|weitergeleitet|kopiert)",
        r"verra:t|(?:gibt|gab) .{0,60}(?:an die konkurrenz|an einen wettbewerber|"
        r"an wettbewerber)|leakt\w*|geleakt|spioniert\w*|bespitzelt\w*",
        r"(?:schein|luft|fake-?)(?:rechnung|firma|firmen|vertra:g)\w*|(?:falsche[nrs]?|"
        r"erfundene[nrs]?|fingierte[nrs]?|fiktive[nrs]?) (?:\w+ )?(?:\w*rechnung|beleg|angabe|"
        r"stunden|quittung|\w*spesen|bericht|zahl|unterschrift|\w*zertifikat|protokoll|dat)\w*",
        r"die es nie gab|nie stattgefunden|gar nicht (?:gearbeitet|da war)|"
        r"private[nrs]? .{0,40}(?:u:ber die firma|als spesen|auf firmenkosten|abgerechnet|"
        r"abrechne\w*)",
        r"firmen(?:kredit)?karte .{0,60}privat\w*|auf (?:firmenkosten|kosten der firma)|"
        r"privat\w* .{0,40}firmen(?:kredit)?karte",
        r"(?:auftra:ge?|vertra:ge?|auftrag|vertrag) .{0,60}(?:firma|unternehmen) (?:seine[rs]|"
        r"ihre[rs]) \w+|an (?:seinen|ihren) (?:bruder|schwager|mann|freund|sohn|"
        r"vetter) vergeben",
        r"betrunken\w*|alkoholisiert\w*|(?:auf|unter) drogen|bekifft|kokain|nimmt drogen",
        r"illegal\w*|schwarzarbeit\w*|preisabsprach\w*|kartell(?:absprach\w*)?|absprachen|"
        r"spricht .{0,40}preise ab|preise .{0,30}abgesprochen",
        r"sicherheits\w+ .{0,40}(?:ausgeschaltet|u:berbru:ckt|abgeschaltet|abgeklebt|"
        r"entfernt)|(?:u:berbru:ckt|deaktiviert) .{0,40}sicherheits\w+|"
        r"schaltet .{0,40}sicherheits\w+ .{0,10}ab",
        r"lu:gt|lu:gen|gelogen|belu:gt|belogen|log\b|hintergeh\w+|"
        r"beweise? .{0,40}(?:vernichte\w*|lo:sch\w*|gelo:scht|verschwinden)|"
        r"lo:scht? .{0,30}(?:e-?mails|beweis\w*|akten)",
        r"kippt .{0,40}(?:in den|ins)|entsorg\w+ .{0,60}(?:fluss|wald|kanal|illegal|bach)|"
        r"gesperrte[nr]? .{0,30}passwort",
        r"sagte? .{0,20}(?:mir|uns), .{0,20}soll\w* .{0,40}(?:lu:gen|verschweigen|lo:schen|"
        r"fa:lschen|vernichten|datieren)",
    ),
    blamed=_german(
        r"(?:mo:chte|will|muss|wollte) (?:hier |gerne? |euch |ihnen )?etwas (?:melden|anzeigen)\b",
        r"(?:mo:chte|will|muss|wu:rde gerne?|wollte)\b.{0,30}(?<!bei )(?:mein\w*|unser\w*|"
        rf"eine?n?) (?:[\w-]+ ){{0,2}}?{_DE_JOBS}.{{0,60}}\b(?:melden|anzeigen)",
        r"u:ber (?:mein\w*|unser\w*|"
        rf"eine?n?) (?:[\w-]+ ){{0,2}}?{_DE_JOBS}.{{0,40}}\bbeschweren",
        rf"verda:chtig\w* .{{0,40}}{_DE_JOBS}|habe .{{0,20}}(?:den )?verdacht, dass|"
        rf"beschuldig\w+ .{{0,40}}{_DE_JOBS}",
    ),
    confessed=_german(
        r"ich habe? .{0,60}\b(?:gefa:lscht|unterschlagen|bestochen|geklaut|gestohlen|"
        r"veruntreut|manipuliert|betrogen|gelogen|zuru:ckdatiert|vernichtet|vertuscht)",
        r"ich habe? .{0,40}\b(?:spesen|stunden|fahrten|kosten) .{0,30}(?:abgerechnet|"
        r"aufgeschrieben|angegeben), die .{0,20}\bnie\b",
        r"ich habe? .{0,40}\b(?:geld|bargeld|euro)\b.{0,40}\b(?:aus der|aus dem|vom|"
        r"abgezweigt)\b.{0,40}\b(?:genommen|abgezweigt)",
    ),
    spoke=_german(
        r"(?:seit(?:dem)?|nachdem|weil|obwohl) .{0,20}\b(?:ich|wir)\b.{0,60}\b(?:gemeldet|"
        r"beschwert\w*|hingewiesen|angezeigt|gesagt|berichtet|ausgesagt|angesprochen)",
        r"(?:nach|wegen|seit) meine[rms] (?:meldung|beschwerde|aussage|anzeige|hinweis\w*)",
    ),
    suffers=_german(
        r"(?:geku:ndigt|degradiert|(?:straf)?versetzt|ausgeschlossen|ignorier\w+|"
        r"nachtschicht\w*|gestrichen|entlassen|gefeuert|abgemahnt|abmahnung)",
        r"schika\w+|keine .{0,20}(?:schichten|projekte|auftra:ge|bonus)|nur noch|u:bergangen|"
        r"spricht niemand|redet niemand|rache|schlechter\w*|weniger|weggenommen|entzogen",
    ),
    asks=_german(
        r"(?:wie|was|wer|wem|wen|wessen|wo|wohin|woher|womit|wofu:r|wann|warum|wieso|weshalb|"
        r"welche[mnrs]?|ab wann|bis wann|seit wann|an wen|bei wem|darf|du:rfen|muss|mu:ssen|"
        r"kann|ko:nnen|soll|sollen|sollte)\b",
        r"(?:ist|sind|gibt es|gilt|gelten|habe? ich|hat jemand|erkla:r\w*|zeig\w*|nenn\w*|"
        r"liste|vergleich\w*|fasse?|definier\w*|regel\w*|richtlinie\w*|informationen|infos|"
        r"beschreib\w*)\b",
        r"(?:ich|wir) (?:brauche\w*|suche\w*|wu:sste\w*|mo:chte\w* (?:gerne? )?(?:wissen|"
        r"erfahren)|frage mich|habe eine frage|ha:tte eine frage)\b",
    ),
    asks_later=_german(
        r"(?:darf|du:rfen|muss|mu:ssen|kann|ko:nnen|soll|sollen|sollte|ist|gilt) (?:ich|wir|man|"
        r"das|es|er|sie|der|die)\b|(?:was|wie|wann|warum)\b(?! auch)",
    ),
    everyday=_german(
        r"(?:elternzeit|mutterschutz|urlaub|ruhestand|rente|flitterwochen|sabbatical)\b",
        r"(?:ist|sind|war) (?:\w+ )?(?:krank|krankgeschrieben|verreist|abwesend|im ausland)\b",
        r"(?:heiratet|befo:rdert|geburtstag|jubila:um|dienstjubila:um|abschied)\b",
    ),
    granted=_german(
        r"(?:dass|weil|warum|wieso|nachdem|obwohl) (?=(?:mein|unser|er\b|sie\b|herr|frau))",
        r"(?:melde|zeige|anzeige|melden) (?:ich )?(?=(?:mein|unser)\w*\b.{0,40},)",
        r"[\w)]+, (?=(?:mein|unser|er\b|herr |frau |der (?:chef|fahrer|leiter|direktor))\w*)",
    ),
    supposes=_german(r"(?:wenn|falls|ob|angenommen|sofern|sollte|gesetzt den fall|im fall)\b"),
    modal=_german(
        r"(?<!ich )(?:darf|du:rfen|soll|sollen|muss|mu:ssen|kann|ko:nnen|ko:nnte)\b(?! ich)"
    ),
    by_mistake=_german(r"(?:versehentlich|aus versehen|irrtu:mlich|unabsichtlich|ungewollt)\b"),
    lost=_german(
        r"(?:jemand|man|sie|einer) (?:hat|haben)? ?(?:mir|uns)? ?.{0,40}\b(?:handy|laptop|"
        r"notebook|telefon|ausweis|schlu:ssel|rucksack|auto|tasche)\b.{0,20}\b(?:gestohlen|"
        r"geklaut)"
    ),
    insider=_german(
        r"(?:unser\w*|der|die|das|im|in der) (?:\w*standort|\w*werk|firma|unternehmen|labor|"
        r"filiale|"
        r"vertrieb|einkauf|werkschutz|buchhaltung|kassenkraft|lkw-fahrer|belegschaft)\b",
        r"(?:einen?|einem) kolleg\w+|vom \w*(?:leiter|chef|vorgesetzten)\b",
        rf"(?:mein|unser)(?:e[mnrs]?)? (?:[\w-]+ ){{0,2}}?(?!kunde|lieferant){_DE_JOBS}|"
        r"(?:mein|unser)(?:e[mnr]?)? (?:prokurist|kassierer|pfo:rtner|trainer|werk|gruppe|"
        r"schicht|firma|personal)\w*",
        r"(?:ein|der|die|dem|den|zwei|alle|mehrere|neue[rn]?) (?:[\w-]+ ){0,2}?\w*(?:chef|"
        r"boss|vorgesetzt|leiter|leitung|kolleg|direktor|gescha:ftsfu:hr|buchhalter|"
        r"einka:ufer|disponent|meister|azubi|vorstand|controller|pfo:rtner|schicht\b|"
        r"personaler|betriebsrat|hausmeister|wachmann|prokurist)\w*",
        r"(?:er|jemand)\b|sie (?:ist|hat|macht|sagt|gibt|nimmt|schl|sch|nennt|l)\w*|(?:herrn?|"
        r"frau) \w+|kolleg\w+ \w+|ein mitarbeiter\b",
        r"\w+ (?:aus|von) (?:der|dem|meine[mr]|unsere[mr]) (?:\w*abteilung|buchhaltung|"
        r"einkauf|vertrieb|team|finanz\w*|lager|personal\w*|it\b|produktion|logistik|"
        r"marketing)|(?:bei uns|in (?:meiner|unserer|meinem|unserem) \w+) (?:wird|werden|hat|"
        r"haben|gibt)",
        r"(?:weil|wegen) (?:ich|mein\w*) (?:bin )?(?:schwanger\w*|schwul|lesbisch|kopftuch\w*|"
        r"hautfarbe|behinder\w*|schwerbehindert|ausla:nder\w*|religion|herkunft|alter\w*|"
        r"akzent\w*|trans|jude|ju:din|muslim\w*|betriebsrat\w*|frau)\b",
    ),
    done_to_me=_german(
        r"(?:mir|mich) (?:wurde|wird) .{0,40}\b(?:geku:ndigt|verweigert|gestrichen|"
        r"weggenommen|geraubt)"
    ),
    helps=_german(
        r"(?:was|wie) (?:soll|kann|muss|mache?|tue?|ko:nnen|sollen) (?:ich|wir)(?: nur| jetzt|"
        r" denn| da| dagegen| am besten| mich)*(?: tun| machen| unternehmen| wehren)?$",
        r"(?:wer|wie) kann (?:mir|man mir) (?:da |bitte |jetzt )?helfen$|an wen (?:kann|"
        r"soll|muss|wende)? ?ich mich ?(?:da |jetzt |damit )?(?:wenden)?$|wem (?:kann|soll|"
        r"muss) ich das (?:sagen|melden)$|was (?:nun|jetzt|tun)$|hilfe$|(?:ko:nnen|"
        r"kannst|ko:nnt) (?:sie|du|ihr) mir helfen$|ist das (?:normal|rechtens)$|"
        r"darf (?:er|sie|der|die) das$",
    ),
    why=_german(
        r"(?:warum|wieso|weshalb) (?:darf|du:rfen|kann|ko:nnen) (?=(?:mein|unser|er\b|herr|frau))"
    ),
    greeting=expression(
        r"^(?:(?:hallo|hi|hey|guten (?:tag|morgen|abend)|moin|servus|also|und|aber|bitte|"
        r"sorry|entschuldigung|ok)\b[ ,!:]{0,3}){1,6}"
    ),
)
