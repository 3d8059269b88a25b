// workers_page.js -- where the workers' time goes, who is slow, who joined and was lost, who hosts which shards.
import { bytes, duration, el, figure, isNumber, last, number, percent, sum, svg } from './base.js';
import { straggler, waiting } from './answers.js';
import { chart, columns, swatch } from './chart.js';
import { heatMap } from './heat_map.js';
import { choice, recordsTable, section, select, table } from './parts.js';
import { perWorkerTotals } from './run_data.js';
import { membershipRows, timeline } from './timeline.js';

const kAll = 'all workers';

export function workersPage(main, run) {
  const says = el('p', { class: 'headline' }),
    lanes = timeline(run);
  const worker = select('Worker', () => draw());
  let unit = 'share',
    span = '20',
    parts = 'both',
    measure = 'compute';
  const shares = chart('Compute and wait', 240),
    wire = chart('Bytes sent', 240);
  const bars = el('div', { class: 'bars' }),
    everyone = el('div', {}),
    heat = heatMap();
  const moves = recordsTable(
    'Joins, losses and recoveries as a table',
    () => [
      { name: 'seconds', value: (row) => row.after },
      { name: 'event', value: (row) => row.event },
      { name: 'process', value: (row) => row.role },
      { name: 'what', value: (row) => row.what },
    ],
    () => membershipRows(run),
  );
  const numbers = recordsTable(
    'Numbers of each epoch',
    () => workerColumns(run),
    () => run.records,
  );

  const timeSection = section('Time line', lanes.node, moves.node);

  main.append(
    says,
    timeSection,
    section(
      'Over the epochs',
      el(
        'div',
        { class: 'controls' },
        worker.node,
        choice(
          'Unit',
          [
            ['share', 'Shares'],
            ['seconds', 'Seconds'],
          ],
          unit,
          (value) => {
            unit = value;
            draw();
          },
        ),
      ),
      el('div', { class: 'charts' }, shares.node, wire.node),
      numbers.node,
    ),
    section(
      'Each worker',
      el(
        'div',
        { class: 'controls' },
        choice(
          'Records',
          [
            ['1', 'Newest epoch'],
            ['20', 'Last 20'],
            ['all', 'Whole run'],
          ],
          span,
          (value) => {
            span = value;
            draw();
          },
        ),
        choice(
          'Bars',
          [
            ['both', 'Compute and wait'],
            ['compute', 'Compute only'],
          ],
          parts,
          (value) => {
            parts = value;
            draw();
          },
        ),
      ),
      bars,
      everyone,
    ),
    section(
      'Workers by epochs',
      el(
        'div',
        { class: 'controls' },
        choice(
          'Measure',
          [
            ['compute', 'Compute, next to the mean'],
            ['wait', 'Share of waiting'],
          ],
          measure,
          (value) => {
            measure = value;
            draw();
          },
        ),
      ),
      heat.node,
    ),
  );

  function draw() {
    const names = run.workerNames(run.newest),
      at = names.indexOf(worker.value),
      assignments = run.assignments();
    worker.set([kAll, ...names]);
    const value = (record, field) => {
      if (!record[field]) return null;
      if (at < 0) return sum(record[field]);
      const mine = run.workerNames(record, assignments).indexOf(worker.value);
      return record[field][mine] ?? null;
    };
    const pair = ['compute_seconds', 'wait_seconds'].map((field) => run.records.map((record) => value(record, field)));
    const shown =
      unit === 'seconds'
        ? pair
        : pair.map((values) =>
            values.map((v, i) => (isNumber(pair[0][i]) ? v / (pair[0][i] + pair[1][i] || 1) : null)),
          );
    const format = unit === 'seconds' ? duration : percent;
    shares.update({
      x: run.records.map((record) => record.epoch),
      xName: 'epoch',
      stacked: true,
      range: unit === 'share' ? [0, 1] : undefined,
      series: [
        { label: 'compute', values: shown[0], format },
        { label: 'wait', values: shown[1], format },
      ],
    });
    wire.update(
      columns(
        run,
        ['bytes_sent', 'slice_bytes', 'exchange_bytes'].filter(
          (name) => name === 'bytes_sent' || run.column(name).some((v) => v > 0),
        ),
        'epochs',
        bytes,
      ),
    );

    const records = (span === 'all' ? run.records : run.records.slice(-Number(span))).filter(
      (record) => record.compute_seconds?.length === names.length,
    );
    const compute = perWorkerTotals(records, 'compute_seconds', names.length),
      wait = perWorkerTotals(records, 'wait_seconds', names.length);
    const drawn = parts === 'both' ? wait : wait.map(() => 0),
      most = Math.max(...compute.map((v, i) => v + drawn[i]), 1e-12),
      hosts = new Map(
        (last(assignments)?.hosts ?? []).map(([name, a, b]) => [name, a === b ? `${a}` : `${a} to ${b}`]),
      );
    const lag = straggler(run),
      memory = run.state.result?.peak_memory_bytes ?? {};
    bars.replaceChildren(
      el(
        'ul',
        { class: 'legend' },
        ['compute', 'wait'].map((text, i) => el('li', {}, swatch(i, true), text)),
      ),
      ...names.map((name, i) =>
        el(
          'div',
          { class: 'row' },
          el(
            'span',
            { class: lag?.slow && lag.name === name ? 'name slow' : 'name' },
            name,
            lag?.slow && lag.name === name ? ' · straggler' : '',
          ),
          svg(
            'svg',
            { height: 14, 'aria-hidden': 'true' },
            svg('rect', { class: 'heat3', width: `${(100 * compute[i]) / most}%`, height: 14 }),
            svg('rect', {
              class: 'heat1',
              x: `${(100 * compute[i]) / most}%`,
              width: `${(100 * drawn[i]) / most}%`,
              height: 14,
            }),
          ),
          el('span', { class: 'n' }, percent(compute[i] / (compute[i] + wait[i] || 1))),
        ),
      ),
    );
    bars.classList.toggle('many', names.length > 24);
    const joined = new Map(run.ofKind('joined').map((event) => [event.role, event]));
    everyone.replaceChildren(
      table(
        'Each worker',
        [
          { name: 'Worker', value: (i) => names[i] },
          { name: 'Shards', value: (i) => hosts.get(names[i]) ?? '' },
          { name: 'Compute (s)', value: (i) => el('span', { class: 'n' }, figure(compute[i], 4)) },
          { name: 'Wait (s)', value: (i) => el('span', { class: 'n' }, figure(wait[i], 4)) },
          { name: 'Compute share', value: (i) => percent(compute[i] / (compute[i] + wait[i] || 1)) },
          { name: 'Times slowest', value: (i) => records.filter((record) => record.slowest === names[i]).length },
          { name: 'Host', value: (i) => joined.get(names[i])?.host ?? '' },
          { name: 'Process', value: (i) => String(joined.get(names[i])?.pid ?? '') },
          ...(Object.keys(memory).length ? [{ name: 'Peak memory', value: (i) => figureOf(memory[names[i]]) }] : []),
        ],
        names.map((_, i) => i),
      ),
    );
    heat.update(run, names, measure, assignments);
  }
  const figureOf = (value) => (isNumber(value) ? el('data', { value }, bytes(value)) : '');

  function update() {
    const lag = straggler(run),
      share = waiting(run),
      times = lag ? `${number(lag.ratio, 3)} times` : '';
    says.replaceChildren(
      ...(share === null
        ? ['No epoch is over yet.']
        : [
            `Workers wait ${percent(share)} of their time. `,
            !lag
              ? ''
              : lag.slow
                ? `${lag.name} is a straggler: it computes ${times} the median of the others.`
                : `No steady straggler: ${lag.name} computed longest lately, ${times} the median of the others, ` +
                  `and was slowest in ${lag.times} of ${lag.of} records.`,
          ]),
    );
    timeSection.hidden = run.events.length === 0;
    lanes.update();
    moves.update();
    numbers.update();
    draw();
  }
  update();
  return { update, theme: draw };
}

function workerColumns(run) {
  const count = Math.max(0, ...run.records.map((record) => record.compute_seconds?.length ?? 0));
  const each = (field, title) =>
    Array.from({ length: count }, (_, i) => ({ name: `${title}[${i}]`, value: (record) => record[field]?.[i] ?? '' }));
  return [
    { name: 'epoch', value: (record) => record.epoch },
    { name: 'slowest', value: (record) => record.slowest ?? '' },
    { name: 'waiting', value: (record) => record.waiting ?? '' },
    { name: 'bytes_sent', value: (record) => record.bytes_sent ?? '' },
    ...each('compute_seconds', 'compute_seconds'),
    ...each('wait_seconds', 'wait_seconds'),
  ];
}
