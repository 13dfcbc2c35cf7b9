/**
 * What a learning looks like that a person has to see, by form, in English, German, French, Spanish and Italian: the
 * one table that docs/curation.md tells of. `begins` is looked for where a clause begins, `anywhere` anywhere; both are
 * compared with normal texts (core/text/normal-text.ts), where "l'agent" is "lagent".
 *
 * What must hold: when in doubt, a person. What is held is not lost.
 */
import type { Suspicion } from '../../core/status.ts'

interface Form {
  readonly begins?: string
  readonly anywhere?: string
}

type ByLanguage = Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'it', Form>>

const VERBS =
  'run|execute|use|ignore|delete|remove|send|reply|answer|respond|say|tell|call|write|read|install|deploy|restart|stop|start|ensure|make|check|remember|forget|avoid|prefer|treat|assume|act|pretend|follow|obey|disregard|skip|grant|give|add|keep|post|email|forward|upload|download|visit|fetch|copy|print|reveal|show|do|dont|open|set'

/** The tables' order is that of the flags of a learning. */
export const SUSPICIOUS: Readonly<Record<Exclude<Suspicion, 'SECRET'>, ByLanguage>> = {
  ORDER: {
    en: {
      begins: `(?:please|always|never|then|kindly|first|also|just) |do not |dont |(?:${VERBS}) (?!of |is |are |was |were |has |have |and |in |on |at )`,
      anywhere:
        'you (?:must|should|shall|have to|need to|are to|may not|can|will)|make sure|from now on|remember to|be sure to|must always|must never|should always|should never|without asking|previous instructions',
    },
    de: {
      begins:
        '(?:bitte|immer|niemals|nie) |(?:führe?|starte|lösche?|entferne|ignoriere|verwende|nutze|benutze|antworte|schicke?|sende|sage?|schreibe?|lies|installiere|prüfe|vergiss|merke?|vermeide|behandle|gib|mache?|zeige?|erzähle?|sprich|rede|verrate|teile|öffne|stelle?|setze?|halte|frage?|rufe?|nimm|kopiere|lade|besuche?) ',
      anywhere:
        'du (?:sollst|musst|darfst|kannst)|sie (?:sollen|müssen) immer|ab jetzt|ab sofort|von nun an|ohne (?:nachfrage|rückfrage|zu fragen)',
    },
    fr: {
      begins:
        '(?:toujours|jamais|ne|veuillez) |(?:exécute[zr]?|ignore[zr]?|utilise[zr]?|supprime[zr]?|réponds|répondez|envoie|envoyez|écris|écrivez|lance[zr]?|installe[zr]?|oublie[zr]?|évite[zr]?|montre[zr]?|donne[zr]?|parle[zr]?|raconte[zr]?|révèle[zr]?|ouvre[zr]?|copie[zr]?|demande[zr]?|dis|dites|fais|faites) ',
      anywhere:
        'il faut|(?:tu|vous) (?:dois|devez|peux|pouvez)|désormais|dorénavant|à partir de maintenant|sans demander',
    },
    es: {
      begins:
        '(?:siempre|nunca|no|por favor) |(?:ejecuta|ignora|usa|utiliza|borra|elimina|responde|envía|escribe|instala|olvida|evita|muestra|haz|da|lee|inicia|habla|cuenta|revela|abre|copia|visita|pregunta|di) ',
      anywhere: 'debes|deberías|tienes que|hay que|de ahora en adelante|a partir de ahora|sin preguntar',
    },
    it: {
      begins:
        '(?:sempre|mai|non|per favore) |(?:esegui|ignora|usa|utilizza|cancella|elimina|rispondi|invia|scrivi|installa|dimentica|evita|mostra|fai|dai|leggi|avvia|parla|racconta|rivela|apri|copia|visita|chiedi) ',
      anywhere: 'devi|dovresti|bisogna|dora in poi|da ora in poi|senza chiedere',
    },
  },
  REMARK: {
    en: {
      anywhere:
        'today|tomorrow|yesterday|tonight|right now|at the moment|just now|for now|this (?:morning|afternoon|evening|week)|(?:minutes|hours|days|an hour) ago|thanks|thank you|hello|haha|goodbye|good morning|lunch|weather|tired|hungry|in a hurry|feeling|weekend|mood|holidays?|vacation|nice to|just (?:\\p{L}+ed|broke|went|came|got|left|began|fell|ran|became|had)|currently|at present|a moment ago|earlier today|last night|still (?:running|waiting|down|broken|failing|busy)|(?:down|slow|offline|stuck|failed|broke|broken|crashed) again|in a meeting|on a break|sorry|good (?:evening|night|job)|well done|congratulations|at last|looks like|coffee|(?:is|are|be) (?:right )?back|keeps \\p{L}+ing|oh|wow|hmm|hooray|phew|since (?:noon|midday)',
    },
    de: {
      anywhere:
        'heute|morgen früh|gestern|vorhin|gerade|eben|im moment|momentan|derzeit|zurzeit|danke|hallo|wetter|müde|hungrig|mittagessen|wochenende|urlaub|laune|soeben|vorerst|zur zeit|letzte nacht|neulich|schon wieder|tut mir leid|entschuldigung|guten (?:tag|morgen|abend)|gute nacht|in einer (?:besprechung|sitzung)|in (?:der )?pause|bis (?:gleich|später)|feierabend|(?:läuft|wartet|hängt|klemmt) noch|endlich|sieht so aus|kaffee|(?:gleich|bald|in [^ ]+ (?:minuten|stunden)) zurück|andauernd|seit (?:mittag|vorhin)|oh|hurra|puh',
    },
    fr: {
      anywhere:
        'aujourdhui|demain|hier|en ce moment|actuellement|tout à lheure|tout de suite|merci|bonjour|fatiguée?|météo|déjeuner|vacances|humeur|vien(?:t|nent) (?:encore |juste |tout juste )?(?:de )?d?\\p{L}+(?:er|ir|re|oir)|tout juste|à linstant|ce (?:matin|soir)|cette (?:nuit|semaine)|désolée?s?|bonsoir|salut|bravo|en (?:réunion|pause)|(?:tourne|attend|bloque) (?:encore|toujours)|encore tombée?s?|enfin|on dirait|café|(?:revient|reviennent) (?:dans|bientôt)|de retour|sans arrêt|depuis midi|oh|ouf|hourra',
    },
    es: {
      anywhere:
        'hoy|ayer|ahora mismo|en este momento|actualmente|gracias|hola|cansad[oa]|tiempo hace|almuerzo|vacaciones|humor|mañana por la|acaba(?:n|mos)? de \\p{L}+[aei]r(?:se)?|justo ahora|hace (?:un momento|un rato|poco)|esta (?:mañana|tarde|noche|semana)|anoche|por ahora|de momento|perdón|lo siento|buen(?:os|as) (?:días|tardes|noches)|en una reunión|de descanso|enhorabuena|sigue(?:n)? (?:en marcha|caíd[oa]|esperando)|por fin|parece que|café|vuelve(?:n)? (?:en|pronto)|desde el mediodía|oh|uf',
    },
    it: {
      anywhere:
        'oggi|domani|ieri|adesso|in questo momento|attualmente|grazie|ciao|stanc[oa]|pranzo|vacanze|umore|meteo|appena \\p{L}+(?:at|it|ut|s|tt|rt)[oaie]|poco fa|per ora|al momento|per il momento|questa (?:mattina|sera|settimana)|stamattina|stasera|stanotte|scusa(?:te)?|mi dispiace|buon(?:giorno|asera|anotte)|in (?:riunione|pausa)|complimenti|(?:gira|aspetta) ancora|finalmente|sembra che|pare che|caffè|torna(?:no)? (?:tra|fra|presto)|da mezzogiorno|oh|uff',
    },
  },
  AGENT: {
    en: {
      anywhere:
        // In Italian it is an article.
        'i(?! (?:\\p{L}+i|server|backup|job|test|log|file|build|link|bug|token) )(?! (?:[^ ]+ ){0,3}(?:di|del|dei|della|dello|degli|sono|vengono|hanno|che|nel|nella|su|da|non) )|im|ive|ill|my|me|we|our|the (?:agent|assistant|bot|planner|reviewer|curator|messenger)|this (?:agent|assistant|bot)|system prompt|as an ai|language model|instructions',
    },
    de: {
      anywhere:
        'ich|mein|meine|meinen|mich|mir|wir|unsere|(?:der|dieser) (?:agent|assistent|bot)|systemprompt|sprachmodell|anweisungen',
    },
    fr: {
      anywhere:
        'je|jai|mon|ma|(?<!(?:del|al|este|cada|por|un|último|próximo|primer) )mes|nous|notre|lagent|lassistant|cet agent|invite système|modèle de langage',
    },
    es: {
      // A past of the first person.
      begins:
        '(?:ya )?(?!así|aquí|allí|ahí|también|además|después|quizás|jamás)\\p{L}{2,}[éí] |(?:he|hemos) \\p{L}+[dt]o ',
      anywhere: 'yo|soy|puedo|mi|mis|nosotros|nuestr[oa]|el (?:agente|asistente|bot)|este agente|modelo de lenguaje',
    },
    it: {
      begins: '(?:ho|abbiamo) ',
      anywhere: 'io|sono un|posso|mio|mia|noi|nostr[oa]|lagente|lassistente|questo agente|modello linguistico',
    },
  },
  RIGHTS: {
    en: {
      anywhere:
        'permissions?|privileges?|rights|admins?|administrators?|root|sudo|superuser|access|allowed|authori[sz]ed|granted|trusted|approvals?|may (?:(?:now|also|always|from now on) )?(?:approve|delete|deploy|read|write|use|see)|bypass(?:es)?',
    },
    de: {
      anywhere:
        'rechte|berechtigt|berechtigung|berechtigungen|befugt|darf|dürfen|zugriff|zugang|erlaubt|freigabe|freigaben|administrator|administratoren|vertrauenswürdig',
    },
    fr: {
      anywhere:
        'droits|autorisée?s?|autorisations?|permissions?|accès|administrateurs?|approbations?|(?:peut|peuvent) (?:(?:désormais|maintenant|aussi|toujours) )?(?:approuver|supprimer|modifier|lire|écrire|utiliser)',
    },
    es: {
      anywhere:
        'permisos?|autorizad[oa]s?|acceso|administrador(?:es)?|aprobación|derechos|puede(?:n)? (?:(?:ahora|desde ahora|también|siempre) )?(?:aprobar|borrar|eliminar|modificar|leer|escribir|usar)',
    },
    it: {
      anywhere:
        'permess[oi]|autorizzat[oaie]|accesso|amministrator[ei]|approvazione|diritti|(?:può|possono) (?:(?:ora|da ora|anche|sempre) )?(?:approvare|cancellare|eliminare|modificare|leggere|scrivere|usare)',
    },
  },
  PRIVATE: {
    en: {
      anywhere:
        'birthday|born on|home address|lives (?:at|in)|phone number|mobile number|salary|earns|pregnant|divorced?|illness|ill|sick|diagnos(?:is|ed)|cancer|therapy|therapist|religio(?:n|us)|married|wife|husband|girlfriend|boyfriend|bank account|iban|passport|depress(?:ed|ion)|fired|affair',
    },
    de: {
      anywhere:
        'geburtstag|geboren am|privatadresse|wohnt in|telefonnummer|handynummer|gehalt|verdient|schwanger|scheidung|geschieden|krank|krankheit|diagnose|krebs|therapie|verheiratet|ehefrau|ehemann|freundin|depressionen?|krankgeschrieben|kontonummer|iban|reisepass|gekündigt',
    },
    fr: {
      anywhere:
        'anniversaire|née? le|adresse personnelle|habite|numéro de téléphone|salaire|gagne|enceinte|divorcée?|malade|maladie|diagnostic|cancer|thérapie|mariée?|épouse|mari|dépression|arrêt maladie|compte bancaire|passeport',
    },
    es: {
      anywhere:
        'cumpleaños|nació el|dirección particular|vive en|número de teléfono|sueldo|salario|gana|embarazada|divorciad[oa]|enferm[oa]|enfermedad|diagnóstico|cáncer|terapia|casad[oa]|esposa|marido|depresión|de baja|cuenta bancaria|pasaporte',
    },
    it: {
      anywhere:
        'compleanno|nat[oa] il|indirizzo di casa|abita|numero di telefono|stipendio|guadagna|incinta|divorziat[oa]|malat[oa]|malattia|diagnosi|cancro|terapia|sposat[oa]|moglie|marito|depressione|conto bancario|passaporto',
    },
  },
}

/** What stands before a secret that has no form of its own. */
export const SECRET_CUES =
  'password|passphrase|passcode|pass phrase|pin|api key|apikey|access key|secret|secret key|token|credentials?|login|passwort|kennwort|zugangscode|geheimnis|geheimzahl|schlüssel|mot de passe|mdp|code daccès|clé|contraseña|clave|código de acceso|parola dordine|codice di accesso|chiave'
/** What stands between the cue and the secret. */
export const SECRET_VERBS = 'is|was|are|reads|equals|ist|lautet|war|est|vaut|es|era|è|sono|=|:'
