// events_page.js -- events and logs, searchable, by keyboard too.
import { clock, day, el, last, plural } from './base.js';
import { checks, section, select } from './parts.js';

const kShown = 300; // events at first
const kLines = 1000; // of a log
const kBad = new Set(['lost', 'fault', 'refused', 'unresponsive', 'abandoned', 'paused']),
  kNotable = new Set(['warning', 'not_reproducible', 'rollback', 'slow', 'left', 'stopping']);

export function eventsPage(main, run, source) {
  const known = new Set(); // kinds
  let most = kShown;
  const find = el('input', {
    type: 'search',
    placeholder: 'Search  ( / )',
    'aria-label': 'Search in events',
    oninput: () => {
      most = kShown;
      draw();
    },
  });
  const kinds = checks('Kinds', () => draw()),
    count = el('p', { class: 'note', role: 'status' });
  const rows = el('ol', { class: 'events', onkeydown: move });
  const more = el(
    'button',
    {
      type: 'button',
      onclick: () => {
        most += 1000;
        draw();
      },
    },
    'Show older ones',
  );
  main.append(section('Events', el('div', { class: 'controls' }, find), kinds.node, count, rows, more));
  const logs = source.live && run.hasFolder ? logPart(run, source) : null;
  if (logs) main.append(logs);
  const key = (event) => {
    if (event.key !== '/' || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    find.focus();
  };
  addEventListener('keydown', key);

  function move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key],
      items = [...rows.querySelectorAll('summary')],
      at = items.indexOf(document.activeElement);
    if (!by || at < 0) return;
    event.preventDefault();
    items[Math.max(0, Math.min(items.length - 1, at + by))].focus();
  }
  const textOf = (event) =>
    Object.entries(event)
      .filter(([name]) => name !== 'event' && name !== 'time')
      .map(([name, value]) => `${name}=${value}`)
      .join('  ');

  function draw() {
    const names = [...new Set(run.events.map((event) => event.event))].sort();
    for (const name of names) {
      if (known.has(name)) continue;
      known.add(name);
      if (name !== 'checkpoint' || run.events.length < 50) kinds.chosen.add(name);
    }
    kinds.set(names);
    const wanted = find.value.toLowerCase();
    const found = run.events.filter(
      (event) =>
        kinds.chosen.has(event.event) && (!wanted || `${event.event} ${textOf(event)}`.toLowerCase().includes(wanted)),
    );
    const whole = plural(run.events.length, 'event');
    count.textContent = `${found.length} of ${whole}, the newest first. Arrow keys move; Enter opens.`;
    more.hidden = found.length <= most;
    const shown = found.slice(-most).reverse(),
      form = `${found.length} ${last(found)?.time} ${most} ${wanted} ${[...kinds.chosen]}`;
    if (rows.dataset.form === form) return; // what is open or focused stays as it is
    rows.dataset.form = form;
    rows.replaceChildren(
      ...shown.map((event) =>
        el(
          'li',
          { class: kBad.has(event.event) ? 'bad' : kNotable.has(event.event) ? 'warn' : null },
          el(
            'details',
            {},
            el(
              'summary',
              {},
              el(
                'time',
                { datetime: new Date(event.time * 1000).toISOString(), title: day(event.time) },
                clock(event.time),
              ),
              ' ',
              el('b', {}, event.event),
              ' ',
              textOf(event),
            ),
            el('pre', {}, JSON.stringify(event, null, 2)),
          ),
        ),
      ),
    );
  }
  draw();
  return { update: draw, close: () => removeEventListener('keydown', key) };
}

function logPart(run, source) {
  const text = el('pre', { class: 'log', tabindex: 0, role: 'region', 'aria-label': 'Log' }),
    note = el('p', { class: 'note', role: 'status' });
  const find = el('input', {
    type: 'search',
    placeholder: 'Only lines with …',
    'aria-label': 'Search in the log',
    oninput: () => show(),
  });
  const file = select('File', () => load());
  let lines = [];
  async function load() {
    try {
      const logs = await source.logs(run.state.name);
      file.set(logs.map(({ name }) => name));
      if (!file.value) return void (note.textContent = 'This folder has no logs.');
      lines = (await source.log(run.state.name, file.value)).split('\n').filter(Boolean);
      show();
    } catch (error) {
      note.textContent = error.message;
    }
  }
  function show() {
    const wanted = find.value.toLowerCase(),
      found = lines.filter((line) => line.toLowerCase().includes(wanted));
    text.textContent = found.slice(-kLines).join('\n');
    text.scrollTop = text.scrollHeight;
    const cut = found.length > kLines ? `, the newest ${kLines} are shown` : '';
    note.textContent = `${found.length} of ${plural(lines.length, 'line')}${cut}`;
  }
  load();
  return section(
    'Logs',
    el('div', { class: 'controls' }, file.node, find, el('button', { type: 'button', onclick: load }, 'Read again')),
    note,
    text,
  );
}
