/** The part of config.toml that makes a stub endpoint (test/model/stub-endpoint.ts) the provider of all agents. */
import type { StubEndpoint } from '../model/stub-endpoint.ts'

/** `name`: of the provider; its model is called "<name>-1". */
export function stubProvider(stub: Pick<StubEndpoint, 'baseUrl'>, name = 'stub'): string {
  return `
[providers.${name}]
base_url = "${stub.baseUrl}"
[models]
planner = "${name}:${name}-1"
`
}
