// The tool list against the contract in tests/contract, by the checker that comes with it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, modernClient, repository } from './support.mjs';

const contract = join(repository, 'tests/contract');
const original = join(repository, '../shared/contract');
const missing = (...paths) => {
  const path = paths.find((path) => !existsSync(path));
  return path !== undefined && `there is no ${path}`;
};

test('The tools are those of sql.json, to the letter', { skip: missing(join(contract, 'check.mjs')) }, async (t) => {
  const { tools } = await connect(t, modernClient);
  const directory = mkdtempSync(join(tmpdir(), 'adit-contract-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const list = join(directory, 'tools.json');
  writeFileSync(list, JSON.stringify({ tools }));
  const check = spawnSync(process.execPath, [join(contract, 'check.mjs'), list, 'sql.json'], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
});

test('tests/contract is a true copy of the shared contract', { skip: missing(contract, original) }, () => {
  for (const file of readdirSync(original)) {
    assert.equal(readFileSync(join(contract, file), 'utf8'), readFileSync(join(original, file), 'utf8'), file);
  }
});
