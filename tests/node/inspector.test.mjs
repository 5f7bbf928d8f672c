// The command line of the MCP Inspector, as a person or a script tries a server out: each run is a process that
// connects, asks one thing, prints the answer and ends. Over HTTP the server and its datasets outlive the runs.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { data, datasets, program, startServer } from './support.mjs';

const inspector = join(
  import.meta.dirname,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

// Where the inspector finds the server, and the home directory of both.
function overStdio(t) {
  const home = mkdtempSync(join(tmpdir(), 'adit-inspector-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return { home, target: [program, 'serve', '--root', data, '--state-dir', join(home, 'state')] };
}

async function overHttp(t) {
  const { home } = overStdio(t);
  const { url } = await startServer(t);
  return { home, target: ['--server-url', url.href, '--transport', 'http'] };
}

// Its exit code and what it prints: {result} on standard output, {error} on standard error.
function inspect({ home, target }, era, method, options = []) {
  const words = [inspector, '--cli', ...target, '--protocol-era', era, '--method', method, ...options];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...words, '--format', 'json', '--quiet'],
      { env: { HOME: home, PATH: process.env.PATH }, cwd: home, timeout: 60_000, maxBuffer: 16 << 20 },
      (error, stdout, stderr) =>
        done({ exit: error ? error.code : 0, result: stdout && JSON.parse(stdout).result, stderr }),
    );
  });
}

// Its exit codes for an answer that is an error, and for a tool's failure.
const REFUSED = 1;
const TOOL_FAILED = 5;

const tools = ['socrata_list_portals', 'socrata_find_datasets', 'socrata_get_dataset', 'socrata_query_dataset',
  'open_dataset', 'query', 'describe_dataset', 'list_datasets', 'close_dataset'];
const templates = ['adit://workspaces/{id}', 'socrata://datasets/{domain}/{id}'];
const transports = [['stdio', overStdio], ['HTTP', overHttp]];
const eras = ['modern', 'legacy'];

// What holds without a dataset, on every transport: method, options, exit code, and what is looked at in the answer.
const questions = [
  ['tools/list', [], 0, ({ result }) =>
    assert.deepEqual(result.tools.map(({ name }) => name).sort(), [...tools].sort())],
  // Without a schema that a client could not take; the exit code says so.
  ['tools/list', ['--strict'], 0, () => {}],
  ['resources/list', [], 0, ({ result }) => assert.deepEqual(datasets(result.resources), [])],
  ['resources/templates/list', [], 0, ({ result }) =>
    assert.deepEqual(result.resourceTemplates.map(({ uriTemplate }) => uriTemplate), templates)],
  ['resources/read', ['--uri', 'adit://workspaces/dataset-1'], REFUSED, ({ stderr }) =>
    assert.match(stderr, /There is no such resource/)],
  ['prompts/list', [], 0, ({ result }) =>
    assert.deepEqual(result.prompts.map(({ name }) => name), ['query_with_sql', 'explore_open_data'])],
  ['prompts/get', ['--prompt-name', 'query_with_sql', '--prompt-args', 'question=Which is the northernmost?'], 0,
    ({ result }) => assert.match(result.messages[0].content.text, /Which is the northernmost\?/)],
  ['prompts/get', ['--prompt-name', 'query_with_sq'], REFUSED, ({ stderr }) =>
    assert.match(stderr, /There is no prompt/)],
  ['tools/call', ['--tool-name', 'query', '--tool-args-json', '{"dataset_id":"dataset-1","sql":["SELECT 1"]}'],
    TOOL_FAILED, ({ result }) => assert.equal(result.structuredContent.error.kind, 'unknown_dataset')],
];

for (const [transport, start] of transports) {
  for (const era of eras) {
    test(`The Inspector asks over ${transport} in the ${era} era what there is`, async (t) => {
      const server = await start(t);
      for (const [method, options, exit, look] of questions) {
        const answer = await inspect(server, era, method, options);
        assert.equal(answer.exit, exit, `${method} ${options.join(' ')}: ${answer.stderr}`);
        look(answer);
      }
    });
  }
}

for (const era of eras) {
  test(`The Inspector opens a file over stdio in the ${era} era, and both forms of the answer are the same`, async (t) => {
    const options = ['--tool-name', 'open_dataset', '--tool-arg', 'sources=[{"path":"airports.csv"}]'];
    const { exit, result, stderr } = await inspect(overStdio(t), era, 'tools/call', options);
    assert.equal(exit, 0, stderr);
    assert.deepEqual(result.structuredContent.relations.map(({ name }) => name), ['airports']);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  });

  test(`The Inspector goes on with a dataset of an earlier run over HTTP in the ${era} era`, async (t) => {
    const server = await overHttp(t);
    const call = async (name, args) => {
      const options = ['--tool-name', name, '--tool-args-json', JSON.stringify(args)];
      const { exit, result, stderr } = await inspect(server, era, 'tools/call', options);
      assert.ok(result, stderr);
      return { exit, ...result.structuredContent };
    };
    const { dataset_id } = await call('open_dataset', { sources: [{ path: 'airports.csv' }] });

    const found = await call('query', { dataset_id, sql: ['SELECT iata FROM airports ORDER BY latitude DESC LIMIT 1'] });
    assert.deepEqual(found.statements[0].rows, [[{ type: 'utf8', value: 'BRW' }]]);

    const wrong = await call('query', { dataset_id, sql: ['SELECT lattitude FROM airports'] });
    assert.equal(wrong.exit, TOOL_FAILED);
    assert.deepEqual([wrong.error.kind, wrong.error.nearest[0]], ['unknown_column', 'latitude']);

    const uri = `adit://workspaces/${dataset_id}`;
    const { result: list } = await inspect(server, era, 'resources/list');
    assert.deepEqual(datasets(list.resources).map((resource) => resource.uri), [uri]);
    const { result: read } = await inspect(server, era, 'resources/read', ['--uri', uri]);
    assert.equal(JSON.parse(read.contents[0].text).relations[0].row_count, 3376);
    const prompt = ['--prompt-name', 'query_with_sql', '--prompt-args', `dataset_id=${dataset_id}`];
    const { result: got } = await inspect(server, era, 'prompts/get', prompt);
    assert.equal(got.messages[1].content.resource.uri, uri);

    assert.equal((await call('close_dataset', { dataset_id })).closed, true);
    assert.equal((await call('query', { dataset_id, sql: ['SELECT 1'] })).error.kind, 'unknown_dataset');
  });
}

test('The Inspector takes the file that print-config writes for it', async (t) => {
  const { home } = overStdio(t);
  const config = join(home, 'mcp.json');
  const stdio = ['ignore', 'pipe', 'ignore'];
  writeFileSync(config, execFileSync(program, ['print-config', 'inspector', '--root', data], { stdio }));
  const server = { home, target: ['--config', config, '--server', 'adit'] };
  const { exit, result, stderr } = await inspect(server, 'auto', 'tools/list');
  assert.equal(exit, 0, stderr);
  assert.equal(result.tools.length, tools.length);
});
