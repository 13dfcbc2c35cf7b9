import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkDisks } from './check-place.ts'

const home = mkdtempSync(join(tmpdir(), 'factotum-inodes-'))
const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=2', 'tmpfs', home])
const mayMount = mount.status === 0

describe.skipIf(!mayMount)(`a home on a disk of its own${mayMount ? '' : ' (skipped: may not mount one)'}`, () => {
  afterAll(() => {
    execFileSync('umount', [home])
    rmSync(home, { recursive: true })
  })

  test('that has space, and no place for further files', async () => {
    writeFileSync(join(home, 'last'), '')
    const [finding] = await checkDisks(home, 2 ** 40)
    expect(finding).toMatchObject({ verdict: 'FAIL', says: `No further files fit where ${home} is (df -i).` })
    rmSync(join(home, 'last'))
    expect(await checkDisks(home, 2 ** 40)).toMatchObject([{ verdict: 'OK' }])
  })
})
