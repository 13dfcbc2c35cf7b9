/** The proxies of deploy/, started with their examples as these stand, but for ports and names. */
import type { ChildProcess } from 'node:child_process'

const NGINX = '/usr/sbin/nginx'
const CADDY = '/usr/bin/caddy'
const HAPROXY = '/usr/sbin/haproxy'
const APACHE = '/usr/sbin/apache2'
const APACHE_MODULES = '/usr/lib/apache2/modules'

export interface Proxy {
  readonly program: string
  /** Its configuration, of the example; `upstreams`: the ports of all processes of the server. */
  readonly configure: (
    example: string,
    ports: { readonly listen: number; readonly upstreams: readonly number[] },
  ) => string
  readonly example: string
  /** Below which the server is reached; empty: it has the host to itself. */
  readonly path: string
  readonly args: (config: string, folder: string) => string[]
  /** Whether it finds a process gone by checks of its own; else by the request that it then passes to another one. */
  readonly hasChecks: boolean
}

const NGINX_PROXY: Omit<Proxy, 'example' | 'path'> = {
  program: NGINX,
  configure: (example, { listen, upstreams }) =>
    `pid nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {}\nhttp {\naccess_log off;\n${example
      .replace('listen 80;', `listen 127.0.0.1:${listen};`)
      .replace(/^.*127\.0\.0\.1:4000.*$/m, (line) =>
        upstreams.map((port) => line.replace('4000', `${port}`)).join('\n'),
      )}\n}\n`,
  args: (config, folder) => ['-p', folder, '-c', config],
  hasChecks: false,
}

const CADDY_PROXY: Omit<Proxy, 'example' | 'path'> = {
  program: CADDY,
  configure: (example, { listen, upstreams }) =>
    `{\n\tadmin off\n\tgrace_period 1s\n}\n${example
      .replace(/^(?:factotum\.)?example\.org \{/m, `http://127.0.0.1:${listen} {`)
      .replace('127.0.0.1:4000', upstreams.map((port) => `127.0.0.1:${port}`).join(' '))}`,
  args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  hasChecks: true,
}

const HAPROXY_PROXY: Proxy = {
  program: HAPROXY,
  configure: (example, { listen, upstreams }) =>
    example
      .replace('bind :80', `bind 127.0.0.1:${listen}`)
      .replace(/^.*server one .*$/m, (line) =>
        upstreams.map((port) => line.replace('one', `at-${port}`).replace('4000', `${port}`)).join('\n'),
      ),
  example: 'haproxy-http.cfg',
  path: '',
  args: (config) => ['-db', '-f', config],
  hasChecks: true,
}

/** What Debian's own configuration loads, and what the example has loaded besides. */
const LOADED = [
  'mpm_event',
  'authz_core',
  'proxy',
  'proxy_http',
  'proxy_balancer',
  'lbmethod_byrequests',
  'slotmem_shm',
]

const APACHE_PROXY: Proxy = {
  program: APACHE,
  configure: (example, { listen, upstreams }) =>
    `ServerName localhost\nPidFile apache.pid\nErrorLog /dev/null\nDefaultRuntimeDir .\nListen 127.0.0.1:${listen}\n${[
      ...LOADED.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`),
      example
        .replace('*:80', `*:${listen}`)
        .replace(/^.*127\.0\.0\.1:4000.*$/m, (line) =>
          upstreams.map((port) => line.replace('4000', `${port}`)).join('\n'),
        ),
    ].join('\n')}\n`,
  example: 'apache.conf',
  path: '',
  args: (config, folder) => ['-DFOREGROUND', '-d', folder, '-f', config],
  hasChecks: false,
}

export const PROXIES: readonly Proxy[] = [
  { ...NGINX_PROXY, example: 'nginx.conf', path: '' },
  { ...NGINX_PROXY, example: 'nginx-below-a-path.conf', path: '/factotum' },
  { ...CADDY_PROXY, example: 'Caddyfile', path: '' },
  { ...CADDY_PROXY, example: 'Caddyfile-below-a-path', path: '/factotum' },
  HAPROXY_PROXY,
  APACHE_PROXY,
]

/** Resolves when the proxy passes requests on. */
export async function answers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`)
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
