/** What a user may do, in a sentence. */
import type { PersonRowFragment } from '../../generated/graphql.ts'

export function rightsText({ role, account }: Pick<PersonRowFragment, 'role' | 'account'>): string {
  if (role === 'ADMIN') return 'Sees all sessions, decides about everything; commands have the rights of the server.'
  const skills = account?.allSkills === true ? 'all skills' : named('skills', account?.skills ?? [])
  return `Sees the sessions that they take part in; commands run in the sandbox. May use ${skills} and ${named('tools', account?.tools ?? [])}.`
}

function named(what: string, names: readonly string[]): string {
  return names.length === 0 ? `no ${what}` : `the ${what} ${names.join(', ')}`
}
