// source.js -- where runs come from: the server of `rota web`, or the data inside a report.
//
// A source has runs() -> {runs, left_out: [text], compare: all of them at first}, run(name), logs(name), log(name, file), model(name, fresh), similar(name,
// item) if it has a server, and
// follow(name, from, on), which calls on.metrics, on.event, on.state, on.reset, on.connected and returns what ends it.

export function openSource() {
  const data = document.getElementById('data');
  return data ? embeddedSource(JSON.parse(data.textContent)) : serverSource();
}

function embeddedSource({ runs, compare = false }) {
  const find = (name) => runs.find((run) => run.name === name);
  const brief = (run) => {
    const newest = run.metrics.records.at(-1) ?? {},
      events = run.events.records;
    const { epoch, epochs, objective, valid, seconds } = newest;
    return {
      ...run,
      epoch,
      epochs,
      objective,
      valid,
      seconds,
      model_hash: run.result?.model_hash,
      started: events[0]?.time,
      changed: events.at(-1)?.time,
    };
  };
  return {
    live: false,
    runs: async () => ({ runs: runs.map(brief), compare }),
    run: async (name) => {
      if (!find(name)) throw new Error(`There is no run ${name} in this report.`);
      return find(name);
    },
    logs: async () => [],
    log: async () => '',
    model: async (name) => find(name).model ?? { tables: [] },
    follow: () => () => {},
  };
}

// Addresses are relative, so that a prefix of the path (the token) is kept.
function serverSource() {
  async function get(what, query) {
    const answer = await fetch(`api/${what}?${new URLSearchParams(query)}`);
    if (!answer.ok) throw new Error((await answer.text()).trim() || `The server answered ${answer.status}.`);
    return answer;
  }
  const json = async (what, query) => (await get(what, query)).json();
  return {
    live: true,
    runs: () => json('runs', {}),
    run: (name) => json('run', { name }),
    logs: async (name) => (await json('logs', { name })).logs,
    log: async (name, file) => (await get('log', { name, file })).text(),
    similar: (name, item) => json('similar', { name, item }),
    model: (name, fresh) => json('model', fresh ? { name, fresh: 1 } : { name }),
    follow(name, { metrics, events }, on) {
      const stream = new EventSource(`api/follow?${new URLSearchParams({ name, metrics, events })}`);
      for (const kind of ['metrics', 'event', 'state', 'reset'])
        stream.addEventListener(kind, (message) => on[kind](message.data ? JSON.parse(message.data) : {}));
      stream.onopen = () => on.connected(true);
      stream.onerror = () => on.connected(false); // the browser connects again by itself
      return () => stream.close();
    },
  };
}
