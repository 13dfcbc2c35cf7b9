/** How secrets are told that have no form of their own (src/secrets/forms), as parts of regular expressions. */

/** What stands before a secret that has no form of its own. */
export const SECRET_CUES =
  'watchword|code word|magic word|master (?:phrase|word|password)|(?:recovery|seed|secret) (?:phrase|words?|codes?)|backup codes?|mnemonic|(?:private|signing) key|losung|losungswort|codewort|merksatz|kennsatz|hauptsatz|(?:wiederherstellungs|sicherungs)(?:satz|wörter|codes?)|sésame|mot magique|phrase (?:maîtresse|secrète|de récupération)|santo y seña|palabra mágica|frase (?:maestra|secreta|segreta|de recuperación|di recupero)|parola magica|password|passwd|pwd|pw|psw|passphrase|passcode|pass phrase|pin|api key|apikey|access key|secret|secret key|token|credentials?|login(?! (?:page|screen|form|service|window))|passwort|kennwort|zugangscode|geheimnis|geheimzahl|schlüssel|mot de passe|mdp|digicode|code daccès|clé|contraseña|clave|código de acceso|parola dordine|codice di accesso|chiave'
/** What stands between the cue and the secret. */
export const SECRET_VERBS = 'is|was|are|reads|equals|ist|lautet|war|est|vaut|es|era|è|sono|=|:'

/** Before a ":" or a "=", whatever follows; elsewhere it is an ordinary word. */
export const SHORT_CUES = 'pass|pw|pwd|psw|passwd|mdp|kw'
/** What opens something: with a number, or with words between quotation marks. */
export const OPENING = [
  'unlock(?:s|ed|ing)?|opens? (?:with|to|by)|combination|padlock|keypad|door code|alarm code|safe|vault',
  'entsperr\\p{L}*|geht (?:mit|auf)|öffnet (?:sich )?(?:mit|auf)|kombination|schlosse?s?|tresor|safe|türcode|zahlencode',
  'déverrouill\\p{L}*|souvre (?:avec|par|en)|combinaison|cadenas|digicode|coffre|code de la porte',
  'desbloque\\p{L}*|se abre (?:con|marcando|tecleando)|combinación|candado|caja fuerte|código de la puerta',
  'sbloc\\p{L}*|si apre (?:con|digitando)|combinazione|lucchetto|cassaforte|codice della porta',
].join('|')
/** Who knows or says one word is let in. */
export const KNOWING = [
  '(?:knows?|says?|by|with|types?) the (?:same )?word',
  'das wort [^ ]+ (?:kennt|weiß|sagt)|mit (?:dem|demselben) wort',
  '(?:connaît|sait|dit|avec|tape) le (?:même )?mot',
  '(?:sabe|conoce|dice|con) la (?:misma )?palabra',
  '(?:sa|conosce|dice|con) la (?:stessa )?parola',
].join('|')
/** How one gets in: with a word that nobody would use. */
export const ENTERING = [
  'log(?:s|ged)? (?:in|on)|sign(?:s|ed)? in|get(?:s)? (?:in|into|to)|types?|enters?|wi-?fi|wlan|ssid|login',
  'meldet sich|anmeld\\p{L}*|einlogg\\p{L}*|kommt man|zugang|gibt man|tippt man|wort',
  'se connecte\\p{L}*|connexion|on tape|entrer|accéder|identifiant',
  'entra(?:r|n)?|accede(?:r|n)?|se escribe|se teclea|usuario',
  'accede(?:re)?|entra(?:re)?|si (?:scrive|digita)|utente',
].join('|')
/** Of these a sentence has one among a dozen words. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'the a an of and or is are was in on at to for by with as it its that this from not no ' +
    'der die das den dem des ein eine und oder ist sind war im in am an auf zu zum zur von vom mit für es nicht nach ' +
    'le la les un une des du de et ou est sont était dans sur à au aux pour par avec ne pas que qui en ' +
    'el los las una unos y o es son era en del al para por con no se lo ' +
    'il lo gli i e ed è sono della del nel sul per con non si che di da'
  ).split(' '),
)
