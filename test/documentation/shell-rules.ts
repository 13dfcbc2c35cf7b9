/**
 * What becomes of each command that a page shows: it is run (test/processes/pages-in-a-shell.pg.test.ts), or another
 * test runs it, or it cannot be run here, and why. A command without a line here, and a line without a command, fail.
 */
export interface Run {
  /** What is put in place of what only an example can be; the addresses of servers are replaced everywhere. */
  readonly change?: readonly (readonly [from: string | RegExp, to: string])[]
  readonly input?: string
  /** What it prints; waited for, and then it is ended, when it would go on for ever. */
  readonly prints?: RegExp
  readonly goesOn?: true
  /** Until it prints this: what it asks for takes a moment. */
  readonly again?: true
}

export type Rule =
  | ({ readonly do: 'run' } & Run)
  | { readonly do: 'elsewhere'; readonly test: string }
  | { readonly do: 'not here'; readonly because: string }

const run = (how: Run = {}): Rule => ({ do: 'run', ...how })
const elsewhere = (test: string): Rule => ({ do: 'elsewhere', test })
const notHere = (because: string): Rule => ({ do: 'not here', because })

const SUITE = notHere('it is the suite itself, or a part of it')
const CHECKOUT = notHere('it installs into the checkout that runs the tests')
const EXAMPLE = elsewhere('scripts/test-examples.ts')
const ROOT = notHere('it changes the machine')
const ENGINE = notHere('it needs a container engine; scripts/test-image.ts carries out the steps of the Dockerfile')
const COLLECTOR = elsewhere('test/processes/telemetry.pg.test.ts')

export const SHELL_RULES: Readonly<Record<string, Rule>> = {
  'npm ci && npm run demo': elsewhere('test/processes/demo.pg.test.ts'),
  'npm ci && npm test': SUITE,
  'npm ci': CHECKOUT,
  'npm run dev': elsewhere('test/stories/running-the-server.pg.test.ts'),
  'npx vitest run src/core': SUITE,
  'npm test': SUITE,
  'npm run test:rest': SUITE,
  'npm run check': SUITE,
  'npm run measure': SUITE,
  'npm start': run({ goesOn: true, prints: /factotum is ready/ }),
  'DATABASE_URL=postgresql://user:password@host:5432/factotum npm start': run({
    goesOn: true,
    prints: /factotum is ready/,
  }),
  // Of several admins it asks for one; a new server has one.
  "DATABASE_URL='postgresql://user:password@host1:5432,host2:5432/factotum?target_session_attrs=read-write' npm start":
    run({ goesOn: true, prints: /factotum is ready/ }),
  'npx factotum login': run({ change: [[/$/, ' --user anna']], prints: /http:\/\/\S+\/login/ }),
  'npx factotum --help': run({ prints: /DATABASE_URL/ }),
  'npx factotum doctor': run({ prints: /ok {4}database/ }),

  'npx factotum chat': run({ input: 'run: echo from-a-pipe\n', prints: /from-a-pipe/ }),
  'npx factotum ask "run: uname -a"': run({ prints: /Linux|Darwin/ }),
  'echo "what is new?" | npx factotum ask --session @anna:demo -': run({ prints: /what is new/ }),
  'npx factotum sessions': run({ prints: /@anna:demo/ }),
  'npx factotum search kettle': run(),
  'npx factotum tail @anna:demo --after 0': run({ goesOn: true, prints: /what is new/ }),
  'npx factotum approve': run(),
  'npx factotum facts kettle': run(),
  'npx factotum learnings review': run({
    change: [[/^(.*)$/, `script -qec 'node "$CHECKOUT/bin/factotum.js" learnings review' /dev/null`]],
  }),
  'export FACTOTUM_URL=https://factotum.example FACTOTUM_TOKEN=…': run(),
  'npx factotum usage': run({ prints: /rehearsal/ }),
  'npx factotum usage --by user --from 2026-11-01 --to 2026-11-30 --csv': run(),
  'source <(npx factotum completion bash)': run(),
  // What fish would read, whether it is installed or not.
  'npx factotum completion fish | source': run({ change: [['| source', '']], prints: /complete -c factotum/ }),

  'npx factotum session export cli:demo --out demo.jsonl': run(),
  'npx factotum session import demo.jsonl': run({ change: [[/$/, ' --as web:copy']], prints: /web:copy/ }),
  'curl -OJ -H "Authorization: Bearer $TOKEN" https://here.example/sessions/cli%3Ademo/export': run(),
  'curl -T cli-demo.jsonl -X POST -H "Authorization: Bearer $TOKEN" \'https://there.example/sessions/import?as=cli:copy\'':
    run({
      prints: /cli:copy/,
    }),
  'curl -T report.pdf -H "Authorization: Bearer $TOKEN" https://factotum.example/files/cli:demo/report.pdf': run({
    prints: /report\.pdf/,
  }),
  'export FACTOTUM_TOKEN=…': run(),
  'node examples/from-assistants/import-threads.ts threads.json --user anna --url http://127.0.0.1:4000': run({
    prints: /thread_abc/,
  }),
  'npm install http://127.0.0.1:4000/client.tgz': elsewhere('test/clients/installing.pg.test.ts'),
  'apt-get install python3-websockets': ROOT,
  'FACTOTUM_TOKEN=fct_… python3 examples/python/factotum.py http://127.0.0.1:4000 cli:demo "run: uname -a"': elsewhere(
    'test/clients/python.pg.test.ts',
  ),

  'npx factotum skill install examples/skills/text-stats': run({ input: 'y\n', prints: /text-stats/ }),
  'npx factotum skill list': run({ prints: /text-stats/ }),
  // At a terminal it asks instead.
  'npx factotum plugin install ./dice': run({ change: [[/$/, ' --yes']], prints: /dice/ }),
  'gql() { curl -s localhost:4000/graphql -H "authorization: Bearer $TOKEN" -H \'content-type: application/json\' -d "$1"; }':
    run(),
  'gql \'{"query":"{ plugin(name: \\"dice\\") { version status settingsSchema } }"}\'': run({
    prints: /"version":1,.*"sides"/,
    again: true,
  }),
  'gql \'{"query":"mutation { updatePlugin(input: { name: \\"dice\\", enabled: true, version: 1 }) { __typename ... on Refusal { problem } } }"}\'':
    run({
      prints: /UpdatePluginPayload/,
    }),
  'gql \'{"query":"{ plugin(name: \\"dice\\") { version status lastError } }"}\'': run({
    prints: /"status":"READY"/,
    again: true,
  }),
  'gql \'{"query":"mutation { openSession(input: { id: \\"web:dice\\", mode: CHAT }) { __typename ... on Refusal { problem } } }"}\'':
    run({
      prints: /OpenSessionPayload/,
    }),
  'gql \'{"query":"mutation { sendMessage(input: { sessionId: \\"web:dice\\", content: \\"tool: dice__roll {\\\\\\"count\\\\\\": 3}\\" }) { __typename ... on Refusal { problem } } }"}\'':
    run({ prints: /SendMessagePayload/ }),
  'gql \'{"query":"{ session(id: \\"web:dice\\") { tasks { edges { node { type status output } } } } }"}\'': run({
    prints: /"status":"DONE","output":"[1-6] [1-6] [1-6]"/,
    again: true,
  }),
  'gql \'{"query":"mutation { updatePlugin(input: { name: \\"dice\\", settings: { sides: 20 }, version: 2 }) { __typename ... on Refusal { problem } } }"}\'':
    run({
      prints: /UpdatePluginPayload/,
    }),
  'npx factotum plugin install factotum-plugin-weather': elsewhere('test/plugins/plugin-command.test.ts'),
  'npm install --prefix .factotum/mcp/files @modelcontextprotocol/server-filesystem': notHere(
    'it needs a registry; test/stories/mcp-tools.pg.test.ts runs servers of that project',
  ),
  'claude mcp add --transport http factotum https://agent.example.org/mcp --header "Authorization: Bearer $TOKEN"':
    notHere('it is a command of another program; test/stories/mcp-endpoint.pg.test.ts is such a client'),

  'npx factotum backup factotum.backup': run(),
  // Into a home of its own, which has a PostgreSQL of its own.
  'npx factotum restore factotum.backup --home /var/lib/copy': run({ change: [[/^/, 'DATABASE_URL= ']] }),
  'npx factotum --paused --home /var/lib/copy': run({
    change: [[/^/, 'DATABASE_URL= ']],
    goesOn: true,
    prints: /factotum is ready/,
  }),
  'useradd --system --home-dir /var/lib/factotum factotum': ROOT,
  'mkdir -p /opt/factotum && cd /opt/factotum && npm install /path/to/factotum-0.1.0.tgz':
    elsewhere('scripts/test-install.ts'),
  'cp node_modules/factotum/deploy/factotum.service /etc/systemd/system/ && systemctl enable --now factotum': ROOT,
  'systemd-run --pipe --wait --uid factotum -p StateDirectory=factotum -p StateDirectoryMode=0750 -p UMask=0027 -p NoNewPrivileges=yes -p PrivateTmp=yes -p ProtectSystem=strict -p ProtectHome=yes -p EnvironmentFile=-/etc/factotum/environment /opt/factotum/node_modules/.bin/factotum doctor --home /var/lib/factotum':
    ROOT,
  'export FACTOTUM_COMMIT=$(git rev-parse --short=12 HEAD)': ENGINE,
  'docker build -f deploy/Dockerfile -t factotum --build-arg FACTOTUM_COMMIT .': ENGINE,
  'docker run --rm -p 4318:4318 -p 16686:16686 jaegertracing/jaeger': notHere('it needs a container engine'),
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:4318/v1/traces npm start': COLLECTOR,
  'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 npm start': COLLECTOR,
  'POSTGRES_PASSWORD=… docker compose -f deploy/compose.yaml up': ENGINE,

  'npm ci && npm start': CHECKOUT,
  'npm --prefix examples/copilotkit install': EXAMPLE,
  'npm --prefix examples/copilotkit run dev': EXAMPLE,
  'npm --prefix examples/next-ai-sdk install': EXAMPLE,
  'npm --prefix examples/next-ai-sdk run dev': EXAMPLE,
  'npm --prefix examples/react-chat install': EXAMPLE,
  'npm --prefix examples/react-chat run dev': EXAMPLE,
  'FACTOTUM_TOKEN=fct_… DISCORD_TOKEN=… npx node examples/discord-connector/connector.ts': elsewhere(
    'test/clients/discord/discord-connector.pg.test.ts',
  ),
}

/** Files that a page tells one to make, by the language of the fence that shows them. */
export const FILES: Readonly<Record<string, { readonly language: string; readonly path: string }>> = {
  'docs/from-assistants.md': { language: 'json', path: 'threads.json' },
  'docs/plugins.md': { language: 'ts', path: 'dice/plugin.ts' },
}
