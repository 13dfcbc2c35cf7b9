/** The fenced blocks of all pages that people read. */
import { globSync, readFileSync } from 'node:fs'

export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md').toSorted(),
  ...globSync('examples/*/README.md').toSorted(),
]

export interface Fence {
  readonly page: string
  /** Of the first line in it. */
  readonly line: number
  /** Empty: none is named. */
  readonly language: string
  /** Without the indentation of the list that it stands in. */
  readonly text: string
}

const FENCE = /^( *)```(\S*)[^\n]*\n([\s\S]*?)^ *```$/gm

export const FENCES: readonly Fence[] = PAGES.flatMap((page) => {
  const whole = readFileSync(page, 'utf8')
  return [...whole.matchAll(FENCE)].map(({ 1: indent = '', 2: language = '', 3: text = '', index }) => ({
    page,
    line: whole.slice(0, index).split('\n').length + 1,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
})

export function fencesOf(...languages: readonly string[]): readonly Fence[] {
  return FENCES.filter(({ language }) => languages.includes(language))
}

/** The line of a shell without what is said about it. */
export function commandOf(line: string): string {
  return line.replace(/\s+# .*$/, '').trim()
}
