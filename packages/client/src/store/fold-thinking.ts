import { placed, written, type Entries } from './entries.ts'

interface Thought {
  readonly seq: number
  readonly at: string
  readonly turnId: string | null
  readonly thinkingId: string
  readonly delta: string
  readonly content: string
  readonly isWhole: boolean
}

/** A piece of a thought, or the whole in place of its pieces. */
export function foldThinking(entries: Entries, thought: Thought): Entries {
  const { seq, at, turnId, thinkingId: key, isWhole, delta, content } = thought
  if (!isWhole) return written(entries, { key, at, turnId, taskId: null }, delta)
  return placed(entries, { kind: 'thinking', key, seq, at, turnId, content, isStreaming: false })
}
