/**
 * The files that every sandbox is built from, kept in `<home>/sandbox`: its own passwd, group and hosts, and the system
 * call filter. Written by each probe, so that a lost file is healed by the next one. They hold nothing secret.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../../platform/random.ts'
import { sandboxFolder } from '../host/host-folder.ts'
import type { SandboxArchitecture } from './seccomp-rules.ts'
import { buildSeccompFilter } from './seccomp.ts'

/** Paths of the files on the host; `etc` is mounted read-only from `source` at `target`. */
export interface SandboxFiles {
  readonly seccompFilter: string
  readonly etc: readonly { readonly source: string; readonly target: string }[]
}

const ETC = {
  passwd: 'user:x:1000:1000:user:/workspace:/bin/bash\n',
  group: 'user:x:1000:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
}

/** The unprivileged account may read them: it is the one that starts the sandbox. */
export function writeSandboxFiles(home: string, architecture: SandboxArchitecture): SandboxFiles {
  const folder = sandboxFolder(home)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o711)
  const etc = Object.entries(ETC).map(([name, text]) => ({
    source: writeWhole(join(folder, name), Buffer.from(text)),
    target: `/etc/${name}`,
  }))
  return { seccompFilter: writeWhole(join(folder, 'seccomp.bpf'), buildSeccompFilter(architecture)), etc }
}

/** Another node may be reading the file: it sees the old or the new one, never a part. */
function writeWhole(path: string, content: Buffer): string {
  const draft = `${path}.${randomHex(4)}`
  try {
    writeFileSync(draft, content)
    chmodSync(draft, 0o644)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
  return path
}
