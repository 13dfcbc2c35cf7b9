/** Makes the types of "factotum/plugin", which package.json names: what plugins are written against in an editor. */
type Run = (tool: string, args: readonly string[]) => void

export function buildPluginTypes(run: Run, dist: string): void {
  run('tsc', [
    '--ignoreConfig',
    'src/plugin-api/plugin.ts',
    '--rootDir',
    'src',
    '--outDir',
    dist,
    '--declaration',
    '--emitDeclarationOnly',
    '--strict',
    '--skipLibCheck',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--allowImportingTsExtensions',
    '--rewriteRelativeImportExtensions',
  ])
}
