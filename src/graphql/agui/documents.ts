/** What AG-UI needs of this server's own GraphQL besides what all protocols do. */
import type { Operation } from '../protocols/operations.ts'

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
