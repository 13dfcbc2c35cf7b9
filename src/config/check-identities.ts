/** The rules of tokens and users that need more than one value: who is bound to whom, and nothing twice. */
import { isServerPart } from '../core/server-parts.ts'
import { isServersNamespace } from '../core/session/session-id.ts'
import { didYouMean } from '../platform/closest.ts'
import type { FoundProblem } from './config-problem.ts'
import { textsOf, type RawEntry, type Sections } from './sections.ts'
import { tokenHash } from './access/token-hash.ts'

export function checkIdentities(sections: Sections): readonly FoundProblem[] {
  const { tokens, users } = sections
  return [
    ...checkNotEmpty(sections),
    ...[...tokens].flatMap(([name, token]) => checkToken(token, ['tokens', name], sections)),
    ...[...tokens].flatMap(([name, token]) => checkNamespace(token, name)),
    ...checkTokensDiffer(sections),
    ...[...users.keys()].filter(isServerPart).map(reservedName),
    ...[...users].flatMap(([name, user]) => checkUser(user, ['users', name], sections)),
    ...checkAliasesDiffer(sections),
  ]
}

function checkNotEmpty({ tokens, users }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  if (tokens.size === 0) {
    const text = 'at least one section [tokens.<name>] is needed; "factotum token --print" prints one to paste'
    problems.push({ path: ['tokens'], text })
  }
  if (users.size === 0) {
    const text = 'at least one section [users.<name>] is needed, such as [users.admin] with role = "admin"'
    problems.push({ path: ['users'], text })
  }
  return problems
}

function checkToken(token: RawEntry, path: readonly string[], { users }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const report = (key: string, text: string): number => problems.push({ path: [...path, key], text })
  const { sha256, token: plain, kind, user, namespace } = token

  if (sha256 === undefined && plain === undefined) {
    report('sha256', 'is missing; "factotum token --print" prints a new token and this line')
  }
  if (sha256 !== undefined && plain !== undefined) {
    report('token', 'stands beside sha256; keep sha256 and remove this line')
  }
  if (kind === 'connector' && user !== undefined) {
    report('user', 'is only for kind "user": a connector names the sender of each message; remove the line')
  }
  if (kind === 'user' && namespace !== undefined) {
    report('namespace', 'is only for kind "connector"; remove the line')
  }
  if (kind === 'user' && user === undefined) {
    report('user', 'is missing; a token of kind "user" must name whom it acts for, one of [users]')
  }
  if (kind === 'user' && typeof user === 'string' && !users.has(user)) {
    report('user', `there is no user "${user}"${didYouMean(user, users.keys())}; it must be one of [users]`)
  }
  return problems
}

/** What schedules and delegated tasks open is theirs. */
function checkNamespace({ kind, namespace = null }: RawEntry, name: string): readonly FoundProblem[] {
  const wanted = namespace ?? name
  if (kind !== 'connector' || typeof wanted !== 'string' || !isServersNamespace(wanted)) return []
  const text = `must not be "${wanted}", where ${wanted}s open their sessions; name another, such as "cron"`
  return [{ path: ['tokens', name, 'namespace'], text }]
}

function checkTokensDiffer({ tokens }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const firstWith = new Map<string, string>()
  for (const [name, token] of tokens) {
    const hash = tokenHash(token)?.toString('hex')
    if (hash === undefined) continue
    const first = firstWith.get(hash)
    if (first === undefined) firstWith.set(hash, name)
    else
      problems.push({ path: ['tokens', name], text: `is the same token as tokens.${first}; each needs one of its own` })
  }
  return problems
}

function checkUser(user: RawEntry, path: readonly string[], { tokens }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  if (user['role'] === 'user' && user['skills'] === undefined) {
    problems.push({
      path: [...path, 'skills'],
      text: 'is missing; for role "user" it must be "*" or a list of names of skills ([] for none)',
    })
  }
  for (const tokenName of textsOf(user['aliases']).keys()) {
    if (tokens.has(tokenName)) continue
    problems.push({
      path: [...path, 'aliases', tokenName],
      text: `there is no token "${tokenName}"${didYouMean(tokenName, tokens.keys())}; it must be one of [tokens]`,
    })
  }
  return problems
}

function reservedName(name: string): FoundProblem {
  const text = 'is the name of a part of the server, which no user may have; choose another'
  return { path: ['users', name], text }
}

function checkAliasesDiffer({ users }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const firstWith = new Map<string, string>()
  for (const [userName, user] of users) {
    for (const [tokenName, identity] of textsOf(user['aliases'])) {
      const key = JSON.stringify([tokenName, identity])
      const first = firstWith.get(key)
      if (first === undefined) firstWith.set(key, userName)
      else {
        const text = `${JSON.stringify(identity)} is already the alias of users.${first}; it can be only one user's`
        problems.push({ path: ['users', userName, 'aliases', tokenName], text })
      }
    }
  }
  return problems
}
