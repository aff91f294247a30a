"""Words of reports in French."""

import re

from core.agent.conversation.reports.words import ReportWords, any_of

_FR_JOBS = (
    r"(?:chef\w*|patron\w*|manag\w+|responsable|superieur\w*|collegue|directeur|"
    r"directrice|gerante?|comptable"
    r"|achet\w+|vendeu\w+|chauffeur\w*|repartiteur|contremaitre|stagiaire|employee?|"
    r"salariee?|client\w*|cadre"
    r"|pdg|dirigeante?|president\w*|technicien\w*|assistant\w*|consultant\w*|"
    r"magasinier\w*|agent\w*|equipe|mec"
    r"|homme|femme|type|gars|formateur|formatrice|tuteur|tutrice|superviseu\w+|"
    r"controleu\w+|coordinat\w+|associee?"
    r"|hierarchie|direction|service|commercial\w*|secretaire|infirmi\w+|ingenieur\w*|drh|"
    r"rh|boss|n\+1)s?\b"
)
_FR_MONEY = (
    r"(?:pots?-de-vin|dessous[- ]de[- ]table|argent|liquide|especes|enveloppes?|"
    r"commissions?|bakchich\w*|retrocommissions?|sous)"
)

FRENCH = ReportWords(
    somebody=any_of(
        r"(?:mon|ma|mes|notre|nos|votre|son|sa|ses|leur|leurs|une?|le|la|les|du|des|au|ce|"
        r"cette|certains?|plusieurs|d'un|d'une|qu'une?|deux) (?:[\w-]+ ){0,2}?(?:d'|"
        rf"l')?{_FR_JOBS}",
        rf"(?:l'|d'|qu')(?:{_FR_JOBS})",
        r"(?:il|elle|ils|elles|qu'il|qu'elle|qu'ils|quelqu'un|lui)\b",
        r"(?:monsieur|madame|mme|mlle|m)\b\.? \w+",
        r"\w+ (?:de la|des|du|de l'|a la|aux) ?(?:compta\w*|achats?|ventes?|finances?|"
        r"logistique|marketing|rh|production|accueil|entrepot|expedition\w*|informatique)\b",
    ),
    victim=any_of(r"(?:je|moi|me|nous|on)\b", r"(?:j|m)'"),
    harm=any_of(
        r"harcel(?!ement)\w*|victime (?:de|d')|intimid(?!ation)\w*|menac(?:e|es|ent|ee?|ait|"
        r"er)\b|insult(?:e|es|ent|ee?s?|ait|er)\b|humili(?!ation)\w+|injuri\w+|rabaiss\w+",
        r"discrimin(?:e|ee?s?|ent|er|ait)\b|agress(?:e|ee?s?|er|ait)\b|viol(?:e|ee?s?)\b|"
        r"frapp\w+|gifl\w+|bouscul\w+|cogn\w+|tabass\w+|tripot\w+|pelot\w+|caress\w+|"
        r"embrass\w+",
        r"(?:m'a|l'a|nous a|m'ont|l'ont|me|nous|la|les) touche\w*|touche (?:les fesses|"
        r"la cuisse|la poitrine|mon|ma|les seins)|attouchements?|sexuel\w*|racistes?|"
        r"sexistes?|homophobes?|obscenes?|deplacee?s|salaces?|antisemites?",
        r"(?:m'|nous |l')?oblig\w+|forc(?:e|ee?s?|ent|er|ait)\b|contrai(?:nt|gn)\w*|"
        r"fait chanter|faire chanter|pression sur (?:moi|nous|elle|lui)|met la pression",
        r"cri(?:e|ent|er|ait) (?:dessus|sur)|crie dessus|hurle\w*|se moqu\w+|m'exclu\w+|"
        r"nous exclu\w+|exclu(?:e|s|ent)? du groupe|mis\w* a l'ecart|mettent a l'ecart|"
        r"denigr\w+|rumeurs?",
        r"(?:mon|ma|mes|son|sa) (?:corps|poitrine|fesses|physique|jupe|jambes|cuisses?|"
        r"genoux?|seins)|photos? (?:de moi )?nue?s?|me suit (?:partout|jusque)|traque\w*",
        r"a cause de (?:mes|ma|mon|son|sa|ses) (?:origines?|age|grossesse|religion|couleur|"
        r"handicap|sexe|orientation|accent|foi)|en raison de (?:mes|ma|mon) (?:origines?|age|"
        r"grossesse|religion|handicap)",
        r"me traite (?:de|d'|comme)|traite de \w+|rend la vie impossible|"
        r"propositions? indecentes?|avances",
    ),
    deed=any_of(
        r"vol(?:e|es|ent|er|ait|ee?s?)\b(?! a l')|derob\w+|detourn(?!ement)\w*|pioch\w+ dans|"
        r"se sert dans|empoch\w+|emport\w+|(?:sans|jamais) (?:les |la |le )?payer|rackett\w*|"
        r"escroqu\w+|arnaqu\w+",
        r"(?:touch|accept|recoi|recu|recev|encaiss|pren|pri[st]|demand|exig|percoi|percu|"
        rf"verse|glisse|donne)\w*\b.{{0,60}}\b{_FR_MONEY}\b",
        r"(?:soudo|corromp|graiss)\w+|achete (?:des|un|une|les) (?:fonctionnaires?|elus?|"
        r"inspecteurs?|votes?|silence)|pots?-de-vin a",
        r"falsifi(?!cation)\w+|truqu\w+|trafiqu\w+|maquill\w+|manipul(?!ation)\w+|antidat\w+|"
        r"postdat\w+|gonfl\w+|contref\w+|imit\w+ (?:la|ma|sa|les|des) signature\w*|bidouill\w+",
        r"(?:faux|fausses?|fictifs?|fictives?|bidons?)\b (?:\w+ )?(?:frais|factures?|"
        r"rapports?|documents?|recus?|heures|contrats?|signatures?|certificats?|declarations?|"
        r"clients?|chiffres|bilans?|notes?|temoignages?)",
        r"(?:frais|factures?|rapports?|documents?|recus?|heures|emplois?|contrats?|societes?|"
        r"prestations?|salaries?|clients?) (?:fictifs?|fictives?|bidons?|fausses|faux|"
        r"inexistant\w*)|n'ont jamais (?:existe|eu lieu)|n'a jamais (?:existe|eu lieu)",
        r"detrui(?!re la)\w+|detruit\w*|fait disparaitre|broy\w+|passe\w* a la broyeuse|"
        r"efface\w* (?:des|les) (?:preuves|mails|fichiers|courriels|traces|donnees)|"
        r"dissimul\w+|cach(?:e|ent|er|ait|ee?s?)\b|etouff\w+ l'affaire|couvr\w+ (?:une|des|la|"
        r"les) fraud\w*",
        r"blanchi\w*|delit d'initie|triche\w*|frauder?\b|fraude(?:nt)? (?:le|la|les|sur)|"
        r"commet\w* .{0,20}fraud\w*|trompe\w*|men(?:t|tent|ti|tait)\b|mentir|"
        r"abus\w+ de (?:son|sa|ses|biens)",
        r"vend(?:u|ent|re|ait|ant)?\b.{0,40}\b(?:donnees|fichiers|listes?|secrets?|"
        r"informations|materiel)|(?:donnees|fichiers|listes?|secrets?|informations|"
        r"plans) .{0,40}(?:a la concurrence|aux concurrents|a un concurrent)|fuit\w* des|"
        r"divulgu\w+|copi(?:e|ent|er|ee?s?)\b.{0,40}\b(?:donnees|fichiers|listes?|clients)",
        r"(?:contrats?|marches?|commandes?) .{0,40}(?:entreprise|societe|boite) de (?:sa|son|"
        r"ses) \w+|(?:entreprise|societe|boite) de (?:sa|son|ses) (?:femme|mari|frere|"
        r"beau-frere|soeur|ami|cousin|fils|pere|conjointe?)|favoris\w+ (?:son|sa|ses|un ami)",
        r"ivres?|saouls?|soule?s?\b|bourree?s?|alcoolisee?s?|sous l'emprise|drogue\w*|cocaine|"
        r"fume des joints",
        r"illegal\w*|au noir|entente (?:sur les|illicite)|s'enten\w+ (?:sur les|"
        r"avec les concurrents)|fixe\w* les prix avec|travail dissimule|"
        r"carte (?:de l'entreprise|de la societe|professionnelle|"
        r"corporate) .{0,40}(?:perso\w*|vacances|courses)|achats? personnels? .{0,40}(?:carte|"
        r"entreprise|societe|frais)|en notes? de frais",
        r"(?:dispositifs?|securites?|alarmes?) .{0,30}(?:debranch|desactiv|contourn|"
        r"neutralis)\w*|(?:debranch|desactiv|contourn|neutralis)\w+ .{0,30}(?:securites?|"
        r"alarmes?|dispositifs?|protections?)|deverse\w*|jette\w* .{0,40}(?:riviere|egout|"
        r"nature)",
    ),
    blamed=any_of(
        r"(?:veux|voudrais|souhaite|dois) (?:vous )?signaler quelque chose\b",
        r"(?:veux|voudrais|souhaite|souhaiterais|dois|aimerais|tiens a|"
        r"viens)\b.{0,20}\b(?:signaler|denoncer|me plaindre d[eu']?) ?(?:mon|ma|mes|notre|"
        rf"nos|une?|le|la|de mon|de ma|de notre) (?:[\w-]+ ){{0,2}}?{_FR_JOBS}",
        rf"(?:soupconn|accus|suspect)\w+ .{{0,40}}{_FR_JOBS}",
    ),
    confessed=any_of(
        r"j'ai (?:\w+ )?(?:pris|vole|detourne|emprunte)\b.{0,40}\b(?:argent|caisse|euros|"
        r"marchandise)",
        r"j'ai (?:declare|facture|compte|note) (?:des|les) .{0,30}jamais (?:eu|fait|existe)",
        r"j'ai (?:\w+ )?(?:falsifie|truque|antidate|soudoye|detourne|triche|detruit|"
        r"imite la signature|menti)\b",
    ),
    spoke=any_of(
        r"(?:depuis que|apres que|parce que|apres avoir|depuis|apres)\b.{0,20}\b(?:j'ai|je|"
        r"nous|avoir|ma|mon)\b.{0,20}\b(?:signal\w+|plain\w+|denonc\w+|parle\w*|alert\w+|"
        r"temoign\w+|dit\b|plainte|alerte|signalement|temoignage|refuse\w*)",
        r"(?:apres avoir|depuis que j'ai|parce que j'ai) (?:signal|denonc|alert|temoign|refus|"
        r"parl)\w+",
    ),
    suffers=any_of(
        r"(?:retrograd|licenci|vir|mut|sanction|ignor|exclu|puni|ecart|isol|pris\w* a part|"
        r"placardis)\w*|de nuit|plus (?:personne|aucun\w*)|represailles|vengeance|supprim\w+|"
        r"retir\w+|mis\w* au placard|avertissement|evit\w+|ne me parle\w*|pires horaires|"
        r"me refuse\w*",
    ),
    asks=any_of(
        r"(?:comment|que|qu'|quoi|qui|a qui|ou|d'ou|quand|pourquoi|quels?|quelles?|combien|"
        r"jusqu'|depuis quand|dois-je|puis-je|peut-on|faut-il|est-ce|est-il|sont|ai-je|"
        r"avons-nous|pouvez-vous|pourriez|peux-tu|y a-t-il|a-t-on|doit-on)(?<!')\b(?!')",
        r"(?:qu'|jusqu')",
        r"(?:expliqu\w+|donne\w*|montr\w+|liste\w*|compar\w+|resum\w+|defini\w*|decri\w+|"
        r"regles?|politique|informations?|plafond|procedure)\b",
        r"(?:je|j') ?(?:cherche|voudrais savoir|aimerais savoir|me demande|ai besoin|"
        r"ai une question|souhaite(?:rais)? savoir)\b",
    ),
    asks_later=any_of(
        r"(?:dois-je|puis-je|peut-on|faut-il|est-ce|doit-on|a-t-on|pouvons-nous|devons-nous)\b",
        r"(?:comment|combien|pourquoi|que faire)\b",
    ),
    everyday=any_of(
        r"(?:est|part|pars|sera|partira|etait) (?:\w+ )?(?:en|a la|a l') ?(?:conges?|retraite|"
        r"vacances|arret|voyage|etranger)\b|prend sa retraite\b",
        r"(?:est|sont|etait) (?:\w+ )?(?:malades?|absente?s?|promue?s?|mutee?s?)\b",
        r"(?:se marie|s'est mariee?|anniversaire|pot de depart)\b",
    ),
    granted=any_of(
        r"(?:que|parce que|pourquoi|puisque|alors que) (?=(?:mon|ma|notre|nos|mes|il|elle)\b)",
        r"qu'(?=(?:il|elle|ils|elles)\b)",
        r"(?:signaler|denoncer|signale) (?=(?:mon|ma|notre|mes)\b.{0,40}\bqui\b)",
        r"[\w)]+, (?=(?:mon|ma|notre|mes|il|elle|monsieur|madame)\b)",
    ),
    supposes=any_of(r"(?:si|s'il|s'ils|au cas ou|en cas|suppos\w+|imagin\w+|lorsqu\w*|quand)\b"),
    modal=any_of(r"(?:peut|peuvent|doit|doivent|devrait|pourrait|interdit|permis|autorise)\b"),
    by_mistake=any_of(
        r"(?:par erreur|par accident|par megarde|involontairement|accidentellement|"
        r"sans le vouloir)\b"
    ),
    lost=any_of(
        r"(?:on|quelqu'un|ils) (?:m'|nous )?(?:a|ont)? ?(?:vole)\b.{0,30}\b(?:ordinateur|"
        r"telephone|portable|badge|sac|voiture|cles?|pc)"
    ),
    insider=any_of(
        r"(?:notre|le|la|l'|au) ?(?:site|usine|entreprise|societe|laboratoire|magasin|vigiles?|"
        r"commerciaux|comptabilite)\b|les vigiles\b",
        rf"(?:mon|ma|mes|notre|nos) (?:[\w-]+ ){{0,2}}?(?!clients?\b){_FR_JOBS}|(?:mon|ma|"
        r"notre|nos) (?:caissi\w+|gardien\w*|concierge|entreprise|usine|direction)",
        r"(?:une?|le|la|les|deux|plusieurs|du|au) (?:nouve\w+ )?(?:chef\w*|patron\w*|"
        r"superieur\w*|collegues?|direct\w+|gerante?|comptable|contremaitre|manager|cadre|drh|"
        r"pdg|gardien\w*|concierge|responsable|nouveau|comite|formateur|controleur|"
        r"contremaitre|caissi\w+|acheteur)\b|l'equipe|la direction|un employe",
        r"il (?!faut|y|est|s'agit|manque|existe)\S+|elle\b|ils (?!sont|peuvent|doivent)|"
        r"qu'il\b|qu'elle\b|quelqu'un\b|(?:monsieur|madame|mme|mlle)\b\.? \w+|"
        r"tout le monde le sait",
        r"\w+ (?:de la|des|du|du service|de l'|a la|aux) ?(?:compta\w*|achats?|ventes?|"
        r"finances?|logistique|marketing|commercial|production|accueil|entrepot|expedition\w*|"
        r"informatique)\b|(?:chez nous|ici|dans (?:mon|notre) \w+),? (?:on|il|les|des)\b|"
        r"l'on m",
        r"(?:parce que je suis|a cause de m\w+|car je suis) (?:enceinte|gay|lesbienne|voile|"
        r"noire?|arabe|etrang\w+|musulman\w*|juif|juive|handicap\w*|religion|origine\w*|"
        r"couleur|age|accent|syndiq\w+|femme|trans)\b",
    ),
    done_to_me=any_of(r"on (?:m'|me\b|nous\b|ne me\b|ne m')"),
    helps=any_of(
        r"(?:que|qu'est-ce que) (?:dois|puis|peux|faut|faire|je)[-\w ]{0,24}(?:faire|dois faire|"
        r"puis faire|peux faire)? ?$|a qui (?:m'adresser|puis-je m'adresser|"
        r"puis-je parler|dois-je m'adresser|en parler|le dire)$",
        r"qui peut m'aider$|pouvez-vous m'aider$|aidez-moi$|au secours$|"
        r"est-ce normal$|a-t-(?:il|elle) le droit$|que faire(?: maintenant)?$|"
        r"quoi faire$",
    ),
    why=any_of(r"pourquoi (?=(?:mon|ma|mes|notre|nos|il|elle|monsieur|madame)\b)"),
    greeting=re.compile(
        r"^(?:(?:bonjour|salut|bonsoir|coucou|alors|et|mais|svp|s'il vous plait|pardon|ok|"
        r"hello)\b[ ,!:]{0,3}){1,6}"
    ),
)
