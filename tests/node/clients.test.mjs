// docs/clients.md against `adit print-config`: every client of its table gets what the table says, in its own form,
// and what is printed starts a server that has the tools.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, data, newUser, program, repository, serveOnce } from './support.mjs';

const text = readFileSync(join(repository, 'docs/clients.md'), 'utf8');
const cell = /^\| `([\w-]+)` \| (.*?) \| (.*?) \|$/gm;
const clients = [...text.matchAll(cell)].map(([, client, place, form]) => ({ client, place, form }));

// What is printed on both streams.
const printed = (user, words) => execFileSync('/bin/sh', ['-c', `{ ${words}; } 2>&1`], { ...user, encoding: 'utf8' });

// Tables, texts and lists of texts: what our own form has of TOML, whose texts and lists of texts are those of JSON.
function readToml(toml) {
  const root = {};
  let table = root;
  for (const line of toml.split('\n').filter((line) => line !== '')) {
    const [, header] = line.match(/^\[([\w.]+)\]$/) ?? [];
    const [, key, value] = line.match(/^(\w+) = (.+)$/) ?? [];
    assert.ok(header || key, `no TOML: ${line}`);
    if (header) table = header.split('.').reduce((outer, name) => (outer[name] ??= {}), root);
    else table[key] = JSON.parse(value);
  }
  return root;
}

// The entry of the server in what is printed, by the form that the table tells.
const forms = {
  'JSON, `mcpServers`': (config) => JSON.parse(config).mcpServers.adit,
  'JSON, `servers` with `"type": "stdio"`': (config) => {
    const { type, ...entry } = JSON.parse(config).servers.adit;
    assert.equal(type, 'stdio');
    return entry;
  },
  'JSON, `context_servers`': (config) => JSON.parse(config).context_servers.adit,
  'TOML, `[mcp_servers.adit]`': (config) => readToml(config).mcp_servers.adit,
  // The shell splits the words behind --.
  '`claude mcp add adit -- …`': (config) => {
    const words = config.match(/^claude mcp add adit -- (.*)\n$/)[1];
    const [command, ...args] = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' })
      .split('\0').slice(0, -1);
    return { command, args };
  },
};

test('The table has every client that the program knows, in its order', () => {
  const known = printed({}, `${program} print-config no-such-client || true`).match(/^Clients: (.*)$/m)[1];
  assert.deepEqual(clients.map(({ client }) => client), known.split(', '));
});

for (const { client, place, form } of clients) {
  for (const folder of ['plain', "it's a folder"]) {
    test(`print-config ${client} says where it goes, and its form starts the server for ${folder}`, async (t) => {
      const user = newUser(t);
      const root = join(realpathSync(user.env.HOME), folder);
      mkdirSync(root);
      const quoted = `'${root.replaceAll("'", `'\\''`)}'`;
      const [where, ...lines] = printed(user, `adit print-config ${client} --root ${quoted}`).split('\n');
      assert.equal(where, `# For ${place.replaceAll('`', '')}`);
      assert.ok(forms[form], `a form without a reader: ${form}`);
      const { command, args } = forms[form](lines.join('\n'));
      assert.deepEqual([command, args], [realpathSync(program), ['serve', '--root', root]]);
      assert.ok((await serveOnce(t, command, args)).includes('open_dataset'));
    });
  }
}

test('The example is what the program prints', (t) => {
  const user = newUser(t);
  const home = realpathSync(user.env.HOME);
  mkdirSync(join(home, 'data'));
  const example = blocksOf(text).find(({ language }) => language === 'console').text;
  const [, command, shown] = example.match(/^\$ ([^\n]*)\n(.*)$/s);
  const output = printed({ ...user, env: { ...user.env, HOME: home } }, command);
  assert.equal(output, shown.replace('/usr/local/bin/adit', realpathSync(program)).replace('/home/me', home));
});

// "without it, the working directory of the command"
test('Without --root the working directory of the command is named', (t) => {
  const user = newUser(t);
  const [, config] = printed(user, 'adit print-config cursor').split(/(?<=^# .*\n)/);
  assert.deepEqual(JSON.parse(config).mcpServers.adit.args, ['serve', '--root', realpathSync(user.cwd)]);
});

test('On standard output the configuration stands alone', (t) => {
  const stdio = ['ignore', 'pipe', 'ignore'];
  const output = execFileSync(program, ['print-config', 'gemini', '--root', data], { ...newUser(t), stdio });
  assert.equal(JSON.parse(output).mcpServers.adit.command, realpathSync(program));
});
