/**
 * The system call filter of the sandbox as a classic BPF program, in the byte form that `bwrap --seccomp` reads
 * (https://docs.kernel.org/userspace-api/seccomp_filter.html). Everything is allowed but `DENIED_CALLS`; calls in the
 * convention of another architecture (i386, x32) would carry other numbers past the rules, so they end the process.
 */
import {
  DENIED_CALLS,
  ERROR_NUMBERS,
  type ArgumentCondition,
  type DeniedCall,
  type SandboxArchitecture,
} from './seccomp-rules.ts'

interface Instruction {
  readonly code: number
  readonly jumpTrue: number
  readonly jumpFalse: number
  readonly value: number
}

const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

const ACTION_ALLOW = 0x7fff0000
const ACTION_ERROR = 0x00050000
const ACTION_KILL_PROCESS = 0x80000000

/** Offsets in `struct seccomp_data`. */
const CALL_NUMBER_AT = 0
const ARCHITECTURE_AT = 4
const ARGUMENTS_AT = 16

const AUDIT_ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
const X32_CALLS_FROM = 0x40000000

/** The filter for this architecture: 8 bytes an instruction, little-endian. */
export function buildSeccompFilter(architecture: SandboxArchitecture): Buffer {
  const program = [
    load(ARCHITECTURE_AT),
    jump(JUMP_IF_EQUAL, AUDIT_ARCHITECTURES[architecture], { ifTrue: 1, ifFalse: 0 }),
    finish(ACTION_KILL_PROCESS),
    load(CALL_NUMBER_AT),
    ...(architecture === 'x64'
      ? [jump(JUMP_IF_AT_LEAST, X32_CALLS_FROM, { ifTrue: 0, ifFalse: 1 }), finish(ACTION_KILL_PROCESS)]
      : []),
    ...DENIED_CALLS.flatMap(([, call]) => compileCall(call, architecture)),
    finish(ACTION_ALLOW),
  ]
  return Buffer.concat(program.map(encode))
}

/** "Is it this call? Then compare its arguments, and return the error or reload the number for the next rule." */
function compileCall(call: DeniedCall, architecture: SandboxArchitecture): readonly Instruction[] {
  const number = call.numbers[architecture === 'x64' ? 0 : 1]
  if (number === null) return []
  const deny = finish(ACTION_ERROR | ERROR_NUMBERS[call.error])
  if (call.when.length === 0) return [jump(JUMP_IF_EQUAL, number, { ifTrue: 0, ifFalse: 1 }), deny]
  const body = call.when.reduceRight((after, condition) => compileCondition(condition, after), [deny])
  return [jump(JUMP_IF_EQUAL, number, { ifTrue: 0, ifFalse: body.length + 1 }), ...body, load(CALL_NUMBER_AT)]
}

/** Puts a condition before the instructions that it guards: they are jumped over when it does not hold. */
function compileCondition(condition: ArgumentCondition, guarded: readonly Instruction[]): Instruction[] {
  const skip = guarded.length
  const start = load(ARGUMENTS_AT + 8 * condition.arg)
  if ('hasAnyBit' in condition) {
    return [start, jump(JUMP_IF_ANY_BIT, condition.hasAnyBit, { ifTrue: 0, ifFalse: skip }), ...guarded]
  }
  if ('equals' in condition)
    return [start, jump(JUMP_IF_EQUAL, condition.equals, { ifTrue: 0, ifFalse: skip }), ...guarded]
  const values = condition.isNoneOf
  const jumps = values.map((value, index) =>
    jump(JUMP_IF_EQUAL, value, { ifTrue: values.length - 1 - index + skip, ifFalse: 0 }),
  )
  return [start, ...jumps, ...guarded]
}

function load(offset: number): Instruction {
  return { code: LOAD_WORD, jumpTrue: 0, jumpFalse: 0, value: offset }
}

/** Both targets are counts of instructions to skip. */
function jump(code: number, value: number, skip: { readonly ifTrue: number; readonly ifFalse: number }): Instruction {
  return { code, jumpTrue: skip.ifTrue, jumpFalse: skip.ifFalse, value }
}

function finish(action: number): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, value: action }
}

function encode(instruction: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(instruction.code, 0)
  bytes.writeUInt8(instruction.jumpTrue, 2)
  bytes.writeUInt8(instruction.jumpFalse, 3)
  bytes.writeUInt32LE(instruction.value >>> 0, 4)
  return bytes
}
