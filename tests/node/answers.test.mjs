// Every answer that the C++ tests of the programs got from a tool (build/answers) against that tool's output schema,
// under a validator that is not ours. scripts/run_tests.sh runs them first.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readFileSync, readdirSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { connect, modernClient } from './support.mjs';

const folder = new URL('../../build/answers/', import.meta.url);
const answers = readdirSync(folder)
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

const { tools } = await connect({ after }, modernClient);
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });

for (const tool of tools) {
  test(`Every answer of ${tool.name} fits its output schema`, () => {
    const fits = ajv.compile(tool.outputSchema);
    const own = answers.filter((answer) => answer.tool === tool.name);
    const failed = own.filter((answer) => 'error' in answer.content);
    assert.ok(own.length > 0 && failed.length > 0 && failed.length < own.length || tool.name === 'list_datasets',
      `${own.length} answers, ${failed.length} errors: both kinds are wanted`);
    for (const { content } of own) {
      assert.ok(fits(content), `${ajv.errorsText(fits.errors)}: ${JSON.stringify(content).slice(0, 2000)}`);
    }
  });
}
