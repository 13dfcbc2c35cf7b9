/** What AG-UI needs of this server's own GraphQL besides what all protocols do. */
import type { Operation } from '../protocols/operations.ts'
import type { TaskData } from '../protocols/turn-documents.ts'

export const READ_ACTIVE_TURN: Operation<
  { readonly id: string },
  {
    readonly session: {
      readonly activeTurn: {
        readonly id: string
        readonly firstSeq: number
        readonly message: { readonly id: string }
      } | null
    } | null
  }
> = {
  text: 'query AguiActiveTurn($id: ID!) { session(id: $id) { activeTurn { id firstSeq message { id } } } }',
}

export interface PlanData {
  readonly attempt: number
  readonly goal: string
  readonly replanReason: string | null
  readonly tasks: readonly Pick<TaskData, 'id' | 'type' | 'detail' | 'tool' | 'skill' | 'status'>[]
}

/** The plans of a turn, oldest first. */
export const READ_PLANS: Operation<
  { readonly id: string },
  { readonly turn: { readonly plans: readonly PlanData[] } | null }
> = {
  text: `query AguiPlans($id: ID!) {
  turn(id: $id) { plans { attempt goal replanReason tasks { id type detail tool skill status } } }
}`,
}
