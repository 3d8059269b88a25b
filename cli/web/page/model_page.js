// model_page.js -- the model as tables, once the run has written its text, or of its newest checkpoint when asked for;
// a table of points (columns x and y) as a map too.
import { el, isNumber, number, svg } from './base.js';
import { section, table } from './parts.js';

const kMostRows = 200; // of a table that the server gives
const kMostBars = 6; // columns of a table that gets bars
// Text files without a line of names, by the README.txt beside them.
const kNames = { 'topics.txt': ['topic', 'alpha', 'tokens', 'words'] };

export function modelPage(main, run, source) {
  const body = el('div', {}, el('p', { class: 'note' }, 'Loading …'));
  const fresh = el('button', { type: 'button', onclick: () => show(true) }, 'Show the model of the newest checkpoint');
  const state = el('p', { class: 'note', role: 'status' });
  const asking = el('div', { class: 'controls', hidden: true }, fresh, state);
  main.append(asking, body);
  let asked = '';
  const says = (text) => body.replaceChildren(el('p', { class: 'note' }, text));
  async function show(isFresh) {
    if (isFresh) state.textContent = 'Reading the checkpoint …';
    fresh.disabled = isFresh;
    try {
      const { epoch, tables = [] } = await source.model(run.state.name, isFresh);
      asking.hidden = !source.live || (tables.length > 0 && !isFresh);
      if (isFresh) state.textContent = isNumber(epoch) ? `Epoch ${epoch}. The run goes on as before.` : '';
      if (tables.length) body.replaceChildren(...pictures(tables), ...hints(run.state.app));
      else if (run.running) says('The text of the model is written when the run is done.');
      else says('This run has no tables of its model. `rota show` prints it.');
    } catch (error) {
      if (isFresh) state.textContent = error.message;
      else says(error.message);
    }
    fresh.disabled = false;
  }
  async function update() {
    if (asked === run.state.state) return; // the text of a model is there when the run is done
    asked = run.state.state;
    if (!run.hasFolder) return says('The text of a model is in the folder of its run: `rota web DIR` shows it.');
    await show(false);
  }
  update();
  return { update };
}

// Of what a table cannot answer.
const hints = (app) =>
  ['als', 'ccd', 'mf'].includes(app)
    ? [section('Nearest items', el('pre', { class: 'command' }, `rota similar ${app} --model=DIR --item=NAME`))]
    : [];

// Topics are beside their map.
function pictures(tables) {
  const topics = tables.find(({ name }) => name === 'topics.txt');
  const words = new Map(topics?.rows.map((row) => [row[0], row[3]]));
  const sections = new Map(
    [...tables].sort((a, b) => isText(a) - isText(b)).map((one) => [one, tableSection(sorted(one))]),
  );
  const maps = tables.filter(isMap).map((one) => mapSection(one, words));
  if (!topics || maps.length === 0) return [...maps, ...sections.values()];
  const beside = sections.get(topics);
  sections.delete(topics);
  return [el('div', { class: 'split' }, el('div', {}, maps), beside), ...sections.values()];
}

const isMap = ({ columns, rows }) => columns.includes('x') && columns.includes('y') && rows.length > 1;

// Topics by their size.
const sorted = (one) =>
  one.name === 'topics.txt' ? { ...one, rows: [...one.rows].sort((a, b) => b[2] - a[2]) } : one;

// Points with circles whose area is the last column.  The table below has the same numbers.
function mapSection({ name, columns, rows }, words) {
  const kSize = 560,
    kMargin = 40;
  const [x, y] = [columns.indexOf('x'), columns.indexOf('y')],
    size = columns.length - 1;
  const points = rows.filter((row) => isNumber(row[x]) && isNumber(row[y])).sort((a, b) => b[size] - a[size]);
  const range = (at) => [Math.min(...points.map((row) => row[at])), Math.max(...points.map((row) => row[at]))];
  const [[left, right], [low, high]] = [range(x), range(y)];
  const scale = (kSize - 2 * kMargin) / (Math.max(right - left, high - low) || 1); // one for both: distances count
  const height = Math.max((high - low) * scale, 60) + 2 * kMargin;
  const largest = size > y ? Math.max(...points.map((row) => row[size])) : 0;
  const most = Math.min(34, (0.27 * kSize) / Math.sqrt(points.length));
  const radius = (row) => (largest > 0 ? Math.max(3, most * Math.sqrt(row[size] / largest)) : 6);
  const place = (row) => ({
    x: kSize / 2 + (row[x] - (left + right) / 2) * scale,
    y: height / 2 - (row[y] - (low + high) / 2) * scale,
  });
  const readout = el('p', { class: 'readout' }, 'Point at a circle, or use the arrow keys.');
  let chosen = -1;
  const choose = (at) => {
    chosen = at;
    circles.forEach((circle, i) => circle.classList.toggle('chosen', i === at));
    const row = points[at];
    const amount = largest > 0 ? `, ${number(row[size])} ${columns[size]}` : '';
    readout.textContent = `${columns[0]} ${row[0]}${amount}${words.has(row[0]) ? `: ${words.get(row[0])}` : ''}`;
  };
  const circles = points.map((row, at) => {
    const { x: cx, y: cy } = place(row);
    return svg('circle', { cx, cy, r: radius(row), onpointerenter: () => choose(at) });
  });
  const names = points
    .filter((row) => radius(row) > 9)
    .map((row) => {
      const { x: left, y: top } = place(row);
      return svg('text', { x: left, y: top + 4, 'text-anchor': 'middle' }, String(row[0]));
    });
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const box = el(
    'div',
    {
      class: 'plot',
      tabindex: 0,
      role: 'group',
      'aria-label': `Map of ${name}: arrow keys read the circles, the largest first`,
      onfocus: () => readout.setAttribute('aria-live', 'polite'),
      onblur: () => readout.removeAttribute('aria-live'),
      onkeydown: (event) => {
        if (!(event.key in steps)) return;
        event.preventDefault();
        choose((chosen + steps[event.key] + points.length) % points.length);
      },
    },
    svg('svg', { class: 'map', viewBox: `0 0 ${kSize} ${height}`, 'aria-hidden': 'true' }, circles, names),
  );
  const notes = [
    words.size && 'Topics with similar words are close to each other.',
    largest > 0 && `The area of a circle is its number of ${columns[size]}.`,
    rows.length >= kMostRows && `The first ${kMostRows} are shown.`,
  ];
  const title = words.size ? 'Map of the topics' : `Map of ${name}`;
  return section(title, el('p', { class: 'note' }, notes.filter(Boolean).join(' ')), box, readout);
}

const isText = ({ columns }) => Number(columns.length < 2);

function tableSection({ name, columns, rows }) {
  const box = el('div', {});
  const find = el('input', {
    type: 'search',
    placeholder: 'Find in this table',
    'aria-label': `Find in ${name}`,
    oninput: () => show(),
  });
  const title = kNames[name]?.length === columns.length ? kNames[name] : columns.length === 1 ? ['line'] : columns;
  const sized = columns.length > kMostBars ? 0 : lastVarying(columns.length, rows);
  const largest = Math.max(0, ...rows.map((row) => (isNumber(row[sized]) ? Math.abs(row[sized]) : 0)));

  // The last column of numbers has bars of their size, orange if negative; the first column names the row.
  const cell = (value, at) => {
    if (!isNumber(value))
      return String(value ?? '').length > 40 ? el('span', { class: 'words' }, value) : String(value ?? '');
    if (at === 0 || at !== sized) return value;
    const bar = svg('rect', { width: `${(100 * Math.abs(value)) / (largest || 1)}%`, height: 8 });
    const kind = value < 0 ? 'size c2' : 'size c1';
    return [svg('svg', { class: kind, width: 90, height: 8, 'aria-hidden': 'true' }, bar), String(value)];
  };
  function show() {
    const wanted = find.value.toLowerCase();
    const found = rows.filter((row) => row.some((value) => String(value).toLowerCase().includes(wanted)));
    const shown = title.map((column, at) => ({ name: column, value: (row) => cell(row[at], at) }));
    box.replaceChildren(
      table(name, shown, found),
      el('p', { class: 'note' }, `${found.length} of ${rows.length} rows`),
    );
  }
  show();
  return section(name, el('div', { class: 'controls' }, find), box);
}

// The last column whose values are numbers and differ; 0 if there is none.
function lastVarying(columns, rows) {
  for (let at = columns - 1; at > 0; --at)
    if (rows.every((row) => isNumber(row[at])) && new Set(rows.map((row) => row[at])).size > 1) return at;
  return 0;
}
