// app.js -- the frame: which run and page is shown, the theme, live updates.
import { el, svg } from './base.js';
import { openSource } from './source.js';
import { RunData } from './run_data.js';
import { closeCharts, readTheme } from './chart.js';
import { runPage } from './run_page.js';
import { workersPage } from './workers_page.js';
import { schedulePage } from './schedule_page.js';
import { modelPage } from './model_page.js';
import { eventsPage } from './events_page.js';
import { runsPage } from './runs_page.js';

const kRedraw = 500; // ms: at most twice a second
const kPages = {
  run: ['Run', runPage],
  workers: ['Workers', workersPage],
  schedule: ['Schedule', schedulePage],
  model: ['Model', modelPage],
  events: ['Events', eventsPage],
};

const source = openSource();
const top_ = document.getElementById('top'),
  main = document.getElementById('main');
const state = el('span', { class: 'state' }),
  link = el('span', { class: 'link', role: 'status' });
const title = el('h1', {}),
  nav = el('nav', { 'aria-label': 'Pages' });
let run = null,
  stop = () => {},
  page = null,
  redraw = null,
  drawn = 0,
  many = true,
  turn = 0;

const where = () => location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
const hash = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

// Light, dark, or as the system has it; kept as long as the tab.
function themeSwitch() {
  const kNext = { '': 'dark', dark: 'light', light: '' },
    kNames = { '': ['◐', 'system'], dark: ['●', 'dark'], light: ['○', 'light'] };
  const memory = {
    get: () => {
      try {
        return sessionStorage.getItem('theme') ?? '';
      } catch {
        return '';
      }
    },
    set: (value) => {
      try {
        sessionStorage.setItem('theme', value);
      } catch {
        /* a file without storage */
      }
    },
  };
  const button = el('button', {
    type: 'button',
    class: 'theme',
    onclick: () => use(kNext[document.documentElement.dataset.theme ?? '']),
  });
  function use(value) {
    document.documentElement.dataset.theme = value;
    memory.set(value);
    const [sign, name] = kNames[value];
    button.replaceChildren(sign, el('span', {}, ` Theme: ${name}`));
    button.setAttribute('aria-label', `Theme: ${name}`);
    readTheme();
    page?.theme?.();
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    use(document.documentElement.dataset.theme),
  );
  use(memory.get());
  return button;
}

function logo() {
  // three slices that go around
  const arc = (turn, name) =>
    svg('path', { class: name, d: 'M12 3 A9 9 0 0 1 19.8 16.5', transform: `rotate(${turn} 12 12)` });
  return svg(
    'svg',
    { class: 'logo', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    arc(5, 'c1'),
    arc(125, 'c2'),
    arc(245, 'c3'),
  );
}

function showFrame(name, kind) {
  title.textContent = name ?? 'Runs';
  nav.replaceChildren(
    ...[
      many && el('a', { href: '#/', 'aria-current': name ? null : 'page' }, 'Runs'),
      ...(name
        ? Object.entries(kPages).map(([key, [text]]) =>
            el('a', { href: hash('run', name, key), 'aria-current': key === kind ? 'page' : null }, text),
          )
        : []),
    ].filter(Boolean),
  );
  document.title = name ? `${kPages[kind][0]} – ${name} – Rota` : 'Runs – Rota';
}

function showState() {
  state.textContent = run ? run.state.state : '';
  state.className = `state ${run?.state.state ?? ''}`;
  state.title = run?.state.state_text ?? '';
}

// Draws at most twice a second, and not while nobody looks.
function changed() {
  if (redraw !== null || document.hidden) return;
  redraw = setTimeout(
    () => {
      redraw = null;
      drawn = performance.now();
      if (document.hidden) return;
      showState();
      page?.update();
    },
    Math.max(0, drawn + kRedraw - performance.now()),
  );
}

async function load(name, asked) {
  stop();
  stop = () => {};
  run = null;
  const mine = new RunData(await source.run(name));
  if (asked !== turn) return; // another page was asked for meanwhile
  run = mine;
  const ifMine = (act) => (value) => {
    if (mine !== run) return;
    act(value);
    changed();
  };
  stop = !source.live
    ? () => {}
    : source.follow(name, run.lines, {
        metrics: ifMine((record) => run.addMetrics(record)),
        event: ifMine((event) => run.addEvent(event)),
        state: ifMine((value) => run.setState(value)),
        reset: ifMine(() => {
          run = null;
          show();
        }),
        connected: (yes) => {
          link.textContent = yes ? '' : 'No connection to the server; trying again …';
        },
      });
}

async function show() {
  const [first, name, kind = 'run'] = where(),
    mine = ++turn;
  try {
    if (first !== 'run' || !name) {
      const answer = await source.runs();
      if (mine !== turn) return;
      many = answer.runs.length !== 1;
      if (!many) return void location.replace(hash('run', answer.runs[0].name, 'run'));
      stop();
      run = null;
      clear();
      showFrame();
      showState();
      page = runsPage(main, source, answer, hash);
    } else {
      if (run?.state.name !== name) await load(name, mine);
      if (mine !== turn) return;
      const key = kPages[kind] ? kind : 'run';
      clear();
      showFrame(name, key);
      showState();
      page = kPages[key][1](main, run, source);
    }
  } catch (error) {
    if (mine !== turn) return;
    clear();
    showFrame(name, 'run');
    showState();
    main.append(el('p', { class: 'note bad', role: 'alert' }, error.message));
  }
}
function clear() {
  page?.close?.();
  page = null;
  closeCharts();
  main.replaceChildren();
}

top_.append(
  el(
    'div',
    { class: 'bar' },
    el('a', { class: 'brand', href: '#/' }, logo(), 'Rota'),
    title,
    state,
    link,
    themeSwitch(),
  ),
  nav,
);
addEventListener('hashchange', () => {
  scrollTo(0, 0);
  show().then(() => main.focus({ preventScroll: true }));
});
document.addEventListener('visibilitychange', changed);
setInterval(() => {
  if (run?.running) changed();
}, 5000); // ages and time left go on
source
  .runs()
  .then(
    ({ runs }) => {
      many = runs.length !== 1;
    },
    () => {},
  )
  .then(show);
