/** A new user, or what one may do from now on. A name is for good. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import {
  CreatePersonDocument,
  PeopleDocument,
  UpdatePersonDocument,
  type PersonRowFragment,
  type Role,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/controls/field.tsx'

interface UserFormProps {
  /** Null: a new one. */
  readonly user: PersonRowFragment | null
  readonly onClose: () => void
}

export function UserForm({ user, onClose }: UserFormProps) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>(user?.role ?? 'USER')
  const [rights, setRights] = useState<Rights>({
    allSkills: user?.account?.allSkills ?? false,
    skills: (user?.account?.skills ?? []).join(', '),
    tools: (user?.account?.tools ?? []).join(', '),
  })
  const create = useChange(CreatePersonDocument, (data) => data.createUser, [PeopleDocument])
  const update = useChange(UpdatePersonDocument, (data) => data.updateUser, [PeopleDocument])
  const save = async (): Promise<void> => {
    const { allSkills, skills, tools } = rights
    const allowed = { role, allSkills, skills: allSkills ? [] : words(skills), tools: words(tools) }
    const saved =
      user === null
        ? await create.send({ input: { name: name.trim(), ...allowed } })
        : await update.send({ input: { user: user.name, ...allowed } })
    if (saved !== null) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        type="submit"
        kind="main"
        disabled={user === null && name.trim() === ''}
        isBusy={create.isSending || update.isSending}
      >
        {user === null ? 'Create' : 'Save'}
      </Button>
    </>
  )
  const title = user === null ? 'New user' : `What ${user.name} may do`
  return (
    <Dialog title={title} isOpen onClose={onClose} onSubmit={() => void save()} actions={actions}>
      {user === null && (
        <TextField
          label="Name"
          hint="Lower-case letters, digits, “_” and “-”. It cannot be changed later."
          autoFocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
        <option value="USER">User: own sessions, commands in the sandbox</option>
        <option value="ADMIN">Admin: everything, with the rights of the server</option>
      </SelectField>
      {role === 'USER' && <RightsFields rights={rights} onChange={setRights} />}
    </Dialog>
  )
}

/** As they are typed. */
interface Rights {
  readonly allSkills: boolean
  readonly skills: string
  readonly tools: string
}

interface RightsFieldsProps {
  readonly rights: Rights
  readonly onChange: (rights: Rights) => void
}

function RightsFields({ rights, onChange }: RightsFieldsProps) {
  const { allSkills, skills, tools } = rights
  return (
    <>
      <CheckField
        label="All skills"
        checked={allSkills}
        onChange={(event) => onChange({ ...rights, allSkills: event.target.checked })}
      />
      {!allSkills && (
        <TextField
          label="Skills"
          hint="Names, separated by commas."
          value={skills}
          onChange={(event) => onChange({ ...rights, skills: event.target.value })}
        />
      )}
      <TextField
        label="Tools"
        hint="Patterns of names such as weather__*, separated by commas."
        value={tools}
        onChange={(event) => onChange({ ...rights, tools: event.target.value })}
      />
    </>
  )
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
