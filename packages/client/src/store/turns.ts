/** Turns with their plans and tasks, put together from views, events and what was read on demand. */
import type { StorePlanFragment, TurnFieldsFragment } from '../generated/graphql.ts'
import type { PlanState, SessionState, TaskState, TurnState } from './session-state.ts'
import { share } from './share.ts'

type Turns = SessionState['turns']

interface Output {
  readonly output?: string | null
  readonly stderr?: string | null
}

type Plan = Omit<StorePlanFragment, 'tasks'> & {
  readonly tasks: readonly (StorePlanFragment['tasks'][number] & Output)[]
}

/** With all its plans. */
export type TurnRead = TurnFieldsFragment & { readonly plans: readonly Plan[] }

const MAX_TURNS = 50
/** As much as the server gives of an output. */
export const MAX_OUTPUT_CHARS = 65_536

/** Takes over what was read of a turn. Plans that were not read, and outputs, are kept. */
export function withTurn(turns: Turns, turn: TurnFieldsFragment, plans: readonly Plan[]): Turns {
  const before = turns[turn.id]
  const merged = plans.reduce<readonly PlanState[]>(withPlan, before?.plans ?? [])
  return withinBounds(put(turns, { ...turn, plans: merged, plan: merged.at(-1) ?? null }))
}

/**
 * Adds what was read on demand. What is known of the turn by now came with events while the answer was under way: it is
 * as new, or newer events follow, and it stays, so that no answer takes a turn back behind its end.
 */
export function withTurnRead(turns: Turns, turn: TurnRead): Turns {
  const known = turns[turn.id]
  if (known === undefined) return withTurn(turns, turn, turn.plans)
  const plans = turn.plans.map((plan) => {
    const before = known.plans.find(({ id }) => id === plan.id)
    return before === undefined ? plan : { ...before, tasks: before.tasks.map((task) => withOutputOf(task, plan)) }
  })
  return withTurn(turns, known, plans)
}

/** Of an output that comes piece by piece, the beginning may be in the answer alone. */
function withOutputOf(task: TaskState, { tasks }: Plan): TaskState {
  const read = tasks.find(({ id }) => id === task.id)
  return {
    ...task,
    output: longer(task.output, read?.output ?? ''),
    stderr: longer(task.stderr, read?.stderr ?? ''),
  }
}

function longer(known: string, read: string): string {
  return read.length > known.length ? read : known
}

/** What changes is the last. */
function put(turns: Turns, turn: TurnState): Turns {
  const { [turn.id]: before, ...others } = turns
  const shared = share(before, turn)
  return shared === before ? turns : { ...others, [turn.id]: shared }
}

/** The one that has been as it is for longest goes first: not one that was read on demand, however old it is. */
function withinBounds(turns: Turns): Turns {
  const all = Object.entries(turns)
  return all.length > MAX_TURNS ? Object.fromEntries(all.slice(1)) : turns
}

function withPlan(plans: readonly PlanState[], plan: Plan): readonly PlanState[] {
  const before = plans.find(({ id }) => id === plan.id)
  const tasks = plan.tasks.map((task): TaskState => {
    const known = before?.tasks.find(({ id }) => id === task.id)
    const progress = task.status === 'RUNNING' ? (known?.progress ?? null) : null
    return {
      ...task,
      output: task.output ?? known?.output ?? '',
      stderr: task.stderr ?? known?.stderr ?? '',
      progress,
    }
  })
  const others = plans.filter(({ id }) => id !== plan.id)
  return [...others, { ...plan, tasks }].sort((one, other) => one.attempt - other.attempt)
}

/** Changes one task, wherever it is. Turns that are not known here stay unknown. */
export function withTask(
  turns: Turns,
  { turnId, taskId }: { readonly turnId: string | null; readonly taskId: string },
  change: (task: TaskState) => TaskState,
): Turns {
  const turn = turns[turnId ?? '']
  if (turn === undefined) return turns
  const plans = turn.plans.map((plan) =>
    plan.tasks.some(({ id }) => id === taskId)
      ? { ...plan, tasks: plan.tasks.map((task) => (task.id === taskId ? change(task) : task)) }
      : plan,
  )
  return put(turns, { ...turn, plans, plan: plans.at(-1) ?? null })
}

/** The end of what is longer. */
export function appended(text: string, piece: string): string {
  const whole = text + piece
  return whole.length > MAX_OUTPUT_CHARS ? whole.slice(-MAX_OUTPUT_CHARS) : whole
}
