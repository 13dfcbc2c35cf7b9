/**
 * What shells complete the commands with, made of their declarations: words of a group, and options of a command. A
 * file name is completed where a value of an option or an argument stands.
 */
import type { Command } from 'commander'

/** The shells that `factotum completion` knows. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface CommandWords {
  /** "session export"; "" for `factotum` itself. */
  readonly path: string
  readonly words: readonly Word[]
}

interface Word {
  readonly word: string
  readonly description: string
}

/** A script for the shell to read. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesIn(program, '')
  return shell === 'fish' ? fishScript(places) : shell === 'zsh' ? zshScript(places) : bashScript(places)
}

function placesIn(command: Command, path: string): CommandWords[] {
  const commands = command.commands.map((one) => ({ word: one.name(), description: one.description() }))
  const options = command.options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []))
  const below = command.commands.flatMap((one) => placesIn(one, `${path} ${one.name()}`.trim()))
  return [{ path, words: [...commands, ...options, { word: '--help', description: 'Prints this.' }] }, ...below]
}

/** Goes over the words before the cursor, and keeps to the commands among them. */
function walk(places: readonly CommandWords[]): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]))
  return `case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac`
}

function wordsOf(places: readonly CommandWords[]): string {
  const lines = places.map(({ path, words }) => `    "${path}") found="${words.map(({ word }) => word).join(' ')}" ;;`)
  return `case "$at" in\n${lines.join('\n')}\n  esac`
}

function bashScript(places: readonly CommandWords[]): string {
  return `_factotum() {
  local at="" found="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walk(places)}
  done
  ${wordsOf(places)}
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _factotum factotum`
}

function zshScript(places: readonly CommandWords[]): string {
  return `#compdef factotum
_factotum() {
  local at="" found="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walk(places)}
  done
  ${wordsOf(places)}
  compadd -- \${=found} || _files
}
compdef _factotum factotum`
}

function fishScript(places: readonly CommandWords[]): string {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c factotum -n '__factotum_at "${path}"' ${what} -d '${firstSentence(description)}'`
    }),
  )
  return `function __factotum_at
  set -l at
  for word in (commandline -opc)[2..-1]
    switch "$(string join ' ' $at $word)"
      case ${places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ')}
        set -a at $word
    end
  end
  test "$(string join ' ' $at)" = "$argv[1]"
end
${lines.join('\n')}`
}

function firstSentence(text: string): string {
  return (text.split(/(?<=\.) /, 1)[0] ?? '').replaceAll("'", '’')
}
