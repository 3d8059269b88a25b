// answers.js -- what a stranger asks about a run, answered in plain English from its records.
import { bytes, capital, duration, figure, isNumber, last, list } from './base.js';
import { median, number, percent, plural, sum } from './base.js';
import { bestValid, perWorkerTotals } from './run_data.js';

const kEnough = 4; // records that show a straggler
const kSlow = 1.25; // a straggler computes this many times as long as the median worker
const kWaiting = 0.5; // as in docs/monitoring.md
const kOldCheckpoint = 600; // seconds

// The trend of a column over its newest values: fits a line and compares it with the scatter around it.
// {from, to, epochs, state: 'improving' | 'worse' | 'flat' | 'short'}.
export function trend(run, name) {
  const points = run.records.filter((record) => isNumber(record[name]));
  if (points.length < 4) return { state: 'short' };
  const window = points.slice(-Math.max(4, Math.min(50, Math.floor(points.length / 3))));
  const values = window.map((record) => record[name]),
    n = values.length;
  const middle = (n - 1) / 2,
    mean = sum(values) / n;
  const spread = sum(values.map((_, i) => (i - middle) ** 2));
  const slope = sum(values.map((value, i) => (i - middle) * (value - mean))) / spread;
  const error = Math.sqrt(
    sum(values.map((value, i) => (value - mean - slope * (i - middle)) ** 2)) / Math.max(n - 2, 1) / spread,
  );
  const all = points.map((record) => record[name]);
  const best = name === 'valid' ? bestValid(run).valid : last(all);
  const direction = Math.sign(best - all[0]) || Math.sign(slope);
  const visible = Math.abs(slope) > 2 * error && Math.abs(slope * n) > 1e-9 * Math.abs(mean);
  return {
    from: window[0],
    to: last(window),
    change: Math.abs((last(values) - values[0]) / (values[0] || 1)),
    state: !visible ? 'flat' : Math.sign(slope) === direction ? 'improving' : 'worse',
  };
}

// The worker that computes much longer than the median worker, over the newest epochs.
export function straggler(run) {
  const recent = run.records.slice(-20).filter((r) => r.compute_seconds?.length === run.newest.compute_seconds?.length);
  const count = run.newest.compute_seconds?.length ?? 0;
  if (count < 2 || recent.length === 0) return null;
  const totals = perWorkerTotals(recent, 'compute_seconds', count),
    slowest = totals.indexOf(Math.max(...totals));
  const others = median(totals.filter((_, i) => i !== slowest));
  const name = run.workerNames(run.newest)[slowest];
  return {
    name,
    ratio: totals[slowest] / others,
    times: recent.filter((r) => r.slowest === name).length,
    of: recent.length,
    slow:
      recent.length >= kEnough &&
      totals[slowest] > kSlow * others &&
      2 * recent.filter((r) => r.slowest === name).length >= recent.length,
  };
}

export function waiting(run) {
  const recent = run.records.slice(-20).filter((record) => record.compute_seconds);
  const compute = sum(recent.map((record) => sum(record.compute_seconds)));
  const wire = sum(recent.map((record) => sum(record.wire_seconds ?? [])));
  const wait = sum(recent.map((record) => sum(record.wait_seconds)));
  return compute + wire + wait > 0 ? wait / (compute + wire + wait) : null;
}

// Seconds until the last epoch; null if that is not known.
export function timeLeft(run) {
  const { epoch, epochs } = run,
    each = run.epochSeconds();
  return run.running && epochs > 0 && each ? Math.max(0, (epochs - epoch) * each) : null;
}

export const checkpointAge = (run) =>
  run.running && run.state.checkpoint ? run.now() - run.state.checkpoint.time : null;

const kTrend = {
  improving: 'still improves',
  worse: 'gets worse',
  flat: 'no longer changes visibly',
  short: 'has too few values to tell a trend',
};

function learning(run) {
  const objective = trend(run, 'objective'),
    valid = trend(run, 'valid'),
    best = bestValid(run),
    says = [];
  if (objective.from)
    says.push(
      'From epoch ',
      String(objective.from.epoch),
      ' to ',
      String(objective.to.epoch),
      ' the objective went from ',
      figure(objective.from.objective, 9),
      ' to ',
      figure(objective.to.objective, 9),
      ` (${percent(objective.change)}). `,
    );
  if (objective.from && Number(run.option('path', '0')) > 1)
    says.push('Each penalty of a path is a problem of its own: the objective falls with the penalty. ');
  if (best)
    says.push(
      `The held-out score was best at epoch ${best.epoch}`,
      best.since > 0 ? `, ${plural(best.since, 'evaluation')} ago. ` : ', the newest one. ',
    );
  if (run.newest.converged === true) return ['good', 'It has converged.', says];
  if (!run.running) {
    if (objective.state === 'improving')
      says.push('The objective still improved in the newest epochs: more of them may help.');
    return ['', run.state.state === 'done' ? 'No: it is done.' : 'No: it does not run any more.', says];
  }
  const patience = Number(run.option('patience', '0'));
  if (best && patience > 0) says.push(`It ends after ${plural(patience, 'evaluation')} without a better score.`);
  const state = valid.state === 'improving' || objective.state === 'improving' ? 'improving' : objective.state;
  const short = {
    improving: 'Yes.',
    worse: 'No: it gets worse.',
    flat: 'Hardly: no trend is visible.',
    short: 'Too early to say.',
  };
  return [{ improving: 'good', worse: 'bad' }[state] ?? '', short[state], says];
}

function end(run) {
  const { epoch, epochs } = run,
    { seconds } = run.newest,
    left = timeLeft(run),
    each = run.epochSeconds();
  const trained = isNumber(seconds) ? [`${plural(epoch, 'epoch')} in `, duration(seconds), ' of training. '] : [];
  if (!run.running) {
    const whole = run.lastTime - run.firstTime;
    const done = run.state.state === 'done';
    return [
      done ? 'good' : 'bad',
      done
        ? 'It is done.'
        : run.state.checkpoint
          ? 'Not by itself: `rota resume` continues it.'
          : 'Not by itself: `rota resume` begins it again.',
      [...trained, whole > 0 ? `From the first process to the last event: ${duration(whole)}.` : ''],
    ];
  }
  if (left !== null)
    return [
      '',
      `In about ${duration(left)}.`,
      [
        `${plural(epochs - epoch, 'epoch')} of ${number(epochs)} are left, ${duration(each)} each.`,
        Number(run.option('patience', '0')) > 0 ? ' It may end earlier (--patience).' : '',
      ],
    ];
  return [
    '',
    'Not known yet.',
    epochs === 0 ? ['The schedule ends the run when it has converged.'] : ['No two epochs are over.'],
  ];
}

function slow(run) {
  const share = waiting(run),
    lag = straggler(run),
    says = [];
  if (share === null) return ['', 'No epoch is over yet.', []];
  if (lag)
    says.push(
      `${lag.name} computes longest: ${number(lag.ratio, 3)} times the median of the others, `,
      `slowest in ${lag.times} of the last ${lag.of} records. `,
    );
  const memory = run.newest.memory_bytes ?? [];
  if (memory.length) says.push(`The largest worker has ${bytes(Math.max(...memory))} in memory. `);
  says.push(`All workers together sent ${bytes(run.newest.bytes_sent)} in the newest epoch. `);
  if (share > kWaiting && run.newest.workers > 1) says.push('With fewer workers each would wait less.');
  if (lag?.slow)
    return ['warn', `${lag.name} is a straggler.`, [`Workers wait ${percent(share)} of their time. `, ...says]];
  return [share > kWaiting ? 'warn' : 'good', `Workers wait ${percent(share)} of their time.`, says];
}

function died(run) {
  const lost = run.ofKind('lost'),
    back = run.ofKind('rollback');
  if (!run.hasFolder) {
    const missing = run.state.missing ?? [];
    if (missing.length) return ['bad', `${list(missing)} missing.`, []];
    return ['', 'Nothing is missing now.', ['What was lost before is in the events of its folder.']];
  }
  if (lost.length === 0) {
    const silent = run
      .ofKind('unresponsive', 'abandoned', 'fault')
      .map((event) => `${event.role}: ${[event.event, event.why ?? event.what].filter(Boolean).join(', ')}`);
    return silent.length
      ? ['warn', 'No process was lost, but:', [list(silent)]]
      : ['good', 'Nothing.', ['No process was lost.']];
  }
  const names = [...new Set(lost.map((event) => event.role))];
  const recovered =
    run.events.findLastIndex((e) => e.event === 'phase' && e.phase === 'training') > run.events.lastIndexOf(last(lost));
  const says = [`${last(lost).why}. `];
  if (back.length) says.push(`The run went back to ${last(back).to}. `);
  says.push(recovered ? 'It has recovered; the model does not depend on it.' : run.running ? 'It is recovering.' : '');
  return [recovered ? 'warn' : 'bad', `${list(names)} (${plural(lost.length, 'loss', 'losses')}).`, says];
}

// What tells of a run without held-out scores.
function unscored(run) {
  if (run.app === 'pagerank')
    return ['As exact as its last change.', 'Ranks need no held-out data: the schedule has how much an epoch changes.'];
  if (!run.app.startsWith('lasso'))
    return ['Held-out data would tell.', 'The run has no --valid, so nothing says how it does on new data.'];
  return Number(run.option('folds', '0')) > 1
    ? ['Cross-validation tells.', 'The model has the held-out error of each penalty.']
    : ['Cross-validation would tell.', 'The run has no --folds, so nothing says how it does on new data.'];
}

function good(run) {
  const newest = run.newest,
    best = bestValid(run),
    scores = [];
  if (!isNumber(newest.objective)) return ['', 'Not evaluated yet.', []];
  const final = run.state.result ?? newest;
  const apt = /accuracy|rmse|perplexity|auc|ndcg|precision|recall|gap|error$/;
  for (const [name, value] of Object.entries({ ...final.terms, ...newest.schedule }))
    if (apt.test(name) && isNumber(value)) scores.push(`${name} `, figure(value), '; ');
  if (scores.length) (scores.pop(), scores.push('. '));
  const objective = [
    'Objective ',
    figure(final.objective, 9),
    isNumber(final.per_item) ? ' (' : '',
    isNumber(final.per_item) ? figure(final.per_item) : '',
    isNumber(final.per_item) ? ' per item)' : '',
    '. ',
  ];
  const about = [...objective, ...scores];
  if (!best) {
    const [answer, why] = unscored(run);
    return ['', answer, [...about, why]];
  }
  const worse =
    isNumber(newest.valid) && best.since > 2
      ? [`Since epoch ${best.epoch} it has not been better: `, figure(newest.valid), ' now. ']
      : [];
  return [
    worse.length ? '' : 'good',
    ['Held-out score ', figure(best.valid), `, at epoch ${best.epoch}.`],
    [...worse, ...about],
  ];
}

function what(run) {
  const { state } = run,
    name = (path) => path.split('/').filter(Boolean).at(-1) ?? '';
  const inputs = run.option('input').split(',').map(name);
  const counts = [
    plural(state.workers ?? Number(run.option('workers', '0')), 'worker'),
    `${plural(Number(run.option('threads', '1')), 'thread')} each`,
    plural(state.shards ?? Number(run.option('shards', '0')), 'shard'),
  ];
  if (state.slices > 0) counts.push(plural(state.slices, 'slice'));
  const resumes = run.ofKind('resume', 'resume_without_checkpoint');
  const again = resumes.length ? `It was resumed ${plural(resumes.length, 'time')}. ` : '';
  return [
    '',
    `${run.app.split('/').at(-1)} on ${list(inputs)}.`,
    [
      again,
      `${counts.join(', ')}, seed ${run.option('seed', '1')}`,
      state.version ? `, Rota ${state.version}. ` : '. ',
      state.result ? ['Model ', el_hash(state.result.model_hash), '.'] : '',
    ],
  ];
}
const el_hash = (hash) => Object.assign(document.createElement('code'), { textContent: hash });

// [{question, kind: '' | 'good' | 'warn' | 'bad', answer, more: children}]
export function answers(run) {
  const ask = (question, [kind, answer, more]) => ({ question, kind, answer, more: more.flat() });
  return [
    ask('Is it still learning?', learning(run)),
    ask('When will it be done?', end(run)),
    ask('What is slow?', slow(run)),
    ask('What died?', died(run)),
    ask('Is the model good?', good(run)),
    ask('What did I run?', what(run)),
  ];
}

// One sentence about the run as it is now.
export function headline(run) {
  const { epoch, epochs } = run,
    { state, exit, state_text } = run.state,
    lost = run.ofKind('lost').length;
  const losses = lost ? ` ${plural(lost, 'process was', 'processes were')} lost on the way.` : '';
  if (epoch < 0 || (run.records.length === 0 && !run.running)) {
    const why = state_text ? ` (${state_text})` : '';
    return `${run.running ? 'It has begun' : 'It ended'}; no epoch has been evaluated${why}.`;
  }
  const at = `${number(epoch)}${epochs ? ` of ${number(epochs)}` : ''}`;
  if (state === 'done') {
    const early = last(run.ofKind('early_stop'));
    const why = early
      ? `: the held-out score was best at epoch ${early.best_epoch}`
      : run.newest.converged
        ? ': it converged'
        : '';
    return `Done after ${plural(epoch, 'epoch')}${why}.${losses}`;
  }
  if (!run.running) {
    return `${capital(state_text ?? `ended, exit code ${exit}`)}.${losses}`;
  }
  const phase = last(run.ofKind('phase'))?.phase ?? 'training',
    left = timeLeft(run),
    age = checkpointAge(run);
  if (phase !== 'training') return `Epoch ${epoch} is over; the run is ${phase}.${losses}`;
  if (run.state.missing?.length) return `Epoch ${at}; the run waits for ${list(run.state.missing)}.${losses}`;
  const parts = [`Epoch ${at}`, `the objective ${kTrend[trend(run, 'objective').state]}`];
  if (left !== null) parts.push(`about ${duration(left)} left`);
  if (age > kOldCheckpoint) parts.push(`the last checkpoint is ${duration(age)} old`);
  return `${parts.join('; ')}.${losses}`;
}
