// rules_test.mjs -- what the page computes, without a browser: the rotation's rule and the answers about a run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { stepsOf } from '../../cli/web/page/exchange.js';
import { placeOf, sliceAt, travels } from '../../cli/web/page/rotation.js';
import { straggler, trend } from '../../cli/web/page/answers.js';
import { bestValid, RunData } from '../../cli/web/page/run_data.js';

const run = (records, events = [], state = {}) =>
  new RunData({
    name: 'r',
    state: 'done',
    options: {},
    ...state,
    metrics: { lines: records.length, records },
    events: { lines: events.length, records: events },
  });

test('modules have the form that a report needs: listed in order, with plain imports and exports', () => {
  const page = new URL('../../cli/web/page/', import.meta.url);
  const listed = fs.readFileSync(new URL('index.html', page), 'utf8').matchAll(/modulepreload" href="(.*?)"/g);
  const modules = [...[...listed].map(([, name]) => name), 'app.js'];
  assert.deepEqual(
    [...modules].sort(),
    fs
      .readdirSync(page)
      .filter((name) => name.endsWith('.js'))
      .sort(),
  );
  for (const [at, name] of modules.entries())
    for (const line of fs.readFileSync(new URL(name, page), 'utf8').split('\n')) {
      if (line.startsWith('export ')) assert.match(line, /^export (async )?(const|let|function|class) \w/, name);
      if (!line.startsWith('import ')) continue;
      const [, from] = line.match(/^import \{.*\} from '\.\/(.*)';$/) ?? [];
      assert.ok(modules.slice(0, at).includes(from), `${name}: ${line}`);
    }
});

test('in an epoch of the rotation each shard has each slice once, and no two hold the same', () => {
  for (const [shards, f] of [
    [2, 2],
    [8, 2],
    [3, 4],
    [64, 2],
  ]) {
    const slices = shards * f,
      had = Array.from({ length: shards }, () => new Set());
    for (let step = 0; step < slices; ++step) {
      const now = Array.from({ length: shards }, (_, shard) => sliceAt(shard, step, shards, slices));
      assert.equal(new Set(now).size, shards);
      now.forEach((slice, shard) => had[shard].add(slice));
    }
    assert.ok(had.every((each) => each.size === slices));
  }
});

test('the picture shows a slice with the shard that computes it, and moves it to the next one', () => {
  const shards = 5,
    slices = 15;
  for (let step = 0; step < 2 * slices; ++step)
    for (let shard = 0; shard < shards; ++shard) {
      const slice = sliceAt(shard, step, shards, slices);
      assert.deepEqual(placeOf(slice, step + 0.5, shards, slices), { shard, to: (shard + 4) % 5, part: 0 });
      assert.equal(sliceAt((shard + 4) % 5, step + 3, shards, slices), slice);
      assert.equal(placeOf(slice, step + 2, shards, slices).part, 0.5);
    }
});

test('a slice travels through a socket only between workers', () => {
  const hosts = [
    ['worker-0', 0, 1],
    ['worker-1', 2, 3],
  ];
  assert.deepEqual(
    travels(0, 4, 8, hosts).map(({ far }) => far),
    [true, false, true, false],
  );
});

test('the graphs of exchanges are those of rota/exchange/dataflows.h', () => {
  assert.deepEqual(stepsOf('halton', 8)[0][0], [2, 4, 6]); // 8/2, 8/4, 3 * 8/4
  assert.deepEqual(
    stepsOf('butterfly', 8).map((step) => step[5]),
    [[4], [7], [1]],
  );
  assert.deepEqual(stepsOf('butterfly', 6)[2][5], [3]); // 5 + 4 mod 6
  assert.deepEqual(stepsOf('alltoall', 3)[0], [
    [1, 2],
    [0, 2],
    [0, 1],
  ]);
  assert.equal(stepsOf('store', 8), null);
  for (const shards of [2, 6, 8, 12]) {
    // After the first half of an allreduce something of every shard has reached every other one.
    const steps = stepsOf('allreduce', shards);
    let has = Array.from({ length: shards }, (_, s) => new Set([s]));
    for (const step of steps.slice(0, steps.length / 2)) {
      const next = has.map((each) => new Set(each));
      step.forEach((receivers, s) => receivers.forEach((to) => has[s].forEach((each) => next[to].add(each))));
      has = next;
    }
    assert.ok(has.every((each) => each.size === shards));
  }
});

const curve = (count, value) => run(Array.from({ length: count }, (_, i) => ({ epoch: i + 1, objective: value(i) })));
test('a trend is named only if it stands out from the scatter', () => {
  const noise = (i) => Math.sin(i * 12.9898) * 0.5;
  assert.equal(
    trend(
      curve(60, (i) => 100 - i),
      'objective',
    ).state,
    'improving',
  );
  assert.equal(
    trend(
      curve(60, (i) => -100 + i + noise(i)),
      'objective',
    ).state,
    'improving',
  );
  assert.equal(
    trend(
      curve(60, (i) => 100 / (1 + i * i) + noise(i)),
      'objective',
    ).state,
    'flat',
  );
  assert.equal(
    trend(
      curve(60, (i) => (i < 40 ? 100 - i : 20 + i)),
      'objective',
    ).state,
    'worse',
  );
  assert.equal(
    trend(
      curve(3, (i) => i),
      'objective',
    ).state,
    'short',
  );
});

test('the best held-out score is what the run says, or in the direction of the largest change', () => {
  const scores = [10, 4, 5, 6].map((valid, i) => ({ epoch: i + 1, valid }));
  assert.deepEqual(bestValid(run(scores)), { epoch: 2, valid: 4, since: 2, sure: false });
  assert.deepEqual(bestValid(run(scores.map((record) => ({ ...record, valid: -record.valid })))), {
    epoch: 2,
    valid: -4,
    since: 2,
    sure: false,
  });
  assert.deepEqual(bestValid(run([{ epoch: 1, valid: 3, best: { epoch: 1, valid: 3, since: 0 } }])), {
    epoch: 1,
    valid: 3,
    since: 0,
    sure: true,
  });
  assert.equal(bestValid(run([{ epoch: 1, valid: null }])), null);
});

test('a straggler has its own name where a worker has left', () => {
  const hosts = ['worker-0', 'worker-2', 'worker-3'].map((role, i) => ({
    event: 'hosts',
    time: 1,
    role,
    shards: `${i} to ${i}`,
  }));
  const records = [1, 2, 3, 4].map((epoch) => ({
    epoch,
    compute_seconds: [1, 4, 1],
    wait_seconds: [3, 0, 3],
    slowest: 'worker-2',
  }));
  const { name, slow, ratio } = straggler(run(records, hosts));
  assert.deepEqual({ name, slow, ratio }, { name: 'worker-2', slow: true, ratio: 4 });
});

test('epochs that are computed again replace the former ones', () => {
  const data = run([1, 2, 3].map((epoch) => ({ epoch, objective: epoch })));
  data.addMetrics({ epoch: 2, objective: 20 });
  assert.deepEqual(data.column('objective'), [1, 20]);
});
