/**
 * `npm run test:manifests`: holds deploy/kubernetes.yaml against the schemas of Kubernetes' own API, as the package
 * `kubernetes-models` has them, and it and deploy/compose.yaml against what docs/deployment.md promises of them; the
 * package and a reader of YAML are fetched from the registry, into a scratch folder.
 * As the API itself, they let names through that they do not know.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = ['kubernetes-models@4.5.1', 'yaml@2.9.1']
/** The default of drain_timeout, and what it takes to leave besides. */
const DRAIN_S = 30
const SPARE_S = 10
const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../deploy/${name}`, import.meta.url)), 'utf8')
const manifests = read('kubernetes.yaml')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}
interface Pod {
  readonly securityContext: object
  readonly containers: readonly { readonly lifecycle: { readonly preStop: { readonly sleep: { seconds: number } } } }[]
  readonly terminationGracePeriodSeconds: number
}
type Model = new (manifest: Manifest) => { validate(): void }

const scratch = mkdtempSync(join(tmpdir(), 'factotum-manifests-'))
try {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet, '--prefix', scratch, ...PACKAGES], { stdio: 'inherit' })
  const from = createRequire(join(scratch, 'package.json'))
  const load = (name: string): Record<string, unknown> => from(name) as Record<string, unknown>
  const { parseAllDocuments } = load('yaml') as {
    parseAllDocuments: (text: string) => { toJSON: () => Manifest }[]
  }
  const found = parseAllDocuments(manifests).map((document) => document.toJSON())
  assert(found.length > 0, 'there are manifests')
  for (const manifest of found) {
    const { [manifest.kind]: model } = load(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)
    new (model as Model)(manifest).validate()
    // A schema that lets everything pass would say nothing.
    assert.throws(() => new (model as Model)({ ...manifest, kind: 'Nonsense' }).validate())
    console.log(`${manifest.kind}: as the API of Kubernetes has it`)
  }
  const isOf = (kind: string) => (manifest: Manifest) => manifest.kind === kind
  const deployment = found.find(isOf('Deployment')) as unknown as { spec: { template: { spec: Pod } } }
  const pod = deployment.spec.template.spec
  assert.partialDeepStrictEqual(pod, { hostUsers: false, securityContext: { runAsNonRoot: true, runAsUser: 10_001 } })
  assert.partialDeepStrictEqual(pod.containers[0], {
    livenessProbe: { httpGet: { path: '/health' } },
    readinessProbe: { httpGet: { path: '/ready' } },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    securityContext: {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      procMount: 'Unmasked',
    },
    volumeMounts: [{ mountPath: '/var/lib/factotum' }, { mountPath: '/tmp' }],
  })
  const waitsS = pod.containers[0]?.lifecycle.preStop.sleep.seconds ?? 0
  const graceS = pod.terminationGracePeriodSeconds
  assert(graceS >= waitsS + DRAIN_S + SPARE_S, 'a pod is ended only after it has waited and drained')
  const [compose] = parseAllDocuments(read('compose.yaml')).map((document) => document.toJSON() as object)
  assert.partialDeepStrictEqual(compose, {
    services: {
      postgres: { healthcheck: { interval: '5s' }, volumes: ['postgres:/var/lib/postgresql'] },
      factotum: {
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        volumes: ['factotum:/var/lib/factotum'],
        depends_on: { postgres: { condition: 'service_healthy' } },
      },
    },
    volumes: { postgres: {}, factotum: {} },
  })
  assert.match(read('Dockerfile'), /^USER 10001$/m)
  console.log('Both promise a user without rights, a read-only root, health checks and volumes')
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
