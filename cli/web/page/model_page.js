// model_page.js -- the model as pictures and tables, once the run has written its text, or of its newest checkpoint
// when asked for.
import { el, isNumber, svg } from './base.js';
import { centreBars, coefficientBars, coefficientPath, labelledTopics } from './model_pictures.js';
import { largestBars, unknownTable, weightBars } from './model_pictures.js';
import { nearestItems } from './nearest_items.js';
import { lazyDetails, section, table } from './parts.js';
import { isMap, pointMap } from './point_map.js';
import { topicViewer } from './topic_viewer.js';

const kMostRows = 200; // of a table that are shown at once
const kFew = 10; // rows among which nobody searches
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
      const ask = source.similar && ((item) => source.similar(run.state.name, item));
      if (tables.length) body.replaceChildren(...pictures(run.state.app, tables, ask));
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

// Tables that a picture shows, and lines of text, are there for who opens them.
function pictures(app, tables, ask) {
  const drawn = new Set(),
    parts = [];
  const find = (...names) => {
    const found = names.map((name) => tables.find((one) => one.name === name && one.rows.length > 0));
    return found.every(Boolean) ? found : null;
  };
  // The picture of these tables, if all are there, and it can be made.
  const draw = (names, make) => {
    const found = find(...names),
      made = found ? make(...found) : [];
    parts.push(...made);
    if (made.length) for (const one of found) drawn.add(one);
    return made.length > 0;
  };
  draw(['topic_map.csv', 'topic_words.csv'], (map, words) => [topicViewer(map, words, find('topics.txt')?.[0])]);
  draw(['topics.csv'], (topics) => (app === 'medlda' ? labelledTopics(topics) : []));
  draw(['path.csv', 'coefficients.csv'], coefficientPath) || draw(['coefficients.csv'], coefficientBars);
  draw(['weights.csv'], (weights) => (weights.columns[1] === 'label' ? weightBars(weights) : []));
  draw(['items.csv'], (items) => nearestItems(items, app, ask));
  draw(['clusters.csv'], (sizes) => largestBars('Sizes of clusters', sizes, 'cluster'));
  draw(['centres.csv', 'clusters.csv'], (centres, sizes) => (app === 'kmeans' ? centreBars(centres, sizes) : []));
  const ranks = (one) => largestBars('Nodes of the highest ranks', one, 'node');
  draw(['ranks.csv'], ranks) || draw(['top_ranks.csv'], ranks);
  for (const one of tables.filter((one) => !drawn.has(one)))
    draw([one.name], () =>
      isMap(one) ? [section(`Map of ${one.name}`, pointMap(one, () => '').nodes)] : unknownTable(one),
    );
  const closed = (one) => parts.length > 0 || one.columns.length < 2;
  const order = [...tables].sort((a, b) => closed(a) - closed(b));
  const details = order.filter(closed).map((one) => lazyDetails(one.name, () => tableParts(sorted(one))).node);
  return [
    ...parts,
    ...order.filter((one) => !closed(one)).map((one) => section(one.name, tableParts(sorted(one)))),
    details.length > 0 && section('Tables of the model', details),
  ].filter(Boolean);
}

// Topics by their size.
const sorted = (one) => (one.name === 'topics.txt' ? { ...one, rows: [...one.rows].sort((a, b) => b[2] - a[2]) } : one);

function tableParts({ name, columns, rows, cut }) {
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
  const counted = (found) =>
    [
      found > kMostRows && `The first ${kMostRows} of ${found} rows are shown.`,
      found < rows.length && `${found} of ${rows.length} rows have this text.`,
      cut && `The file has more rows than the ${rows.length} that are here.`,
      rows.length === found && found <= kMostRows && !cut && `${found} rows`,
    ]
      .filter(Boolean)
      .join(' ');
  function show() {
    const wanted = find.value.toLowerCase();
    const found = rows.filter((row) => row.some((value) => String(value).toLowerCase().includes(wanted)));
    const shown = title.map((column, at) => ({ name: column, value: (row) => cell(row[at], at) }));
    box.replaceChildren(
      table(name, shown, found.slice(0, kMostRows)),
      el('p', { class: 'note' }, counted(found.length)),
    );
  }
  show();
  return [rows.length > kFew && el('div', { class: 'controls' }, find), box].filter(Boolean);
}

// The last column whose values are numbers and differ; 0 if there is none.
function lastVarying(columns, rows) {
  for (let at = columns - 1; at > 0; --at)
    if (rows.every((row) => isNumber(row[at])) && new Set(rows.map((row) => row[at])).size > 1) return at;
  return 0;
}
