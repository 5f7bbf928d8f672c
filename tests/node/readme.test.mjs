// The commands of README.md as a new user gives them, after the build: an empty home directory, an empty working
// directory, and what the text says they answer. The commands are taken from the text; one that this file does not
// know fails, so that no command of the README goes untried.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { blocksOf, connect, data, modernClient, newUser, program, repository, serveOnce } from './support.mjs';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');
const blocks = blocksOf(readme);
const jsonBlocks = blocks.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text));

// Lines of the shell blocks without their comments; then the commands between `marks`, and the forms of the table.
const shellCommands = blocks.filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n').map((line) => line.replace(/\s+#.*/, '')).filter((line) => line !== ''));
const prose = readme.replace(/^```.*?^```/gms, '');
const named = [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code)
  .filter((code) => /^(?:build\/bin\/)?adit(?: |$)|^(?:[A-Z_]+=\S+ )?make /.test(code));
const commands = [...new Set([...shellCommands, ...named])];

// Exit code and what was printed; `words` go through a shell, as typed.
function run(user, words, { input = '' } = {}) {
  return new Promise((done) => {
    const child = execFile('/bin/sh', ['-c', words], { ...user, timeout: 120_000 }, (error, stdout, stderr) =>
      done({ exit: error ? error.code : 0, stdout, stderr }));
    child.stdin.on('error', () => {}); // it may have ended without reading
    child.stdin.end(input);
  });
}

async function succeeds(user, words, options) {
  const { exit, stdout, stderr } = await run(user, words, options);
  assert.equal(exit, 0, `${words}\n${stdout}${stderr}`);
  return stdout;
}

const airports = join(data, 'airports.csv');
const count = `"SELECT count(*) AS n FROM airports"`;
const discover = {
  jsonrpc: '2.0', id: 1, method: 'server/discover',
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {} } },
};

// The row of the table "Command line" that begins with this command.
const rowOf = (command) => readme.split('\n').find((line) => line.startsWith('| `' + command));

// A port that is free now.
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function servesOverHttp(t, words) {
  const port = await freePort();
  const line = words.replace('127.0.0.1:8080', `127.0.0.1:${port}`).replace('/path/to/your/data', data);
  assert.notEqual(line, words);
  const user = newUser(t);
  const child = spawn('/bin/sh', ['-c', `exec ${line}`], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill());
  for await (const bytes of child.stderr) if (/listening on/.test(bytes)) break;
  const address = prose.match(/`(http:\/\/127\.0\.0\.1:8080\S*)`/)[1].replace('8080', port);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' },
    body: JSON.stringify(discover),
  });
  assert.equal(answer.status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}

const builds = 'what CI and this very run build by';
const tried = {
  'make demo': builds,
  'make test': builds,
  'make build': builds,
  'make clean': builds,
  'DUCKDB_ROOT=DIR make build': 'needs an official DuckDB release',

  // From the tree, into a directory of the user's; the program there works without the tree.
  'cmake --install build --prefix DIR': async (t, words) => {
    const user = newUser(t);
    const prefix = join(user.cwd, 'installed');
    await succeeds({ ...user, cwd: repository }, words.replace('DIR', prefix));
    const installed = join(prefix, 'bin/adit');
    const printed = await succeeds(user, `${installed} query ${airports} ${count} --format csv`);
    assert.equal(printed, 'n\n3376\n');
  },
  'build/bin/adit print-config CLIENT --root DIR': (t, words) =>
    succeeds(newUser(t), words.replace('CLIENT', 'cursor').replace('DIR', data)),
  'build/bin/adit serve --http 127.0.0.1:8080 --root /path/to/your/data': servesOverHttp,
  [`build/bin/adit call open_dataset sources='[{"path":"airports.csv"}]' --root DIR`]: async (t, words) => {
    const answer = JSON.parse(await succeeds(newUser(t), words.replace('DIR', data)));
    const shown = jsonBlocks.find((json) => 'relations' in json);
    assert.deepEqual({ ...answer, prepare_ms: 0 }, { ...shown, prepare_ms: 0 });
  },

  'build/bin/adit': 'where the program is',
  adit: (t, words) => servesOverStdio(t, words),
  'adit serve': (t, words) => servesOverStdio(t, words),
  "adit query FILE… 'SQL'": async (t, words) => {
    const user = newUser(t);
    const formats = rowOf(words).match(/--format (.*?) \|/)[1].match(/\w+(?=`)/g);
    assert.deepEqual(formats, ['table', 'csv', 'json', 'ndjson', 'parquet']);
    for (const format of formats) {
      const line = words.replace('FILE…', airports).replace("'SQL'", count);
      const printed = await succeeds(user, `${line} --format ${format} >answer && cat answer`);
      assert.match(printed, format === 'parquet' ? /^PAR1/ : /3376/, format);
    }
  },
  'adit query': 'named in the text, tried as above',
  'adit call query': 'named as what cannot work',
  'adit call': 'named in the text, tried below',
  'adit call TOOL key=value…': async (t, words) => {
    const line = words.replace('TOOL', 'list_datasets').replace(' key=value…', '');
    assert.deepEqual(JSON.parse(await succeeds(newUser(t), line)), { datasets: [] });
    const path = words.replace('TOOL', 'open_dataset').replace('key=value…', `sources='[{"path":"airports.csv"}]'`);
    assert.match(await succeeds(newUser(t), `${path} --root ${data}`), /"row_count":3376/);
  },
  'adit print-config CLIENT': (t, words) => succeeds(newUser(t), words.replace('CLIENT', 'claude-code')),
  'adit doctor': async (t, words) => {
    const { stdout, stderr } = await run(newUser(t), `${words} --root ${data}`);
    for (const part of ['root', 'query engine', 'query']) assert.match(stdout + stderr, new RegExp(`ok +${part} `));
  },
  'adit demo --data DIR': (t, words) => succeeds(newUser(t), words.replace('DIR', data)),
  'adit --help': async (t, words) => assert.match(await succeeds(newUser(t), words), /Usage: adit/),
  'adit COMMAND --help': async (t, words) => {
    const help = await succeeds(newUser(t), 'adit --help');
    const names = help.split('Subcommands:')[1].match(/^ {2}[a-z][\w-]*/gm).map((name) => name.trim());
    assert.ok(names.length >= 6, names.join());
    for (const name of names) {
      assert.match(await succeeds(newUser(t), words.replace('COMMAND', name)), /Usage: adit/, name);
    }
  },
  'adit --version': async (t, words) => {
    const version = readme.match(/^Version (\S+), not released/m)[1];
    assert.equal((await succeeds(newUser(t), words)).trim(), version);
  },
};

// With an empty working directory as its only root.
async function servesOverStdio(t, words) {
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'readme', version: '1' } } };
  const input = [initialize, { ...discover }].map((message) => JSON.stringify(message)).join('\n') + '\n';
  const lines = (await succeeds(newUser(t), words, { input })).trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ id, result }) => [id, typeof result]), [[0, 'object'], [1, 'object']]);
}

test('Every command of the README is known here, and no other', () => {
  assert.deepEqual([...commands].sort(), Object.keys(tried).sort());
});

for (const command of commands) {
  if (typeof tried[command] !== 'function') continue; // a reason
  test(`${command}`, (t) => tried[command](t, command.replace('build/bin/adit', 'adit')));
}

test('The configuration block starts the server', async (t) => {
  const { adit } = jsonBlocks.find((json) => 'mcpServers' in json).mcpServers;
  assert.equal(adit.command, '/path/to/adit/build/bin/adit');
  const args = adit.args.map((word) => word.replace('/path/to/your/data', data));
  assert.ok((await serveOnce(t, program, args)).includes('query'));
});

test('The answers shown for a query and for a wrong column are what a server answers', async (t) => {
  const session = await connect(t, modernClient);
  const { dataset_id } = await session.ask('open_dataset', { sources: [{ path: 'airports.csv' }] });
  const asked = jsonBlocks.find((json) => Array.isArray(json.sql));
  assert.equal(asked.dataset_id, dataset_id);
  assert.deepEqual(await session.ask('query', asked), jsonBlocks.find((json) => json.statements?.length === 1));
  const wrong = prose.match(/`(SELECT lattitude [^`]*)`/)[1];
  const { structuredContent } = await session.call('query', { dataset_id, sql: [wrong] });
  assert.deepEqual(structuredContent, jsonBlocks.find((json) => json.error !== undefined));
});

test('The table of tools has every tool of the server with every argument, and no other tool', async (t) => {
  const { tools } = await connect(t, modernClient);
  for (const { name, inputSchema } of tools) {
    const row = rowOf(`${name}\``);
    assert.ok(row, name);
    const cell = row.split('|').at(-2);
    for (const argument of Object.keys(inputSchema.properties)) assert.ok(cell.includes(`\`${argument}\``), argument);
  }
  const rows = readme.split('## Tools')[1].split('\n\n')[1].match(/^\| `\w+`/gm).map((cell) => cell.slice(3, -1));
  assert.deepEqual(rows.sort(), tools.map(({ name }) => name).sort());
});
