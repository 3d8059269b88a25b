// rotation.js -- the rotation of slices as a moving picture.
//
// The rule of rota/schedules/rotation.h: with f = slices / shards, shard s takes slice (f s + t) mod (f S) at step t.
// So slice b is at shard s at step t and at shard s - 1 at step t + f; in between it is in transit.
import { el, svg } from './base.js';

// Where a slice is at a time t (steps, may be fractional): {shard, to, part}: at `shard`, or `part` of the way to `to`.
export function placeOf(slice, t, shards, slices) {
  const f = slices / shards,
    whole = Math.floor(t),
    begun = whole - ((((whole - slice) % f) + f) % f);
  const shard = ((((slice - begun) / f) % shards) + shards) % shards,
    since = t - begun;
  return {
    shard,
    to: (shard + shards - 1) % shards,
    part: since < 1 ? 0 : Math.min(1, (since - 1) / Math.max(f - 1, 1)),
  };
}
export const sliceAt = (shard, step, shards, slices) => ((slices / shards) * shard + step) % slices;

const kSize = 400,
  kMiddle = kSize / 2;
const point = (turn, radius) => [
  kMiddle + radius * Math.sin(2 * Math.PI * turn),
  kMiddle - radius * Math.cos(2 * Math.PI * turn),
];

// The ring of shards.  show(t, hosts) moves the slices; hosts: [[worker, first shard, last shard]].
export function ring() {
  const frame = svg('g', {}),
    discs = svg('g', {});
  const node = svg(
    'svg',
    { class: 'ring', viewBox: `-26 -8 ${kSize + 52} ${kSize + 16}`, 'aria-hidden': 'true' },
    frame,
    discs,
  );
  let form = '',
    given = null,
    slices = [];

  function build(shards, count, hosts) {
    const radius = 150,
      size = Math.min(20, (0.8 * Math.PI * radius) / shards),
      text = size > 9;
    const workerOf = (shard) => hosts.findIndex(([, from, to]) => shard >= from && shard <= to);
    const parts = [];
    hosts.forEach(([name, from, to], i) => {
      // the arc of a worker, and its name
      const gap = 0.12 / shards,
        start = (from - 0.5) / shards + gap,
        end = (to + 0.5) / shards - gap,
        [x1, y1] = point(start, 178),
        [x2, y2] = point(end, 178);
      parts.push(
        svg('path', {
          class: `arc c${(i % 8) + 1}`,
          d: `M${x1} ${y1} A178 178 0 ${end - start > 0.5 ? 1 : 0} 1 ${x2} ${y2}`,
        }),
      );
      if (hosts.length > 16 && i % 4) return;
      const middle = (start + end) / 2,
        [x, y] = point(middle, 190);
      parts.push(
        svg(
          'text',
          {
            class: 'worker',
            x,
            y: y + 4,
            'text-anchor': Math.abs(x - kMiddle) < 30 ? 'middle' : x > kMiddle ? 'start' : 'end',
          },
          name.replace('worker-', 'w'),
        ),
      );
    });
    for (let shard = 0; shard < shards; ++shard) {
      const [x, y] = point(shard / shards, radius),
        [lx, ly] = point(shard / shards, radius - size - 9);
      const far = workerOf(shard) !== workerOf((shard + shards - 1) % shards);
      const [ax, ay] = point(shard / shards, radius),
        [bx, by] = point((shard - 1) / shards, radius);
      parts.push(svg('line', { class: far ? 'edge far' : 'edge', x1: ax, y1: ay, x2: bx, y2: by }));
      parts.push(svg('circle', { class: 'shard', cx: x, cy: y, r: size }));
      if (text) parts.push(svg('text', { class: 'label', x: lx, y: ly + 4, 'text-anchor': 'middle' }, `${shard}`));
    }
    frame.replaceChildren(...parts);
    slices = Array.from({ length: count }, (_, b) =>
      svg(
        'g',
        { class: 'slice' },
        svg('circle', { r: size * 0.62 }),
        text ? svg('text', { 'text-anchor': 'middle', y: 4 }, `${b}`) : '',
      ),
    );
    discs.replaceChildren(...slices);
  }

  return {
    node,
    show(t, shards, count, hosts) {
      if (hosts !== given) {
        const next = JSON.stringify([shards, count, hosts]);
        if (next !== form) build(shards, count, hosts);
        form = next;
        given = hosts;
      }
      slices.forEach((disc, b) => {
        const { shard, part } = placeOf(b, t, shards, count),
          [x, y] = point((shard - part) / shards, 150 - 22 * Math.sin(Math.PI * part));
        disc.setAttribute('transform', `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
        disc.classList.toggle('moving', part > 0);
      });
    },
  };
}

// Which slices leave which shard in a step, and how many of them go to another worker.
export function travels(step, shards, slices, hosts) {
  const worker = (shard) => hosts.find(([, from, to]) => shard >= from && shard <= to)?.[0] ?? '?';
  return Array.from({ length: shards }, (_, shard) => {
    const to = (shard + shards - 1) % shards;
    return {
      shard,
      slice: sliceAt(shard, step, shards, slices),
      worker: worker(shard),
      to,
      toWorker: worker(to),
      far: worker(shard) !== worker(to),
    };
  });
}

export const ringNote = () =>
  el(
    'p',
    { class: 'note' },
    'A ring of data shards. A filled disc is a slice of the model that its shard updates now; ',
    'a pale disc is on its way to the next shard. The outer arcs are workers. ',
    'Heavy lines cross from one worker to another: only there do slices travel through a socket.',
  );
