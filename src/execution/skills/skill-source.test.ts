import { expect, test } from 'vitest'
import { folderNameFor, parseSource } from './skill-source.ts'

test.each([
  ['https://github.com/Acme/Skill-Search.git', 'github-com_acme_skill-search'],
  ['https://github.com/Acme/Skill-Search/', 'github-com_acme_skill-search'],
  ['git@github.com:Acme/Skill-Search.git', 'github-com_acme_skill-search'],
  ['ssh://git@github.com/Acme/Skill-Search.git', 'github-com_acme_skill-search'],
  ['https://git.example.com:8443/a/b/c', 'git-example-com_a_b_c'],
  ['file:///srv/git/search.git', 'srv_git_search'],
])('%s is installed in %s', (url, name) => {
  expect(folderNameFor(parseSource(url, '/'), null)).toBe(name)
})

test.each([
  ['http://example.com/x.git', 'not with http://'],
  ['git://example.com/x.git', 'not with git://'],
  ['ext::sh -c touch% /tmp/pwned', 'neither a folder nor a git URL'],
  ['https://user:password@example.com/x.git', 'credential helper'],
  ['https://token@example.com/x.git', 'credential helper'],
  ['https://', 'is not a URL'],
  ['/etc/passwd', 'neither a folder nor a git URL'],
])('%s is refused', (url, reason) => {
  expect(() => parseSource(url, '/')).toThrow(reason)
})

test.each(['', '.hidden', 'a/b', '..', 'A', 'x'.repeat(101)])('"%s" is no name for a folder', (name) => {
  expect(() => folderNameFor({ kind: 'folder', path: '/x' }, name)).toThrow('--name')
})

test('of a folder the name is its own', () => {
  expect(folderNameFor({ kind: 'folder', path: '/srv/My Skill' }, null)).toBe('my-skill')
})
