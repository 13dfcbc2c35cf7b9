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
        'today|tomorrow|yesterday|tonight|right now|at the moment|just now|for now|this (?:morning|afternoon|evening|week)|(?:minutes|hours|days|an hour) ago|thanks|thank you|hello|haha|goodbye|good morning|lunch|weather|tired|hungry|in a hurry|feeling|weekend|mood|holidays?|vacation|nice to',
    },
    de: {
      anywhere:
        'heute|morgen früh|gestern|vorhin|gerade|eben|im moment|momentan|derzeit|zurzeit|danke|hallo|wetter|müde|hungrig|mittagessen|wochenende|urlaub|laune',
    },
    fr: {
      anywhere:
        'aujourdhui|demain|hier|en ce moment|actuellement|tout à lheure|tout de suite|merci|bonjour|fatiguée?|météo|déjeuner|vacances|humeur',
    },
    es: {
      anywhere:
        'hoy|ayer|ahora mismo|en este momento|actualmente|gracias|hola|cansad[oa]|tiempo hace|almuerzo|vacaciones|humor|mañana por la',
    },
    it: {
      anywhere:
        'oggi|domani|ieri|adesso|in questo momento|attualmente|grazie|ciao|stanc[oa]|pranzo|vacanze|umore|meteo',
    },
  },
  AGENT: {
    en: {
      anywhere:
        'i|im|ive|ill|my|me|we|our|the (?:agent|assistant|bot|planner|reviewer|curator|messenger)|this (?:agent|assistant|bot)|system prompt|as an ai|language model|instructions',
    },
    de: {
      anywhere:
        'ich|mein|meine|meinen|mich|mir|wir|unsere|(?:der|dieser) (?:agent|assistent|bot)|systemprompt|sprachmodell|anweisungen',
    },
    fr: { anywhere: 'je|jai|mon|ma|mes|nous|notre|lagent|lassistant|cet agent|invite système|modèle de langage' },
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
        'permissions?|privileges?|rights|admins?|administrators?|root|sudo|superuser|access|allowed|authori[sz]ed|granted|trusted|approvals?|may (?:approve|delete|deploy|read|write|use|see)|bypass(?:es)?',
    },
    de: {
      anywhere:
        'rechte|berechtigt|berechtigung|berechtigungen|befugt|darf|dürfen|zugriff|zugang|erlaubt|freigabe|freigaben|administrator|administratoren|vertrauenswürdig',
    },
    fr: {
      anywhere:
        'droits|autorisée?s?|autorisations?|permissions?|accès|administrateurs?|approbations?|(?:peut|peuvent) (?:approuver|supprimer|lire|écrire|utiliser)',
    },
    es: {
      anywhere:
        'permisos?|autorizad[oa]s?|acceso|administrador(?:es)?|aprobación|derechos|puede(?:n)? (?:aprobar|borrar|leer|escribir|usar)',
    },
    it: {
      anywhere:
        'permess[oi]|autorizzat[oaie]|accesso|amministrator[ei]|approvazione|diritti|(?:può|possono) (?:approvare|cancellare|leggere|scrivere|usare)',
    },
  },
  PRIVATE: {
    en: {
      anywhere:
        'birthday|born on|home address|lives (?:at|in)|phone number|mobile number|salary|earns|pregnant|divorced?|illness|ill|sick|diagnos(?:is|ed)|cancer|therapy|therapist|religio(?:n|us)|married|wife|husband|girlfriend|boyfriend|bank account|iban|passport|depress(?:ed|ion)|fired|affair',
    },
    de: {
      anywhere:
        'geburtstag|geboren am|privatadresse|wohnt in|telefonnummer|handynummer|gehalt|verdient|schwanger|scheidung|geschieden|krank|krankheit|diagnose|krebs|therapie|verheiratet|ehefrau|ehemann|freundin|kontonummer|iban|reisepass|gekündigt',
    },
    fr: {
      anywhere:
        'anniversaire|née? le|adresse personnelle|habite|numéro de téléphone|salaire|gagne|enceinte|divorcée?|malade|maladie|diagnostic|cancer|thérapie|mariée?|épouse|mari|compte bancaire|passeport',
    },
    es: {
      anywhere:
        'cumpleaños|nació el|dirección particular|vive en|número de teléfono|sueldo|salario|embarazada|divorciad[oa]|enferm[oa]|enfermedad|diagnóstico|cáncer|terapia|casad[oa]|esposa|marido|cuenta bancaria|pasaporte',
    },
    it: {
      anywhere:
        'compleanno|nat[oa] il|indirizzo di casa|abita|numero di telefono|stipendio|guadagna|incinta|divorziat[oa]|malat[oa]|malattia|diagnosi|cancro|terapia|sposat[oa]|moglie|marito|conto bancario|passaporto',
    },
  },
}

/** What stands before a secret that has no form of its own. */
export const SECRET_CUES =
  'password|passphrase|passcode|pass phrase|pin|api key|apikey|access key|secret|secret key|token|credentials?|login|passwort|kennwort|zugangscode|geheimnis|geheimzahl|schlüssel|mot de passe|mdp|code daccès|clé|contraseña|clave|código de acceso|parola dordine|codice di accesso|chiave'
/** What stands between the cue and the secret. */
export const SECRET_VERBS = 'is|was|are|reads|equals|ist|lautet|war|est|vaut|es|era|è|sono|=|:'
