/**
 * `viewerCan`: what the viewer may do with a thing now, for the buttons of a page. Each answer comes from the function
 * that the mutation itself asks, so a button that is shown works, unless the thing changes before it is pressed.
 *
 * It depends on the very viewer: a subscription that asks for it is executed for each of them alone
 * (../../operation/log-operation.ts).
 */
import type { ObjectRef } from '@pothos/core'
import { AUTHENTICATED } from '../access.ts'
import { builder, type BuilderTypes } from '../builder.ts'

export type Actions<Act extends string> = Readonly<Record<Act, boolean>>

/** Defines `<of>Actions`: a Boolean for each act, `acts` say what it is about. */
export function actionsType<Act extends string>(
  of: string,
  acts: Readonly<Record<Act, string>>,
): ObjectRef<BuilderTypes, Actions<Act>> {
  const names = Object.keys(acts) as Act[]
  return builder.objectRef<Actions<Act>>(`${of}Actions`).implement({
    description:
      'What you may do now. True: the mutation is refused neither for your rights nor for the state that this is in; it may be for ' +
      'what you hand it, or because something changed meanwhile.',
    authScopes: AUTHENTICATED,
    fields: (t) =>
      Object.fromEntries(
        names.map((act) => [act, t.boolean({ description: acts[act], resolve: (actions) => actions[act] })]),
      ),
  })
}

/** What `viewerCan` says of itself. */
export const VIEWER_CAN = 'What you may do with it now, for the buttons of a page. It changes with the state of things.'
