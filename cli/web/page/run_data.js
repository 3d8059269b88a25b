// run_data.js -- a run as the pages see it: records of metrics.jsonl and events.jsonl, kept up to date.
import { isNumber, last } from './base.js';

const kMostRecords = 6000; // kept; then every other one of the older half goes

export class RunData {
  constructor(json) {
    const { metrics, events, epochs_seen, ...state } = json;
    this.state = state;
    this.records = [...metrics.records];
    this.events = [...events.records];
    this.lines = { metrics: metrics.lines, events: events.lines };
    this.epochTimes = new Map((epochs_seen?.epoch ?? []).map((epoch, i) => [epoch, epochs_seen.time[i]]));
    this.clockAhead = isNumber(state.now) ? state.now - Date.now() / 1000 : 0;
  }

  // Epochs that are computed again after a rollback replace the former ones.
  addMetrics(record) {
    while (this.records.length && last(this.records).epoch >= record.epoch) {
      this.records.pop();
      --this.lines.metrics;
    }
    this.records.push(record);
    this.epochTimes.set(record.epoch, this.now());
    ++this.lines.metrics;
    if (this.records.length > kMostRecords)
      this.records = this.records.filter((_, i) => i % 2 === 0 || i > kMostRecords / 2);
  }
  addEvent(event) {
    this.events.push(event);
    ++this.lines.events;
  }
  setState(state) {
    Object.assign(this.state, state);
    if (isNumber(state.now)) this.clockAhead = state.now - Date.now() / 1000;
  }

  now() {
    return Date.now() / 1000 + this.clockAhead;
  }
  get running() {
    return this.state.state === 'running';
  }
  get newest() {
    return last(this.records) ?? {};
  }
  // Not each epoch is evaluated: the newest one that is over, of how many.
  get epoch() {
    return Math.max(this.newest.epoch ?? -1, this.state.epoch ?? -1);
  }
  get epochs() {
    return this.newest.epochs ?? this.state.epochs ?? 0;
  }
  // By the address of its coordinator alone a run has neither events nor files.
  get hasFolder() {
    return this.state.folder !== null;
  }
  get app() {
    return this.state.app ?? this.state.options?.app ?? 'an app';
  }
  option(name, otherwise = '') {
    return this.state.options?.[name] || otherwise;
  }
  ofKind(...kinds) {
    return this.events.filter((event) => kinds.includes(event.event));
  }
  get firstTime() {
    return this.events[0]?.time ?? 0;
  }
  get lastTime() {
    return this.running ? this.now() : Math.max(last(this.events)?.time ?? 0, ...this.lastEpochTimes(1));
  }

  // Names of all values that records have: objective, per_item, valid, terms.NAME, schedule.NAME, ...
  names(group) {
    const names = new Set();
    for (const record of this.records)
      for (const name of Object.keys(record[group] ?? {})) names.add(`${group}.${name}`);
    return [...names];
  }
  has(name) {
    return this.records.some((record) => isNumber(valueOf(record, name)));
  }
  column(name) {
    return this.records.map((record) => valueOf(record, name));
  }

  // Wall times of the newest epochs, in ascending order.
  lastEpochTimes(count) {
    return this.records
      .slice(-count)
      .map((record) => this.epochTimes.get(record.epoch))
      .filter(isNumber);
  }
  // Seconds that an epoch takes now, with its evaluation.
  epochSeconds() {
    const seen = this.records.slice(-11).filter((record) => this.epochTimes.has(record.epoch));
    const { epoch, seconds } = this.state;
    if (seen.length < 2) return epoch > 0 && seconds > 0 ? seconds / epoch : null;
    const took = this.epochTimes.get(last(seen).epoch) - this.epochTimes.get(seen[0].epoch);
    const epochs = last(seen).epoch - seen[0].epoch;
    return took > 0 && epochs > 0 ? took / epochs : null;
  }

  // Who hosts which shards, an entry for each time it changed: {time, epoch: the first one, hosts: [[name, from, to]]}.
  assignments() {
    const all = [];
    let open = null;
    for (const event of this.events) {
      if (event.event !== 'hosts') {
        if (event.event !== 'joined') open = null;
        continue;
      }
      if (!open) all.push((open = { time: event.time, hosts: [] }));
      const [from, to = from] = event.shards.split(' to ').map(Number);
      open.hosts.push([event.role, from, to]);
    }
    for (const entry of all) {
      entry.hosts.sort((a, b) => a[1] - b[1]);
      entry.epoch =
        this.records.find((record) => (this.epochTimes.get(record.epoch) ?? Infinity) > entry.time)?.epoch ??
        (last(this.records)?.epoch ?? 0) + 1;
    }
    return all;
  }
  // The workers of a record, in the order of its numbers.
  workerNames(record, assignments = this.assignments()) {
    const count = record.compute_seconds?.length ?? 0;
    const fits = assignments.filter((entry) => entry.hosts.length === count);
    const names = (fits.findLast((entry) => entry.epoch <= record.epoch) ?? fits[0])?.hosts.map(([name]) => name);
    return names?.sort(byNumber) ?? Array.from({ length: count }, (_, i) => `worker-${i}`);
  }
}

// A value by its name: objective, terms.NAME, ...
export function rawValueOf(record, name) {
  const dot = name.indexOf('.');
  return dot < 0 ? record[name] : record[name.slice(0, dot)]?.[name.slice(dot + 1)];
}
export function valueOf(record, name) {
  const value = rawValueOf(record, name);
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}

// Parts of a worker's time: field, name, level of heat.  Runs of earlier versions have no wire.
export function timeParts(run) {
  const parts = [
    ['compute_seconds', 'compute', 3],
    ['wire_seconds', 'wire', 4],
    ['wait_seconds', 'wait', 1],
  ];
  return run.records.some((record) => record.wire_seconds) ? parts : parts.filter(([, name]) => name !== 'wire');
}

// worker-2 before worker-10.
export const byNumber = (a, b) => a.localeCompare(b, 'en', { numeric: true });

// The held-out score: its name among the terms, and 'larger' or 'smaller', whichever is better; each null if the files do
// not tell.
const kLarger = /accuracy|auc|ndcg|recall|precision|likelihood/,
  kSmaller = /loss|error|rmse|mae|perplexity|deviance/;
export function heldOut(run) {
  const scored = run.records.filter((record) => isNumber(record.valid)).slice(-20);
  const terms = Object.keys(last(scored)?.terms ?? {});
  const is = (name) => scored.every((record) => record.terms?.[name] === record.valid);
  const name = terms.find((each) => each.startsWith('valid') && is(each)) ?? null;
  const better = !name ? null : kLarger.test(name) ? 'larger' : kSmaller.test(name) ? 'smaller' : null;
  return { name, better };
}

// The epoch of the best held-out score: as the run says with --patience, or as the score's name says; otherwise the
// score is taken to get better in the direction in which it has moved farthest.  `sure`: the run or the name says so.
export function bestValid(run) {
  const said = run.records.findLast((record) => record.best)?.best;
  if (said) return { epoch: said.epoch, valid: said.valid, since: said.since, sure: true };
  const scored = run.records.filter((record) => isNumber(record.valid));
  if (scored.length === 0) return null;
  const first = scored[0].valid,
    { better } = heldOut(run);
  const least = scored.reduce((a, b) => (b.valid < a.valid ? b : a)),
    most = scored.reduce((a, b) => (b.valid > a.valid ? b : a));
  const falls = better ? better === 'smaller' : first - least.valid >= most.valid - first;
  const best = falls ? least : most;
  return {
    epoch: best.epoch,
    valid: best.valid,
    since: scored.length - 1 - scored.indexOf(best),
    sure: better !== null,
  };
}

export const perWorkerTotals = (records, field, count) =>
  Array.from({ length: count }, (_, i) => records.reduce((total, record) => total + (record[field]?.[i] ?? 0), 0));
