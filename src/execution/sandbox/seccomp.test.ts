import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { must } from '../../platform/must.ts'
import { DENIED_CALLS, ERROR_NUMBERS, type SandboxArchitecture } from './seccomp-rules.ts'
import { buildSeccompFilter } from './seccomp.ts'

interface Call {
  readonly architecture: number
  readonly number: number
  readonly args: readonly number[]
}

type Verdict = 'ALLOW' | 'KILL' | { readonly error: number }

/** The classic BPF machine, as the kernel runs it, for the instructions that a filter may use. */
function judge(filter: Buffer, call: Call): Verdict {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.number >>> 0, 0)
  data.writeUInt32LE(call.architecture, 4)
  call.args.forEach((value, index) => data.writeUInt32LE(value >>> 0, 16 + 8 * index))
  let accumulator = 0
  for (let at = 0; ; at += 1) {
    const [code, jumpTrue, jumpFalse] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
    ]
    const value = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x06) return readVerdict(value)
    else at += holds(code, accumulator, value) ? jumpTrue : jumpFalse
  }
}

function holds(code: number, accumulator: number, value: number): boolean {
  if (code === 0x15) return accumulator === value
  if (code === 0x35) return accumulator >= value
  if (code === 0x45) return (accumulator & value) !== 0
  throw new Error(`the filter uses instruction ${code}`)
}

function readVerdict(value: number): Verdict {
  if (value === 0x7fff0000) return 'ALLOW'
  if (value === 0x80000000) return 'KILL'
  expect(value & 0xffff0000).toBe(0x00050000)
  return { error: value & 0xffff }
}

const ARCHITECTURES = [
  { name: 'x64', column: 0, audit: 0xc000003e },
  { name: 'arm64', column: 1, audit: 0xc00000b7 },
] as const satisfies readonly { name: SandboxArchitecture; column: number; audit: number }[]

/** read, write, close, fstat, mmap, brk, futex, execve, exit_group, getpid */
const ORDINARY = { x64: [0, 1, 3, 5, 9, 12, 202, 59, 231, 39], arm64: [63, 64, 57, 80, 222, 214, 98, 221, 94, 172] }

describe.each(ARCHITECTURES)('the system call filter for $name', ({ name, column, audit }) => {
  const filter = buildSeccompFilter(name)
  const verdict = (number: number, ...args: readonly number[]): Verdict =>
    judge(filter, { architecture: audit, number, args })
  const callNumber = (wanted: string): number =>
    must(DENIED_CALLS.find(([call]) => call === wanted)?.[1].numbers[column], 'the call has a number here')

  const unconditional = DENIED_CALLS.filter(([, call]) => call.when.length === 0 && call.numbers[column] !== null)
  test.each(unconditional)('refuses %s whatever its arguments', (_, call) => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffffffff), { minLength: 6, maxLength: 6 }), (args) => {
        expect(verdict(must(call.numbers[column], 'filtered above'), ...args)).toEqual({
          error: ERROR_NUMBERS[call.error],
        })
      }),
      { numRuns: 20 },
    )
  })

  test('lets every call pass that no rule names', () => {
    const named = new Set(DENIED_CALLS.map(([, call]) => call.numbers[column]))
    const others = Array.from({ length: 1024 }, (_, number) => number).filter((number) => !named.has(number))
    expect(others).toEqual(expect.arrayContaining(ORDINARY[name]))
    for (const number of others) expect(verdict(number, 0xffffffff, 0xffffffff, 0xffffffff)).toBe('ALLOW')
  })

  test.each([
    { call: 'clone', what: 'to fork', args: [0x1200011], expected: 'ALLOW' },
    { call: 'clone', what: 'to start a thread', args: [0x3d0f00], expected: 'ALLOW' },
    { call: 'clone', what: 'into a new user namespace', args: [0x10000011], expected: { error: 1 } },
    { call: 'clone', what: 'into a new mount namespace', args: [0x20011], expected: { error: 1 } },
    { call: 'ioctl', what: 'to ask for the terminal size', args: [0, 0x5413], expected: 'ALLOW' },
    { call: 'ioctl', what: 'to type into the terminal', args: [0, 0x5412], expected: { error: 1 } },
    { call: 'ioctl', what: 'to type into the console', args: [0, 0x541c], expected: { error: 1 } },
    { call: 'socket', what: 'for a local address', args: [1, 1], expected: 'ALLOW' },
    { call: 'socket', what: 'for IPv6', args: [10, 1], expected: 'ALLOW' },
    { call: 'socket', what: 'to the hypervisor', args: [40, 1], expected: { error: 97 } },
    { call: 'socket', what: 'for raw packets', args: [17, 3], expected: { error: 97 } },
    { call: 'personality', what: 'to ask', args: [0xffffffff], expected: 'ALLOW' },
    { call: 'personality', what: 'to turn off address randomisation', args: [0x40000], expected: { error: 1 } },
    { call: 'fchmod', what: 'for ordinary rights', args: [3, 0o755], expected: 'ALLOW' },
    { call: 'fchmod', what: 'for setuid', args: [3, 0o4755], expected: { error: 1 } },
    { call: 'fchmodat', what: 'for setgid', args: [3, 0, 0o2755], expected: { error: 1 } },
    { call: 'fchmodat2', what: 'for setuid', args: [3, 0, 0o4755], expected: { error: 1 } },
    { call: 'openat', what: 'to create', args: [3, 0, 0o101, 0o644], expected: 'ALLOW' },
    {
      call: 'openat',
      what: 'to read, with anything in the unused argument',
      args: [3, 0, 0, 0o4755],
      expected: 'ALLOW',
    },
    { call: 'openat', what: 'to create with setuid', args: [3, 0, 0o101, 0o4755], expected: { error: 1 } },
    { call: 'mknodat', what: 'with setuid', args: [3, 0, 0o104755], expected: { error: 1 } },
  ] as const)('$call $what', ({ call, args, expected }) => {
    expect(verdict(callNumber(call), ...args)).toEqual(expected)
  })

  test('ends a process that calls in another convention', () => {
    expect(judge(filter, { architecture: 0x40000003, number: 20, args: [] })).toBe('KILL') // i386
    expect(verdict(0x40000000 + 1)).toBe(name === 'x64' ? 'KILL' : 'ALLOW') // x32
  })
})

test('chmod and open exist on x64 only, and are held to the same', () => {
  const filter = buildSeccompFilter('x64')
  const verdict = (number: number, ...args: readonly number[]): Verdict =>
    judge(filter, { architecture: 0xc000003e, number, args })
  expect(verdict(90, 0, 0o755)).toBe('ALLOW')
  expect(verdict(90, 0, 0o4755)).toEqual({ error: 1 })
  expect(verdict(2, 0, 0o101, 0o6755)).toEqual({ error: 1 })
  expect(verdict(85, 0, 0o2755)).toEqual({ error: 1 })
  expect(verdict(133, 0, 0o4755)).toEqual({ error: 1 })
})
