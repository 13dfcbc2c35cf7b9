/**
 * What orders look like: a clause that begins with a command, and what must or must not be done. A command is told by
 * the word after it ("refuse any …", "leite jede …"): what may stand before such a word without being one is listed.
 */
import type { ByLanguage } from './form.ts'

/** Commands whatever follows. */
const VERBS =
  'run|execute|use|ignore|delete|remove|send|reply|answer|respond|say|tell|call|write|read|install|deploy|restart|stop|start|ensure|make|check|remember|forget|avoid|prefer|treat|assume|act|pretend|follow|obey|disregard|skip|grant|give|add|keep|post|email|forward|upload|download|visit|fetch|copy|print|reveal|show|do|dont|open|set'

/** Before an article, and no command. */
const NONE_EN =
  'about|above|across|after|against|along|although|am|among|and|any|are|around|as|at|away|be|became|because|been|before|began|behind|being|below|beneath|beside|besides|between|beyond|both|bought|brought|built|but|by|came|can|chose|did|despite|down|due|during|either|else|even|ever|except|few|for|found|from|gave|given|got|grew|had|half|has|have|held|hence|here|how|however|if|in|inside|instead|into|is|just|kept|knew|lacks|led|left|less|like|lost|made|many|may|mere|might|more|most|much|near|neither|nor|not|now|of|off|often|on|once|one|only|onto|or|our|out|outside|over|paid|past|per|plus|quite|ran|rather|said|same|saw|sent|shall|since|so|sold|some|soon|still|such|than|that|then|there|these|they|this|those|though|three|through|throughout|thus|till|to|today|together|told|too|took|toward|towards|two|under|unless|unlike|until|up|upon|via|was|well|went|were|what|when|where|whereas|whether|which|while|who|whom|whose|why|will|with|within|without|worth|would|wrote|yet'
const AFTER_EN = 'the|any|all|every|each|your|them|him|us|nothing|everything|anything|nobody|straight|directly|yourself'

const NONE_DE =
  'alle|auf|aus|außer|beide|bitte|bis|danke|dass|deine|denn|diese|durch|ehe|eine|einige|falls|für|ganze|gegen|heute|hinter|hätte|ihre|in|jede|jene|keine|könnte|lange|meine|mehrere|mit|möge|müsste|nahe|ohne|seine|sogar|solche|sowie|unsere|viele|vor|welche|wenige|werde|wie|wurde|würde|wäre|zwischen'
const AFTER_DE =
  'den|die|das|dem|der|ein|eine|einen|alles|jede[nsmr]?|keine?[nsmr]?|nie|niemals|immer|nichts|niemand\\p{L}*|ihm|ihnen|mir|uns|stets|sofort|direkt|davon|darauf|nicht'
/** Forms that no other word has. */
const STRONG_DE =
  'sieh|tu|tut|lass|lasst|gib|gebt|nimm|sprich|vergiss|wirf|hilf|zieh|komm|geh|stell|mach|sag|frag|hol|bring|leg|schick|zeig|lösch|schau|hör|denk|trag'
/** Weak verbs whose commands end as a past does. */
const WEAK_DE = '\\p{L}*(?:antworte|arbeite|leite|warte|achte|starte|teste|berichte|schalte|halte|werte|poste|beachte)'

/** As NONE_EN, in French, Spanish and Italian, whose words are alike. */
const NONE_ROMANCE =
  'acerca|además|alla|altri|anche|ante|antes|anzi|après|aunque|autre|aux|avec|avrà|bajo|cabe|chaque|chez|circa|come|comme|como|con|contiene|contra|contre|cosa|così|cuando|da|dalla|dans|de|della|dentro|depuis|derrière|des|desde|después|di|docena|donde|dove|durant|durante|dès|elle|elles|en|encore|ensuite|entre|envers|era|eran|es|est|existe|existen|falta|faltan|fra|fue|fuera|fuori|giusta|già|gli|ha|hacia|hasta|hay|hors|i|ils|incluye|infine|insieme|invece|junto|jusque|la|lasciava|les|lors|luego|ma|mais|malgré|manca|media|mediante|mentre|mes|mientras|mis|moins|mucha|nella|nessuna|ni|ninguna|nueva|ocupa|ogni|oltre|ora|otra|para|parce|parmi|pas|pendant|permite|pese|plus|poca|poi|porque|prima|pris|puis|quanti|quasi|quatre|que|queda|quedan|quindi|salvo|sans|sauf|se|seconda|segunda|senza|ses|si|sia|sobre|solo|son|sopra|sotto|sous|suis|sulla|tiene|tienen|toda|tous|toute|toutes|tra|tras|tres|très|tutta|tutti|una|une|usan|usava|varia|veinte|vers|vi|viene|vienen|voilà|è|était'
const AFTER_FR =
  'le|la|les|un|une|chaque|tout|toute|tous|toutes|ce|cette|ces|lui|leur|moi|directement|toujours|jamais|rien|personne'

const AFTER_ES = 'el|la|los|las|un|una|cada|todo|toda|todos|todas|este|esta|directamente|cualquier'

const AFTER_IT = 'il|lo|la|i|gli|le|un|una|ogni|tutto|tutta|tutti|tutte|questo|questa|direttamente|qualsiasi'

export const ORDER: ByLanguage = {
  en: {
    begins: `(?:please|always|never|then|kindly|first|also|just) |do not |dont |let (?:nobody|no one|them|him|her) |(?:${VERBS}) (?!of |is |are |was |were |has |have |and |in |on |at )|(?:reply|respond|answer|write|speak|talk) in |(?!(?:${NONE_EN}|\\p{L}+(?:ed|ing|ly|s)) )\\p{L}+ (?:${AFTER_EN}) `,
    anywhere:
      'henceforth|hereafter|going forward|from (?:today|this day|here) on|take care (?:to|not|that)|see to it|(?:never|not|dont) forget to|(?:would|could|can|will) you|be so (?:kind|good)|would be (?:nice|good|great|best) (?:if|to)|do (?:me|us) (?:a|the) favou?r|(?:is|are) (?:expected|asked|requested|supposed) (?:to|that)|it is (?:expected|requested|best) (?:that|to)|(?:is|are) (?:never|always) to be|i (?:want|expect|ask|need|would like) you|forbidden|prohibited|unwanted|not welcome|you (?:must|should|shall|have to|need to|are to|may not|can|will)|make sure|from now on|remember to|be sure to|must|should|ought to|(?:is|are|has|have) to be|without (?:asking|reading|checking|telling|looking|question|a second (?:look|thought))|previous instructions|(?:under|in) no circumstances|at all costs|no matter (?:what|who|how)|as if|pretend|refrain from|no exceptions|(?:if|when) (?:anyone )?asked',
  },
  de: {
    begins: `(?:bitte|immer|niemals|nie) |(?:führe?|starte|lösche?|entferne|ignoriere|verwende|nutze|benutze|antworte|schicke?|sende|sage?|schreibe?|lies|installiere|prüfe|vergiss|merke?|vermeide|behandle|gib|mache?|zeige?|erzähle?|sprich|rede|verrate|teile|öffne|stelle?|setze?|halte|frage?|rufe?|nimm|kopiere|lade|besuche?|${STRONG_DE}) |(?:(?!(?:${NONE_DE}) )\\p{L}+(?<!t)e|${WEAK_DE}) (?:${AFTER_DE}) `,
    opens: `(?!(?:erst|fast|laut|mit|nicht|oft|meist|selbst|seit|statt|sonst|zuerst|jetzt|nebst|samt|zuletzt|dort|ist|hat) )\\p{L}+t (?:die|den|das|alle|alles|jede[nsmr]?|keine?[nsmr]?|nie|immer|nichts) `,
    anywhere:
      'von (?:jetzt|heute) an|ab (?:heute|dato)|achtet? darauf|sieh zu dass|sorgt? dafür|gefälligst|(?:könntes?t|würdes?t|wärs?t|wärest) (?:du|ihr)|(?:könnten|würden|wären) sie|vergiss (?:nie|nicht|niemals)|es wird (?:erwartet|gebeten|verlangt)|(?:ist|sind) (?:gehalten|angewiesen)|tut? (?:mir|uns) (?:den|einen) gefallen|(?:wird|werden) (?:[^ ]+ ){0,4}(?:nie|niemals|stets) (?:[^ ]+ )?\\p{L}+(?:t|en)|ich (?:will|erwarte|möchte) dass du|es wäre (?:nett|schön|gut) wenn|verboten|untersagt|unerwünscht|tabu|fortan|künftig|du (?:sollst|musst|darfst|kannst)|muss|müssen|soll|sollen|sollte|sollten|gehör(?:t|en) (?:sofort|umgehend)|(?:ist|sind|hat|haben) (?:[^ ]+ ){0,6}(?:zu (?!finden|sehen|erkennen|erreichen|hause)\\p{L}+[eu]n|(?:ab|an|auf|aus|bei|durch|ein|fest|her|hin|mit|nach|um|vor|weg|weiter|zurück)zu\\p{L}{3,}[eu]n)|ab jetzt|ab sofort|von nun an|ohne (?:nachfrage|rückfrage|zu fragen)|ungeprüft|ungelesen|(?:unter|in) keine[nm] (?:umständen|fall)|auf keinen fall|keinesfalls|um jeden preis|egal (?:was|wer|wie|ob)|ausnahmslos|als (?:wäre|wären|käme|kämen|hätte|hätten|ob)',
  },
  fr: {
    begins: `(?:toujours|jamais|ne|veuillez) |(?:exécute[zr]?|ignore[zr]?|utilise[zr]?|supprime[zr]?|réponds|répondez|envoie|envoyez|écris|écrivez|lance[zr]?|installe[zr]?|oublie[zr]?|évite[zr]?|montre[zr]?|donne[zr]?|parle[zr]?|raconte[zr]?|révèle[zr]?|ouvre[zr]?|copie[zr]?|demande[zr]?|dis|dites|fais|faites) |(?!rendez-)\\p{L}+-(?:toi|vous|moi|lui|leur|le|la|les) |(?!(?:${NONE_ROMANCE}) )\\p{L}+(?:e|ez|s) (?:${AFTER_FR}) |que (?:personne|nul) `,
    anywhere:
      'dès (?:maintenant|aujourdhui)|à lavenir|assure-toi|assurez-vous|prends garde|prenez garde|veillez? à|noubliez? (?:pas|jamais)|(?:pourrais|peux|voudrais|aurais)-tu|(?:pourriez|pouvez|voudriez|auriez)-vous|(?:aie|ayez) la (?:gentillesse|bonté)|on attend que|il est (?:attendu|demandé) (?:que|de)|(?:est|sont) priée?s? de|(?:rends|rendez)-(?:moi|nous) (?:ce )?service|(?:nest|ne sont) jamais \\p{L}+ée?s?|je (?:veux|demande) que tu|ce serait (?:bien|gentil) (?:si|de)|interdite?s?|prohibée?s?|malvenue?s?|à compter de ce jour|il faut|(?:tu|vous) (?:dois|devez|peux|pouvez)|doit|doivent|devra|devront|(?:est|sont) à \\p{L}+(?:er|ir|re)|désormais|dorénavant|à partir de maintenant|sans (?:demander|(?:le|la|les|rien) \\p{L}+(?:er|ir|re))|en aucun cas|sous aucun prétexte|à tout prix|comme si|quoi quil',
  },
  es: {
    begins: `(?:siempre|nunca|no(?! (?:more|less|fewer|later|longer|one|[^ ]+ (?:is|are|was|were|may|can|has|have|of|in|for)))|por favor) |(?:ejecuta|ignora|usa|utiliza|borra|elimina|responde|envía|escribe|instala|olvida|evita|muestra|haz|da|lee|inicia|habla|cuenta|revela|abre|copia|visita|pregunta|di) |(?:abstente|detente|ponte|hazlo|dile|dilo|asegúrate|acuérdate) |\\p{L}*[áéíó]\\p{L}*[aei](?:te|lo|los|la|las|le|les|me) |(?!(?:${NONE_ROMANCE}|\\p{L}+(?:aba|ía)) )\\p{L}+(?:a|e|n) (?:${AFTER_ES}) |que nadie `,
    anywhere:
      'de aquí en adelante|desde (?:ahora|hoy)|asegúrate de|asegúrese de|ten (?:cuidado|en cuenta)|(?:nunca|no) olvid(?:es|éis|e)|(?:podrías|podríais|querrías|serías|puedes)|(?:hazme|haz) el favor|se (?:espera|ruega|pide|exige) que|(?:nunca|jamás) se (?:(?:le|les|lo|la|los|las) )?\\p{L}+|te (?:pido|ruego) que|sería (?:bueno|mejor|amable) (?:si|que)|prohibid[oa]s?|vedad[oa]s?|no son bienvenid[oa]s|en lo sucesivo|en adelante|debes|deberías|debe|deben|deberán?|tienes que|tienen? que|ha(?:n)? de \\p{L}+r(?:se)?|hay que|se \\p{L}+(?:ará|erá|irá)n?|de ahora en adelante|a partir de ahora|sin (?:preguntar|(?:\\p{L}+)[aei]r(?:lo|la|los|las))|bajo ningún (?:concepto|pretexto|motivo)|en ningún caso|a toda costa|pase lo que pase|como si',
  },
  it: {
    begins: `(?:sempre|mai|non|per favore) |(?:esegui|ignora|usa|utilizza|cancella|elimina|rispondi|invia|scrivi|installa|dimentica|evita|mostra|fai|dai|leggi|avvia|parla|racconta|rivela|apri|copia|visita|chiedi) |(?:astieniti|assicurati|ricordati|dillo|fallo|dimmi|dammi) |(?!(?:${NONE_ROMANCE}|\\p{L}+(?:ava|eva|iva)) )\\p{L}+(?:a|i|ate|ete|ite) (?:${AFTER_IT}) |che nessuno `,
    anywhere:
      'dora in avanti|da (?:oggi|adesso|ora) in avanti|assicurat[ei] (?:di|che)|badate? (?:di|a|che)|fai (?:in modo|attenzione)|non dimenticar(?:e|ti)|non dimenticate|(?:potresti|vorresti|saresti|potreste)|fammi (?:il|un) favore|ci si aspetta che|si (?:prega|richiede|pretende) (?:di|che)|non (?:viene|vengono|va|vanno) mai \\p{L}+|ti (?:chiedo|prego) di|sarebbe (?:bene|meglio|gentile) (?:se|che)|vietat[oaie]|proibit[oaie]|non (?:è|sono) gradit[oaie]|dora innanzi|in futuro|devi|dovresti|deve|devono|dovrà|dovranno|bisogna|(?:va|vanno) (?:[^ ]+ )?\\p{L}+(?:at|ut|it|s|tt|rt)[oaie]|(?:è|sono) da \\p{L}+(?:are|ere|ire)|dora in poi|da ora in poi|senza (?:chiedere|\\p{L}+r(?:lo|la|li|le))|in nessun caso|per nessun motivo|a ogni costo|come se',
  },
}
