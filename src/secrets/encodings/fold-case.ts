/**
 * A text whose case does not matter any more, character for character as long as it was: places in it are places in the
 * original. So "İ" becomes "i", which is "i" with a dot elsewhere, and a Greek sigma is the same wherever it stands.
 */
export function foldCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}
