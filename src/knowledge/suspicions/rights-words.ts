/** What looks like a change of rights, and what names other people's private matters. */
import type { ByLanguage } from './form.ts'

export const RIGHTS: ByLanguage = {
  en: {
    anywhere:
      'permissions?|privileges?|rights|admins?(?! (?:console|page|panel|interface|ui|area|api|guide|dashboard|server|tool)s? )|administrators?|root|sudo|superuser|access|allowed|authori[sz]ed|granted|trusted|approvals?|may (?:(?:now|also|always|from now on) )?(?:approve|delete|deploy|read|write|use|see)|bypass(?:es)?',
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
}

export const PRIVATE: ByLanguage = {
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
}
