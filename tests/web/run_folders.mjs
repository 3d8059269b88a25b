// run_folders.mjs -- folders of runs: trained by the real programs, or generated where a real run would take too long.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const kSource = fileURLToPath(new URL('../..', import.meta.url));
const rota = path.join(process.env.ROTA_BIN ?? path.join(kSource, 'build/release/bin'), 'rota');

export const jsonLines = (file) =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
export const examples = process.env.ROTA_EXAMPLES ?? path.join(path.dirname(rota), '../examples');
export const sample = (name) => path.join(kSource, 'apps', name);

export function train(app, out, ...options) {
  const { status, stderr } = spawnSync(rota, ['train', app, `--out=${out}`, ...options], {
    timeout: 60000,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`rota train ${app} ended with ${status}: ${stderr}`);
}

// What a command of rota prints.
export function printed(...words) {
  const { status, stdout, stderr } = spawnSync(rota, words, { timeout: 60000, encoding: 'utf8' });
  if (status !== 0) throw new Error(`rota ${words[0]} ended with ${status}: ${stderr}`);
  return stdout;
}

// A straggler: the process stands still most of the time, until stop().
export function slowDown(pid) {
  const kStill = 40,
    kRuns = 10; // ms
  let timer = null;
  const pulse = (signal, next) => {
    try {
      process.kill(pid, signal);
    } catch {
      return; // it has ended
    }
    const isStill = signal === 'SIGSTOP';
    timer = setTimeout(() => pulse(next, signal), isStill ? kStill : kRuns);
  };
  pulse('SIGSTOP', 'SIGCONT');
  return {
    stop() {
      clearTimeout(timer);
      try {
        process.kill(pid, 'SIGCONT');
      } catch {
        /* it has ended */
      }
    },
  };
}

// Ends a process, by force if it does not end by itself.
function end(child, ended) {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), 20000).unref();
  return ended;
}

// A run that goes on until stop() ends it.
export function startTraining(app, out, ...options) {
  const job = spawn(rota, ['train', app, `--out=${out}`, ...options], { stdio: 'ignore' });
  const ended = new Promise((resolve) => job.once('exit', resolve));
  return { stop: () => end(job, ended) };
}

// `rota web` of a folder or an address: {url, stop}.
export async function serve(place, ...options) {
  const server = spawn(rota, ['web', place, '--port=0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (text) => {
      const found = (said += text).match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`rota web ended with ${code}: ${said}`)));
    setTimeout(() => reject(new Error(`rota web says no address: ${said}`)), 15000).unref();
  });
  return { url: url.endsWith('/') ? url : `${url}/`, stop: () => end(server, ended) };
}

export function report(folders, output) {
  const { status, stderr } = spawnSync(rota, ['report', ...folders, `--output=${output}`], {
    timeout: 30000,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`rota report ended with ${status}: ${stderr}`);
}

// Every tenth document of the sample is held out.
export function corpus(folder) {
  const lines = zlib
    .gunzipSync(fs.readFileSync(sample('lda/sample/docword.kos.txt.gz')))
    .toString()
    .trim()
    .split('\n');
  const [documents, words] = lines;
  const files = [path.join(folder, 'train.txt'), path.join(folder, 'valid.txt')];
  for (const [i, file] of files.entries()) {
    const mine = lines.slice(3).filter((line) => (parseInt(line, 10) % 10 === 0) === (i === 1));
    fs.writeFileSync(file, `${[documents, words, mine.length, ...mine].join('\n')}\n`);
  }
  return files;
}

// Small inputs of the apps that have no sample, by name: {medlda, edges, lengths, rows, cases, network}.
export function inputs(folder) {
  let state = 7; // any; the same files every time
  const draw = (below) => (state = (state * 48271) % 2147483647) % below;
  const lines = (count, make) => Array.from({ length: count }, (_, i) => `${make(i)}\n`).join('');
  const document = (i) => {
    const columns = new Set(Array.from({ length: 8 }, () => 1 + draw(30) + 20 * (i % 2)));
    return `${i % 2 ? 1 : -1} ${[...columns]
      .sort((a, b) => a - b)
      .map((column) => `${column}:1`)
      .join(' ')}`;
  };
  const rows = zlib
    .gunzipSync(fs.readFileSync(sample('sgd/sample/a9a.libsvm.gz')))
    .toString()
    .split('\n');
  const texts = {
    medlda: lines(200, document),
    edges: lines(400, () => `${draw(300)} ${draw(300)}`),
    lengths: lines(900, () => `${draw(300)} ${draw(300)} ${1 + draw(90) / 8}`),
    rows: `${rows.slice(0, 500).join('\n')}\n`,
    cases: `sky,wind,rain\n${lines(100, () => ['red', 'grey'][draw(2)] + ',' + ['low', 'high', ''][draw(3)] + ',' + ['yes', 'no'][draw(2)])}`,
    network: 'sky\nwind\nrain sky wind\n',
  };
  const files = Object.keys(texts).map((name) => [
    name,
    path.join(folder, `${name}.${name === 'cases' ? 'csv' : 'txt'}`),
  ]);
  for (const [name, file] of files) fs.writeFileSync(file, texts[name]);
  return Object.fromEntries(files);
}

// A run of many workers that was never trained.  Worker 17 computes three times as long as the others; worker 5 was
// lost in mid-run; names and values are awkward; some values are no numbers.
export function generate(folder, { workers, epochs, events = 0 }) {
  fs.mkdirSync(path.join(folder, 'log'), { recursive: true });
  const options = {
    app: 'lda',
    workers,
    threads: 1,
    shards: workers,
    schedulers: 1,
    epochs,
    out: folder,
    input: 'größe.txt',
    seed: 1,
  };
  fs.writeFileSync(
    path.join(folder, 'flags.txt'),
    Object.entries(options)
      .map(([name, value]) => `--${name}=${value}\n`)
      .join(''),
  );
  fs.writeFileSync(path.join(folder, 'rota-run.json'), '{"format": 1}\n');
  const begin = 1795000000,
    all = [],
    records = [],
    names = Array.from({ length: workers }, (_, i) => `worker-${i}`);
  const add = (time, event, fields) => all.push(JSON.stringify({ event, time, ...fields }));
  for (const [i, role] of names.entries())
    add(begin, 'joined', { role, pid: String(1000 + i), host: '<img src=x onerror=alert(1)>' });
  for (const [i, role] of names.entries()) add(begin, 'hosts', { role, shards: `${i} to ${i}` });
  add(begin, 'phase', { phase: 'loading' });
  add(begin + 1, 'partitioned', { slices: String(2 * workers), replicated: '0' });
  add(begin + 1, 'phase', { phase: 'training' });
  const wave = (i, epoch) => 1 + 0.2 * Math.sin(i * 7 + epoch);
  for (let epoch = 1; epoch <= epochs; ++epoch) {
    const time = begin + 1 + epoch,
      compute = names.map((_, i) => (i === 17 ? 3 : 1) * wave(i, epoch) * 0.2);
    const record = {
      epoch,
      epochs,
      seconds: 0.9 * epoch,
      objective: epoch % 50 === 7 ? null : -1e6 - 5e5 / epoch,
      terms: { größe: epoch * 1.1 },
      items: 1000,
      items_unit: 'tokens',
      items_per_second: 1000 / 0.9,
      bytes_sent: 1000 * workers,
      slice_bytes: 900 * workers,
      workers,
      compute_seconds: compute,
      wire_seconds: compute.map((seconds) => 0.1 * seconds),
      wait_seconds: compute.map((seconds) => 0.9 - 1.1 * seconds),
      memory_bytes: names.map((_, i) => 1e8 + 1e6 * i + 1e4 * epoch),
      peak_memory_bytes: names.map((_, i) => 2e8 + 1e6 * i),
      slowest: workers > 17 ? 'worker-17' : 'worker-0',
      waiting: 0.3,
    };
    records.push(JSON.stringify(record));
    add(time, 'epoch', record);
    if (epoch % 10 === 0) add(time, 'checkpoint', { epoch: String(epoch), hash: 'cafe' });
    if (events && ((epoch * events) / epochs) % 1 < events / epochs)
      add(time, 'warning', { what: `a warning <b>of</b> epoch ${epoch}` });
    if (epoch === Math.floor(epochs / 2)) {
      const why = 'worker-5 was lost: "größe" <script>alert(1)</script>';
      add(time, 'lost', { role: 'worker-5', pid: '1005', why });
      add(time, 'phase', { phase: 'recovering' });
      add(time + 0.3, 'joined', { role: 'worker-5', pid: '2005', host: 'a' });
      for (const [i, role] of names.entries()) add(time + 0.4, 'hosts', { role, shards: `${i} to ${i}` });
      add(time + 0.5, 'phase', { phase: 'training' });
    }
  }
  add(begin + 2 + epochs, 'end', { exit: 75, what: 'a process was lost' });
  fs.writeFileSync(path.join(folder, 'metrics.jsonl'), `${records.join('\n')}\n{"epoch":${epochs + 1},"torn`);
  fs.writeFileSync(path.join(folder, 'events.jsonl'), `${all.join('\n')}\n`);
}
