// Every tool's schemas under a JSON Schema 2020-12 validator that is not ours, and answers of every kind against them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { connect, modernClient, officialClients } from './support.mjs';

const session = await connect({ after }, modernClient);
const { dataset_id } = await session.openFlights();

// Unknown keywords and misplaced ones are errors. Not so type: ["integer", "null"], and anyOf branches that require
// what the root's properties describe: the contract has both.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });

for (const tool of session.tools) {
  for (const side of ['inputSchema', 'outputSchema']) {
    test(`The ${side} of ${tool.name} compiles in strict mode and describes an object`, () => {
      ajv.compile(tool[side]);
      assert.equal(tool[side].type, 'object');
    });
  }
}

test('T1 T2 Names are well formed, each is there once, and the list is the same each time', async () => {
  const names = session.tools.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name)), []);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual((await session.client.listTools()).tools, session.tools);
});

test('T3 T4 Every tool has a title, told twice, and a description with an example', () => {
  for (const { name, title, annotations, description } of session.tools) {
    assert.ok(title, name);
    assert.equal(annotations.title, title);
    if (name !== 'list_datasets') assert.match(description, /Example: \{/, name); // it takes nothing
  }
});

// The client of SDK 1.32.2 refuses the whole list when one of them is none.
test('T11 C-17 Output schemas have an object at their root, for legacy clients too', async (t) => {
  for (const kind of officialClients) {
    const { tools } = await connect(t, kind);
    assert.deepEqual(tools.map(({ outputSchema }) => outputSchema?.type), tools.map(() => 'object'), kind.name);
  }
});

test('T7 C-16 Input schemas are closed objects without combinators at the root and without references', () => {
  for (const { name, inputSchema } of session.tools) {
    assert.equal(inputSchema.type, 'object', name);
    assert.equal(inputSchema.additionalProperties, false, name);
    assert.ok(inputSchema.properties, name);
    assert.deepEqual(['anyOf', 'oneOf', 'allOf', 'not'].filter((word) => word in inputSchema), [], name);
    assert.doesNotMatch(JSON.stringify(inputSchema), /"\$ref"/, name);
  }
});

// SDK clients show it; many hosts fetch nothing, so it comes along.
test('T6 The icon comes along with the server and is small', () => {
  const { icons } = session.client.getServerVersion();
  assert.ok(icons.length > 0);
  for (const { src, mimeType, sizes } of icons) {
    assert.match(src, /^data:image\/png;base64,iVBORw0KGgo/);
    assert.ok(src.length < 4096);
    assert.equal(mimeType, 'image/png');
    assert.match(sizes.join(), /^\d+x\d+$/);
  }
});

test('D6 The instructions are at most 2 KB and name the tools in their order', () => {
  const instructions = session.client.getInstructions();
  assert.ok(Buffer.byteLength(instructions) <= 2048);
  assert.match(instructions, /open_dataset.*query.*close_dataset/s);
});

const query = (sql, more) => ['query', { dataset_id, sql: [sql].flat(), ...more }];
const open = (source, more) => ['open_dataset', { sources: [source], ...more }];
const airports = { path: 'airports.csv' };

const cases = [
  // answer to …, the call, the error's kind
  ['every kind of cell', query(`SELECT NULL, 1::TINYINT, 18446744073709551615::UBIGINT, 'NaN'::DOUBLE, 0.1, 'ö"\\',
    'ab'::BLOB, true, DATE '2001-01-01', TIME '10:00', now(), INTERVAL 1 DAY, uuid(), [1, NULL], {'a': 1}`)],
  ['several statements of all kinds', query(['DESCRIBE flights', 'SHOW TABLES', 'SUMMARIZE airports', 'VALUES (1)'])],
  ['no rows', query('SELECT * FROM airports WHERE false')],
  ['a page cut by bytes', query('FROM airports ORDER BY iata', { limit: 1000, max_bytes: 4096 })],
  ['an offset behind the last row', query('SELECT 1', { offset: 99_999, limit: 1 })],
  ['a page that ends at row 100,000', query('FROM flights ORDER BY date', { offset: 99_990, limit: 10 })],
  ['a timed query', query('SELECT 1', { timing: true })],
  ['a statement whose echo is cut', query(`SELECT 1 -- ${'x'.repeat(2000)}`)],
  ['a relation renamed', open(airports, { dataset_id })],

  ['an unknown dataset', ['query', { dataset_id: 'dataset-x', sql: ['SELECT 1'] }], 'unknown_dataset'],
  ['a number that is too small', query('SELECT 1', { limit: 0 }), 'invalid_argument'],
  ['an argument of the wrong type', query('SELECT 1', { timing: 'yes' }), 'invalid_argument'],
  ['an unknown argument', query('SELECT 1', { limt: 1 }), 'invalid_argument', { nearest: ['limit'] }],
  ['missing arguments', ['query', {}], 'invalid_argument'],
  ['a page beyond row 100,000', query('SELECT 1', { offset: 99_990, limit: 11 }), 'invalid_argument'],
  ['a parse error', query('SELECT FROM WHERE'), 'parse_error', { stage: 'parse', position: 12 }],
  ['a text without a statement', query('-- nothing'), 'parse_error'],
  ['two statements in one entry', query('SELECT 1; SELECT 2'), 'unsupported_statement', { position: 10 }],
  ['a statement that writes', query('DELETE FROM flights'), 'unsupported_statement', { stage: 'policy' }],
  ['an unknown relation', query('FROM flihgts'), 'unknown_relation', { nearest: ['flights'] }],
  ['an unknown function', query("SELECT uper('x')"), 'unknown_function', { nearest: ['upper'] }],
  ['a function that is not allowed', query("FROM read_csv('airports.csv')"), 'not_allowed', { stage: 'policy' }],
  ['types that do not fit', query('SELECT sum(origin) FROM flights'), 'type_error', { stage: 'bind' }],
  ['a value that does not convert', query('SELECT origin::INTEGER FROM flights'), 'type_error', { stage: 'execute' }],
  ['a row that is too large', query("SELECT repeat('x', 100000)"), 'output_too_large', { stage: 'render' }],
  ['a failure behind a success', query(['SELECT 1', 'FROM nothing']), 'unknown_relation', { statement_index: 1 }],

  ['a file outside the roots', open({ path: '/etc/passwd' }), 'not_allowed'],
  ['a file of another format', open({ ...airports, format: 'parquet' }), 'runtime_error', { stage: 'dataset' }],
  ['a format we do not know', open({ ...airports, format: 'xml' }), 'invalid_argument'],
  ['an unknown field of a source', open({ ...airports, nam: 'a' }), 'invalid_argument', { nearest: ['name'] }],
  ['sources for an unknown dataset', open(airports, { dataset_id: 'dataset-x' }), 'unknown_dataset'],
  ['closing an unknown dataset', ['close_dataset', { dataset_id: 'dataset-x' }], 'unknown_dataset'],
  // Last: it ends the dataset of all cases above.
  ['closing a dataset', ['close_dataset', { dataset_id }]],
];

for (const [what, [name, args], kind, facts] of cases) {
  test(`T11 T12 T13 C-18 C-19 C-29 The answer to ${what} (${name}) fits the output schema, and its text is the same JSON`, async () => {
    const { isError, content, structuredContent } = await session.call(name, args);
    assert.equal(isError ?? false, kind !== undefined, JSON.stringify(structuredContent));
    assert.equal(structuredContent.error?.kind, kind);
    for (const [field, value] of Object.entries(facts ?? {})) {
      assert.deepEqual(structuredContent.error[field], value, field);
    }
    const fits = ajv.compile(session.tools.find((tool) => tool.name === name).outputSchema);
    assert.ok(fits(structuredContent), ajv.errorsText(fits.errors));
    assert.ok(!Array.isArray(structuredContent));
    assert.equal(content.length, 1);
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  });
}
