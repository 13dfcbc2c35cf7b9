/**
 * One command or skill as it is to be carried out: how it starts, what it is told, and whether a launch can have been
 * prepared for it. Decided by `host-runner.ts` for what runs now and for what may come; pure but for reads of the disk.
 */
import { lstatSync } from 'node:fs'
import { must } from '../../platform/must.ts'
import type { CommandLimits } from '../command-limits.ts'
import type { Purpose } from '../namespace/prepared-launches.ts'
import { planAdminLaunch, planAdminSkillLaunch, planOpenLaunch } from '../sandbox/admin-launch.ts'
import type { Launch, Order } from '../sandbox/launch.ts'
import {
  planSandboxLaunch,
  planSandboxOrder,
  type SandboxOrder,
  type SandboxSetup,
} from '../sandbox/sandbox-profile.ts'
import { planAdminSkill, planConfinedSkill } from '../skills/skill-program.ts'
import type { CommandRequest } from './host-messages.ts'

/** What `carryOut` of the runner needs. */
export interface CommandTask extends Pick<CommandRequest, 'timeoutMs'> {
  readonly launch: Launch
  readonly order: Order
  /** What a launch may have been prepared for; null: for this there is none. */
  readonly purpose: Purpose | null
}

/** `home`: what the program finds as HOME. */
export interface AdminPlace {
  readonly workspace: string
  readonly home: string
}

/** Where what is confined runs; `workspace` must be there. */
export interface ConfinedPlace {
  readonly sandbox: SandboxSetup
  readonly workspace: string
  readonly limits: CommandLimits
}

type RequestedProgram = CommandRequest['program']

/** So many admins' commands at once find a launch; of a session one command runs at a time. */
const MOST = { ofAdmins: 4, ofSession: 1 }

/** What bash is given inside the sandbox, and what a skill needs there; or why the skill cannot run. */
export function confine(
  program: RequestedProgram,
  { account }: SandboxSetup,
): Pick<SandboxOrder, 'command' | 'skill'> | string {
  if (program.kind === 'COMMAND') return { command: program.command, skill: null }
  const skill = planConfinedSkill(program.skill, account)
  return typeof skill === 'string' ? skill : { command: skill.command, skill }
}

/** A program of role USER, in the sandbox of its session. The workspace must be there. */
export function planConfinedTask(
  place: ConfinedPlace,
  order: SandboxOrder & { readonly timeoutMs: number },
): CommandTask {
  const { sandbox, ...where } = place
  const { skill, timeoutMs } = order
  const launch = planSandboxLaunch(sandbox, { ...where, skill })
  return { timeoutMs, launch, order: planSandboxOrder(order), purpose: skill === null ? confinedPurpose(place) : null }
}

/** Null: there is no such folder, or it is one of another account. */
export function confinedPurpose({ sandbox, ...where }: ConfinedPlace): Purpose | null {
  const folder = lstatSync(where.workspace, { throwIfNoEntry: false })
  const owner = sandbox.account?.uid ?? process.geteuid?.()
  if (folder?.isDirectory() !== true || folder.uid !== owner) return null
  const launch = planSandboxLaunch(sandbox, { ...where, skill: null })
  // A folder that is in use keeps its number, also when it is deleted: one that is made anew has another.
  return { launch, folder: `${folder.dev}:${folder.ino}`, most: MOST.ofSession }
}

/** `bubblewrap`: path of one that has been seen to work, or null. */
export function planAdminTask(
  { program, timeoutMs }: Pick<CommandRequest, 'program' | 'timeoutMs'>,
  { workspace, home }: AdminPlace,
  bubblewrap: string | null,
): CommandTask {
  if (program.kind === 'SKILL') {
    const skill = planAdminSkill(program.skill)
    const launch = planAdminSkillLaunch(skill, home, bubblewrap)
    const ownHome = must(launch.environment['HOME'], 'every launch has a HOME')
    return { timeoutMs, launch, order: { command: skill.command, workspace, home: ownHome, limits: '' }, purpose: null }
  }
  const order = { command: program.command, workspace, home, limits: '' }
  if (bubblewrap === null) return { timeoutMs, launch: planOpenLaunch(home), order, purpose: null }
  const purpose = adminPurpose(bubblewrap)
  return { timeoutMs, launch: purpose.launch, order, purpose }
}

/** For any command of an admin. */
export function adminPurpose(bubblewrap: string): Purpose {
  return { launch: planAdminLaunch(bubblewrap), folder: '', most: MOST.ofAdmins }
}
