// The official clients over Streamable HTTP: the main job, two clients at once, cancelling, a connection that breaks, a
// server that is started anew.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { officialClients, startServer, valuesOf } from './support.mjs';

const clients = officialClients.map((kind) => ({ ...kind, Http: kind.Client === ClientV1 ? HttpV1 : HttpV2 }));
const isLegacy = (kind) => kind.revision !== '2026-07-28';

// Runs for hours; and one that runs for seconds.
const endlessQuery = 'SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b';
const longQuery = `SELECT count(DISTINCT md5(concat_ws('|', date, delay, distance, origin, destination))) FROM flights`;
const longAnswer = [['2999809']];

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

async function connect(t, kind, url, transportOptions = {}) {
  const transport = new kind.Http(url, transportOptions);
  const client = new kind.Client({ name: 'adit-tests', version: '1.0.0' }, kind.options);
  t.after(() => client.close());
  await client.connect(transport);
  await client.listTools(); // so that the client checks each answer against its tool's schema
  const call = (name, args, options) => kind.callTool(client, { name, arguments: args }, options);
  return {
    client,
    transport,
    call,
    async openFlights() {
      const { isError, structuredContent } = await call('open_dataset', {
        sources: [{ path: 'flights-3m.parquet', name: 'flights' }, { path: 'airports.csv' }],
      });
      assert.ok(!isError, JSON.stringify(structuredContent));
      const { dataset_id } = structuredContent;
      return (sql, options) => call('query', { dataset_id, sql: [sql] }, options);
    },
  };
}

for (const kind of clients) {
  test(`${kind.name} does the main job over HTTP`, async (t) => {
    const { url } = await startServer(t);
    const session = await connect(t, kind, url);
    const query = await session.openFlights();
    const sql = `SELECT a.state, count(*) AS n FROM flights f JOIN airports a ON a.iata = f.origin
                 GROUP BY ALL ORDER BY n DESC, a.state LIMIT 1`;
    assert.deepEqual(valuesOf(await query(sql)), [['CA', '370248']]);
    const { isError, structuredContent } = await query('SELECT distanse FROM flights');
    assert.equal(isError, true);
    assert.equal(structuredContent.error.nearest[0], 'distance');
    const heard = [];
    assert.deepEqual(valuesOf(await query(longQuery, { onprogress: (progress) => heard.push(progress) })), longAnswer);
    assert.ok(heard.length > 0, 'no progress came');
  });

  test(`${kind.name} cancels over HTTP and the next query is answered at once`, async (t) => {
    const { url } = await startServer(t);
    const query = await (await connect(t, kind, url)).openFlights();
    const abort = new AbortController();
    const cancelled = assert.rejects(query(endlessQuery, { signal: abort.signal }), /changed my mind/);
    await sleep(300);
    abort.abort(new Error('changed my mind'));
    await cancelled;
    const start = Date.now();
    assert.deepEqual(valuesOf(await query('SELECT count(*) FROM airports')), [['3376']]);
    assert.ok(Date.now() - start < 5_000, `answered after ${Date.now() - start} ms`);
  });

  test(`${kind.name} shows its token and is refused without it`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'adit-node-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'token'), 'correct-horse-battery-staple\n');
    const { url } = await startServer(t, { args: ['--token-file', join(directory, 'token')] });
    const headers = { Authorization: 'Bearer correct-horse-battery-staple' };
    const { client } = await connect(t, kind, url, { requestInit: { headers } });
    assert.ok((await client.listTools()).tools.length > 0);
    await assert.rejects(connect(t, kind, url));
  });

  test(`${kind.name} goes on after the server was started anew`, async (t) => {
    const first = await startServer(t);
    const before = await connect(t, kind, first.url);
    await before.openFlights();
    await first.stop();
    const second = await startServer(t, { port: first.url.port });
    // A legacy client learns that its session is gone; a modern one has none to lose.
    if (isLegacy(kind)) await assert.rejects(before.client.listTools(), /session/i);
    else assert.ok((await before.client.listTools()).tools.length > 0);
    const query = await (await connect(t, kind, second.url)).openFlights();
    assert.deepEqual(valuesOf(await query('SELECT count(*) FROM airports')), [['3376']]);
  });
}

// Without a token the clients of one machine are one owner.
test('Clients of both eras work at once and see the datasets of this machine', async (t) => {
  const { url } = await startServer(t);
  const sessions = await Promise.all(clients.map((kind) => connect(t, kind, url)));
  const queries = await Promise.all(sessions.map((session) => session.openFlights()));
  const answers = await Promise.all(queries.flatMap((query) => [query(longQuery), query('SELECT count(*) FROM airports')]));
  assert.deepEqual(answers.map(valuesOf), queries.flatMap(() => [longAnswer, [['3376']]]));
  for (const session of sessions) {
    const { structuredContent } = await session.call('list_datasets', {});
    assert.equal(structuredContent.datasets.length, clients.length);
  }
});

// Passes bytes on until it is told to cut every connection.
async function startProxy(t, target) {
  const open = new Set();
  const proxy = createServer((from) => {
    const to = connectTo(target.port, target.hostname);
    for (const [socket, other] of [[from, to], [to, from]]) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => {});
      socket.on('close', () => (open.delete(socket), other.destroy()));
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = () => open.forEach((socket) => socket.destroy());
  t.after(() => (cut(), proxy.close()));
  return { url: new URL(`http://127.0.0.1:${proxy.address().port}${target.pathname}`), cut };
}

for (const kind of clients.filter(isLegacy)) {
  test(`${kind.name} gets its answer although the connection broke meanwhile`, async (t) => {
    const server = await startServer(t);
    const proxy = await startProxy(t, server.url);
    const query = await (await connect(t, kind, proxy.url)).openFlights();
    let cuts = 0;
    const onprogress = () => cuts++ === 0 && proxy.cut();
    assert.deepEqual(valuesOf(await query(longQuery, { onprogress, resetTimeoutOnProgress: true })), longAnswer);
    assert.ok(cuts > 0, 'no progress came, so nothing was cut');
  });
}
