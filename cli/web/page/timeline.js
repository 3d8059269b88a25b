// timeline.js -- the processes of a run over time: joins, losses, recoveries, checkpoints and phases.
import { clock, duration, el, last, number, plural, svg } from './base.js';
import { byNumber } from './run_data.js';

const kMostMarks = 300; // checkpoints that are drawn
const kKind = { training: 'training', recovering: 'recovering', migrating: 'migrating' };

const thin = (array) =>
  array.length <= kMostMarks
    ? array
    : Array.from({ length: kMostMarks }, (_, i) => array[Math.round((i * (array.length - 1)) / (kMostMarks - 1))]);

// Lives of the processes: {role: [{from, to, end: 'lost' | 'left' | ''}]}, and notable events of each.
function lives(run) {
  const all = new Map();
  const of = (role) => all.get(role) ?? all.set(role, { spans: [], marks: [] }).get(role);
  for (const event of run.events) {
    if (!event.role || event.event === 'refused') continue;
    const { spans, marks } = of(event.role),
      open = last(spans);
    if (event.event === 'joined') {
      if (open && !open.to) open.to = event.time;
      spans.push({ from: event.time, to: null });
      if (spans.length > 1 || event.as === 'one more' || event.as === 'back') marks.push([event.time, 'again', event]);
    } else if (event.event === 'lost' || event.event === 'left') {
      if (open) open.to = event.time;
      marks.push([event.time, event.event, event]);
    } else if (event.event !== 'hosts') {
      marks.push([event.time, 'other', event]);
    }
  }
  return all;
}

const kShapes = {
  lost: 'M-4 -4 L4 4 M-4 4 L4 -4',
  left: 'M-3 -4 V4',
  again: 'M-4 4 L0 -4 L4 4 Z',
  other: 'M0 -4 L4 0 L0 4 L-4 0 Z',
};

export function timeline(run) {
  const body = el('div', { class: 'lanes' });
  const node = el(
    'div',
    { class: 'timeline' },
    body,
    el(
      'ul',
      { class: 'legend' },
      ...[
        ['training', 'training'],
        ['loading', 'other phases'],
        ['recovering', 'recovering'],
        ['migrating', 'shards move'],
      ].map(([name, text]) =>
        el(
          'li',
          {},
          svg(
            'svg',
            { class: `swatch phase ${name}`, width: 22, height: 10, 'aria-hidden': 'true' },
            svg('rect', { width: 22, height: 10 }),
          ),
          text,
        ),
      ),
      ...[
        ['lost', 'lost'],
        ['again', 'joined again, or one more'],
        ['left', 'left'],
        ['other', 'other events'],
      ].map(([name, text]) =>
        el(
          'li',
          {},
          svg(
            'svg',
            { class: `swatch mark ${name}`, width: 14, height: 10, viewBox: '-7 -5 14 10', 'aria-hidden': 'true' },
            svg('path', { d: kShapes[name] }),
          ),
          text,
        ),
      ),
    ),
  );
  function update() {
    const from = run.firstTime,
      whole = Math.max(run.lastTime - from, 1e-3),
      at = (time) => `${((100 * (time - from)) / whole).toFixed(3)}%`;
    const span = (start, to, name, text) =>
      svg(
        'rect',
        {
          class: name,
          x: at(start),
          width: `${((100 * Math.max((to ?? run.lastTime) - start, whole / 1000)) / whole).toFixed(3)}%`,
          y: 3,
          height: 10,
        },
        svg('title', {}, text),
      );
    const mark = (time, name, text) =>
      svg(
        'svg',
        { x: at(time), y: name === 'lost' ? 5 : name === 'again' ? 11 : 8, overflow: 'visible', class: `mark ${name}` },
        svg('path', { d: kShapes[name] }),
        svg('title', {}, text),
      );
    const lane = (label, shapes, note) =>
      el(
        'div',
        { class: 'lane' },
        el('span', { title: note }, label),
        svg('svg', { height: 16, 'aria-hidden': 'true' }, shapes),
      );

    const phases = run.ofKind('phase', 'end');
    const rows = [
      lane(
        'phases',
        phases
          .filter((event) => event.event === 'phase')
          .map((event) => {
            const to = phases[phases.indexOf(event) + 1]?.time;
            return span(
              event.time,
              to,
              `phase ${kKind[event.phase] ?? 'loading'}`,
              `${event.phase}: ${duration((to ?? run.lastTime) - event.time)}`,
            );
          }),
      ),
    ];
    const saved = run.ofKind('checkpoint');
    if (saved.length)
      rows.push(
        lane(
          'checkpoints',
          thin(saved).map((event) =>
            svg(
              'rect',
              { class: 'tick', x: at(event.time), width: 1.5, y: 3, height: 10 },
              svg('title', {}, `epoch ${event.epoch}, ${clock(event.time)}`),
            ),
          ),
          plural(saved.length, 'checkpoint'),
        ),
      );
    const end = last(run.ofKind('end'))?.time;
    for (const [role, { spans, marks }] of [...lives(run)].sort(
      ([a], [b]) => byNumber(b.split('-')[0], a.split('-')[0]) || byNumber(a, b),
    ))
      rows.push(
        lane(role, [
          ...spans.map((s) =>
            span(s.from, s.to ?? end, 'life', `${role}: ${duration((s.to ?? end ?? run.lastTime) - s.from)}`),
          ),
          ...marks.map(([time, name, event]) =>
            mark(
              time,
              name,
              `${clock(time)} ${event.event}${event.why ? `: ${event.why}` : event.what ? `: ${event.what}` : ''}`,
            ),
          ),
        ]),
      );
    const kTicks = 4;
    rows.push(
      el(
        'div',
        { class: 'lane' },
        el('span', {}),
        svg(
          'svg',
          { height: 18, 'aria-hidden': 'true' },
          Array.from({ length: kTicks + 1 }, (_, i) =>
            svg(
              'text',
              {
                class: i % 2 ? 'between' : null,
                x: `${(100 * i) / kTicks}%`,
                y: 13,
                'text-anchor': i === 0 ? 'start' : i === kTicks ? 'end' : 'middle',
              },
              i ? duration((whole * i) / kTicks) : clock(from),
            ),
          ),
        ),
      ),
    );
    body.replaceChildren(...rows);
    body.classList.toggle('many', rows.length > 24);
  }
  update();
  return { node, update };
}

// The same as rows of a table: what happened to processes.
export function membershipRows(run) {
  return run
    .ofKind(
      'joined',
      'lost',
      'left',
      'rollback',
      'unresponsive',
      'abandoned',
      'leaving',
      'migrating',
      'slow',
      'paused',
      'fault',
      'resume',
      'end',
    )
    .map((event) => ({
      after: Number((event.time - run.firstTime).toFixed(3)),
      event: event.event,
      role: event.role ?? '',
      what: [event.as, event.why, event.what, event.to, event.workers && `${number(Number(event.workers))} workers`]
        .filter(Boolean)
        .join('; '),
    }));
}
