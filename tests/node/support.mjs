// What the tests share: the program under test, the demo's data, sessions of the official clients over stdio, and
// servers over HTTP.
// ADIT_BIN names another program than build/bin/adit; ADIT_DOWNLOADS the directory of scripts/setup.sh.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

export const repository = resolve(import.meta.dirname, '../..');
export const program = process.env.ADIT_BIN || join(repository, 'build/bin/adit');
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
export const data = join(process.env.ADIT_DOWNLOADS || join(cache, 'adit-build'), 'vega-datasets-3.2.1');

export const modernClient = {
  name: 'Client 2.4.0 at 2026-07-28',
  revision: '2026-07-28',
  Client: ClientV2,
  Transport: TransportV2,
  options: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  callTool: (client, call, options) => client.callTool(call, options),
};

export const officialClients = [
  modernClient,
  {
    ...modernClient,
    name: 'Client 2.4.0 at 2025-11-25',
    revision: '2025-11-25',
    options: { versionNegotiation: { mode: 'legacy' } },
  },
  {
    name: 'SDK 1.32.2 at 2025-11-25',
    revision: '2025-11-25',
    Client: ClientV1,
    Transport: TransportV1,
    options: {},
    callTool: (client, call, options) => client.callTool(call, undefined, options),
  },
];

// A started program with a client connected to it. The client has read the tool list, so it checks each answer
// against the tool's output schema by itself.
class Session {
  problems = []; // what the client found wrong on the wire: strange messages, answers and progress nobody waits for
  #kind;
  #client;
  #transport;
  #home = mkdtempSync(join(tmpdir(), 'adit-node-'));

  constructor(kind) {
    this.#kind = kind;
    this.#transport = new kind.Transport({
      command: program,
      args: ['serve', '--root', data, '--state-dir', join(this.#home, 'state')],
      env: { HOME: this.#home },
    });
    // Both clients tell the transport what was agreed on, if it wants to know.
    this.#transport.setProtocolVersion = (revision) => (this.revision = revision);
    this.#client = new kind.Client({ name: 'adit-tests', version: '1.0.0' }, kind.options);
    this.#client.onerror = (error) => this.problems.push(error.message);
  }

  async start() {
    await this.#client.connect(this.#transport);
    this.pid = this.#transport.pid;
    this.tools = (await this.#client.listTools()).tools;
    return this;
  }

  call(name, args, options) {
    return this.#kind.callTool(this.#client, { name, arguments: args }, options);
  }

  // The structured content of a call that must succeed.
  async ask(name, args, options) {
    const { isError, structuredContent } = await this.call(name, args, options);
    assert.ok(!isError, JSON.stringify(structuredContent));
    return structuredContent;
  }

  openFlights() {
    return this.ask('open_dataset', {
      sources: [{ path: 'flights-3m.parquet', name: 'flights' }, { path: 'airports.csv' }],
    });
  }

  // A query over the two files, for tests that are not about opening them.
  async flightsQuery() {
    const { dataset_id } = await this.openFlights();
    return (sql, options) => this.call('query', { dataset_id, sql: [sql] }, options);
  }

  // The client itself, for what is no tool.
  get client() {
    return this.#client;
  }

  close() {
    return this.#client.close();
  }

  async end() {
    await this.close();
    rmSync(this.#home, { recursive: true, force: true });
    assert.deepEqual(this.problems, []);
  }
}

// A session that ends with the test t, or with the file if t is { after } of node:test.
export function connect(t, kind) {
  const session = new Session(kind);
  t.after(() => session.end());
  return session.start();
}

// `adit serve --http` in a home of its own; `port` to have the one of a server before it.
export async function startServer(t, { port = 0, args = [] } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'adit-node-'));
  const child = spawn(
    program,
    ['serve', '--http', `127.0.0.1:${port}`, '--root', data, '--state-dir', join(home, 'state'), ...args],
    { env: { HOME: home }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (bytes) => (said += bytes));
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], said);
    rmSync(home, { recursive: true, force: true });
  };
  t.after(() => child.exitCode === null && stop());
  for (let i = 0; i < 200 && !/listening on/.test(said) && child.exitCode === null; ++i) {
    await new Promise((wake) => setTimeout(wake, 50));
  }
  const url = said.match(/listening on (http:\S+)/)?.[1];
  assert.ok(url, said);
  return { url: new URL(url), stop };
}

// The options of a process for who has just built adit: an empty home directory, an empty working directory, `adit` on
// the path, and nothing else of this environment.
export function newUser(t) {
  const home = mkdtempSync(join(tmpdir(), 'adit-user-'));
  const cwd = mkdtempSync(join(tmpdir(), 'adit-cwd-'));
  t.after(() => [home, cwd].forEach((directory) => rmSync(directory, { recursive: true, force: true })));
  return { cwd, env: { HOME: home, PATH: `${dirname(program)}:/usr/local/bin:/usr/bin:/bin` } };
}

// Starts `command args` as a client does by its configuration, and gives the names of the tools.
export async function serveOnce(t, command, args) {
  const transport = new TransportV1({ command, args, ...newUser(t) });
  const client = new ClientV1({ name: 'adit-tests', version: '1.0.0' });
  t.after(() => client.close());
  await client.connect(transport);
  return (await client.listTools()).tools.map(({ name }) => name);
}

// The fenced blocks of a Markdown text.
export function blocksOf(markdown) {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language, text]) => ({ language, text }));
}

// The values of a query's first statement, row by row.
// Of the resources of a list, those that are open datasets.
export const datasets = (resources) => resources.filter(({ uri }) => uri.startsWith('adit://'));

export function valuesOf({ isError, structuredContent }) {
  assert.ok(!isError, JSON.stringify(structuredContent));
  return structuredContent.statements[0].rows.map((row) => row.map((cell) => cell.value));
}

// Living processes below pid, found by /proc/PID/stat: "pid (name) state parent …".
export function childrenOf(pid) {
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && processFacts(entry)?.parent === pid).map(Number);
}

export const isAlive = (pid) => processFacts(pid) !== undefined;

function processFacts(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parent: Number(parent) };
  } catch {
    return undefined; // it has ended
  }
}
