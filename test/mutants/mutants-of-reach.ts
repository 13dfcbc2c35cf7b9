/** Mutants of reach: who sees and is shown what, and what a name may be. */
import type { Mutant } from './mutant.ts'

const REACH = 'src/knowledge/reach-of-turn.ts'
const SCOPES = ['test/stories/scopes-of-facts.pg.test.ts']
const KEPT = 'src/turn/chat/provider-session.ts'
const KEPT_TESTS = ['test/stories/provider-sessions.pg.test.ts']

export const MUTANTS_OF_REACH: readonly Mutant[] = [
  {
    name: 'facts-of-one-shown-to-others',
    promise: "In a session with others nothing is shown that is one user's.",
    file: REACH,
    find: 'if (isAlone) scopes',
    replace: 'if (isAlone || !isAlone) scopes',
    tests: SCOPES,
  },
  {
    name: 'project-by-the-users-word',
    promise: "A project's facts are shown by a label that no user of role USER wrote.",
    file: REACH,
    find: "project !== '' && counts)",
    replace: "project !== '')",
    tests: SCOPES,
  },
  {
    name: 'admins-go-by-users-words',
    promise: 'What role USER taught is in no plan of an admin before a person has reviewed it.',
    file: REACH,
    find: 'if (!isAdmin(config, userName)) return null',
    replace: 'if (isAdmin(config, userName) || userName) return null',
    tests: SCOPES,
  },
  {
    name: 'admins-go-by-other-admins-words',
    promise: 'What another admin taught is in no plan of an admin before a person has reviewed it.',
    file: REACH,
    find: 'return [own, ...former,',
    replace: 'return [own, ...config.users.keys(), ...former,',
    tests: SCOPES,
  },
  {
    name: 'teachers-gone-with-their-session',
    promise: 'What others taught is in no plan of an admin either when its session is deleted.',
    file: 'src/store/knowledge/vouched-facts.ts',
    find: ' AND f.taught_by <@ ${teachers}::text[]',
    replace: '',
    tests: ['test/knowledge/select-facts.pg.test.ts'],
  },
  {
    name: 'curator-reads-one-users',
    promise: "The curator is not shown what is one user's where others read along.",
    file: REACH,
    find: 'return reachOfScope(scope).filter((key) => shown.includes(key))',
    replace: 'return reachOfScope(scope).filter((key) => shown.length > 0 || key)',
    tests: SCOPES,
  },
  {
    name: 'kept-conversation-of-another',
    promise: 'What a provider keeps of one user is not gone on from for another.',
    file: KEPT,
    find: 'return userName === user.name && role === user.role && reach',
    replace: 'return userName !== null && role === user.role && reach',
    tests: KEPT_TESTS,
  },
  {
    name: 'kept-conversation-of-another-role',
    promise: 'What a provider keeps is not gone on from when its user has another role.',
    file: KEPT,
    find: 'return userName === user.name && role === user.role && reach',
    replace: 'return userName === user.name && role !== null && reach',
    tests: KEPT_TESTS,
  },
  {
    name: 'kept-conversation-out-of-reach',
    promise: 'What a provider keeps is not gone on from when some of its facts are out of reach.',
    file: KEPT,
    find: 'reach.every((scope) => this.#reach.includes(scope))',
    replace: 'reach.every((scope) => this.#reach !== null || scope)',
    tests: KEPT_TESTS,
  },
  {
    name: 'kept-with-what-was-taken-out',
    promise: 'Where a text was taken out, the provider is sent the conversation again.',
    file: KEPT,
    find: 'this.#state = isCensored ? null : state',
    replace: 'this.#state = isCensored === null ? null : state',
    tests: KEPT_TESTS,
  },
  {
    name: 'plugin-with-a-reserved-name',
    promise: 'No plugin of others has a name that is the server’s.',
    file: 'src/plugins/found/find-plugins.ts',
    find: 'return isReservedSource(name) ? `it needs',
    replace: 'return isReservedSource(`${name}-`) ? `it needs',
    tests: ['test/plugins/plugin-command.test.ts', 'test/plugins/names-of-plugins.pg.test.ts'],
  },
  {
    name: 'user-with-a-servers-name',
    promise: 'No user that the API makes has the name of a part of the server.',
    file: 'src/people/change-users.ts',
    find: 'return isServerPart(name) ?',
    replace: 'return isServerPart(`${name}-`) ?',
    tests: ['test/stories/people-by-admins.pg.test.ts'],
  },
  {
    name: 'sessions-of-others-listed',
    promise: 'A user sees the sessions in which they participate, and no others.',
    file: 'src/graphql/schema/session/session-visibility.ts',
    find: "participant: seesAllSessions(viewer) ? null : (user?.name ?? ''),",
    replace: "participant: seesAllSessions(viewer) || namespace === null ? null : (user?.name ?? ''),",
    tests: ['test/contract/access-matrix.pg.test.ts'],
  },
  {
    name: 'namespaces-of-others-listed',
    promise: 'A connector sees the sessions of its namespace, and no others.',
    file: 'src/graphql/schema/session/session-visibility.ts',
    find: 'prefix: namespace === null ? null : `${namespace}:`,',
    replace: 'prefix: namespace === null ? null : `${namespace.slice(0, 0)}`,',
    tests: ['test/contract/access-matrix.pg.test.ts', 'test/access/confinement.pg.test.ts'],
  },
]
