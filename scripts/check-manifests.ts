/**
 * `npm run test:manifests`: holds deploy/kubernetes.yaml against the schemas of Kubernetes' own API, as the package
 * `kubernetes-models` has them; it and a reader of YAML are fetched from the registry, into a scratch folder.
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
const manifests = readFileSync(fileURLToPath(new URL('../deploy/kubernetes.yaml', import.meta.url)), 'utf8')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
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
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
