/** What is read of a turn besides what the store holds, and again whenever the turn has come further. */
import type { TurnState } from '@factotum/client'
import { useEffect } from 'react'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, useRead } from '../../../data/use-read.ts'
import {
  TurnDetailsDocument,
  TurnStepsDocument,
  type PipelineStep,
  type TurnDetailsQuery,
} from '../../../generated/graphql.ts'

export type TurnDetails = NonNullable<TurnDetailsQuery['turn']>
export type TaskDetails = TurnDetails['plans'][number]['tasks'][number]

export interface Step {
  readonly seq: number
  readonly at: string
  readonly step: PipelineStep
  readonly detail: string | null
  /** Until the next one began; null while it goes on. */
  readonly durationMs: number | null
}

export function useTurnDetails(
  sessionId: string,
  turn: TurnState,
): { details: TurnDetails | null; steps: readonly Step[] } {
  const { data } = useRead(TurnDetailsDocument, { id: turn.id })
  const details = data?.turn ?? null
  const place = { id: sessionId, after: String((details?.firstSeq ?? 1) - 1) }
  const log = useRead(TurnStepsDocument, place, { enabled: details !== null })
  const tasks = turn.plans.flatMap((plan) => plan.tasks.map(({ status }) => status))
  const progress = [turn.step, turn.status, ...tasks].join()
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: keyOf(TurnDetailsDocument, { id: turn.id }) })
    void queryClient.invalidateQueries({ queryKey: keyOf(TurnStepsDocument) })
  }, [turn.id, progress])
  const events = (log.data?.session?.events.edges ?? [])
    .map(({ node }) => node)
    .filter(({ turnId }) => turnId === turn.id)
  const steps = events.flatMap((event, index): Step[] => {
    if (event.__typename !== 'PipelineStepEvent') return []
    const next = events[index + 1]
    const durationMs = next === undefined ? null : Date.parse(next.at) - Date.parse(event.at)
    return [{ seq: event.seq, at: event.at, step: event.step, detail: event.detail ?? null, durationMs }]
  })
  return { details, steps }
}
