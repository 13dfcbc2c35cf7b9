/** The commands that change one thing by one mutation: people, tokens, facts. */
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import type { RemoteAction } from '../config/command-line/remote-action.ts'
import {
  TerminalAddFactDocument,
  TerminalAddTokenDocument,
  TerminalAddUserDocument,
  TerminalRemoveFactDocument,
  TerminalRemoveUserDocument,
  TerminalRevokeTokenDocument,
} from '../generated/remote/graphql.ts'
import { EXIT, refusalOf, type Answered, type ExitCode } from './outcome.ts'
import { print, printError, type Terminal } from './terminal.ts'

type Do = RemoteAction['do'] & `${'fact' | 'user' | 'token'}-${string}`
export type ChangeAction = Extract<RemoteAction, { do: Do }>

export async function change(client: FactotumClient, terminal: Terminal, action: ChangeAction): Promise<ExitCode> {
  const { result, done } = await carryOut(client, action)
  const refusal = refusalOf(result)
  if (refusal === null) print(terminal, done)
  else printError(terminal, `factotum: ${refusal}`)
  return refusal === null ? EXIT.done : EXIT.failed
}

interface Change {
  readonly result: Answered
  /** What to say when it was done. */
  readonly done: string
}

async function carryOut(client: FactotumClient, action: ChangeAction): Promise<Change> {
  switch (action.do) {
    case 'fact-add': {
      const result = (await client.run(TerminalAddFactDocument, { input: { content: action.content } })).createFact
      return { result, done: result.__typename === 'CreateFactPayload' ? result.fact.id : '' }
    }
    case 'fact-remove': {
      const { invalidateFact } = await client.run(TerminalRemoveFactDocument, { input: { id: action.id } })
      return { result: invalidateFact, done: `The fact ${action.id} is out of use.` }
    }
    case 'user-add': {
      const { name, role } = action
      const { createUser } = await client.run(TerminalAddUserDocument, { input: { name, role } })
      return { result: createUser, done: `Added the user "${name}". Next: factotum tokens add ${name} --user ${name}` }
    }
    case 'user-remove': {
      const { removeUser } = await client.run(TerminalRemoveUserDocument, { input: { user: action.name } })
      return { result: removeUser, done: `Removed the user "${action.name}".` }
    }
    case 'token-add': {
      const { name, user, namespace, expires } = action
      const place = user === null ? { kind: 'CONNECTOR' as const, namespace } : { kind: 'USER' as const, user }
      const expiresAt = expires === null ? null : `${expires}T00:00:00Z`
      const { createToken } = await client.run(TerminalAddTokenDocument, { input: { name, ...place, expiresAt } })
      return { result: createToken, done: createToken.__typename === 'CreateTokenPayload' ? createToken.secret : '' }
    }
    case 'token-revoke': {
      const { revokeToken } = await client.run(TerminalRevokeTokenDocument, { input: { name: action.name } })
      return { result: revokeToken, done: `Revoked the token "${action.name}".` }
    }
  }
}
