import { expect, test } from 'vitest'
import type { Config } from './config.ts'
import { describeChange } from './describe-change.ts'
import { parseConfig } from './parse-config.ts'

const BASE = `
[tokens.cli]
token = "the-secret-token"
kind = "user"
user = "ada"
[users.ada]
role = "admin"
[users.ben]
role = "user"
skills = ["search"]
[settings]
max_queued = 5
`

function parse(toml: string): Config {
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

interface Case {
  readonly what: string
  readonly from: string
  readonly to: string
  readonly saying: readonly string[]
}

test.each<Case>([
  { what: 'a comment', from: 'max_queued', to: '# queue\nmax_queued', saying: [] },
  {
    what: 'a role',
    from: 'role = "user"\nskills = ["search"]',
    to: 'role = "admin"',
    saying: ['user ben has role ADMIN instead of USER', 'user ben may use other skills (all)'],
  },
  {
    what: 'skills',
    from: '["search"]',
    to: '["search", "mail"]',
    saying: ['user ben may use other skills (mail, search)'],
  },
  { what: 'a token', from: 'the-secret-token', to: 'another-secret-token', saying: ['token cli changed'] },
  { what: 'a new name', from: '[tokens.cli]', to: '[tokens.web]', saying: ['token web added', 'token cli removed'] },
  {
    what: 'settings',
    from: 'max_queued = 5',
    to: 'max_queued = 6\nexec_timeout = 1',
    saying: ['setting exec_timeout changed from 120000 ms to 1000 ms', 'setting max_queued changed from 5 to 6'],
  },
  {
    what: 'budgets',
    from: '[settings]',
    to: '[budgets]\nuser_tokens_per_day = 1\n[settings]',
    saying: ['budgets changed'],
  },
  {
    what: 'approvals',
    from: '[settings]',
    to: '[approvals]\nown_user_may_decide = true\n[[approvals.rules]]\neffect = "deny"\n[settings]',
    saying: ['rules of approvals changed', 'approvals: own_user_may_decide changed from false to true'],
  },
  {
    what: 'a text, which may hold a secret',
    from: '[settings]',
    to: '[settings]\npublic_url = "https://secret.example"',
    saying: ['setting public_url changed'],
  },
  {
    what: 'what is removed for its age',
    from: '[settings]',
    to: '[retention]\nmessages = 30\n[settings]',
    saying: ['retention: messages changed from 0 to 30'],
  },
])('$what', ({ from, to, saying }) => {
  const change = describeChange(parse(BASE), parse(BASE.replace(from, to)))
  expect(new Set(change)).toEqual(new Set(saying))
  expect(change.join()).not.toContain('secret')
})
