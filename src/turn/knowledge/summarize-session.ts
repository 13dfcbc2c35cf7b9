/**
 * SUMMARIZING: the summary so far and the oldest messages with their answers become the new summary. It is written with
 * its watermark, the seq of the last message in it, and only if it continues the summary that was read; a failed call
 * changes nothing, and the same messages come again with the next turn.
 */
import { BYTES_PER_TOKEN } from '../../core/dialogue.ts'
import { loadUnsummarised } from '../../knowledge/load-unsummarised.ts'
import { askAfterwards, type StepOutcome } from '../step-outcome.ts'
import type { TurnContext } from '../turn-context.ts'

type SummarizeSessionContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database'
>

/** Passed where there is too little to summarise. */
export async function summarizeSession(context: SummarizeSessionContext): Promise<StepOutcome> {
  const { database, journal, agents, config, sessionId, turn } = context
  // The turn's own answer must be in the rows that are read.
  await journal.flushed()
  const { contextMessages: keepLast, contextTokens } = config.current().settings
  // Of what agents are shown half, or the next message would be summarised at once.
  const keepBytes = (contextTokens * BYTES_PER_TOKEN) / 2
  const batch = await loadUnsummarised(database, { sessionId, seq: turn.seq, keepLast, keepBytes })
  if (batch === null) return { kind: 'Passed' }

  const { summary, messages, fromSeq, toSeq } = batch
  const answer = await askAfterwards(context, 'SUMMARIZING', () =>
    agents.summarize({ summary, messages }, context.signal),
  )
  if (answer.kind !== 'answered') return answer
  if (answer.output.trim() === '') return { kind: 'Failed', reason: 'The summary is empty.' }
  journal.record([], { summary: { text: answer.output, fromSeq, toSeq } })
  return { kind: 'Passed' }
}
