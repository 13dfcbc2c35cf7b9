/** `createToken` and `revokeToken`: by admins. Called by the GraphQL door. */
import { hashToken } from '../config/access/token-hash.ts'
import { newToken } from '../config/command-line/new-token.ts'
import type { Config } from '../config/config.ts'
import { isName, NAME_RULE } from '../config/field.ts'
import { EVERYWHERE, isNamespace, NAMESPACE_RULE } from '../config/namespace.ts'
import type { TokenKind, Viewer } from '../core/identity.ts'
import { conflict, notFound, refuseInput, type InputIssue, type Refusal } from '../core/refusal.ts'
import { isServersNamespace } from '../core/session/session-id.ts'
import { putToken, readToken, revokeTokenRow, type TokenRow } from '../store/people/write-people.ts'
import { tooMany } from './change-users.ts'
import { declaredThere, editPeople } from './edit-people.ts'
import type { PeopleContext } from './people-context.ts'

export const MAX_TOKENS = 2000

export interface CreateTokenInput {
  readonly name: string
  readonly kind: TokenKind
  readonly user?: string | null | undefined
  readonly namespace?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
}

export interface TokenCreated {
  readonly kind: 'TokenCreated'
  readonly tokenName: string
  /** The token itself: shown once and stored nowhere. */
  readonly secret: string
}

export async function createToken(
  context: PeopleContext,
  viewer: Viewer,
  input: CreateTokenInput,
): Promise<TokenCreated | Refusal> {
  const { name, kind, expiresAt = null } = input
  const refusal = refuseInput(tokenIssues(input, context.clock.now()))
  if (refusal !== null) return refusal
  const userName = input.user ?? null
  const namespace = kind === 'USER' || input.namespace === EVERYWHERE ? null : (input.namespace ?? name)
  return editPeople(context, viewer, async ({ transaction, people, at, by, audit }) => {
    if (userName !== null && !people.users.has(userName)) return notFound('user', userName)
    const before = await readToken(transaction, name)
    const taken = whyTaken(people, { name, kind, userName, namespace }, before)
    if (taken !== null) return conflict('NAME_TAKEN', taken)
    if (people.tokens.size >= MAX_TOKENS) return tooMany('tokens', MAX_TOKENS)
    const { token: secret } = newToken()
    await putToken(transaction, { name, kind, userName, namespace, sha256: hashToken(secret), expiresAt }, { at, by })
    const whose = userName === null ? `of a connector in ${namespace ?? 'every namespace'}` : `of ${userName}`
    await audit('TOKEN_CREATED', `${name} ${whose}${expiresAt === null ? '' : `, until ${expiresAt.toISOString()}`}`)
    return { kind: 'TokenCreated', tokenName: name, secret }
  })
}

function tokenIssues({ name, kind, user, namespace, expiresAt }: CreateTokenInput, now: Date): InputIssue[] {
  const issues: InputIssue[] = []
  const report = (field: string, message: string): number => issues.push({ path: [field], message })
  if (!isName(name)) report('name', NAME_RULE)
  if (kind === 'USER' && user == null) report('user', 'must name the user for whom the token acts')
  if (kind === 'USER' && namespace != null) report('namespace', 'is only for connectors; leave it out')
  if (kind === 'CONNECTOR' && user != null) report('user', 'is only for kind USER; leave it out')
  if (namespace != null && !isNamespace(namespace)) report('namespace', NAMESPACE_RULE)
  if (kind === 'CONNECTOR' && isServersNamespace(namespace ?? name))
    report('namespace', `must not be "${namespace ?? name}", where ${namespace ?? name}s open their sessions`)
  if (expiresAt != null && expiresAt <= now) report('expiresAt', 'must be in the future')
  return issues
}

type Wanted = Pick<TokenRow, 'kind' | 'userName' | 'namespace'> & { readonly name: string }

/** Null: the name is free, or that of a token that is over and was the same but for its secret. */
function whyTaken(people: Config, { name, kind, userName, namespace }: Wanted, before: TokenRow | null): string | null {
  if (people.tokens.has(name)) return `There is a token "${name}" already. Revoke it first to replace it.`
  if (before === null) return null
  const isSame = before.kind === kind && before.userName === userName && before.namespace === namespace
  return isSame
    ? null
    : `A token "${name}" with other rights was there before. Names are not given twice: choose another.`
}

export interface TokenRevoked {
  readonly kind: 'TokenRevoked'
  readonly tokenName: string
}

export function revokeToken(
  context: PeopleContext,
  viewer: Viewer,
  { name }: { readonly name: string },
): Promise<TokenRevoked | Refusal> {
  return editPeople(context, viewer, async ({ transaction, people, at, audit }) => {
    // A token of a user who went from config.toml lets in again when the name comes back.
    const token = people.tokens.get(name) ?? (await readToken(transaction, name))
    if (token === null || ('revokedAt' in token && token.revokedAt !== null)) return notFound('token', name)
    if (token.declared) return declaredThere('token', name)
    await revokeTokenRow(transaction, name, at)
    await audit('TOKEN_REVOKED', name)
    return { kind: 'TokenRevoked', tokenName: name }
  })
}
