import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { Effect, Machine, Observation, SegmentOpening } from './machine.js';
import { openingsOf } from './openings.js';
import { lastOf, Replay } from './replay.js';

interface Folded<TState> {
  readonly machine: Machine<TState, unknown, never>;
  readonly replay: Replay;
  readonly openings: SegmentOpening[];
  state: TState;
  nextOrdinal: number;
  now: number;
}

interface Started {
  readonly effect: Effect<unknown>;
  readonly ordinal: number;
}

interface Arrived extends Started {
  readonly seq: number;
  readonly at: number;
  readonly observation: (at: number) => Observation;
}

/** The state of a run's machine after what its journal holds, without performing anything: what `drive` would come to. */
export function foldJournal<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  input: TInput,
  journal: readonly JournalEntry[],
): TState {
  const folded: Folded<TState> = {
    machine: machine as unknown as Machine<TState, unknown, never>,
    replay: new Replay(journal),
    openings: machine.resume === undefined ? [] : [...openingsOf(journal, '')],
    state: machine.init(input),
    nextOrdinal: 0,
    now: journal[0]?.at ?? 0,
  };
  let tasks: readonly Started[] = [];
  for (;;) {
    goOn(folded, ({ reach }) => folded.nextOrdinal > reach);
    const decision = machine.decide(folded.state);
    if (decision.type === 'end') return folded.state;
    if (decision.type === 'perform') {
      const open = new Set(tasks.map(({ effect }) => effect.key));
      const started = decision.effects.filter(({ key }) => !open.has(key));
      tasks = [...tasks, ...started.map((effect) => ({ effect, ordinal: folded.nextOrdinal++ }))];
    }
    const ready = readyOf(folded.replay, tasks);
    if (ready.length === 0) return folded.state;
    const taken = new Set(ready.map(({ ordinal }) => ordinal));
    tasks = tasks.filter(({ ordinal }) => !taken.has(ordinal));
    fold(folded, ready);
  }
}

function goOn<TState>(folded: Folded<TState>, isDue: (opening: SegmentOpening) => boolean): void {
  while (folded.openings[0] !== undefined && isDue(folded.openings[0])) {
    folded.state = folded.machine.resume?.(folded.state, folded.openings.shift() as SegmentOpening) ?? folded.state;
  }
}

function fold<TState>(folded: Folded<TState>, ready: readonly Arrived[]): void {
  const times = new Map<number, number>();
  for (const { seq, at } of [...ready].sort((left, right) => left.seq - right.seq)) {
    folded.now = Math.max(folded.now, at);
    times.set(seq, folded.now);
  }
  const last = Math.max(...ready.map(({ seq }) => seq));
  goOn(folded, ({ seq }) => seq < last);
  for (const arrived of ready) {
    folded.state = folded.machine.apply(folded.state, arrived.observation(times.get(arrived.seq) ?? folded.now));
  }
  const observed = folded.machine.observe?.(folded.state);
  if (observed !== undefined) folded.nextOrdinal += Array.isArray(observed) ? observed.length : 1;
}

/** The same choice that `drive` makes: a whole batch with the answers before its last, or the first answer of all. */
function readyOf(replay: Replay, tasks: readonly Started[]): readonly Arrived[] {
  const isWaiting = ({ effect }: Started): boolean => effect.type === 'request';
  const working = tasks.filter((task) => !isWaiting(task));
  const answered = tasks
    .filter(isWaiting)
    .flatMap((task) => arrivedOf(replay, task))
    .sort((left, right) => left.seq - right.seq);
  if (working.length === 0) return answered.slice(0, 1);
  const done = working.flatMap((task) => arrivedOf(replay, task));
  if (done.length < working.length) return [];
  const last = Math.max(...done.map(({ seq }) => seq));
  return [...answered.filter(({ seq }) => seq < last), ...done];
}

function arrivedOf(replay: Replay, task: Started): readonly Arrived[] {
  const slot = replay.slot('', task.ordinal);
  const { key } = task.effect;
  const outcome = lastOf(slot, 'step_ended') ?? lastOf(slot, 'recorded');
  if (outcome !== undefined) {
    const { data, seq } = outcome;
    const observation = (at: number): Observation =>
      data.ok
        ? { type: 'value', key, value: data.value, at }
        : { type: 'error', key, error: data.error, outcomeUnknown: data.outcomeUnknown ?? false, at };
    return [{ ...task, seq, at: outcome.at, observation }];
  }
  const answered = lastOf(slot, 'request_answered');
  if (answered !== undefined) {
    const { answer } = answered.data;
    return [
      { ...task, seq: answered.seq, at: answered.at, observation: (at) => ({ type: 'answer', key, answer, at }) },
    ];
  }
  const ended = lastOf(slot, 'unit_ended');
  if (ended !== undefined) {
    const { termination, also = [], output } = ended.data;
    const result = { termination, also, ...(output !== undefined && { output }) };
    return [{ ...task, seq: ended.seq, at: ended.at, observation: (at) => ({ type: 'unit', key, result, at }) }];
  }
  const slept = lastOf(slot, 'sleep_ended');
  return slept === undefined
    ? []
    : [{ ...task, seq: slept.seq, at: slept.at, observation: (at) => ({ type: 'slept', key, at }) }];
}
