/** Who takes part: add and remove, as far as one may. */
import { useState, type FormEvent } from 'react'
import { goTo } from '../../../app/hash-location.ts'
import { useChange } from '../../../data/use-change.ts'
import { useViewer } from '../../../data/use-viewer.ts'
import { AddToSessionDocument, RemoveFromSessionDocument, SessionDetailsDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/field.tsx'
import type { Details } from './details.ts'
import { Part } from './part.tsx'

export function Participants({ session }: { readonly session: Details }) {
  const viewer = useViewer()
  const { id, participants, viewerCan } = session
  const remove = useChange(RemoveFromSessionDocument, (data) => data.removeParticipant, [SessionDetailsDocument])
  const take = async (user: string): Promise<void> => {
    const removed = await remove.send({ input: { sessionId: id, user } })
    if (removed !== null && user === viewer.user?.name && !viewer.isAdmin) goTo('/sessions')
  }
  return (
    <Part title="Participants">
      <ul className="details-list">
        {participants.map(({ name }) => {
          const isSelf = name === viewer.user?.name
          return (
            <li key={name} className="details-person">
              <span className="foreign">{name}</span>
              {(isSelf ? viewerCan.leave : viewerCan.removeParticipant) && (
                <Button small kind="quiet" onClick={() => void take(name)}>
                  {isSelf ? 'Leave' : 'Remove'}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {viewerCan.addParticipant && <AddForm id={id} />}
    </Part>
  )
}

function AddForm({ id }: { readonly id: string }) {
  const [user, setUser] = useState('')
  const { send, isSending } = useChange(AddToSessionDocument, (data) => data.addParticipant, [SessionDetailsDocument])
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (user.trim() === '') return
    const added = await send({ input: { sessionId: id, user: user.trim() } })
    if (added !== null) setUser('')
  }
  return (
    <form className="details-add" onSubmit={(event) => void add(event)}>
      <TextField
        label="Name of a user"
        isLabelUnseen
        placeholder="Name of a user"
        value={user}
        onChange={(event) => setUser(event.target.value)}
      />
      <Button type="submit" isBusy={isSending}>
        Add
      </Button>
    </form>
  )
}
