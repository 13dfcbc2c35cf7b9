/**
 * Which account sandboxed commands run as. A server without root needs none: the sandbox runs as the server's own user.
 * A server started by root must drop to one: the user "factotum" if the machine has it, else "nobody". Never the account of
 * the embedded PostgreSQL, which owns every session's data.
 */
import { readFileSync } from 'node:fs'
import type { Account } from '../store/unprivileged-account.ts'

export type DropAccount =
  | { readonly kind: 'NOT_NEEDED' }
  | { readonly kind: 'FOUND'; readonly account: Account }
  /** Root with nobody to drop to: nothing may run confined. */
  | { readonly kind: 'MISSING' }

const CANDIDATES = ['factotum', 'nobody']

/** Reads /etc/passwd each time: the account may be created while the server runs. */
export function findDropAccount(): DropAccount {
  if (process.geteuid?.() !== 0) return { kind: 'NOT_NEEDED' }
  const accounts = parsePasswd(readFileSync('/etc/passwd', 'utf8'))
  const account = CANDIDATES.map((name) => accounts.find((found) => found.name === name)).find(
    (found) => found !== undefined,
  )
  return account === undefined ? { kind: 'MISSING' } : { kind: 'FOUND', account }
}

/** The unprivileged accounts of a passwd file; root's (uid or gid 0) and malformed lines are left out. */
export function parsePasswd(text: string): readonly Account[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    if (name === '' || !/^[1-9]\d*$/.test(uid) || !/^[1-9]\d*$/.test(gid)) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}
