import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { PluginPrograms } from './plugin-programs.ts'

/** Programs that end when the test says so. */
class Programs {
  readonly started: { readonly stdout: PassThrough; readonly end: () => Promise<unknown> }[] = []

  start = () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const ended = Promise.withResolvers<string>()
    const end = (): Promise<unknown> => {
      stdout.end()
      ended.resolve('ended with code 0')
      return ended.promise
    }
    this.started.push({ stdout, end })
    return Promise.resolve({ stdin, stdout, stderr, ended: ended.promise, kill: () => void end() })
  }
}

function open() {
  const programs = new Programs()
  const plugin = new PluginPrograms('busy', { home: '/home', programs })
  const start = () =>
    plugin.serve({ what: 'PROGRAM_START', command: 'true', args: [], environment: {}, network: false })
  const read = (program: number) => plugin.serve({ what: 'PROGRAM_READ', program })
  return { started: programs.started, start, read }
}

test('programs that have ended by themselves do not count against those that may run', async () => {
  const { started, start } = open()
  for (let n = 0; n < 16; n += 1) await start()
  await expect(start()).rejects.toThrow('a plugin may run 16 programs, no more')
  await started[3]?.end()
  expect(await start()).toBe(17)
  await expect(start()).rejects.toThrow('a plugin may run 16 programs, no more')
})

test('what a program printed last can be read after its end, and then it is gone', async () => {
  const { started, start, read } = open()
  expect(await start()).toBe(1)
  started[0]?.stdout.write('last words')
  await started[0]?.end()
  for (let n = 0; n < 64; n += 1) {
    await start()
    await started.at(-1)?.end()
  }
  expect(await read(1)).toBe('last words')
  await expect(read(1)).rejects.toThrow('the program ended with code 0')
  await expect(read(1)).rejects.toThrow('this program has ended')
})

test('of those that nothing reads, the first are forgotten', async () => {
  const { started, start, read } = open()
  for (let n = 0; n < 66; n += 1) {
    await start()
    started.at(-1)?.stdout.write('words')
    await started.at(-1)?.end()
  }
  await expect(read(1)).rejects.toThrow('this program has ended')
  expect(await read(2)).toBe('words')
})
