// The main job through the official clients: open files, join, page, fail, cancel, hear progress, close.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { childrenOf, connect, datasets, isAlive, modernClient, officialClients, valuesOf } from './support.mjs';

// Unique by n; rows that are equal in all other columns may change places unseen.
const firstFlights = `
  SELECT row_number() OVER (ORDER BY date, origin, destination, delay, distance) AS n, *
  FROM flights WHERE date < '2001-01-02' ORDER BY n LIMIT 10000`;
// Runs for hours.
const endlessQuery = 'SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b';

// Counted once without SQL's JOIN: flights by origin, joined to airports.csv by a script.
const busiestStates = [['CA', '370248'], ['TX', '355905'], ['FL', '202119']];

const md5 = (text) => createHash('md5').update(text).digest('hex');
const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

for (const kind of officialClients) {
  test(`${kind.name} agrees on its revision and lists the tools`, async (t) => {
    const session = await connect(t, kind);
    assert.equal(session.revision, kind.revision);
    const names = new Set(session.tools.map((tool) => tool.name));
    assert.deepEqual(['open_dataset', 'query', 'close_dataset'].filter((name) => !names.has(name)), []);
  });

  test(`${kind.name} opens a Parquet file and a CSV file and joins them`, async (t) => {
    const session = await connect(t, kind);
    const { dataset_id, relations } = await session.openFlights();
    assert.deepEqual(
      relations.map(({ name, row_count }) => [name, row_count]),
      [['flights', 3_000_000], ['airports', 3_376]],
    );
    const sql = `SELECT a.state, count(*) AS n FROM flights f JOIN airports a ON a.iata = f.origin
                 GROUP BY ALL ORDER BY n DESC, a.state LIMIT 3`;
    assert.deepEqual(valuesOf(await session.call('query', { dataset_id, sql: [sql] })), busiestStates);
  });

  test(`${kind.name} pages through exactly 10,000 rows without a gap or a repetition`, async (t) => {
    const session = await connect(t, kind);
    const { dataset_id } = await session.openFlights();
    const rows = [];
    for (let offset = 0; offset !== null; ) {
      const page = await session.call('query', { dataset_id, sql: [firstFlights], limit: 1000, offset });
      rows.push(...valuesOf(page));
      const { total_rows, next_offset, truncated } = page.structuredContent.statements[0];
      assert.equal(total_rows, 10_000);
      assert.equal(truncated, next_offset !== null);
      assert.equal(next_offset ?? 10_000, rows.length);
      offset = next_offset;
    }
    assert.deepEqual(rows.map(([n]) => Number(n)), Array.from({ length: 10_000 }, (_, i) => i + 1));

    // The same rows by a way that knows no pages and no cells: one text, made and hashed by the engine.
    const digest = `SELECT sum(delay), md5(string_agg(concat_ws('|', n, strftime(date, '%Y-%m-%dT%H:%M:%S'),
                      delay, distance, origin, destination), chr(10) ORDER BY n)) FROM (${firstFlights})`;
    const delays = rows.reduce((sum, row) => sum + Number(row[2]), 0);
    assert.deepEqual(valuesOf(await session.call('query', { dataset_id, sql: [digest] })), [
      [String(delays), md5(rows.map((row) => row.join('|')).join('\n'))],
    ]);
  });

  test(`${kind.name} sees a wrong column as an error result that names kind, place and nearest name`, async (t) => {
    const query = await (await connect(t, kind)).flightsQuery();
    const { isError, structuredContent } = await query('SELECT distanse FROM flights');
    assert.equal(isError, true);
    const { error } = structuredContent;
    const { kind: word, stage, statement_index, position } = error;
    assert.deepEqual([word, stage, statement_index, position], ['unknown_column', 'bind', 0, 7]);
    assert.equal(error.nearest[0], 'distance');
  });

  test(`${kind.name} cancels a query that would run for hours and the next one is answered at once`, async (t) => {
    const query = await (await connect(t, kind)).flightsQuery();
    const abort = new AbortController();
    const cancelled = assert.rejects(query(endlessQuery, { signal: abort.signal }), /changed my mind/);
    await sleep(300);
    abort.abort(new Error('changed my mind'));
    await cancelled;
    const start = Date.now();
    assert.deepEqual(valuesOf(await query('SELECT count(*) FROM airports')), [['3376']]);
    // Calls on one dataset wait for each other: a query that went on would hold this one up to its deadline, 30 s.
    assert.ok(Date.now() - start < 5_000, `answered after ${Date.now() - start} ms`);
  });

  test(`${kind.name} hears of a long query's progress, in rising seconds`, async (t) => {
    const query = await (await connect(t, kind)).flightsQuery();
    const heard = [];
    const sql = `SELECT count(DISTINCT md5(concat_ws('|', date, delay, distance, origin, destination))) FROM flights`;
    const answer = await query(sql, { onprogress: (progress) => heard.push(progress) });
    assert.deepEqual(valuesOf(answer), [['2999809']]);
    assert.ok(heard.length > 0, 'no progress came');
    heard.forEach(({ progress }, i) => {
      assert.ok(progress > (heard[i - 1]?.progress ?? 0), JSON.stringify(heard)); // seconds, always rising
    });
  });

  test(`${kind.name} closes a dataset, which is unknown from then on`, async (t) => {
    const session = await connect(t, kind);
    const { dataset_id } = await session.openFlights();
    assert.deepEqual(await session.ask('close_dataset', { dataset_id }), { dataset_id, closed: true });
    const { isError, structuredContent } = await session.call('query', { dataset_id, sql: ['SELECT 1'] });
    assert.equal(isError, true);
    assert.equal(structuredContent.error.kind, 'unknown_dataset');
  });

  test(`${kind.name} finds the relations of a dataset as a resource, lists it and reads it`, async (t) => {
    const session = await connect(t, kind);
    const { dataset_id, relations } = await session.openFlights();
    const { resources } = await session.client.listResources();
    assert.deepEqual(datasets(resources).map(({ uri }) => uri), [`adit://workspaces/${dataset_id}`]);
    const { resourceTemplates } = await session.client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), 
      ['adit://workspaces/{id}', 'socrata://datasets/{domain}/{id}']);
    const [{ uri }] = datasets(resources);
    const { contents } = await session.client.readResource({ uri });
    const byName = (a, b) => a.name.localeCompare(b.name);
    assert.deepEqual(JSON.parse(contents[0].text).relations.sort(byName), relations.sort(byName));
    await session.ask('close_dataset', { dataset_id });
    assert.deepEqual(datasets((await session.client.listResources()).resources), []);
    // Client 2.4.0 takes both eras' codes for the same; tests/wire/r4_… looks at them.
    await assert.rejects(session.client.readResource({ uri }), /There is no such resource/);
  });

  test(`${kind.name} gets the prompt about a dataset, its arguments completed`, async (t) => {
    const session = await connect(t, kind);
    const { dataset_id } = await session.openFlights();
    const { prompts } = await session.client.listPrompts();
    assert.deepEqual(prompts.map(({ name }) => name), ['query_with_sql', 'explore_open_data']);
    const complete = async (name, value, context) => {
      const ref = { type: 'ref/prompt', name: 'query_with_sql' };
      return (await session.client.complete({ ref, argument: { name, value }, context })).completion.values;
    };
    assert.deepEqual(await complete('dataset_id', 'data'), [dataset_id]);
    assert.deepEqual(await complete('relation', 'fl', { arguments: { dataset_id } }), ['flights']);
    const args = { dataset_id, relation: 'flights', question: 'Which state is the busiest?' };
    const { messages } = await session.client.getPrompt({ name: 'query_with_sql', arguments: args });
    assert.match(messages[0].content.text, /Which state is the busiest\?/);
    assert.equal(messages[1].content.resource.uri, `adit://workspaces/${dataset_id}`);
  });

  for (const [state, sql] of [['an idle', 'SELECT 1'], ['a busy', endlessQuery]]) {
    test(`${kind.name} closes and ${state} server ends by itself with its workers`, async (t) => {
      const session = await connect(t, kind);
      const query = await session.flightsQuery();
      const running = query(sql).catch((error) => error); // closing refuses what still runs
      await sleep(300);
      const processes = [session.pid, ...childrenOf(session.pid)];
      assert.ok(processes.length > 1, 'no worker runs');
      const start = Date.now();
      await session.close();
      await running;
      // Both clients wait 2 s after closing the pipe before they send SIGTERM.
      assert.ok(Date.now() - start < 2_000, `ended after ${Date.now() - start} ms`);
      assert.deepEqual(processes.filter(isAlive), []);
    });
  }
}

// Client 2.4.0 probes on the same pipe with a transport that is not exactly its own.
class SamePipe extends modernClient.Transport {}
const probing = (probe) => ({
  ...modernClient,
  Transport: SamePipe,
  options: { versionNegotiation: { mode: 'auto', probe } },
});

test('Client 2.4.0 finds 2026-07-28 by its own probe', async (t) => {
  const session = await connect(t, probing());
  assert.equal(session.revision, '2026-07-28');
});

test('Client 2.4.0 that gives its probe up falls back to 2025-11-25 on the same pipe', async (t) => {
  const session = await connect(t, probing({ timeoutMs: 1 })); // no program starts that fast
  assert.equal(session.revision, '2025-11-25');
  assert.match(session.problems.pop(), /unknown message ID: .*server-discover-probe/); // the probe's late answer
  assert.equal((await session.openFlights()).relations.length, 2);
});
