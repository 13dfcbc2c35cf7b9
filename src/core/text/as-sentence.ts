/** A reason that a model or a person gave, as a sentence among others: it ends as one does, and begins in capitals. */
export function asSentence(text: string): string {
  const said = text.trim()
  if (said === '') return ''
  const begun = said.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
  return /[.!?…。！？।؟۔][)\]"'”’»]*$/u.test(begun) ? begun : `${begun}.`
}
