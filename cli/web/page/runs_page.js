// runs_page.js -- many runs: a list, and chosen ones compared.
import { day, duration, el, figure, isNumber, number } from './base.js';
import { chart } from './chart.js';
import { axisChoice, scaleChoice, section, select, table } from './parts.js';
import { RunData } from './run_data.js';

const withoutClock = (key, value) => (key === 'now' ? undefined : value);
const kNumbers = new Set(['epoch', 'objective', 'valid', 'seconds']); // columns of the list
const kAtFirst = 4,
  kRefresh = 5000;

export function runsPage(main, source, { runs, left_out = [], compare = false }, hash) {
  const chosen = new Set(),
    loaded = new Map();
  let order = 'changed',
    down = true,
    axis = 'epochs',
    log = 'linear';
  const find = el('input', {
    type: 'search',
    placeholder: 'Filter by name or app',
    'aria-label': 'Filter runs',
    oninput: () => drawList(),
  });
  const body = el('tbody', {}),
    head = el('tr', {}),
    count = el('p', { class: 'note', role: 'status' }),
    omitted = el('ul', { class: 'problems' });
  const kColumns = [
    ['name', 'Run'],
    ['app', 'App'],
    ['state', 'State'],
    ['epoch', 'Epoch'],
    ['objective', 'Objective'],
    ['valid', 'Held-out'],
    ['seconds', 'Training'],
    ['started', 'Started'],
    ['model_hash', 'Model'],
  ];
  const list = section(
    'Runs',
    el('div', { class: 'controls' }, find),
    count,
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs' },
      el('table', { class: 'runs' }, el('thead', {}, head), body),
    ),
    omitted,
  );
  const measure = select('Curve', () => drawPicture()),
    picture = chart('Comparison', 300),
    note = el('p', { class: 'note', 'aria-live': 'polite' });
  const differ = el('div', {}),
    comparison = section(
      'Comparison',
      el(
        'div',
        { class: 'controls' },
        measure.node,
        axisChoice((value) => {
          axis = value;
          drawPicture();
        }),
        scaleChoice((value) => {
          log = value;
          drawPicture();
        }),
      ),
      note,
      picture.node,
      differ,
    );
  main.append(list, comparison);

  function drawList() {
    const wanted = find.value.toLowerCase();
    const found = runs
      .filter((run) => `${run.name} ${run.app}`.toLowerCase().includes(wanted))
      .sort((a, b) => {
        const [x, y] = [a[order], b[order]],
          sign = down ? -1 : 1;
        if (x === y) return a.name < b.name ? -1 : 1;
        if (x === undefined || x === null) return 1;
        if (y === undefined || y === null) return -1;
        return sign * (isNumber(x) && isNumber(y) ? x - y : String(x).localeCompare(String(y)));
      });
    count.textContent = `${found.length} of ${runs.length} runs. Tick runs to compare them below.`;
    omitted.replaceChildren(...left_out.map((text) => el('li', {}, text)));
    head.replaceChildren(
      el('td', {}),
      ...kColumns.map(([key, text]) =>
        el(
          'th',
          {
            scope: 'col',
            class: kNumbers.has(key) ? 'n' : null,
            'aria-sort': order === key ? (down ? 'descending' : 'ascending') : null,
          },
          el(
            'button',
            {
              type: 'button',
              onclick: () => {
                down = order === key ? !down : !['name', 'app', 'state'].includes(key);
                order = key;
                drawList();
              },
            },
            text,
          ),
        ),
      ),
    );
    body.replaceChildren(
      ...found.map((run) =>
        el(
          'tr',
          {},
          el(
            'td',
            {},
            el('input', {
              type: 'checkbox',
              checked: chosen.has(run.name),
              'aria-label': `Compare ${run.name}`,
              onchange: (event) => pick(run.name, event.target.checked),
            }),
          ),
          el('th', { scope: 'row' }, el('a', { href: hash('run', run.name, 'run') }, run.name)),
          el('td', { title: run.app }, (run.app ?? '').split('/').at(-1)),
          el('td', {}, el('span', { class: `state ${run.state}` }, run.state)),
          el('td', { class: 'n' }, figure(run.epoch), run.epochs ? ` / ${number(run.epochs)}` : ''),
          el('td', { class: 'n' }, figure(run.objective, 8)),
          el('td', { class: 'n' }, figure(run.valid)),
          el('td', { class: 'n' }, duration(run.seconds)),
          el('td', {}, isNumber(run.started) ? day(run.started).slice(0, -3) : ''),
          el('td', {}, run.model_hash ? el('code', { title: run.model_hash }, run.model_hash.slice(0, 8)) : ''),
        ),
      ),
    );
  }

  async function pick(name, yes) {
    if (yes) chosen.add(name);
    else chosen.delete(name);
    await drawComparison();
  }
  async function drawComparison() {
    if ([...chosen].some((name) => !loaded.has(name))) note.textContent = 'Loading …';
    for (const name of chosen) {
      if (loaded.has(name) && !loaded.get(name).running) continue;
      try {
        loaded.set(name, new RunData(await source.run(name)));
      } catch (error) {
        chosen.delete(name);
        note.textContent = `${name}: ${error.message}`;
      }
    }
    comparison.hidden = chosen.size === 0;
    const all = [...chosen].map((name) => loaded.get(name)).filter(Boolean);
    const names = [
      'objective',
      'per_item',
      'valid',
      'items_per_second',
      'bytes_sent',
      'waiting',
      ...new Set(all.flatMap((run) => [...run.names('terms'), ...run.names('schedule')])),
    ];
    measure.set(names.filter((name) => all.some((run) => run.has(name))));
    drawPicture();
    drawTable(all);
  }

  function drawPicture() {
    const name = measure.value || 'objective',
      key = axis === 'epochs' ? 'epoch' : 'seconds';
    const all = [...chosen].map((each) => loaded.get(each)).filter((run) => run?.has(name));
    const x = [...new Set(all.flatMap((run) => run.records.map((record) => record[key])))].sort((a, b) => a - b),
      place = new Map(x.map((value, i) => [value, i]));
    const series = all.map((run) => {
      const column = run.column(name),
        at = new Map(run.records.map((record, i) => [place.get(record[key]), column[i]]));
      // Not this run's epoch: undefined, which the curve passes over; null is a gap.
      return { label: run.state.name, values: x.map((_, i) => at.get(i)) };
    });
    const scale =
      log === 'log' &&
      series.every(({ values }) => values.every((value) => value === undefined || value === null || value > 0)) &&
      series.length > 0;
    note.textContent = log === 'log' && !scale ? 'Not positive, so on a linear scale.' : '';
    picture.update({ x, xName: axis === 'epochs' ? 'epoch' : 'second', series, log: scale });
  }

  // Scores, and the options that differ.
  function drawTable(all) {
    const options = [...new Set(all.flatMap((run) => Object.keys(run.state.options ?? {})))].filter(
      (name) => name !== 'out' && new Set(all.map((run) => run.option(name))).size > 1,
    );
    const terms = [...new Set(all.flatMap((run) => run.names('terms')))].map((name) => name.slice(6));
    const final = (run) => run.state.result ?? run.newest;
    const line = (name, value) => ({ name, value });
    const hashes = all.map((run) => run.state.result?.model_hash);
    const rows = [
      line('app', (run) => run.app),
      line('state', (run) => run.state.state),
      line('epochs', (run) => run.newest.epoch),
      line('seconds of training', (run) => final(run).seconds),
      line('objective', (run) => final(run).objective),
      line('held-out score', (run) => final(run).valid),
      ...terms.map((name) => line(name, (run) => final(run).terms?.[name])),
      line('model hash', (run) => run.state.result?.model_hash),
      ...options.map((name) => line(`--${name}`, (run) => run.option(name))),
    ];
    differ.replaceChildren(
      el('h3', {}, 'Scores, and options that differ'),
      table(
        'Scores, and options that differ',
        [
          { name: 'Measure', value: (row) => row.name },
          ...all.map((run) => ({ name: run.state.name, value: (row) => row.value(run) ?? '–' })),
        ],
        rows,
      ),
      el(
        'p',
        { class: 'note' },
        all.length > 1 && hashes.every((value) => value && value === hashes[0])
          ? 'All have the same model hash: the same model, bit for bit.'
          : '',
      ),
    );
  }

  async function refresh() {
    if (document.hidden || !source.live) return;
    try {
      const before = JSON.stringify(runs, withoutClock);
      ({ runs, left_out = [] } = await source.runs());
      if (JSON.stringify(runs, withoutClock) === before) return;
      if (!body.contains(document.activeElement)) drawList();
      if ([...chosen].some((name) => loaded.get(name)?.running)) await drawComparison();
    } catch {
      /* the next one may answer */
    }
  }
  const timer = setInterval(refresh, kRefresh);
  // The newest runs of one app are what is most often compared.
  const newest = [...runs].sort((a, b) => (b.changed ?? 0) - (a.changed ?? 0));
  const first = compare ? runs : newest.filter((each) => each.app === newest[0]?.app).slice(0, kAtFirst);
  for (const run of first) chosen.add(run.name);
  drawList();
  drawComparison();
  return { update: () => {}, close: () => clearInterval(timer) };
}
