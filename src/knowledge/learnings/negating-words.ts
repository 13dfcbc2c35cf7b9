/**
 * Words that make a sentence say the opposite, as parts of a regular expression, by their kind: "has no toner", "is
 * without toner" and "lacks toner" say the same; "except on Sundays" is another matter.
 */
export const DENYING = [
  ['not', 'no', 'never', 'none', 'nothing', 'nobody', 'nowhere', 'neither', 'nor', 'without', 'cannot', 'unable'],
  ['lack', 'lacks', 'lacked', 'lacking', 'missing', 'out of'],
  [
    'nicht',
    'nichts',
    'kein\\p{L}*',
    'nie',
    'niemals',
    'niemand\\p{L}*',
    'weder',
    'ohne',
    'fehlt',
    'fehlen',
    'fehlte\\p{L}*',
  ],
  ['pas', 'jamais', 'aucun\\p{L}*', 'rien', 'sans', 'manque', 'manquent'],
  ['nunca', 'ning\\p{L}*', 'jamás', 'nadie', 'nada', 'sin', 'falta', 'faltan', 'carece\\p{L}*'],
  ['non', 'mai', 'nessun\\p{L}*', 'niente', 'nulla', 'senza', 'manca', 'mancano', 'priv[oaie]'],
].flat()

/** What a rule leaves out. */
export const EXCEPTING = [
  ['except', 'excepting', 'excluding', 'apart from', 'other than', 'all but'],
  ['außer', 'ausgenommen', 'bis auf', 'abgesehen von'],
  ['sauf', 'excepté', 'hormis'],
  ['salvo', 'excepto'],
  ['tranne', 'eccetto'],
].flat()

export const NEGATING = [...DENYING, ...EXCEPTING]
