// pages_test.mjs -- the pages of `rota web` and `rota report` in a real browser, with real runs: a live one that loses
// a worker, finished ones of several apps, and generated ones of many workers and many epochs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { after, before, test } from 'node:test';
import { axe, launch, missing, openPage, overflow, visit } from './browser.mjs';
import { corpus, examples, generate, inputs, jsonLines, printed, report } from './run_folders.mjs';
import { sample, serve, slowDown, startTraining, train } from './run_folders.mjs';

const skip = missing();
if (skip) console.log(`SKIPPED: no page is tested here, because ${skip}`);
const kMostBytes = 120e3,
  kPages = ['run', 'workers', 'schedule', 'model', 'events'];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rota pages é '));
const runs = path.join(folder, 'runs'),
  at = (name) => path.join(runs, name);
const kMany = '64 wörkers <b>& "all"';
let browser, server;

before(async () => {
  if (skip) return;
  fs.mkdirSync(runs);
  generate(at(kMany), { workers: 64, epochs: 300 });
  generate(at('small'), { workers: 2, epochs: 20 });
  generate(at('long'), { workers: 2, epochs: 100000, events: 10000 });
  browser = await launch();
  server = await serve(runs);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  fs.rmSync(folder, { recursive: true });
});

const address = (name, page = 'run') => `${server.url}#/run/${encodeURIComponent(name)}/${page}`;
const records = (name) =>
  fs
    .readFileSync(path.join(at(name), 'metrics.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const valueOf = (record, name) => name.split('.').reduce((value, key) => value?.[key], record);

// The table below the curves, whole: {names, rows}.
async function readTable(page) {
  await page.click('text=All numbers of metrics.jsonl');
  await page.waitForSelector('details[open] table');
  const more = page.locator('button', { hasText: 'Show all' });
  if (await more.count()) await more.first().click();
  return page.evaluate(() => {
    const table = document.querySelector('details[open] table'),
      cells = (row) => [...row.cells].map((cell) => cell.textContent);
    return { names: cells(table.tHead.rows[0]), rows: [...table.tBodies[0].rows].map(cells) };
  });
}
function assertTableIs({ names, rows }, expected) {
  assert.equal(rows.length, expected.length);
  const written = new Set(
    expected.flatMap((record) =>
      Object.entries(record).flatMap(([name, value]) =>
        Array.isArray(value)
          ? []
          : value !== null && typeof value === 'object'
            ? Object.keys(value).map((inner) => `${name}.${inner}`)
            : [name],
      ),
    ),
  );
  assert.deepEqual(new Set(names), written);
  rows.toReversed().forEach((row, i) =>
    row.forEach((cell, column) => {
      const value = valueOf(expected[i], names[column]);
      const same =
        typeof value === 'number'
          ? Number(cell) === value
          : value === null || value === undefined
            ? cell === '–'
            : cell === String(value);
      assert.ok(same, `record ${i}, ${names[column]}: the page has ${cell}, the file ${value}`);
    }),
  );
}

async function assertSound(page, name, { rules = true } = {}) {
  if (rules) assert.deepEqual(await axe(page), [], `${name}: accessibility`);
  assert.deepEqual(page.errors, [], `${name}: errors`);
}

test('the page is small, and complete without any other server', { skip }, async () => {
  const page = await openPage(browser),
    asked = new Set(),
    sizes = new Map();
  page.on('request', (request) => asked.add(request.url()));
  await visit(page, server.url);
  for (const url of asked) {
    assert.ok(url.startsWith(server.url) || url.startsWith('data:'), url);
    if (url.startsWith('data:') || url.includes('/api/')) continue;
    sizes.set(url, zlib.gzipSync(await (await page.request.get(url)).body()).length);
  }
  const whole = [...sizes.values()].reduce((total, size) => total + size, 0);
  console.log(`the page has ${sizes.size} files, ${whole} bytes compressed`);
  assert.ok(sizes.size > 10 && whole < kMostBytes, `${whole} bytes`);
  const policy = (await page.request.get(server.url)).headers()['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  await page.close();
});

test(
  'a live run with a straggler, which loses another worker: its pages follow it, and their numbers are those of metrics.jsonl',
  { skip },
  async () => {
    const [input, valid] = corpus(folder),
      dir = at('live');
    const job = startTraining(
      'lda',
      dir,
      `--input=${input}`,
      `--valid=${valid}`,
      '--topics=50',
      '--epochs=100000',
      '--workers=4',
      '--threads=1',
      '--rebalance=false',
      '--coordinator=tcp://127.0.0.1:0',
    );
    let straggler = null;
    const page = await openPage(browser);
    try {
      while (!fs.existsSync(`${dir}/metrics.jsonl`) || records('live').length < 3)
        await new Promise((resolve) => setTimeout(resolve, 50));
      await visit(page, address('live'));
      const epoch = () => page.evaluate(() => Number(document.querySelector('.tiles data').value));
      const first = await epoch();
      await page.waitForFunction((from) => Number(document.querySelector('.tiles data').value) > from + 3, first);
      // At most two redraws a second, and none while nobody looks.
      const redraws = () =>
        page.evaluate(
          () =>
            new Promise((resolve) => {
              let count = 0;
              const watch = new MutationObserver(() => ++count);
              watch.observe(document.querySelector('.tiles'), { childList: true });
              setTimeout(() => (watch.disconnect(), resolve(count)), 1500);
            }),
        );
      const seen = await redraws();
      assert.ok(seen <= 4, `${seen} redraws in 1.5 s`);
      await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }));
      await page.waitForTimeout(600);
      assert.equal(await redraws(), 0, 'hidden');
      await page.evaluate(() => {
        delete document.hidden;
        document.dispatchEvent(new Event('visibilitychange'));
      });
      const processOf = (role) =>
        jsonLines(`${dir}/events.jsonl`).find((event) => event.event === 'joined' && event.role === role).pid;
      straggler = slowDown(Number(processOf('worker-1')));
      const says = (text) =>
        page.waitForFunction((what) => document.querySelector('.questions').textContent.includes(what), text);
      await says('worker-1 is a straggler.');
      process.kill(Number(processOf('worker-2')), 'SIGKILL');
      await says('worker-2 (1 loss)');
      await says('It has recovered');
      await says('worker-1 is a straggler.');
      const resumed = await epoch();
      await page.waitForFunction((from) => Number(document.querySelector('.tiles data').value) > from, resumed);
      const shown = await page.evaluate(() =>
        [...document.querySelectorAll('.tiles > div')].map((tile) => [
          tile.querySelector('dt').textContent,
          Number(tile.querySelector('data')?.value),
        ]),
      );
      const tiles = Object.fromEntries(shown),
        record = records('live').find((each) => each.epoch === tiles.Epoch);
      assert.deepEqual(
        [tiles.Objective, tiles['Held-out score'], tiles['Tokens / s']],
        [record.objective, record.valid, record.items_per_second],
      );
      for (const kind of kPages) {
        await visit(page, address('live', kind));
        await assertSound(page, `live ${kind}`);
      }
      await visit(page, address('live', 'workers'));
      assert.equal(await page.locator('.lane .mark.lost').count(), 1);
      await page.waitForFunction(() =>
        document.querySelector('.headline').textContent.includes('worker-1 is a straggler'),
      );
      assert.equal(await page.textContent('.name.slow'), 'worker-1 · straggler');
      straggler.stop();

      // By the address of its coordinator a run has neither events nor files; nothing is asked that is not there.
      const remote = await serve(fs.readFileSync(`${dir}/address`, 'utf8').trim(), `--keys=${dir}/keys`);
      try {
        for (const kind of kPages) {
          await visit(page, remote.url);
          await page.waitForURL(/#\/run\//);
          await page.click(`nav a[href$="/${kind}"]`);
          await page.waitForSelector(`nav a[href$="/${kind}"][aria-current]`);
          await assertSound(page, `by address ${kind}`, { rules: false });
        }
        assert.match(await page.textContent('main'), /0 of 0 events/);
        await visit(page, address('live', 'workers'));
      } finally {
        await remote.stop();
      }
      await job.stop();
      await page.waitForFunction(() => document.querySelector('#top .state').textContent === 'ended');
      await visit(page, address('live'));
      assertTableIs(await readTable(page), records('live'));
      assert.deepEqual(page.errors, []);
    } finally {
      straggler?.stop();
      await job.stop();
      await page.close();
    }
  },
);

test('a finished run of each app: every page is sound, and its table equals metrics.jsonl', { skip }, async () => {
  const a9a = [`--input=${sample('sgd/sample/a9a.libsvm.gz')}`],
    [input, valid] = corpus(folder);
  train(
    'lda',
    at('topics'),
    `--input=${input}`,
    `--valid=${valid}`,
    '--topics=10',
    '--epochs=30',
    '--patience=2',
    '--workers=2',
  );
  train('lasso_rows', at('lasso rows'), ...a9a);
  train('mf', at('mf'), `--input=${sample('mf/sample/google_reviews.txt.gz')}`, '--epochs=5', '--workers=3');
  train('sgd', at('sgd'), ...a9a, '--exchange=halton', '--epochs=5');
  train('kmeans', at('kmeans'), ...a9a, '--clusters=5', '--epochs=10');
  const ratings = `--input=${sample('mf/sample/google_reviews.txt.gz')}`,
    made = inputs(folder);
  for (const app of ['als', 'ccd']) train(app, at(app), ratings, '--epochs=3', '--workers=2');
  train('linear', at('linear'), `--input=${made.rows}`, `--valid=${made.rows}`, '--workers=2');
  train('lasso', at('lasso'), `--input=${made.rows}`, '--workers=2');
  train('medlda', at('medlda'), `--input=${made.medlda}`, '--topics=4', '--epochs=4', '--workers=2');
  train('pagerank', at('pagerank'), `--input=${made.edges}`, '--epochs=10', '--workers=2');
  const kExamples = {
    components: [`--input=${made.edges}`],
    shortest_paths: [`--input=${made.lengths}`],
    kmeans: [`--input=${made.rows}`],
    svm: [`--input=${made.rows}`, '--epochs=5'],
    lbfgs: [`--input=${made.rows}`, '--epochs=5'],
    fm: [`--input=${made.rows}`, '--epochs=2'],
    network: [`--input=${made.rows}`, '--epochs=3'],
    gibbs: [`--input=${made.cases}`, `--network=${made.network}`, '--epochs=3'],
  };
  for (const [name, flags] of Object.entries(kExamples))
    train(path.join(examples, `${name}.so`), at(`example ${name}`), ...flags, '--workers=2');
  const apps = ['topics', 'lasso rows', 'mf', 'sgd', 'kmeans', 'als', 'ccd', 'linear', 'lasso', 'medlda', 'pagerank'],
    all = [...apps, ...Object.keys(kExamples).map((name) => `example ${name}`)];
  const page = await openPage(browser);
  for (const name of all) {
    for (const kind of kPages.filter((each) => each !== 'events')) {
      await visit(page, address(name, kind));
      await page.waitForFunction(() => !document.querySelector('main').textContent.includes('Loading …'));
      await assertSound(page, `${name} ${kind}`, {
        rules: kind === 'model' || (kind === 'schedule' && name !== 'topics' && !name.startsWith('example')),
      });
      if (kind !== 'model') continue;
      // A picture of the model, or a table that is open.
      const pictures = await page.locator('.bar-table, .chart canvas, .cells, .map, section > .scroll').count();
      assert.ok(pictures > 0 || name === 'example gibbs', `${name} has a picture of its model`);
    }
    await visit(page, address(name));
    assertTableIs(await readTable(page), records(name));
  }
  for (const [name, score] of [
    ['topics', 'perplexity, smaller is better'],
    ['linear', 'is better'],
  ]) {
    await visit(page, address(name));
    assert.match(await page.textContent('.charts'), new RegExp(`Held-out score \\(.*${score}\\)`));
  }
  await visit(page, address('sgd', 'schedule'));
  assert.match(await page.textContent('main'), /exchanged between shards \(--exchange=halton\)/);
  await visit(page, address('lasso rows', 'schedule'));
  const drawn = records('lasso rows').reduce((total, record) => total + record.schedule.drawn, 0);
  assert.ok(drawn > 0);
  assert.match(await page.textContent('main'), new RegExp(`drew ${drawn.toLocaleString('en-US')} variables`));

  await visit(page, `${server.url}#/`);
  for (const name of ['topics', 'sgd']) await page.check(`[aria-label="Compare ${name}"]`);
  await page.waitForSelector('th:text-is("model hash") ~ td');
  await assertSound(page, 'runs');
  const hash = JSON.parse(fs.readFileSync(`${at('topics')}/result.json`, 'utf8')).model_hash;
  assert.match(await page.textContent('main'), new RegExp(hash));
  await page.close();
});

test(
  '64 workers, names with markup, values that are no numbers: all is shown as text, also on a phone',
  { skip },
  async () => {
    for (const options of [{ colorScheme: 'dark' }, { viewport: { width: 360, height: 740 } }]) {
      const page = await openPage(browser, options);
      for (const kind of kPages) {
        await visit(page, address(kMany, kind));
        await assertSound(page, `64 ${kind} ${JSON.stringify(options)}`, {
          rules: 'colorScheme' in options || kind === 'run',
        });
        assert.ok((await overflow(page)) <= 0, `${kind} is wider than its window`);
        assert.equal(await page.textContent('h1'), kMany);
        assert.equal(await page.locator('main b:has-text("of"), main img, main script').count(), 0);
      }
      await visit(page, address(kMany, 'workers'));
      assert.equal(await page.locator('.bars .row').count(), 64);
      assert.match(await page.textContent('.headline'), /worker-17 is a straggler: it computes (2\.9|3|3\.0)\d* times/);
      await visit(page, address(kMany, 'schedule'));
      assert.equal(await page.locator('.slice').count(), 128);
      await visit(page, address(kMany));
      assertTableIs(await readTable(page), records(kMany));
      await page.close();
    }
  },
);

test('by keyboard: pages, events and values of a curve', { skip }, async () => {
  const page = await openPage(browser);
  await visit(page, address(kMany, 'events'));
  await page.keyboard.press('/');
  await page.keyboard.type('größe');
  await page.waitForFunction(() => document.querySelectorAll('.events li').length === 1);
  await page.focus('.events summary');
  await page.keyboard.press('Enter');
  assert.equal(
    JSON.parse(await page.textContent('.events pre')).why,
    'worker-5 was lost: "größe" <script>alert(1)</script>',
  );
  await page.focus('nav a:text-is("Run")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.plot');
  await page.focus('.plot');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const [first, second] = records(kMany);
  assert.equal(await page.evaluate(() => Number(document.querySelector('.readout data').value)), second.objective);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.evaluate(() => Number(document.querySelector('.readout data').value)), first.objective);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('slices move until they are paused, and not at all for those who want no motion', { skip }, async () => {
  for (const reducedMotion of ['no-preference', 'reduce']) {
    const page = await openPage(browser, { reducedMotion });
    const place = () => page.evaluate(() => document.querySelector('.slice').getAttribute('transform'));
    const movesOn = (from) =>
      page.waitForFunction((was) => document.querySelector('.slice').getAttribute('transform') !== was, from);
    const stays = async (from) => {
      await page.waitForTimeout(700);
      assert.equal(await place(), from);
    };
    await visit(page, address(kMany, 'schedule'));
    await page.waitForSelector('.slice', { state: 'attached' });
    if (reducedMotion === 'no-preference') {
      await movesOn(await place());
      await page.click('button:text-is("Pause")');
    }
    const from = await place();
    await stays(from);
    await page.click('button:text-is("Next step")');
    await page.click('button:text-is("Next step")');
    assert.notEqual(await place(), from);
    assert.deepEqual(page.errors, []);
    await page.close();
  }
});

test('a run of 100,000 epochs and 10,000 events is shown by some of its epochs', { skip }, async () => {
  const page = await openPage(browser),
    began = performance.now();
  await visit(page, address('long'));
  await page.waitForSelector('.readout data');
  console.log(`100,000 epochs are shown after ${((performance.now() - began) / 1000).toFixed(2)} s`);
  assert.match(await page.textContent('main'), /2,000 of 100,000 records are shown/);
  assert.equal(await page.evaluate(() => Number(document.querySelector('.tiles data').value)), 100000);
  await visit(page, address('long', 'events'));
  await assertSound(page, 'long events');
  await page.close();
});

test('a report is one file with the same numbers', { skip }, async () => {
  const file = path.join(folder, 'report ü.html');
  report([at(kMany), at('small')], file);
  const page = await openPage(browser);
  await visit(page, `file://${encodeURI(file)}`);
  assert.deepEqual(await page.locator('.runs a').allTextContents(), [kMany, 'small']);
  await page.waitForSelector('th:text-is("--workers") ~ td:text-is("64") ~ td:text-is("2")');
  await assertSound(page, 'report');
  for (const kind of kPages) {
    await visit(page, `file://${encodeURI(file)}#/run/${encodeURIComponent(kMany)}/${kind}`);
    await assertSound(page, `report ${kind}`, { rules: kind === 'model' });
  }
  await visit(page, `file://${encodeURI(file)}#/run/${encodeURIComponent(kMany)}/run`);
  assertTableIs(await readTable(page), records(kMany));
  await page.close();
});

test('the model of a run that trains: a map of its topics, by pointer and by keyboard', { skip }, async () => {
  const [input] = corpus(folder),
    vocabulary = `--vocab=${sample('lda/sample/vocab.kos.txt')}`,
    flags = ['--topics=12', '--workers=2', '--epochs=100000', '--eval_every=0', '--checkpoint_seconds=0'];
  const job = startTraining('lda', at('forming'), `--input=${input}`, vocabulary, ...flags);
  const page = await openPage(browser);
  try {
    const told = () => fs.existsSync(`${at('forming')}/events.jsonl`) && jsonLines(`${at('forming')}/events.jsonl`);
    const hasCheckpoint = () => told() && told().some(({ event }) => event === 'checkpoint');
    for (let turn = 0; turn < 300 && !hasCheckpoint(); ++turn) await page.waitForTimeout(100);
    await visit(page, address('forming', 'model'));
    assert.equal(await page.locator('.map').count(), 0);
    await page.click('button:text-is("Show the model of the newest checkpoint")');
    await page.waitForSelector('.map circle', { timeout: 60000 }); // the export has the lowest priority
    assert.match(await page.textContent('.controls [role=status]'), /^Epoch \d+\. /);
    assert.equal(await page.locator('.map circle').count(), 12);
    await page.click('summary:text-is("topics.txt")');
    await page.waitForSelector('[aria-label="topics.txt"] tbody tr');
    const topics = await page.evaluate(() =>
      [...document.querySelectorAll('[aria-label="topics.txt"] tbody tr')].map((row) =>
        [...row.cells].map((cell) => cell.textContent),
      ),
    );
    const sizes = topics.map((row) => Number(row[2]));
    assert.deepEqual(
      sizes,
      [...sizes].sort((a, b) => b - a),
    );
    await page.focus('[aria-label^="Map of"]');
    await page.keyboard.press('ArrowRight'); // from the largest one to the next
    const [topic, , tokens, words] = topics[1];
    const said = `topic ${topic}, ${Number(tokens).toLocaleString('en-US')} tokens: ${words}`;
    assert.equal(await page.textContent('.card .readout'), said);
    assert.equal(await page.locator('.map circle.chosen').count(), 1);
    assert.equal(await page.getAttribute('.bar-table .scroll', 'aria-label'), `Words of topic ${topic}`);
    await assertSound(page, 'model of a live run');
  } finally {
    await job.stop();
    await page.close();
  }
});

// Cells of the first table of bars, as text.
const barRows = (page) =>
  page.evaluate(() =>
    [...document.querySelector('.bar-table').querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.querySelector('data')?.value ?? cell.textContent),
    ),
  );
const csv = (name, file) =>
  fs
    .readFileSync(path.join(at(name), 'model', file), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

test('a report is a viewer of topics: chosen by pointer or list, words by relevance', { skip }, async () => {
  const [input] = corpus(folder),
    vocabulary = `--vocab=${sample('lda/sample/vocab.kos.txt')}`,
    file = path.join(folder, 'topics.html');
  train('lda', at('viewer'), `--input=${input}`, vocabulary, '--topics=8', '--workers=2', '--epochs=20');
  report([at('viewer')], file);
  const page = await openPage(browser, { viewport: { width: 390, height: 860 } });
  await visit(page, `file://${encodeURI(file)}#/run/viewer/model`);
  await page.waitForSelector('.bar-table');
  const expected = (topic, lambda) =>
    csv('viewer', 'topic_words.csv')
      .filter((row) => row[0] === topic)
      .map((row) => [...row.slice(1), Math.fround(Math.log(row[2]) - (1 - lambda) * Math.log(row[3]))])
      .sort((a, b) => b[3] - a[3] || b[1] - a[1])
      .slice(0, 30)
      .map((row) => row.slice(0, 3));
  const list = page.locator('.controls select');
  assert.deepEqual(await barRows(page), expected(await list.inputValue(), 0.6));
  await list.selectOption('5');
  assert.deepEqual(await barRows(page), expected('5', 0.6));
  for (const [key, lambda] of [
    ['End', 1],
    ['Home', 0],
  ]) {
    await page.locator('.slider input').press(key);
    assert.deepEqual(await barRows(page), expected('5', lambda));
  }
  const counts = expected('5', 1).map((row) => Number(row[1]));
  const words = fs.readFileSync(`${at('viewer')}/model/word_topic.txt`, 'utf8');
  const all = [...words.matchAll(/ 5:(\d+)/g)].map((found) => Number(found[1])).sort((a, b) => b - a);
  assert.deepEqual(counts, all.slice(0, 30));
  const circle = page.locator('.map circle').last(); // the smallest, which is above the others
  await circle.click();
  assert.match(await circle.getAttribute('class'), /chosen/);
  assert.deepEqual(await barRows(page), expected(await list.inputValue(), 0));
  assert.ok((await overflow(page)) <= 0);
  await assertSound(page, 'viewer of topics');
  await page.close();
});

test('pictures of models: the path of Lasso, clusters of k-means, ranks of PageRank', { skip }, async () => {
  const a9a = `--input=${sample('sgd/sample/a9a.libsvm.gz')}`,
    edges = path.join(folder, 'edges.txt');
  fs.writeFileSync(edges, Array.from({ length: 500 }, (_, i) => `n${i} n${Math.floor(Math.sqrt(i))}\n`).join(''));
  train('lasso', at('path'), a9a, '--path=8', '--folds=3', '--epochs=200');
  train('kmeans', at('clusters'), a9a, '--clusters=5', '--epochs=5');
  train('pagerank', at('ranks'), `--input=${edges}`, '--epochs=20');
  const page = await openPage(browser);
  await visit(page, address('path', 'model'));
  await page.waitForSelector('.chart canvas');
  const rows = csv('path', 'path.csv'),
    best = rows.reduce((least, row) => (Number(row[8]) < Number(least[8]) ? row : least));
  const readout = (chart) => page.locator('.chart').nth(chart).locator('.readout data');
  const read = () => readout(0).evaluateAll((all) => all.map(({ value }) => value));
  const atPenalty = (penalty) =>
    csv('path', 'coefficients.csv')
      .filter((row) => row[0] === penalty)
      .map((row) => Number(row[2]));
  const shown = (await read()).map(Number);
  assert.equal(shown.length, 8);
  for (const value of shown.filter((value) => value !== 0)) assert.ok(atPenalty(best[0]).includes(value), `${value}`);
  assert.ok(shown.some((value) => value !== 0));
  assert.match(await page.textContent('.chart .readout'), /\(the least held-out error\)$/);
  assert.equal(await readout(1).getAttribute('value'), String(Number(best[8])));
  await page.focus('.chart [tabindex="0"]');
  await page.keyboard.press('End'); // the largest penalty, with which all are 0
  assert.deepEqual(new Set(await read()), new Set(['0']));
  await assertSound(page, 'path of Lasso');
  await visit(page, address('path'));
  assert.match(await page.textContent('.questions'), /Cross-validation tells\./);

  for (const [name, file] of [
    ['clusters', 'clusters.csv'],
    ['ranks', 'ranks.csv'],
  ]) {
    await visit(page, address(name, 'model'));
    await page.waitForSelector('.bar-table');
    const largest = csv(name, file)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 30);
    assert.deepEqual(
      (await barRows(page)).map((row) => Number(row[1])),
      largest.map((row) => Number(row[1])),
    );
    await assertSound(page, name);
  }
  assert.equal(await page.getAttribute('[data-value="log"]', 'aria-pressed'), 'true'); // ranks differ widely
  await page.close();
});

test(
  'the nearest items of a factorisation are those of `rota similar`, by search and of the server',
  { skip },
  async () => {
    train('mf', at('items'), `--input=${sample('mf/sample/google_reviews.txt.gz')}`, '--epochs=4', '--workers=2');
    const similar = (item) =>
      printed('similar', 'mf', `--model=${at('items')}`, `--item=${item}`, '--top=30')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(','));
    const near = (rows) => rows.map(([item, cosine]) => [item, Number(cosine).toFixed(4)]);
    const page = await openPage(browser);
    await visit(page, address('items', 'model'));
    await page.waitForSelector('.bar-table');
    await page.fill('[aria-label="Find an item"]', '11');
    assert.deepEqual(near(await barRows(page)), near(similar('11')));
    assert.match(await page.textContent('.command'), /--item=11$/);
    const answer = await page.request.get(`${server.url}api/similar?name=items&item=11`);
    assert.deepEqual(
      near((await answer.json()).rows.map(([item, cosine]) => [String(item), cosine])),
      near(similar('11')),
    );
    await page.fill('[aria-label="Find an item"]', 'no such item');
    assert.equal(await page.textContent('.card [role=status]'), 'No item has this text in its name.');
    await assertSound(page, 'nearest items');
    await page.close();
  },
);

test(
  'more than 200 topics: all are on the map, and found by their words; --compare begins with all runs',
  { skip },
  async () => {
    const [input] = corpus(folder),
      vocabulary = `--vocab=${sample('lda/sample/vocab.kos.txt')}`,
      file = path.join(folder, 'many topics.html');
    train('lda', at('300 topics'), `--input=${input}`, vocabulary, '--topics=300', '--workers=2', '--epochs=2');
    report(['--compare', at('300 topics'), at('small')], file);
    const page = await openPage(browser);
    await visit(page, `file://${encodeURI(file)}`);
    assert.equal(await page.locator('.runs input:checked').count(), 2);
    await visit(page, `file://${encodeURI(file)}#/run/${encodeURIComponent('300 topics')}/model`);
    await page.waitForSelector('.map circle');
    assert.equal(await page.locator('.map circle').count(), 300);
    await page.fill('[aria-label="Find topics by their words"]', 'election');
    const found = await page.locator('.card select option').count();
    assert.ok(found > 0 && found < 300, `${found} topics`);
    assert.equal(await page.locator('.map circle:not(.faded)').count(), found);
    for (const topic of await page.locator('.card select option').evaluateAll((all) => all.map(({ value }) => value)))
      assert.ok(
        csv('300 topics', 'topic_words.csv').some((row) => row[0] === topic && row[1].startsWith('election')),
        topic,
      );
    await assertSound(page, '300 topics');
    await page.close();
  },
);
