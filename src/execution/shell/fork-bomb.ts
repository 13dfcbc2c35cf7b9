/** A function that calls itself into the background or into a pipe to itself, as in `:(){ :|:& };:`. */
import { forEachChild, type Function as FunctionNode, type SyntaxNode } from 'unbash'

/** Finds only a function that calls itself: two that call each other are left to the limit on processes. */
export function multipliesItself({ name, body }: FunctionNode): boolean {
  const open: SyntaxNode[] = [body]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'Statement' && node.background === true && callsOf(node.command).includes(name.value)) return true
    if (node.type === 'Pipeline') {
      const names = callsOf(node)
      if (names.some((called, index) => called === name.value && names[index + 1] === called)) return true
    }
    if (!isWord(node)) forEachChild(node, (child) => open.push(child))
  }
  return false
}

/** What is substituted in words is left out: to read it takes time for each function around it. */
function isWord({ type }: SyntaxNode): boolean {
  return type === 'Word' || type === 'Assignment' || type.startsWith('Here') || type.startsWith('Arithmetic')
}

/** The programs that a command line starts side by side, or one after another, by name. */
function callsOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'Command') return [node.name?.value ?? '']
  return node.type === 'Pipeline' || node.type === 'AndOr' ? node.commands.flatMap(callsOf) : []
}
