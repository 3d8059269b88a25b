// schedule_page.js -- what is updated when, and what travels: rotation, figures of priority schedules, exchanges.
import { bytes, el, figure, isNumber, last, number, plural, sum } from './base.js';
import { chart, columns, positive } from './chart.js';
import { calm, checks, recordsTable, scaleChoice, section, slider } from './parts.js';
import { exchangePart } from './exchange.js';
import { ring, ringNote, travels } from './rotation.js';

// Apps that deal the slices in a new order in every epoch and let as many as there are shards go around at a time.
const kDealtAnew = new Set(['mf']);
const kStepSeconds = 1.2;

export function schedulePage(main, run) {
  const updates = [],
    closers = [];
  const slices = run.state.slices || Number(last(run.ofKind('partitioned'))?.slices ?? 0),
    shards = run.state.shards || Number(run.option('shards', '0'));
  if (slices > 0 && shards > 1) {
    const part = rotationPart(run, shards, slices);
    main.append(part.node);
    updates.push(part.update);
    closers.push(part.close);
  }
  const exchange = exchangePart(run, shards);
  if (exchange) main.append(exchange);
  const figures = figuresPart(run),
    traffic = trafficPart(run);
  main.append(figures.node, traffic.node);
  updates.push(figures.update, traffic.update);
  const update = () => updates.forEach((each) => each());
  update();
  return { update, close: () => closers.forEach((each) => each()) };
}

function rotationPart(run, shards, slices) {
  const dealt = kDealtAnew.has(run.app),
    steps = slices,
    picture = ring(),
    says = el('p', { 'aria-live': 'polite' }),
    facts = el('p', {});
  let time = 0,
    epochAt = null,
    frame = null,
    before = 0,
    hosts = [],
    assignments = run.assignments();
  // Dealt anew: f phases, in each of which a slice stays one step with a shard: a ring of as many slices as shards.
  const around = dealt ? shards : slices;
  const epoch = slider('Epoch', (at) => {
    epochAt = at === run.records.length - 1 ? null : at;
    show();
  });
  const step = slider('Step', (at) => {
    time = at + 0.5;
    show();
  });
  const play = el('button', { type: 'button', onclick: () => (frame === null ? start() : halt()) }, 'Play');
  const next = el(
    'button',
    {
      type: 'button',
      onclick: () => {
        halt();
        advance(1);
      },
    },
    'Next step',
  );
  const travel = recordsTable(
    'What travels in this step, as a table',
    () => [
      { name: 'shard', value: (row) => row.shard },
      { name: dealt ? 'place' : 'slice', value: (row) => row.slice },
      { name: 'hosted by', value: (row) => row.worker },
      { name: 'then to shard', value: (row) => row.to },
      { name: 'hosted by', value: (row) => row.toWorker },
      { name: 'way', value: (row) => (row.far ? 'socket' : 'memory') },
    ],
    () => travels(Math.floor(time), shards, around, hosts),
  );

  const node = section(
    'Rotation',
    facts,
    el(
      'div',
      { class: 'split' },
      el('div', { class: 'ringbox' }, picture.node),
      el('div', {}, el('div', { class: 'controls' }, play, next), epoch.node, step.node, says, ringNote(), travel.node),
    ),
  );
  if (dealt)
    facts.after(
      el(
        'p',
        { class: 'note' },
        `${run.app} deals the slices in a new order in every epoch, and as many as there are shards go around `,
        'at a time; the numbers are places in that order.',
      ),
    );

  function advance(by) {
    time += by;
    if (time >= steps) {
      time -= steps;
      if (epochAt !== null && epochAt < run.records.length - 1) ++epochAt;
    }
    show();
  }
  function start() {
    before = performance.now();
    play.textContent = 'Pause';
    says.removeAttribute('aria-live');
    const move = (now) => {
      if (document.hidden) before = now;
      advance(Math.min(now - before, 100) / 1000 / kStepSeconds);
      before = now;
      frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
  }
  function halt() {
    if (frame !== null) cancelAnimationFrame(frame);
    frame = null;
    play.textContent = 'Play';
    says.setAttribute('aria-live', 'polite');
    time = Math.floor(time) + 0.5;
    show();
  }
  let shown = '';
  function show() {
    const most = run.records.length - 1,
      at = epochAt ?? most,
      record = run.records[at],
      whole = Math.floor(time);
    hosts = (assignments.findLast((entry) => entry.epoch <= (record?.epoch ?? 0)) ?? assignments[0])?.hosts ?? [];
    picture.show(dealt ? time % shards : time, shards, around, hosts);
    const key = `${whole} ${at} ${most}`;
    if (key === shown) return; // the rest changes once a step
    shown = key;
    step.set(whole, steps - 1, `${whole + 1} of ${steps}`);
    if (record) epoch.set(at, most, `${record.epoch}${at === most ? ' (newest)' : ''}`);
    const moves = travels(whole, shards, around, hosts),
      far = moves.filter((move) => move.far).length;
    says.textContent =
      `Step ${whole + 1}: ${plural(shards, 'slice')} computed, one by each shard; then ` +
      `${far} of them ${far === 1 ? 'goes' : 'go'} to another worker, ${shards - far} stay in their worker's memory.`;
    facts.replaceChildren(
      `${plural(slices, 'slice')} of the model, ${plural(shards, 'data shard')}, ${plural(hosts.length, 'worker')}. `,
      `In ${plural(steps, 'step')} every shard has had every slice once: an epoch. `,
      ...(record
        ? [
            `In epoch ${record.epoch} slices of `,
            el('data', { value: record.slice_bytes }, bytes(record.slice_bytes)),
            ' went through sockets.',
          ]
        : []),
    );
    if (frame === null) travel.update();
  }
  time = 0.5;
  if (!calm()) start();
  return {
    node,
    update: () => {
      shown = '';
      assignments = run.assignments();
      show();
    },
    close: () => {
      if (frame !== null) cancelAnimationFrame(frame);
    },
  };
}

function figuresPart(run) {
  const names = () => run.names('schedule').filter((name) => run.has(name));
  const picture = chart('Figures of the schedule'),
    chosen = checks('Figures', () => update());
  const kFirst = [
    'schedule.drawn',
    'schedule.kept',
    'schedule.rejected',
    'schedule.gap',
    'schedule.change_l2',
    'schedule.rows_moved',
  ];
  let log = 'linear';
  const facts = el('p', {});
  const numbers = recordsTable(
    'All figures as a table',
    () => [
      { name: 'epoch', value: (record) => record.epoch },
      ...names().map((name) => ({ name: name.slice(9), value: (record) => record.schedule?.[name.slice(9)] ?? '–' })),
    ],
    () => run.records,
  );
  const node = section(
    'Figures',
    facts,
    el(
      'div',
      { class: 'controls' },
      scaleChoice((value) => {
        log = value;
        update();
      }),
    ),
    picture.node,
    chosen.node,
    numbers.node,
  );
  function update() {
    const all = names();
    node.hidden = all.length === 0;
    if (node.hidden) return;
    const first = kFirst.filter((name) => all.includes(name));
    chosen.set(all, first.length ? first.slice(0, 3) : all.slice(0, 2));
    const given = columns(
      run,
      all.filter((name) => chosen.chosen.has(name)),
      'epochs',
    );
    const { converged } = run.newest,
      total = (name) => figure(sum(run.column(`schedule.${name}`).filter(isNumber)));
    facts.replaceChildren(
      ...[
        all.includes('schedule.drawn')
          ? [
              `In the ${plural(run.records.length, 'epoch')} shown the priority schedule drew `,
              total('drawn'),
              ' variables and kept ',
              total('kept'),
              '; ',
              total('rejected'),
              ' were rejected, because they depend too much on others of their round. ',
            ]
          : [],
        converged === true
          ? 'The schedule has converged.'
          : converged === false
            ? 'The schedule has not converged.'
            : '',
      ].flat(),
    );
    given.log = log === 'log' && positive(given.series);
    picture.update(given);
    numbers.update();
  }
  return { node, update };
}

function trafficPart(run) {
  const picture = chart('Bytes of an epoch'),
    facts = el('p', {});
  const kNames = ['bytes_sent', 'slice_bytes', 'exchange_bytes'];
  const numbers = recordsTable(
    'Bytes as a table',
    () => [
      { name: 'epoch', value: (record) => record.epoch },
      ...kNames.map((name) => ({ name, value: (record) => record[name] ?? '–' })),
    ],
    () => run.records,
  );
  const node = section('What travels', facts, picture.node, numbers.node);
  function update() {
    const { newest } = run,
      exchange = run.option('exchange'),
      used = kNames.filter((name) => name === 'bytes_sent' || run.column(name).some((value) => value > 0));
    const part = (name, text) => (newest[name] > 0 ? [' ', figureBytes(newest[name]), ` ${text}`] : []);
    facts.replaceChildren(
      ...(isNumber(newest.bytes_sent)
        ? [
            `In epoch ${newest.epoch} all workers sent `,
            figureBytes(newest.bytes_sent),
            '.',
            ...part('slice_bytes', 'of it were slices.'),
            ...part('exchange_bytes', `were exchanged between shards${exchange ? ` (--exchange=${exchange})` : ''}.`),
          ]
        : ['No epoch is over yet.']),
    );
    picture.update(columns(run, used, 'epochs', bytes));
    numbers.update();
  }
  const figureBytes = (value) => el('data', { value: String(value), title: `${number(value)} bytes` }, bytes(value));
  return { node, update };
}
