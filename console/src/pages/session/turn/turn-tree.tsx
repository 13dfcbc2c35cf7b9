/** A turn as a tree: its steps in their order, and below the plan each task with what it did. */
import type { TurnState } from '@factotum/client'
import type { ReactNode } from 'react'
import { useChange } from '../../../data/use-change.ts'
import { useViewer } from '../../../data/use-viewer.ts'
import { RetryTurnDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Status } from '../../../ui/display/badge.tsx'
import { CopyId } from '../../../ui/display/copy-id.tsx'
import { moneyText } from '../../../ui/display/money-text.ts'
import { Duration, Time } from '../../../ui/display/time.tsx'
import { countOf, countText } from '../../../ui/display/time-text.ts'
import { ModelCalls } from './model-calls.tsx'
import { PlanTree } from './plan-tree.tsx'
import { TurnFacts } from './turn-facts.tsx'
import { useTurnDetails, type Step, type TurnDetails } from './use-turn-details.ts'
import './turn.css'

export function TurnTree({ sessionId, turn }: { readonly sessionId: string; readonly turn: TurnState }) {
  const viewer = useViewer()
  const { details, steps } = useTurnDetails(sessionId, turn)
  return (
    <div className="turn">
      <TurnHead turn={turn} details={details} />
      <ol className="turn-steps" aria-label="Steps">
        {inOrder(turn, steps).map((part) =>
          part.kind === 'step' ? (
            <StepRow key={part.step.seq} step={part.step} />
          ) : (
            <li key={part.plan.id}>
              <PlanTree
                plan={part.plan}
                tasks={details?.plans.flatMap(({ tasks }) => tasks) ?? []}
                isOnly={turn.plans.length === 1}
              />
            </li>
          ),
        )}
      </ol>
      <TurnFacts turn={turn} />
      {viewer.isAdmin && <ModelCalls turn={turn} />}
    </div>
  )
}

type Part =
  { readonly kind: 'step'; readonly step: Step } | { readonly kind: 'plan'; readonly plan: TurnState['plans'][number] }

/** What the tree of a plan shows better than a line of its own. */
const IN_PLAN: ReadonlySet<string> = new Set(['EXECUTING', 'REVIEWING', 'PLANNED'])

/** Each plan stands behind the step at which it was made; steps that only repeat it are left out. */
function inOrder(turn: TurnState, steps: readonly Step[]): readonly Part[] {
  const parts: Part[] = []
  const plans = [...turn.plans]
  for (const step of steps) {
    const next = plans[0]
    if (next !== undefined && (step.step === 'EXECUTING' || step.at > next.createdAt)) {
      parts.push({ kind: 'plan', plan: next })
      plans.shift()
    }
    if (!IN_PLAN.has(step.step)) parts.push({ kind: 'step', step })
  }
  return [...parts, ...plans.map((plan): Part => ({ kind: 'plan', plan }))]
}

function StepRow({ step: { step, detail, durationMs } }: { readonly step: Step }) {
  return (
    <li className="turn-step">
      <span
        className={durationMs === null && step !== 'COMPLETE' ? 'turn-dot turn-dot-busy' : 'turn-dot'}
        aria-hidden="true"
      />
      <span className="turn-step-name">{step.toLowerCase()}</span>
      <span className="cut foreign faint small">{step === 'COMPLETE' ? detail?.toLowerCase() : detail}</span>
      <span className="faint small turn-time">
        {durationMs !== null && durationMs > 0 && <Duration ms={durationMs} />}
      </span>
    </li>
  )
}

function TurnHead({ turn, details }: { readonly turn: TurnState; readonly details: TurnDetails | null }) {
  const retry = useChange(RetryTurnDocument, ({ retryTurn }) => retryTurn)
  const { usage } = turn
  return (
    <header className="turn-head">
      <div className="turn-line">
        <Status status={turn.status} />
        {turn.startedAt !== null && turn.startedAt !== undefined && (
          <span className="soft small">
            <Time at={turn.startedAt} />
          </span>
        )}
        {turn.durationMs !== null && turn.durationMs !== undefined && (
          <span className="soft small">
            took <Duration ms={turn.durationMs} />
          </span>
        )}
        {details?.viewerCan.retry === true && (
          <Button
            small
            icon="retry"
            isBusy={retry.isSending}
            onClick={() => void retry.send({ input: { turnId: turn.id } })}
          >
            Try again
          </Button>
        )}
      </div>
      {details !== null && (
        <p className="turn-message foreign soft" dir="auto">
          {details.message.content.slice(0, 400)}
        </p>
      )}
      {turn.failure !== null && turn.failure !== undefined && <Note tone="bad">{turn.failure}</Note>}
      {turn.pausedReason !== null && turn.pausedReason !== undefined && <Note tone="warn">{turn.pausedReason}</Note>}
      <p className="faint small turn-facts">
        <CopyId id={turn.id} />
        <span>
          {`${countOf(usage.calls, 'call')}, ${countText(usage.inputTokens)} tokens read, `}
          {`${countText(usage.outputTokens)} written`}
          {usage.cost !== null &&
            usage.cost !== undefined &&
            `, ${moneyText(Number(usage.cost.amount), usage.cost.currency)}`}
        </span>
      </p>
    </header>
  )
}

function Note({ tone, children }: { readonly tone: 'bad' | 'warn'; readonly children: ReactNode }) {
  return <p className={`turn-note turn-note-${tone} foreign`}>{children}</p>
}
