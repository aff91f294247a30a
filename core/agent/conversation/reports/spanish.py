"""Words of reports in Spanish."""

import re

from core.agent.conversation.reports.words import ReportWords, any_of

_ES_JOBS = (
    r"(?:jef[ea]|patron\w*|gerente|superior\w*|supervisor\w*|companer\w+|director\w*|"
    r"encargad\w+|contable|comprador\w*"
    r"|vendedor\w*|conductor\w*|chofer\w*|becari\w+|emplead\w+|cliente|responsable|"
    r"capataz|tecnic\w+|asistente|consultor\w*"
    r"|trabajador\w*|lider|president\w+|directiv\w+|administrativ\w+|secretari\w+|mando|"
    r"equipo|tipo|hombre|mujer|chic[oa]"
    r"|coordinador\w*|ingenier\w+|mozo|agente|socio|auditor\w*|tutor\w*|formador\w*|"
    r"comercial|departamento|direccion|colega"
    r"|manager|boss|operari\w+|almacener\w+|medic\w+|enfermer\w+)s?\b"
)
_ES_MONEY = (
    r"(?:sobornos?|comisiones|comision|dinero|efectivo|sobres?|mordidas?|coimas?|regalias|plata)"
)
SPANISH = ReportWords(
    somebody=any_of(
        r"(?:mis?|nuestr[oa]s?|tus?|sus?|un[oa]?s?|el|la|los|las|al|del|est[ea]|algun[oa]?s?|"
        rf"ese|esa|dos|varios) (?:[\w-]+ ){{0,2}}?{_ES_JOBS}",
        r"(?:el|ella|ellos|ellas|alguien|todos)\b(?! \w+ (?:de|que)\b)(?= (?:me|nos|se|le|"
        r"les|lo|la|ha|han|esta|estan|[a-z]+[ao]n?\b))",
        r"(?:senora?|sra?|don|dona)\b\.? \w+",
        r"\w+ de (?:compras|ventas|contabilidad|finanzas|logistica|marketing|rrhh|"
        r"recursos humanos|produccion|almacen|personal|informatica|recepcion)\b",
    ),
    victim=any_of(r"(?:yo|me|mi|nos|nosotr[oa]s|conmigo|sufro|sufrimos)\b"),
    harm=any_of(
        r"acos(?:a|an|ad[oa]s?|ando|aba|ado|o(?= (?:a|de manera|durante)))\b|sufr(?:o|imos|"
        r"iendo) .{0,20}(?:acoso|abusos?|maltrato|discriminacion|amenazas)|victima de|"
        r"hostig\w+|intimid(?!acion)\w+|amenaz(?:a|an|o|aron|ad[oa]s?|ando|aba)\b|insult(?:a|"
        r"an|o|aron|ad[oa]s?|ando|aba)\b|humill(?!acion)\w+",
        r"discrimin(?:a|an|o|aron|ad[oa]s?|ando)\b|agredi\w+|viol(?:o|ad[oa]|aron)\b|peg(?:o|"
        r"a|aron|ado|ando|aba)\b(?! (?:un|el|la) (?:etiqueta|cartel))|golpe\w+|abofete\w+|"
        r"empuj\w+|manose\w+|toc(?:o|a|aron|ando|ado|aba)\b|bes(?:o|a|aron|ado|ando)\b|"
        r"maltrat\w+",
        r"sexual(?:es|mente)?|racistas?|machistas?|sexistas?|homofob\w+|obscen\w+|desnud\w+|"
        r"antisemit\w+|lasciv\w+|indecent\w+",
        r"oblig(?:a|an|o|aron|ad[oa]s?|ando|aba)\b|forz\w+|fuerza a|chantaje(?:a|an|o|aron|"
        r"ad[oa]|ando)\b|coaccion\w+|presion(?:a|an|o|aron|ando|aba|ad[oa]s?)\b",
        r"grit(?:a|an|o|aron|ando|aba)\b|burl(?:a|an|o|aron|ando|aba)\b|excluy\w+|exclui\w+|"
        r"marginad?\w*|ningune\w+|rumores|hace(?:n)? la vida imposible|trata(?:n)? (?:mal|"
        r"como)|desprecia\w*|ridiculiz\w+",
        r"(?:mi|su) (?:cuerpo|pecho|culo|fisico|aspecto|pierna|muslo|rodilla|escote)|"
        r"mis (?:piernas|pechos|senos)|me (?:persigue|sigue|espia)",
        r"por (?:mi|ser|mis) (?:origen|edad|embarazo|religion|color|discapacidad|sexo|"
        r"orientacion|acento|mujer|extranjer\w|raza|negr\w|gay|inmigrante)",
    ),
    deed=any_of(
        r"rob(?:o|a|an|aron|ad[oa]|ando|aba|ar)\b|hurt\w+|sustra\w+|desvi(?:a|an|o|aron|"
        r"ad[oa]|ando|aba)\b|malvers\w+|se (?:lleva|llevo|llevan|llevaron|queda con|quedo con|"
        r"embols\w+)|apropi\w+|estaf\w+|sin pagar\w*|sisa\w*",
        r"(?:recib|acept|cobr|pid|ped|exig|tom|cog|entreg|dio|dan|"
        rf"da)\w*\b.{{0,60}}\b{_ES_MONEY}\b",
        r"soborn(?:a|an|o|aron|ad[oa]|ando|aba|ar)\b(?! (?:es|esta|son))|"
        r"comprar? (?:a )?(?:funcionarios|inspectores)|unta a|por debajo de la mesa|"
        r"bajo cuerda",
        r"falsific(?!acion)\w+|falsea\w*|manipul(?!acion)\w+|amana\w*|maquill\w+|infl(?:a|an|"
        r"o|aron|ad[oa]s?|ando)\b|antedat\w+|adulter\w+|trucad?\w*|truca\b|altera(?:n|ron|ndo|"
        r"do)?\b|imit\w+ (?:la|mi|su) firma",
        r"(?:gastos?|facturas?|informes?|documentos?|recibos?|horas|contratos?|firmas?|"
        r"certificados?|declaraciones|fechas?|viajes?|empleados?|datos|clientes) (?:fals|"
        r"fictici|inventad|inexistent|fantasma)\w*|(?:fals[oa]s?|fictici[oa]s?) (?:gastos?|"
        r"facturas?|informes?|documentos?|recibos?|horas|testimonio)|nunca (?:existieron|"
        r"existio|hubo|tuvieron lugar|ocurri\w+)",
        r"destru(?:y|i)\w+|tritur\w+|borr(?:a|an|o|aron|ando|ado)\b.{0,30}\b(?:pruebas|"
        r"correos|archivos|datos|mensajes)|ocult(?:a|an|o|aron|ando|ado|aba)\b|encubr\w+|"
        r"tap(?:a|an|o|aron|ando)\b.{0,20}\b(?:fraude|robo|error\w*|accidente)",
        r"blanque(?:a|an|o|aron|ando)\b|lava(?:n|ndo)? dinero|informacion privilegiada para|"
        r"defraud\w+|comet(?:e|en|io|ieron|iendo)\b.{0,20}\b(?:fraude|delito|robo|abuso)\w*|"
        r"engan(?:a|an|o|aron|ando)\b|mient\w+|minti\w+|hace(?:n)? trampas?|trampea\w*|"
        r"abus(?:a|an|o|aron|ando)\b",
        r"vend(?:e|en|io|ieron|iendo|ido)\b.{0,40}\b(?:datos|listas?|secretos?|informacion|"
        r"material|bases? de datos)|(?:datos|listas?|secretos?|informacion|planos|"
        r"precios) .{0,40}(?:a la competencia|a un competidor|a competidores)|filtr(?:a|an|o|"
        r"aron|ando|ado)\b|copi(?:a|an|o|aron|ando|ado)\b.{0,40}\b(?:datos|listas?|clientes|"
        r"archivos)",
        r"(?:empresa|sociedad|negocio|firma) de su (?:mujer|marido|hermano|cunad[oa]|hermana|"
        r"amigo|primo|hijo|padre|espos[oa]|novi[oa]|pareja)|favorece a su",
        r"borrach\w+|ebri\w+|bebid[oa]\b|drogad\w+|bajo los efectos|cocaina|consume drogas|"
        r"fuma porros",
        r"ilegal\w*|en negro|(?:pacta|acuerda|fija)\w* .{0,20}precios|"
        r"tarjeta (?:de (?:la )?empresa|corporativa) .{0,50}(?:personal\w*|particular\w*|"
        r"privad\w+|vacaciones|compras)|gastos (?:personales|privados) .{0,40}(?:empresa|"
        r"tarjeta|como)|(?:compras?|viajes?) (?:personales|privad\w+|"
        r"particulares) .{0,40}(?:empresa|tarjeta)",
        r"(?:desactiv|desconect|anul|puente)\w+ .{0,30}(?:seguridad|alarmas?|protecci\w+|"
        r"sensor\w*)|viert\w+|tira(?:n|ndo)? .{0,40}(?:rio|alcantarilla|campo|desague)",
    ),
    blamed=any_of(
        r"(?:quiero|quisiera|necesito|tengo que) (?:denunciar|reportar|informar de) algo\b",
        r"(?:quiero|quisiera|necesito|tengo que|deseo|me gustaria|"
        r"vengo a)\b.{0,20}\b(?:denunciar|reportar|quejarme de) (?:a )?(?:mis?|"
        rf"nuestr[oa]|un[oa]?|al|la) (?:[\w-]+ ){{0,2}}?{_ES_JOBS}",
        rf"(?:sospech|acus)\w+ .{{0,40}}{_ES_JOBS}",
    ),
    confessed=any_of(
        r"(?:he|yo) (?:\w+ )?(?:cogido|tomado|robado|desviado|sacado|me lleve|robe|"
        r"cogi)\b.{0,40}\b(?:dinero|caja|euros|mercancia|material)",
        r"(?:he|yo) (?:falsificado|manipulado|sobornado|destruido|mentido|falsifique|soborne|"
        r"manipule)\b",
        r"(?:cogi|robe|falsifique|soborne|desvie)\b",
    ),
    spoke=any_of(
        r"(?:desde mi|desde que|despues de(?: que)?|tras|porque|por)\b.{0,20}\b(?:me queje|"
        r"denuncie|"
        r"informe|hable|avise|proteste|declare|denunciar|quejarme|hablar|informar|avisar|"
        r"mi (?:denuncia|queja|declaracion)|negarme|me negue|testifi\w+)",
    ),
    suffers=any_of(
        r"(?:degrad|despid|despedi|traslad|sancion|ignor|castig|apart|exclu|aisl|relegad)\w*|"
        r"turno de noche|turnos de noche|noches|represalias|venganza|quit(?:aron|ado|an|o)\b|"
        r"peores turnos|ya no me|no me (?:hablan|dan|llaman)|nadie me|cambiaron|vacio",
    ),
    asks=any_of(
        r"(?:como|que|quien(?:es)?|a quien|donde|cuando|por que|cual(?:es)?|cuant[oa]s?|hasta|"
        r"desde cuando|puedo|podemos|puede|debo|tengo que|hay que|existe|esta permitid\w+|"
        r"es (?:obligatori|legal|posible)\w*)\b",
        r"(?:explic\w+|dame|muestr\w+|list\w+|compar\w+|resum\w+|defin\w+|describ\w+|normas?|"
        r"politica|informacion|limite|procedimiento|reglas?)\b",
        r"(?:necesito|busco|quisiera saber|quiero saber|me gustaria saber|"
        r"tengo una (?:pregunta|duda)|me pregunto)\b(?! (?:denunciar|reportar))",
    ),
    asks_later=any_of(
        r"(?:puedo|podemos|debo|debemos|se puede|tengo que|hay que|puede) ",
        r"(?:como|cuanto|por que|que debo|que hago)\b",
    ),
    everyday=any_of(
        r"(?:esta|va|se va|sale|estara|coge) (?:\w+ )?(?:de|la|una) (?:baja|vacaciones|permiso|"
        r"viaje|excedencia)\b|se jubila\b",
        r"(?:esta|estan|estaba) (?:\w+ )?(?:enferm[oa]s?|ausentes?|de viaje|fuera)\b",
        r"(?:se casa|se caso|cumpleanos|aniversario|ascendid[oa]s?|despedida)\b",
    ),
    granted=any_of(
        r"(?:que|porque|por que|ya que) (?=(?:mi|mis|nuestr[oa]s?|el senor|la senora)\b)",
        r"(?:denuncio|denunciar|reportar) a? ?(?=(?:mi|nuestr[oa])\b.{0,40}\bque\b)",
        r"[\w)]+, (?=(?:mi|mis|nuestr[oa]s?|el senor|la senora)\b)",
    ),
    supposes=any_of(r"(?:si|en caso|suponiendo|supong\w+|imagin\w+|cuando)\b"),
    modal=any_of(r"(?:puede|pueden|debe|deben|deberia|podria|prohibid\w+|permitid\w+)\b"),
    by_mistake=any_of(
        r"(?:por error|por accidente|accidentalmente|sin querer|por equivocacion|por descuido)\b"
    ),
    lost=any_of(
        r"(?:me|nos|alguien(?: me| nos)?) (?:han |ha )?rob(?:aron|ado|"
        r"o)\b.{0,30}\b(?:portatil|movil|telefono|ordenador|bolso|mochila|coche|tarjeta|"
        r"llaves|maletin)"
    ),
    insider=any_of(
        r"(?:nuestr[oa]s?|el|la|los|en el) (?:planta|fabrica|empresa|laboratorio|tienda|"
        r"vigilantes?|"
        r"comerciales|contabilidad)\b|del (?:propio )?jefe\b",
        rf"(?:mis?|nuestr[oa]s?) (?:[\w-]+ ){{0,2}}?(?!clientes?\b){_ES_JOBS}|(?:mi|"
        r"nuestr[oa]) (?:cajer[oa]|vigilante|conserje|consejer[oa]|empresa|fabrica|"
        r"interventor\w*)",
        r"(?:un[oa]?|el|la|los|las|dos|varios|al) (?:nuev[oa] )?(?:jef[ea]s?|patron\w*|"
        r"gerente|superior\w*|supervisor\w*|companer\w+|director\w*|encargad\w+|contable|"
        r"directiv\w+|interventor\w*|vigilante|conserje|direccion|nuevo|formador|responsable|"
        r"capataz|presidente|cajer[oa])\b|los del \w+|un emplead[oa]",
        r"(?:ella|ellos|alguien)\b|(?:senora?|sra?|don|dona)\b\.? \w+|lo sabe todo el mundo",
        r"\w+,? de (?:compras|ventas|contabilidad|finanzas|logistica|marketing|rrhh|"
        r"recursos humanos|produccion|almacen|personal|informatica|recepcion)\b|(?:aqui|"
        r"en (?:mi|nuestr[oa]) \w+),? (?:se|nos|hay)\b|se (?:rien|burlan) de",
        r"(?:porque soy|por (?:ser|estar|llevar)|por mi) (?:gay|lesbiana|embarazad[oa]|velo|"
        r"negr[oa]|extranjer[oa]|musulman\w*|judi[oa]|discapacitad[oa]|religion|origen|color|"
        r"edad|acento|sindicalista|mujer|trans)\b",
    ),
    done_to_me=any_of(
        r"(?:me|nos) (?:ha[n]? \w+|\w+(?:aron|ieron)|(?!gusta|parece|interesa|falta|llamo|"
        r"dirijo|pregunto|refiero|acuerdo)\w{2,}(?:[aeo]|an|en))\b"
    ),
    helps=any_of(
        r"(?:que|como) (?:hago|puedo hacer|debo hacer|hacemos|tengo que hacer|"
        r"podemos hacer)(?: ahora)?$|a quien (?:acudo|se lo digo|puedo acudir|me dirijo|"
        r"aviso|debo acudir)$|quien me (?:ayuda|puede ayudar)$",
        r"(?:me )?(?:pueden|podeis|puedes|puede) ayudarme$|me (?:pueden|puede) ayudar$|"
        r"ayuda$|y ahora(?: que)?$|(?:es|eso es|esto es) normal$|puede hacer(?:lo|"
        r" eso)$",
    ),
    why=any_of(r"por que (?=(?:mi|mis|nuestr[oa]s?|el senor|la senora)\b)"),
    greeting=re.compile(
        r"^(?:(?:hola|buenas(?: tardes| noches)?|buenos dias|oye|pues|y|pero|por favor|perdon|"
        r"ok|hello)\b[ ,!:]{0,3}){1,6}"
    ),
)
