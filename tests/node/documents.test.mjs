// The tables of docs/protocol.md and docs/cases.md against the tests: every rule and every case has a row, stands in the
// name of a test, and every test that a row names is there.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repository } from './support.mjs';

const read = (path) => readFileSync(join(repository, path), 'utf8');
const transcripts = readdirSync(join(repository, 'tests/wire')).filter((name) => name.endsWith('.wire'));

// The names of the tests in a file as the tables write it; undefined: there is no such file.
function testsOf(file) {
  if (file === 'wire') return transcripts;
  const path = file.includes('/') ? file : `tests/mcp/${file}`;
  if (existsSync(join(repository, `${path}_test.cpp`))) {
    return [...read(`${path}_test.cpp`).matchAll(/^TEST(?:_F|_P)?\(\w+, (\w+)\)/gm)].map(([, name]) => name);
  }
  if (existsSync(join(repository, `${path}.test.mjs`))) {
    return [...read(`${path}.test.mjs`).matchAll(/\btest\(\s*(['`])(.*?)\1/gs)].map(([, , name]) => name);
  }
  return undefined;
}

// Rows that begin with ids, and the file that names stand for where the row has named none yet.
function rowsOf(document) {
  let file;
  return read(document).split('\n').flatMap((line) => {
    if (line.startsWith('#')) file = line === '### Streamable HTTP' ? 'tests/programs/http' : undefined;
    const row = line.match(/^\| ([A-Z]-?\d+(?:, [A-Z]-?\d+)*) \|.*\| ([^|]+) \|$/);
    return row ? [{ ids: row[1].split(', '), place: row[2], file }] : [];
  });
}

// What is wrong with the tests that a row names.
function problemsOf({ ids, place, file }) {
  const problems = [];
  for (const [, word] of place.matchAll(/`([^`]+)`/g)) {
    if (!word.endsWith('…')) {
      file = word;
      const known = testsOf(file);
      if (!known) problems.push(`there is no ${file}`);
      continue;
    }
    const beginning = word.slice(0, -1).trim();
    if (!testsOf(file ?? '')?.some((name) => name.startsWith(beginning))) problems.push(`${file} has no test ${word}`);
  }
  // A transcript without a name of its own is one whose name begins with the id.
  if (/`wire`(?! `)/.test(place) && !/every `wire`/.test(place)) {
    const begins = ids.some((id) => transcripts.some((name) => name.startsWith(`${id.toLowerCase()}_`)));
    if (!begins) problems.push('no transcript begins with it');
  }
  return problems;
}

const numbered = (letter, last, separator = '') =>
  Array.from({ length: last }, (_, i) => `${letter}${separator}${String(i + 1).padStart(separator ? 2 : 1, '0')}`);

const documents = [
  // The rules of the specifications, by area: which era, JSON-RPC, stdio, HTTP, discovery, tools, resources and
  // prompts, progress, questions, apps, authorization, packages.
  ['docs/protocol.md', Object.entries({ E: 8, J: 8, S: 8, H: 20, D: 7, T: 19, R: 10, P: 7, I: 6, A: 5, O: 5, K: 5 })
    .flatMap(([letter, last]) => numbered(letter, last))],
  ['docs/cases.md', numbered('C', 30, '-')],
];

for (const [document, ids] of documents) {
  test(`${document} has a row for every id`, () => {
    const rows = new Set(rowsOf(document).flatMap((row) => row.ids));
    assert.deepEqual(ids.filter((id) => !rows.has(id)), []);
  });

  test(`${document} names tests that are there`, () => {
    const problems = rowsOf(document).map((row) => [row.ids.join(', '), ...problemsOf(row)]);
    assert.deepEqual(problems.filter((of) => of.length > 1), []);
  });
}

// `J1_…`, `T3 T4 …`, `r1_r6_…`: the ids at the beginning of a name, one after the other.
const carries = (name, id) =>
  new RegExp(`^(?:[A-Z]-?\\d+[_ ])*${id.replace('-', '-?')}[_ ]`, 'i').test(name);

test('Every rule and case stands in the name of a test, or its row says why not', () => {
  const unnamed = documents.flatMap(([document]) => rowsOf(document)).flatMap(({ ids, place, file }) => {
    const files = [file, ...[...place.matchAll(/`([^`…]+)`/g)].map(([, word]) => word)].filter(Boolean);
    const names = files.flatMap((of) => testsOf(of) ?? []);
    const reason = /\w/.test(place.replace(/`[^`]*`/g, '').replace(/\b(?:every|in every test|and)\b/g, ''));
    return ids.filter((id) => !reason && !names.some((name) => carries(name, id)));
  });
  assert.deepEqual(unnamed, []);
});
