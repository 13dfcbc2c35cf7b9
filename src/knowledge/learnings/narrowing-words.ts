/** Words without which a sentence says more than it did, as parts of a regular expression. */
export const NARROWING = [
  [
    'only',
    'partly',
    'partially',
    'rarely',
    'sometimes',
    'unless',
    'until',
    'if',
    'almost',
    'used to',
    'at most',
    'at least',
  ],
  ['nur', 'teilweise', 'selten', 'manchmal', 'bis', 'falls', 'wenn', 'fast', 'höchstens', 'mindestens'],
  ['seulement', 'partiellement', 'rarement', 'parfois', 'jusqu\\p{L}*', 'presque', 'au plus', 'au moins'],
  ['solo', 'sólo', 'parcialmente', 'raramente', 'a veces', 'hasta', 'casi', 'como máximo', 'al menos'],
  ['soltanto', 'parzialmente', 'a volte', 'fino', 'quasi', 'al massimo', 'almeno'],
].flat()
