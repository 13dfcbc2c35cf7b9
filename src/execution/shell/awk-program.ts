/** Whether an awk program may start another one: by `system`, by a pipe, or by what it loads or calls by name. */

/** Behind these a slash begins a pattern; behind others it may divide. */
const BEFORE_PATTERN = new Set('(,{;!~&|=}\n?:*%<>[')
const PATTERN = /\/(?:[^\\/\n]|\\[^\n])*\//y
/**
 * A slash that may divide: no other follows on the line, or, were it a pattern up to there, nothing of a text would be
 * in it.
 */
const DIVIDES = /\/(?:[^\\/\n"#]*\/|[^/\n]*(?:\n|$))/y
const TEXT = /"(?:[^"\\\n]|\\[\s\S])*"/y
const COMMENT = /#[^\n]*/y

/** True also for what it cannot make out. */
export function mayStartProgram(program: string): boolean {
  const code = withoutTexts(program.replaceAll(/\\\r?\n/g, ' '))
  return code === null || /\bsystem\b|@|\|&/.test(code) || code.replaceAll('||', '').includes('|')
}

/** Texts and patterns become a 1. Null: where they are is not certain. */
function withoutTexts(program: string): string | null {
  let code = ''
  let last = '\n'
  let at = 0
  const matchAt = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.test(program) ? pattern.lastIndex : -1
  }
  while (at < program.length) {
    const char = program.charAt(at)
    const isTaken = char === '"' || (char === '/' && BEFORE_PATTERN.has(last))
    const end = isTaken ? matchAt(char === '"' ? TEXT : PATTERN) : char === '#' ? matchAt(COMMENT) : at + 1
    if (end === -1 || (char === '/' && !isTaken && matchAt(DIVIDES) === -1)) return null
    if (char !== '#') {
      code += isTaken ? '1' : char
      if (!/[ \t\r]/.test(char)) last = isTaken ? '1' : char
    }
    at = end
  }
  return code
}
