// The official conformance suite against adit-conformance over HTTP: both sets of requirements, every scored scenario.
// What is not scored is run, too; tests/conformance/baseline.json says what of it fails, and why. The file may only
// shrink: a scenario in it that passes fails the test.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createInterface } from 'node:readline';
import { repository } from './support.mjs';

const program = process.env.ADIT_CONFORMANCE || join(repository, 'build/tests/adit-conformance');
const suite = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance');
const baseline = JSON.parse(readFileSync(join(repository, 'tests/conformance/baseline.json'), 'utf8'));
const results = mkdtempSync(join(tmpdir(), 'adit-conformance-'));
after(() => rmSync(results, { recursive: true, force: true }));

// The server tells its address on its first line.
async function serve() {
  const server = spawn(program, ['--http', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  after(() => server.kill());
  for await (const line of createInterface({ input: server.stderr })) {
    const url = line.match(/http:\S+/);
    if (url) return url[0];
  }
  throw new Error('the server ended before it told its address');
}

// Scenarios under a key of the set's YAML, whose entries are "- name" or "- scenario: name" with a "leg".
function scenarios(revision) {
  const text = readFileSync(join(suite, `requirements/${revision}.yaml`), 'utf8');
  const block = (key) => text.split(new RegExp(`^${key}:\\n`, 'm'))[1].split(/^\S/m)[0];
  const scored = [...block('server').matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  const others = [...block('not_scored').matchAll(/^ {2}- scenario: (\S+)\n {4}leg: server/gm)].map(([, name]) => name);
  return { scored, others };
}

const run = (url, revision, folder) =>
  new Promise((done) => {
    const args = [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder];
    execFile(process.execPath, args, { timeout: 240_000, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      done(stdout + stderr));
  });

// What a scenario's checks found wrong; undefined: it has not run.
function failures(folder, scenario) {
  const entry = readdirSync(folder).find((name) => name.startsWith(`server-${scenario}-20`));
  if (!entry) return undefined;
  const checks = JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8'));
  return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
}

// Both runs come before the first test: the runner takes a pause between tests for the end of the file.
const revisions = ['2026-07-28', '2025-11-25'];
const url = await serve();
const outputs = {};
for (const revision of revisions) outputs[revision] = await run(url, revision, join(results, revision));

for (const revision of revisions) {
  const folder = join(results, revision);
  const output = outputs[revision];
  const { scored, others } = scenarios(revision);

  for (const scenario of scored) {
    test(`${revision} ${scenario} passes`, () => {
      assert.deepEqual(failures(folder, scenario), [], output.slice(-4000));
    });
  }
  for (const scenario of others) {
    const reason = baseline[revision][scenario];
    test(`${revision} ${scenario}, which is not scored, ${reason ? `fails: ${reason}` : 'passes'}`, () => {
      const found = failures(folder, scenario);
      assert.ok(found, `it has not run\n${output.slice(-4000)}`);
      assert.equal(found.length > 0, reason !== undefined, found.join('\n'));
    });
  }
}
