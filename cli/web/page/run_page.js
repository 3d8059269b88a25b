// run_page.js -- a run: what a stranger asks, its figures and curves, its options.
import { bytes, capital, duration, el, figure, isNumber, number, percent, plural, shellWord } from './base.js';
import { answers, checkpointAge, headline, timeLeft, waiting } from './answers.js';
import { chart, columns, positive } from './chart.js';
import { checks, axisChoice, choice, lazyDetails, scaleChoice, recordsTable, section, table } from './parts.js';
import { bestValid, heldOut, rawValueOf } from './run_data.js';

export function runPage(main, run) {
  const says = el('p', { class: 'headline' }),
    progress = el('progress', { 'aria-label': 'Epochs', max: 1 });
  const tiles = el('dl', { class: 'tiles' }),
    questions = el('dl', { class: 'questions' });
  let axis = 'epochs',
    log = 'linear',
    measure = 'objective',
    curves = null;

  const objective = chart('Objective'),
    valid = chart('Held-out score'),
    rate = chart('Items per second'),
    terms = chart('Terms');
  const termChoice = checks('Terms', () => draw());
  const measureChoice = choice(
    'Objective',
    [
      ['objective', 'Objective'],
      ['per_item', 'Per item'],
    ],
    measure,
    (value) => {
      measure = value;
      draw();
    },
  );
  const controls = el(
    'div',
    { class: 'controls' },
    axisChoice((value) => {
      axis = value;
      draw();
    }),
    scaleChoice((value) => {
      log = value;
      draw();
    }),
    measureChoice,
  );
  const note = el('p', { class: 'note' });
  const numbers = recordsTable(
    'All numbers of metrics.jsonl',
    () => metricColumns(run),
    () => run.records,
  );
  const how = lazyDetails('Options', () =>
    table(
      'Options',
      [
        { name: 'Option', value: ([name]) => `--${name}` },
        { name: 'Value', value: ([, value]) => value },
      ],
      Object.entries(run.state.options ?? {}).filter(([, value]) => value !== ''),
    ),
  );
  const problems = el('ul', { class: 'problems' });

  main.append(
    says,
    progress,
    tiles,
    problems,
    section('Questions', questions),
    (curves = section(
      'Curves',
      controls,
      note,
      el('div', { class: 'charts' }, objective.node, valid.node, rate.node, el('div', {}, terms.node, termChoice.node)),
      numbers.node,
    )),
    section('How to repeat it', el('pre', { class: 'command' }, el('code', {}, repeatCommand(run))), how.node),
  );

  function draw() {
    const best = bestValid(run),
      scale = log === 'log',
      noLog = [];
    measureChoice.hidden = !run.has('per_item');
    const show = (picture, names, extra, format) => {
      const given = { ...columns(run, names, axis, format), ...extra };
      picture.node.hidden = !names.some((name) => run.has(name));
      given.log = scale && positive(given.series);
      if (scale && !given.log && !picture.node.hidden)
        noLog.push(picture.node.querySelector('h3').textContent.toLowerCase());
      picture.update(given);
    };
    show(objective, [run.has(measure) ? measure : 'objective'], {});
    const { name, better } = heldOut(run);
    const about = [name?.replace(/^valid_/, ''), better && `${better} is better`].filter(Boolean).join(', ');
    valid.node.querySelector('h3').textContent = `Held-out score${about ? ` (${about})` : ''}`;
    const at = best && run.records.find((record) => record.epoch === best.epoch);
    show(
      valid,
      ['valid'],
      at
        ? { mark: { x: at[axis === 'epochs' ? 'epoch' : 'seconds'], y: at.valid, text: `best: epoch ${best.epoch}` } }
        : {},
    );
    show(rate, ['items_per_second'], {}, undefined);
    const names = run.names('terms').filter((name) => run.has(name));
    termChoice.set(names, names.slice(0, 1));
    termChoice.node.hidden = names.length === 0;
    show(
      terms,
      names.filter((name) => termChoice.chosen.has(name)),
      {},
    );
    terms.node.hidden = names.length === 0;
    const sampled = run.lines.metrics > run.records.length;
    note.replaceChildren(
      noLog.length ? `Not positive, so on a linear scale: ${noLog.join(', ')}. ` : '',
      sampled ? `${number(run.records.length)} of ${number(run.lines.metrics)} records are shown, evenly spaced.` : '',
    );
  }

  function update() {
    const { newest, state } = run,
      left = timeLeft(run),
      age = checkpointAge(run),
      share = waiting(run);
    says.textContent = headline(run);
    progress.hidden = !run.running || !run.epochs || run.epoch < 0;
    progress.value = progress.hidden ? 0 : Math.min(1, run.epoch / run.epochs);
    const tile = (name, value, more) =>
      value !== null &&
      value !== undefined &&
      el('div', {}, el('dt', {}, name), el('dd', {}, value, more ? el('small', {}, more) : ''));
    const of = newest.epochs ? ` of ${number(newest.epochs)}` : '';
    tiles.replaceChildren(
      ...[
        tile('Epoch', figure(newest.epoch), of),
        tile(
          'Objective',
          figure(newest.objective, 7),
          isNumber(newest.per_item) ? [figure(newest.per_item), ' per item'] : '',
        ),
        isNumber(newest.valid) && tile('Held-out score', figure(newest.valid), `best ${number(bestValid(run).valid)}`),
        newest.items_per_second > 0 &&
          tile(
            capital(`${newest.items_unit ?? 'items'} / s`),
            figure(newest.items_per_second, 3),
            `${number(newest.items)} ${newest.items_unit ?? 'items'}`,
          ),
        tile('Training', duration(newest.seconds), left !== null ? `${duration(left)} left` : ''),
        share !== null && tile('Waiting', percent(share), plural(newest.workers, 'worker')),
        tile('Sent per epoch', bytes(newest.bytes_sent)),
        age !== null && tile('Checkpoint', `${duration(Math.max(age, 0))} old`, `epoch ${state.checkpoint.epoch}`),
      ].filter(Boolean),
    );
    tiles.hidden = curves.hidden = run.records.length === 0;
    questions.replaceChildren(
      ...answers(run).map(({ question, kind, answer, more }) =>
        el('div', { class: kind || null }, el('dt', {}, question), el('dd', {}, el('strong', {}, answer), ' ', more)),
      ),
    );
    problems.replaceChildren(...(state.problems ?? []).map((text) => el('li', {}, text)));
    problems.hidden = !problems.children.length;
    draw();
    numbers.update();
  }
  update();
  return { update };
}

function repeatCommand(run) {
  const flags = `${run.option('out', run.state.name)}/flags.txt`;
  return `rota train ${shellWord(run.app)} --flagfile=${shellWord(flags)} --out=NEW-FOLDER`;
}

// A column for every number of a record, named as in the file.
function metricColumns(run) {
  const names = new Set();
  for (const record of run.records)
    for (const [name, value] of Object.entries(record)) {
      if (Array.isArray(value)) continue; // the workers' page has them
      if (value !== null && typeof value === 'object')
        for (const inner of Object.keys(value)) names.add(`${name}.${inner}`);
      else names.add(name);
    }
  return [...names].map((name) => ({
    name,
    value: (record) => {
      const value = rawValueOf(record, name);
      return typeof value === 'boolean' ? String(value) : (value ?? '–');
    },
  }));
}
