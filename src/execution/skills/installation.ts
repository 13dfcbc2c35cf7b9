/** What an installation leaves in a skill's folder: the marker while it goes on, and where the skill came from. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../core/errors.ts'
import { randomHex } from '../../platform/random.ts'
import { INSTALLING_MARKER } from './installing-marker.ts'
import type { SkillSource } from './skill-source.ts'

const SOURCE_FILE = '.factotum-source.json'

const sourceSchema = z.union([
  z.object({ kind: z.literal('git'), url: z.string() }),
  z.object({ kind: z.literal('folder'), path: z.string() }),
])

/**
 * From now on the catalog passes the folder over. The marker names this process, so that a sweep finds what it leaves
 * when it is killed.
 */
export async function markInstalling(folder: string): Promise<void> {
  await writeFile(join(folder, INSTALLING_MARKER), `${process.pid}\n`)
}

/** The skill is complete and can be used from now on. Rejects when there is no marker. */
export async function unmarkInstalling(folder: string): Promise<void> {
  await rm(join(folder, INSTALLING_MARKER))
}

/** Keeps the source for `update`; an earlier one is replaced. */
export async function recordSource(folder: string, source: SkillSource): Promise<void> {
  await writeFile(join(folder, SOURCE_FILE), `${JSON.stringify(source, null, 2)}\n`)
}

/** Rejects with an AppError when the folder was not installed by `factotum skill install`. */
export async function readSourceOf(folder: string): Promise<SkillSource> {
  const text = await readFile(join(folder, SOURCE_FILE), 'utf8').catch(() => '')
  try {
    return sourceSchema.parse(JSON.parse(text))
  } catch {
    throw new AppError(
      'SKILL_REFUSED',
      'Nobody knows where this skill came from: it was not installed with "factotum skill install". Remove it and install it anew.',
    )
  }
}

/** The name, which the catalog does not read, of a skill that stands aside while an update of it is set up. */
export function nameSetAside(folderName: string): string {
  return `.old-${folderName}-${process.pid}-${randomHex(8)}`
}

/**
 * Removes what installations that were killed have left in the folder of skills, and puts back the skill whose update
 * was killed.
 */
export async function sweepLeftovers(skillsFolder: string): Promise<void> {
  const entries = readdirSync(skillsFolder)
  for (const name of entries) {
    const pid = /^\.(\d+)-[0-9a-f]{16}$/.exec(name)?.[1] ?? (await markerOf(join(skillsFolder, name)))
    if (pid !== null && !isAlive(Number(pid))) await rm(join(skillsFolder, name), { recursive: true, force: true })
  }
  // What was half set up in their places is gone by now.
  for (const name of entries) {
    const [, folderName, pid] = /^\.old-(.+)-(\d+)-[0-9a-f]{16}$/.exec(name) ?? []
    if (folderName === undefined || isAlive(Number(pid))) continue
    const [old, place] = [join(skillsFolder, name), join(skillsFolder, folderName)]
    if (existsSync(place)) await rm(old, { recursive: true, force: true })
    else await rename(old, place)
  }
}

/** The number of the process that put the marker there; null: no marker, or not one of ours. */
async function markerOf(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, INSTALLING_MARKER), 'utf8').catch(() => '')
  return /^(\d+)\n$/.exec(text)?.[1] ?? null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
