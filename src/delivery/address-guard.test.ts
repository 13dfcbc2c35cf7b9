import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { AddressGuard, type AddressRules } from './address-guard.ts'
import type { Resolve } from './resolve-host.ts'

const OPEN: AddressRules = { webhookRequireHttps: false, webhookAllowList: [] }
const ZONE: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.example': ['10.0.0.7'],
  'half.example': ['93.184.215.14', '127.0.0.1'],
  'six.example': ['::1'],
  localhost: ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'nowhere.example': [],
}

const resolve: Resolve = async (host) => {
  const addresses = ZONE[host]
  if (addresses === undefined) throw new Error('ENOTFOUND')
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

function guard(rules: Partial<AddressRules> = {}): AddressGuard {
  return new AddressGuard({ rules: () => ({ ...OPEN, ...rules }), resolve })
}

/** As a socket asks. */
function lookUp(one: AddressGuard, host: string): Promise<readonly LookupAddress[]> {
  return new Promise((found, failed) =>
    one.lookup(host, { all: true }, (error, addresses) =>
      error === null ? found(addresses as LookupAddress[]) : failed(error),
    ),
  )
}

/**
 * Spellings of addresses inside: loopback, unspecified, private, shared, link-local, metadata, and what leads to IPv4
 * in IPv6.
 */
const INSIDE = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://0.0.0.0/',
  'http://0/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://168.63.129.16/machine',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://192.0.2.1/',
  'http://localhost/',
  'http://localhost./',
  'http://LOCALHOST/',
  'http://metadata.google.internal/',
  'http://inside.example/',
  'http://half.example/',
  'http://six.example/',
]

describe('a webhook that leads inside is refused', () => {
  test.each(INSIDE)('%s', async (url) => {
    expect(await guard().findProblem(url)).toMatch(
      /must not lead to .*unless an admin puts ".*" into webhook_allow_list/,
    )
  })
})

describe('a webhook that breaks another rule is refused, and told which', () => {
  test.each([
    ['ftp://public.example/', 'begins with "https://"'],
    ['file:///etc/passwd', 'begins with "https://"'],
    ['public.example/hook', 'begins with "https://"'],
    ['', 'begins with "https://"'],
    ['http://ada:secret@public.example/', 'must not contain a user name or password'],
    ['http://public.example:22/', 'must have port 80, 443, 8080 or 8443'],
    ['http://public.example:6379/', 'unless an admin puts "public.example" into webhook_allow_list'],
    ['http://unknown.example/', '"unknown.example" cannot be resolved'],
    ['http://nowhere.example/', 'has no address'],
    [`http://public.example/${'x'.repeat(2000)}`, 'at most 2000 characters'],
  ])('%s', async (url, problem) => expect(await guard().findProblem(url)).toContain(problem))

  test('http, where https is required', async () => {
    const strict = guard({ webhookRequireHttps: true })
    expect(await strict.findProblem('http://public.example/')).toContain('must begin with "https://"')
    expect(await strict.findProblem('https://public.example/')).toBeNull()
  })
})

test.each(['https://public.example/hook?key=1', 'http://public.example:8080/', 'https://93.184.215.14:8443/'])(
  '%s may be a webhook',
  async (url) => expect(await guard().findProblem(url)).toBeNull(),
)

describe('the allow list', () => {
  test.each([
    ['inside.example', 'http://inside.example:9000/'],
    ['10.0.0.0/8', 'http://inside.example/'],
    ['127.0.0.1', 'http://127.0.0.1:39211/'],
    ['127.0.0.1', 'http://2130706433:39211/'],
    ['::1', 'http://[::1]:39211/'],
    ['127.0.0.0/8', 'http://half.example/'],
  ])('%s allows %s', async (entry, url) =>
    expect(await guard({ webhookAllowList: [entry] }).findProblem(url)).toBeNull(),
  )
  test.each([
    ['inside.example', 'http://six.example/'],
    ['93.184.215.14', 'http://half.example/'],
    ['127.0.0.1', 'http://127.0.0.2/'],
  ])('%s does not allow %s', async (entry, url) =>
    expect(await guard({ webhookAllowList: [entry] }).findProblem(url)).toContain('must not lead to'),
  )
})

describe('the lookup of a connection', () => {
  test('gives the addresses that it has checked', async () => {
    expect(await lookUp(guard(), 'public.example')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    ])
  })

  test('refuses a name of which one address is inside', async () => {
    await expect(lookUp(guard(), 'half.example')).rejects.toThrow('must not lead to 127.0.0.1')
    await expect(lookUp(guard(), 'localhost.')).rejects.toThrow('must not lead to 127.0.0.1')
  })

  test('refuses a name that led outside when it was set and leads inside now', async () => {
    const answers = ['93.184.215.14', '127.0.0.1']
    const rebinding = new AddressGuard({
      rules: () => OPEN,
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    })
    expect(await rebinding.findProblem('http://rebinding.example/')).toBeNull()
    await expect(lookUp(rebinding, 'rebinding.example')).rejects.toThrow('must not lead to 127.0.0.1')
  })

  test('answers with one address of the wanted kind where one is asked for', async () => {
    const found = await new Promise((resolve, reject) =>
      guard().lookup('public.example', { family: 6 }, (error, address, family) =>
        error === null ? resolve([address, family]) : reject(error),
      ),
    )
    expect(found).toEqual(['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 6])
  })
})
