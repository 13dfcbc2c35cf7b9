/** Words that make a sentence say the opposite, as parts of a regular expression. */
export const NEGATING = [
  ['not', 'no', 'never', 'none', 'nothing', 'neither', 'without', 'except', 'cannot'],
  ['nicht', 'kein\\p{L}*', 'nie', 'niemals', 'ohne', 'außer'],
  ['pas', 'jamais', 'aucun\\p{L}*', 'sans', 'sauf'],
  ['nunca', 'ning\\p{L}*', 'jamás', 'sin', 'salvo'],
  ['non', 'mai', 'nessun\\p{L}*', 'senza', 'tranne'],
].flat()
