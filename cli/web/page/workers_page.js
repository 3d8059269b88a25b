// workers_page.js -- where the workers' time goes, who is slow, who joined and was lost, who hosts which shards.
import { bytes, duration, el, figure, isNumber, last, number, percent, sum, svg } from './base.js';
import { straggler, waiting } from './answers.js';
import { chart, columns, swatch } from './chart.js';
import { heatMap } from './heat_map.js';
import { choice, recordsTable, section, select, table } from './parts.js';
import { perWorkerTotals, timeParts } from './run_data.js';
import { membershipRows, timeline } from './timeline.js';

const kAll = 'all workers';
const kCurves = 8; // of workers; of more than these the largest, the median and the smallest

export function workersPage(main, run) {
  const says = el('p', { class: 'headline' }),
    lanes = timeline(run);
  const worker = select('Worker', () => draw());
  let unit = 'share',
    span = '20',
    parts = 'both',
    measure = 'compute';
  const shares = chart('Where the time goes', 240),
    sent = chart('Bytes sent', 240),
    memory = chart('Memory', 240);
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
      el('div', { class: 'charts' }, shares.node, memory.node, sent.node),
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
            ['both', 'All parts'],
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
    const kinds = timeParts(run),
      times = kinds.map(([field]) => run.records.map((record) => value(record, field))),
      totals = run.records.map((_, i) => sum(times.map((values) => values[i] ?? 0)));
    const shown =
      unit === 'seconds'
        ? times
        : times.map((values) => values.map((v, i) => (isNumber(times[0][i]) ? v / (totals[i] || 1) : null)));
    const format = unit === 'seconds' ? duration : percent;
    shares.update({
      x: run.records.map((record) => record.epoch),
      xName: 'epoch',
      stacked: true,
      range: unit === 'share' ? [0, 1] : undefined,
      series: kinds.map(([, label, heat], i) => ({ label, heat, values: shown[i], format })),
    });
    memory.node.hidden = !run.records.some((record) => record.memory_bytes);
    memory.update({
      x: run.records.map((record) => record.epoch),
      xName: 'epoch',
      series: memorySeries(names, at, assignments),
    });
    sent.update(
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
    const spent = kinds.map(([field]) => perWorkerTotals(records, field, names.length)),
      compute = spent[0],
      all = names.map((_, i) => sum(spent.map((values) => values[i])));
    const drawn = parts === 'both' ? spent : [compute],
      most = Math.max(...(parts === 'both' ? all : compute), 1e-12),
      hosts = new Map(
        (last(assignments)?.hosts ?? []).map(([name, a, b]) => [name, a === b ? `${a}` : `${a} to ${b}`]),
      );
    const lag = straggler(run),
      peaks = run.state.result?.peak_memory_bytes ?? {};
    bars.replaceChildren(
      el(
        'ul',
        { class: 'legend' },
        kinds.map(([, text, heat], i) => el('li', {}, swatch(i, heat), text)),
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
            ...drawn.map((values, part) =>
              svg('rect', {
                class: `heat${kinds[part][2]}`,
                x: `${(100 * sum(drawn.slice(0, part).map((before) => before[i]))) / most}%`,
                width: `${(100 * values[i]) / most}%`,
                height: 14,
              }),
            ),
          ),
          el('span', { class: 'n' }, percent(compute[i] / (all[i] || 1))),
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
          ...kinds.map(([, name], part) => ({
            name: `${name[0].toUpperCase()}${name.slice(1)} (s)`,
            value: (i) => el('span', { class: 'n' }, figure(spent[part][i], 4)),
          })),
          { name: 'Compute share', value: (i) => percent(compute[i] / (all[i] || 1)) },
          { name: 'Times slowest', value: (i) => records.filter((record) => record.slowest === names[i]).length },
          { name: 'Host', value: (i) => joined.get(names[i])?.host ?? '' },
          { name: 'Process', value: (i) => String(joined.get(names[i])?.pid ?? '') },
          ...(run.newest.memory_bytes
            ? [{ name: 'Memory', value: (i) => figureOf(run.newest.memory_bytes[i]) }]
            : []),
          ...(run.newest.peak_memory_bytes || Object.keys(peaks).length
            ? [{ name: 'Peak memory', value: (i) => figureOf(run.newest.peak_memory_bytes?.[i] ?? peaks[names[i]]) }]
            : []),
        ],
        names.map((_, i) => i),
      ),
    );
    heat.update(run, names, measure, assignments);
  }
  // Of the worker that is chosen, of each if they are few, or the largest, the median and the smallest.
  function memorySeries(names, at, assignments) {
    const orders = run.records.map((record) => run.workerNames(record, assignments));
    const series = (label, of) => ({
      label,
      values: run.records.map((record, i) => (record.memory_bytes ? (of(record.memory_bytes, orders[i]) ?? null) : null)),
      format: bytes,
    });
    const ofWorker = (name) => series(name, (values, order) => values[order.indexOf(name)]);
    if (at >= 0) return [ofWorker(names[at])];
    if (names.length <= kCurves) return names.map(ofWorker);
    const ranked = (label, share) =>
      series(label, (values) => [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))]);
    return [ranked('largest', 1), ranked('median', 0.5), ranked('smallest', 0)];
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
    ...(run.records.some((record) => record.wire_seconds) ? each('wire_seconds', 'wire_seconds') : []),
    ...each('wait_seconds', 'wait_seconds'),
    ...(run.records.some((record) => record.memory_bytes) ? each('memory_bytes', 'memory_bytes') : []),
  ];
}
