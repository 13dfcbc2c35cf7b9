/**
 * Which account sandboxed commands run as. A server without root needs none: the sandbox runs as the server's own user.
 * A server started by root drops to the user "factotum" if the machine has it, else to a number that no account has.
 * Never to an account that something else runs under: the embedded PostgreSQL, which holds every session's data, may be
 * "nobody".
 */
import { readFileSync } from 'node:fs'
import type { Account } from '../../config/home/unprivileged-account.ts'

/** Below 65,536, so that it exists in containers too, and outside of what distributions give to people and services. */
const UNNAMED = 64_917

/** Null: the server is not root. Reads /etc/passwd each time: the account may be created while the server runs. */
export function findDropAccount(): Account | null {
  if (process.geteuid?.() !== 0) return null
  const named = parsePasswd(readFileSync('/etc/passwd', 'utf8')).find(({ name }) => name === 'factotum')
  return named ?? { name: `uid ${UNNAMED}`, uid: UNNAMED, gid: UNNAMED }
}

/** The unprivileged accounts of a passwd file; root's (uid or gid 0) and malformed lines are left out. */
export function parsePasswd(text: string): readonly Account[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    if (name === '' || !/^[1-9]\d*$/.test(uid) || !/^[1-9]\d*$/.test(gid)) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}
