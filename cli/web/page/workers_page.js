// workers_page.js -- where the workers' time goes, who is slow, who joined and was lost, who hosts which shards.
import { bytes, duration, el, figure, isNumber, last, number, percent, sum, svg } from './base.js';
import { straggler, waiting } from './answers.js';
import { chart, columns, currentTheme, swatch } from './chart.js';
import { choice, recordsTable, section, select, table } from './parts.js';
import { byNumber, perWorkerTotals } from './run_data.js';
import { membershipRows, timeline } from './timeline.js';

const kAll = 'all workers';

export function workersPage(main, run) {
  const says = el('p', { class: 'headline' }), times = timeline(run);
  const worker = select('Worker', () => draw());
  let unit = 'share', span = '20', measure = 'compute';
  const shares = chart('Compute and wait', 240), wire = chart('Bytes sent', 240);
  const bars = el('div', { class: 'bars' }), everyone = el('div', {}), heat = heatMap();
  const moves = recordsTable('Joins, losses and recoveries as a table', () => [{ name: 'seconds', value: (row) => row.after }, { name: 'event', value: (row) => row.event },
    { name: 'process', value: (row) => row.role }, { name: 'what', value: (row) => row.what }], () => membershipRows(run));
  const numbers = recordsTable('Numbers of each epoch', () => workerColumns(run), () => run.records);

  main.append(says,
    section('Time line', times.node, moves.node),
    section('Over the epochs', el('div', { class: 'controls' }, worker.node, choice('Unit', [['share', 'Shares'], ['seconds', 'Seconds']], unit, (value) => { unit = value; draw(); })),
      el('div', { class: 'charts' }, shares.node, wire.node), numbers.node),
    section('Each worker', el('div', { class: 'controls' }, choice('Records', [['1', 'Newest epoch'], ['20', 'Last 20'], ['all', 'Whole run']], span, (value) => { span = value; draw(); })),
      bars, everyone),
    section('Workers by epochs', el('div', { class: 'controls' }, choice('Measure', [['compute', 'Compute, next to the mean'], ['wait', 'Share of waiting']], measure, (value) => { measure = value; draw(); })), heat.node));

  function draw() {
    const names = run.workerNames(run.newest), at = names.indexOf(worker.value), assignments = run.assignments();
    worker.set([kAll, ...names]);
    const value = (record, field) => {
      if (!record[field]) return null;
      if (at < 0) return sum(record[field]);
      const mine = run.workerNames(record, assignments).indexOf(worker.value);
      return record[field][mine] ?? null;
    };
    const pair = ['compute_seconds', 'wait_seconds'].map((field) => run.records.map((record) => value(record, field)));
    const shown = unit === 'seconds' ? pair : pair.map((values) => values.map((v, i) => (isNumber(pair[0][i]) ? v / ((pair[0][i] + pair[1][i]) || 1) : null)));
    const format = unit === 'seconds' ? duration : percent;
    shares.update({ x: run.records.map((record) => record.epoch), xName: 'epoch', stacked: true, range: unit === 'share' ? [0, 1] : undefined,
      series: [{ label: 'compute', values: shown[0], format }, { label: 'wait', values: shown[1], format }] });
    wire.update(columns(run, ['bytes_sent', 'slice_bytes', 'exchange_bytes'].filter((name) => name === 'bytes_sent' || run.column(name).some((v) => v > 0)), 'epochs', bytes));

    const records = (span === 'all' ? run.records : run.records.slice(-Number(span))).filter((record) => record.compute_seconds?.length === names.length);
    const compute = perWorkerTotals(records, 'compute_seconds', names.length), wait = perWorkerTotals(records, 'wait_seconds', names.length);
    const most = Math.max(...compute.map((v, i) => v + wait[i]), 1e-12), hosts = new Map((last(assignments)?.hosts ?? []).map(([name, a, b]) => [name, a === b ? `${a}` : `${a} to ${b}`]));
    const lag = straggler(run), memory = run.state.result?.peak_memory_bytes ?? {};
    bars.replaceChildren(el('ul', { class: 'legend' }, ['compute', 'wait'].map((text, i) => el('li', {}, swatch(i, true), text))),
      ...names.map((name, i) => el('div', { class: 'row' }, el('span', { class: lag?.slow && lag.name === name ? 'name slow' : 'name' }, name, lag?.slow && lag.name === name ? ' · straggler' : ''),
        svg('svg', { height: 14, 'aria-hidden': 'true' }, svg('rect', { class: 'heat3', width: `${100 * compute[i] / most}%`, height: 14 }), svg('rect', { class: 'heat1', x: `${100 * compute[i] / most}%`, width: `${100 * wait[i] / most}%`, height: 14 })),
        el('span', { class: 'n' }, percent(compute[i] / ((compute[i] + wait[i]) || 1))))));
    bars.classList.toggle('many', names.length > 24);
    const joined = new Map(run.ofKind('joined').map((event) => [event.role, event]));
    everyone.replaceChildren(table('Each worker', [{ name: 'Worker', value: (i) => names[i] }, { name: 'Shards', value: (i) => hosts.get(names[i]) ?? '' },
      { name: 'Compute (s)', value: (i) => el('span', { class: 'n' }, figure(compute[i], 4)) }, { name: 'Wait (s)', value: (i) => el('span', { class: 'n' }, figure(wait[i], 4)) }, { name: 'Compute share', value: (i) => percent(compute[i] / ((compute[i] + wait[i]) || 1)) },
      { name: 'Times slowest', value: (i) => records.filter((record) => record.slowest === names[i]).length },
      { name: 'Host', value: (i) => joined.get(names[i])?.host ?? '' }, { name: 'Process', value: (i) => String(joined.get(names[i])?.pid ?? '') },
      ...(Object.keys(memory).length ? [{ name: 'Peak memory', value: (i) => figureOf(memory[names[i]]) }] : [])], names.map((_, i) => i)));
    heat.update(run, names, measure, assignments);
  }
  const figureOf = (value) => (isNumber(value) ? el('data', { value }, bytes(value)) : '');

  function update() {
    const lag = straggler(run), share = waiting(run);
    says.replaceChildren(...(share === null ? ['No epoch is over yet.'] : [`Workers wait ${percent(share)} of their time. `,
      !lag ? '' : lag.slow ? `${lag.name} is a straggler: it computes ${number(lag.ratio, 3)} times as long as the median of the others.` : `No straggler: ${lag.name} computes longest, ${number(lag.ratio, 3)} times the median of the others.`]));
    times.update();
    moves.update();
    numbers.update();
    draw();
  }
  update();
  return { update, theme: draw };
}

function workerColumns(run) {
  const count = Math.max(0, ...run.records.map((record) => record.compute_seconds?.length ?? 0));
  const each = (field, title) => Array.from({ length: count }, (_, i) => ({ name: `${title}[${i}]`, value: (record) => record[field]?.[i] ?? '' }));
  return [{ name: 'epoch', value: (record) => record.epoch }, { name: 'slowest', value: (record) => record.slowest ?? '' }, { name: 'waiting', value: (record) => record.waiting ?? '' },
    { name: 'bytes_sent', value: (record) => record.bytes_sent ?? '' }, ...each('compute_seconds', 'compute_seconds'), ...each('wait_seconds', 'wait_seconds')];
}

// Workers by epochs: one row a worker, a column for one or several epochs, darker for more.
function heatMap() {
  const canvas = el('canvas', { 'aria-hidden': 'true' }), readout = el('p', { class: 'readout' }), legend = el('ul', { class: 'legend' });
  const node = el('figure', { class: 'chart' }, el('figcaption', {}, legend), canvas, readout);
  let cells = null;
  canvas.addEventListener('pointermove', (event) => {
    if (!cells) return;
    const { names, columns, left, high, wide } = cells, row = Math.floor(event.offsetY / high), at = Math.floor((event.offsetX - left) / wide);
    const column = columns[at];
    if (names[row] && column) readout.textContent = `${names[row]}, epoch ${column.from === column.to ? column.from : `${column.from} to ${column.to}`}: ${cells.text(column.values[row])}`;
  });
  function update(run, names, measure, assignments) {
    const theme = currentTheme(), width = node.clientWidth || 300, left = 74, high = names.length > 24 ? 9 : 18;
    const most = Math.max(1, Math.floor((width - left) / 3)), records = run.records.filter((record) => record.compute_seconds?.length), per = Math.ceil(records.length / most) || 1;
    const value = measure === 'compute'
      ? (record, i) => record.compute_seconds[i] / (sum(record.compute_seconds) / record.compute_seconds.length)
      : (record, i) => record.wait_seconds[i] / (record.wait_seconds[i] + record.compute_seconds[i]);
    const columns = [];
    for (let at = 0; at < records.length; at += per) {
      const group = records.slice(at, at + per).map((record) => ({ record, order: run.workerNames(record, assignments) }));
      columns.push({ from: group[0].record.epoch, to: last(group).record.epoch, values: names.map((name) => {
        const values = group.filter(({ order }) => order.includes(name)).map(({ record, order }) => value(record, order.indexOf(name))).filter(isNumber);
        return values.length ? sum(values) / values.length : null;
      }) });
    }
    const bounds = measure === 'compute' ? [0.75, 1.1, 1.25, 1.5] : [0.2, 0.4, 0.6, 0.8], text = measure === 'compute' ? (v) => `${number(v, 3)} times the mean` : percent;
    const level = (v) => bounds.filter((bound) => v >= bound).length, wide = (width - left) / Math.max(columns.length, 1);
    const ratio = devicePixelRatio, height = names.length * high;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const ctx = canvas.getContext('2d');
    ctx.scale(ratio, ratio);
    ctx.font = `${Math.min(high, 12)}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    names.forEach((name, row) => {
      ctx.fillStyle = theme.soft;
      if (high > 9 || row % 4 === 0) ctx.fillText(name, 0, row * high + high / 2, left - 6);
      columns.forEach(({ values }, at) => {
        if (values[row] === null) return;
        ctx.fillStyle = theme.heat[level(values[row])];
        ctx.fillRect(left + at * wide, row * high, Math.max(wide - (wide > 4 ? 1 : 0), 0.5), high - 1);
      });
    });
    cells = { names, columns, left, high, wide, text };
    legend.replaceChildren(...theme.heat.map((_, i) => el('li', {}, svg('svg', { class: `swatch heat${i}`, width: 22, height: 10, 'aria-hidden': 'true' }, svg('rect', { width: 22, height: 10 })),
      i === 0 ? `below ${boundText(bounds[0])}` : i === 4 ? `from ${boundText(bounds[3])}` : `from ${boundText(bounds[i - 1])}`)));
    function boundText(bound) { return measure === 'compute' ? number(bound) : percent(bound); }
    if (!readout.textContent) readout.textContent = columns.length ? 'Point at a cell to read it; the table above has the sums.' : 'No epoch is over yet.';
  }
  return { node, update };
}
