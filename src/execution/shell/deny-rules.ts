/** The rules of the deny list, by program. `deny-list.ts` finds the programs in a command line and asks these. */
import { isRootLike } from './root-like.ts'

/** A program's call, as far as its words are known before bash runs. */
export interface ProgramCall {
  /** Without its folder: `/bin/rm` is `rm`. */
  readonly name: string
  readonly args: readonly string[]
}

/** Why a call is refused, in the words that the user gets. */
export interface Danger {
  /** What the command would do: "it would …". */
  readonly effect: string
  /** What is allowed: a whole sentence. */
  readonly instead: string
}

/** Where in the file system the call happens, as far as the rules need it. */
export interface CallPlace {
  /** An earlier `cd` of the same command line went to a root-like path. */
  readonly isAtRoot: boolean
}

type Rule = (args: readonly string[], place: CallPlace) => Danger | null

/** Null: nothing against it. */
export function findDanger({ name, args }: ProgramCall, place: CallPlace): Danger | null {
  if (name === 'mkfs' || name.startsWith('mkfs.') || name === 'mke2fs') return FORMATS
  return RULES.get(name)?.(args, place) ?? null
}

/** Writing to this path destroys what is on a device, or the machine. */
export function findDangerousOutput(path: string): Danger | null {
  return isDevice(path) ? writesDevice(path) : null
}

const FORMATS: Danger = {
  effect: 'format a file system',
  instead: 'No task may do that; work with files in the workspace.',
}

const ENDS_MACHINE: Danger = {
  effect: 'stop the machine that this server runs on',
  instead: 'No task may do that; ask the operator of the machine.',
}

const deletesRoot: Rule = (args, place) => {
  if (!hasOption(args, /^-\w*[rR]/, '--recursive')) return null
  return operands(args).some((path) => isRootLike(path, place.isAtRoot))
    ? { effect: 'delete a whole machine or home', instead: 'Name what you want to delete, for example: rm -rf ./build' }
    : null
}

const changesRoot: Rule = (args, place) => {
  if (!hasOption(args, /^-\w*R/, '--recursive')) return null
  return operands(args).some((path) => isRootLike(path, place.isAtRoot))
    ? {
        effect: 'change the rights of a whole machine or home',
        instead: 'Name the folder, for example: chmod -R u+w ./src',
      }
    : null
}

/** Tests of `find` that pick some files out; without one it takes everything. */
const NARROWING =
  /^-(?:i?name|i?path|i?wholename|i?regex|empty|newer\w*|[acm](?:time|min)|size|user|group|perm|inum|links)$/
const EXPRESSION = /^[-(!,]/

const findsAndDeletesRoot: Rule = (args, place) => {
  const startOfExpression = args.findIndex((word) => EXPRESSION.test(word) && !/^-[HLPDO]/.test(word))
  if (startOfExpression === -1) return null
  const expression = args.slice(startOfExpression)
  const deletes = expression.some(
    (word, index) =>
      word === '-delete' || (/^-(?:exec|ok)/.test(word) && /^(?:.*\/)?rm$/.test(expression[index + 1] ?? '')),
  )
  if (!deletes || expression.some((word) => NARROWING.test(word))) return null
  const paths = args.slice(0, startOfExpression).filter((word) => !word.startsWith('-'))
  return (paths.length === 0 ? ['.'] : paths).some((path) => isRootLike(path, place.isAtRoot))
    ? {
        effect: 'delete a whole machine or home',
        instead: 'Say which files, for example: find . -name "*.tmp" -delete',
      }
    : null
}

const copiesToDevice: Rule = (args) => {
  const target = args.find((word) => word.startsWith('of='))?.slice('of='.length)
  return target !== undefined && isDevice(target) ? writesDevice(target) : null
}

const writesAnyArgument: Rule = (args) => {
  const device = args.find(isDevice)
  return device === undefined ? null : writesDevice(device)
}

const writesLastArgument: Rule = (args) => writesAnyArgument(args.slice(-1), { isAtRoot: false })

const endsMachine: Rule = () => ENDS_MACHINE

const changesRunLevel: Rule = (args) => (args.includes('0') || args.includes('6') ? ENDS_MACHINE : null)

const POWER_VERBS = new Set([
  'reboot',
  'poweroff',
  'halt',
  'kexec',
  'suspend',
  'hibernate',
  'hybrid-sleep',
  'soft-reboot',
])
const controlsPower: Rule = (args) => {
  const verb = args.find((word) => !word.startsWith('-'))
  return verb !== undefined && POWER_VERBS.has(verb) ? ENDS_MACHINE : null
}

const RULES = new Map<string, Rule>([
  ['rm', deletesRoot],
  ['chmod', changesRoot],
  ['chown', changesRoot],
  ['chgrp', changesRoot],
  ['find', findsAndDeletesRoot],
  ['dd', copiesToDevice],
  ...['shred', 'wipefs', 'blkdiscard', 'mkswap', 'tee'].map((name) => [name, writesAnyArgument] as const),
  ...['cp', 'mv'].map((name) => [name, writesLastArgument] as const),
  ...['shutdown', 'reboot', 'poweroff', 'halt'].map((name) => [name, endsMachine] as const),
  ...['init', 'telinit'].map((name) => [name, changesRunLevel] as const),
  ...['systemctl', 'loginctl'].map((name) => [name, controlsPower] as const),
])

function writesDevice(path: string): Danger {
  return {
    effect: `write over the device ${path}`,
    instead: 'Write to a file in the workspace, for example: dd if=in of=out.img',
  }
}

/** Everything in /dev except the files that any program may write to. */
function isDevice(path: string): boolean {
  const clean = path.replaceAll(/\/(?:\.?\/)+/g, '/')
  if (clean === '/proc/sysrq-trigger') return true
  return /^\/dev\/(?!(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|ptmx)$|(?:pts|fd|shm|tcp|udp)\/)./.test(
    clean,
  )
}

/** One-letter options may be joined (`-fr`), long ones may be shortened (`--recurs`). */
function hasOption(args: readonly string[], short: RegExp, long: string): boolean {
  return beforeEndOfOptions(args).some((word) => {
    return word.startsWith('--') ? word.length > 2 && long.startsWith(word) : short.test(word)
  })
}

/** Options may stand behind operands: `rm / -rf`. */
function operands(args: readonly string[]): readonly string[] {
  const options = beforeEndOfOptions(args)
  return [...options.filter((word) => !/^-./.test(word)), ...args.slice(options.length + 1)]
}

function beforeEndOfOptions(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}
