/** Whether a sed script runs commands: its command `e`, and the flag `e` of `s`. */

const BLANKS = /[\s;{}]*/y
/** `1`, `$`, `/x/I`, `\,x,`, `0~3`, `1,/x/`, `2,+4`, then perhaps `!`. */
const ADDRESS =
  /(?:(?:\d+(?:~\d+)?|\$|[+~]\d+|\/(?:[^\\/\n]|\\[^\n])*\/[IM]*|\\([^\\\n])(?:(?!\1)[^\\\n]|\\[^\n])*\1[IM]*)[ \t]*,?[ \t]*)*!?[ \t]*/y
/** Up to the end of the line: texts, names of files and labels. */
const WITH_LINE = /[aic](?:\\\n)?(?:[^\\\n]|\\[\s\S])*|[rRwW][^\n]*|[:btT][^\n;}]*|v[^\n]*/y
const SIMPLE = /[dDFgGhHnNpPxz=]|[qQlL][ \t]*\d*/y
const SUBSTITUTION =
  /([sy])([^\\\n])(?:(?!\2)[^\\]|\\[\s\S])*\2(?:(?!\2)[^\\]|\\[\s\S])*\2(?:[gpiImM0-9]*(?:w[^\n]*)?)/y
const COMMENT = /#[^\n]*/y

/** True also for what it cannot make out. */
export function hasExecution(script: string): boolean {
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(script)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  for (;;) {
    skip(BLANKS)
    if (at >= script.length) return false
    if (skip(COMMENT)) continue
    skip(ADDRESS)
    skip(BLANKS)
    if (at >= script.length) return false
    if (!skip(SIMPLE) && !skip(WITH_LINE) && !skip(SUBSTITUTION)) return true
    // Behind a command stands the end of it: "pe" is no command.
    if (at < script.length && !/[\s;}#]/.test(script.charAt(at))) return true
  }
}
