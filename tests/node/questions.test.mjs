// The official clients over stdio and what adit itself does not do: questions to the client, logs, notices of change.
// The server is adit-conformance, the same core with the fixtures of the conformance suite.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { modernClient, officialClients, repository } from './support.mjs';

const program = process.env.ADIT_CONFORMANCE || join(repository, 'build/tests/adit-conformance');
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const schemas = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
};

// The two generations of clients name a method differently.
const isV1 = (kind) => kind.name.startsWith('SDK 1');
const handle = (kind, client, method, handler) =>
  method.startsWith('notifications/')
    ? client.setNotificationHandler(isV1(kind) ? schemas[method] : method, handler)
    : client.setRequestHandler(isV1(kind) ? schemas[method] : method, handler);

async function connect(t, kind) {
  const client = new kind.Client({ name: 'adit-tests', version: '1.0.0' }, { ...kind.options, capabilities });
  const transport = new kind.Transport({ command: program, args: [] });
  await client.connect(transport);
  client.serverPid = transport.pid;
  t.after(() => client.close());
  return client;
}

const eventually = async (condition, what) => {
  for (let i = 0; i < 100; ++i) {
    if (condition()) return;
    await new Promise((wake) => setTimeout(wake, 20));
  }
  assert.fail(what);
};

for (const kind of officialClients) {
  const modern = kind.revision === '2026-07-28';
  const call = (client, name, args = {}) => kind.callTool(client, { name, arguments: args });

  test(`${kind.name} fills in a form that a tool asks for`, async (t) => {
    const client = await connect(t, kind);
    let form;
    handle(kind, client, 'elicitation/create', async ({ params }) => {
      form = params.requestedSchema.properties;
      return { action: 'accept', content: { name: 'Ada', age: 36, score: 1.5, status: 'active', verified: true } };
    });
    const { content } = await call(client, 'test_elicitation_sep1034_defaults');
    assert.equal(form.name.default, 'John Doe');
    assert.match(content[0].text, /action=accept, content=.*"Ada"/);
  });

  test(`${kind.name} declines, and the tool hears of it`, async (t) => {
    const client = await connect(t, kind);
    handle(kind, client, 'elicitation/create', async () => ({ action: 'decline' }));
    const { content } = await call(client, 'test_elicitation_sep1034_defaults');
    assert.match(content[0].text, /action=decline/);
  });

  test(`${kind.name} answers two questions one after the other`, async (t) => {
    const client = await connect(t, kind);
    const asked = [];
    handle(kind, client, 'elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: asked.length === 1 ? { name: 'Ada' } : { color: 'blue' } };
    });
    const { content } = await call(client, 'test_input_required_result_multi_round');
    assert.equal(asked.length, 2);
    assert.match(content[0].text, /Ada.*blue/);
  });

  test(`${kind.name} is asked for a form, its model and its roots by one call`, async (t) => {
    const client = await connect(t, kind);
    handle(kind, client, 'elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }));
    handle(kind, client, 'sampling/createMessage', async () => ({
      role: 'assistant', content: { type: 'text', text: 'Good day' }, model: 'none',
    }));
    handle(kind, client, 'roots/list', async () => ({ roots: [{ uri: 'file:///somewhere', name: 'Somewhere' }] }));
    const { content } = await call(client, 'test_input_required_result_multiple_inputs');
    assert.match(content[0].text, /Good day/);
    assert.match(content[0].text, /somewhere/);
  });

  test(`${kind.name} hears of a resource that it watches`, async (t) => {
    const client = await connect(t, kind);
    const updated = [];
    handle(kind, client, 'notifications/resources/updated', ({ params }) => void updated.push(params.uri));
    const uri = 'test://watched-resource';
    const subscription = modern ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
    if (!modern) await client.subscribeResource({ uri });
    await call(client, 'test_trigger_resource_change');
    await eventually(() => updated.length > 0, 'no notice came');
    if (modern) await subscription.close();
    else await client.unsubscribeResource({ uri });
    await call(client, 'test_trigger_resource_change');
    await call(client, 'test_simple_text');
    assert.deepEqual(updated, [uri]);
  });

  test(`${kind.name} hears that the tools have changed`, async (t) => {
    const client = await connect(t, kind);
    let heard = 0;
    handle(kind, client, 'notifications/tools/list_changed', () => void ++heard);
    if (modern) await client.listen({ toolsListChanged: true });
    await call(client, 'test_trigger_tool_change');
    await eventually(() => heard === 1, 'no notice came');
  });

  test(`${kind.name} gets a tool's log once it has asked for it`, async (t) => {
    const client = await connect(t, kind);
    const logged = [];
    handle(kind, client, 'notifications/message', ({ params }) => void logged.push(params));
    await call(client, 'test_logging_tool');
    assert.deepEqual(logged, []);
    const level = { 'io.modelcontextprotocol/logLevel': 'info' };
    if (!modern) await client.setLoggingLevel('info');
    await kind.callTool(client, { name: 'test_logging_tool', arguments: {}, ...(modern && { _meta: level }) });
    assert.deepEqual(logged.map(({ data }) => data),
      ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
  });
}

test('A subscription ends in good order when the server is told to end', async (t) => {
  const client = await connect(t, modernClient);
  const subscription = await client.listen({ toolsListChanged: true });
  process.kill(client.serverPid, 'SIGTERM');
  assert.equal(await subscription.closed, 'graceful');
});
