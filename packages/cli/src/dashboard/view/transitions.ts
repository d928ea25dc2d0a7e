import type { AnyTermination, Category, JsonObject, JsonValue } from 'fullstop';
import {
  isModelKey,
  type JournalEntry,
  makeScope,
  parseCallKey,
  parseStepKey,
  parseSuggestorKey,
} from 'fullstop/journal';
import { stepTypeFacts } from 'fullstop/workflow';
import { cycleObservation } from '../../journal/cycle-observation.js';
import { categoryOf } from '../../journal/describe-ending.js';
import { isObject } from '../../journal/is-object.js';
import { stepProblem } from '../../journal/step-problem.js';
import { Announcements } from './announcements.js';
import { drawnNodes, type NodeNames } from './node-names.js';

/** A change of a node. The state at any entry is what a scan up to it leaves behind: live, on replay and in a report alike. */
export interface Transition {
  readonly seq: number;
  readonly at: number;
  /** The id of the node; empty for the run itself. */
  readonly path: string;
  readonly to: 'running' | 'waiting' | 'ended' | 'skipped' | 'retrying';
  readonly kind?: string;
  readonly category?: Category;
}

type Change = Omit<Transition, 'seq' | 'at'>;

const nothing: readonly Change[] = [];

/** Tells what each entry changes, in the order of the journal; `names` learns the groups on the way. */
export class TransitionFollower {
  readonly #names: NodeNames;
  /** The units that loop over a model, whose calls say what comes next. */
  readonly #loops = new Set<string>();
  readonly #announcements = new Announcements();

  constructor(names: NodeNames) {
    this.#names = names;
  }

  changes(entry: JournalEntry): readonly Change[] {
    const { scope } = entry;
    switch (entry.type) {
      case 'run_started':
      case 'segment_opened':
        this.#announcements.beginSegment();
        return [{ path: '', to: 'running' }];
      case 'segment_ended': {
        const { termination, category } = entry.data.envelope;
        return [{ path: '', to: 'ended', kind: termination.kind, category }];
      }
      case 'scope_opened':
        return [this.#opened(entry)];
      case 'unit_ended': {
        const path = this.#names.inside(scope, entry.key ?? '');
        this.#announcements.end(path);
        return [ended(path, entry.data.termination, entry.data.outcome)];
      }
      case 'step_started':
      case 'step_noted':
        return this.#begun(scope, entry.key ?? '');
      case 'step_ended':
      case 'recorded':
        return this.#done(entry);
      case 'sleep_started':
      case 'request_opened':
        return [{ path: this.#asker(entry), to: 'waiting' }];
      case 'sleep_ended':
      case 'request_answered':
      case 'request_expired':
      case 'request_withdrawn':
        return [{ path: this.#asker(entry), to: 'running' }];
      case 'observed':
        // A loop observes itself, most of the entries of a long run, and changes no node by that.
        if (this.#loops.has(scope)) return nothing;
        this.#names.learn(scope, entry.data);
        return this.#observed(scope, entry.data);
      case 'batch_stopped':
        return entry.data.notStarted.map((name) => ({ path: this.#names.inside(scope, name), to: 'skipped' as const }));
      default:
        return nothing;
    }
  }

  #opened({ scope, key, data }: JournalEntry<'scope_opened'>): Change {
    const path = this.#names.inside(scope, key ?? data.name);
    return { path, to: data.attempt > 1 ? 'retrying' : 'running' };
  }

  /** The unit that asked is the one that waits; an approval is asked by the tool that needs it. */
  #asker(entry: JournalEntry): string {
    const request = entry.type === 'request_opened' ? entry.data.request : undefined;
    if (request?.tool !== undefined && this.#loops.has(entry.scope))
      return makeScope(this.#names.idOf(entry.scope), drawnNodes.tool(request.tool));
    return this.#names.idOf(entry.scope);
  }

  #begun(scope: string, key: string): readonly Change[] {
    const node = this.#nodeOf(scope, key);
    return node === undefined ? nothing : [{ path: node, to: 'running' }];
  }

  /** The node of a step or callback, if there is one for it. */
  #nodeOf(scope: string, key: string): string | undefined {
    const inside = this.#names.idOf(scope);
    if (isModelKey(key)) {
      this.#loops.add(scope);
      return makeScope(inside, drawnNodes.model);
    }
    const call = parseCallKey(key);
    if (call !== undefined)
      return call.effect === 'tool' || call.effect === 'call'
        ? makeScope(inside, drawnNodes.tool(call.tool))
        : undefined;
    const step = parseStepKey(key, isInline);
    if (step !== undefined) return this.#names.inside(scope, step.unit);
    const asked = parseSuggestorKey(key);
    if (asked !== undefined) return makeScope(inside, drawnNodes.suggestor(asked.suggestor));
    return makeScope(inside, drawnNodes.step(key));
  }

  #done(entry: JournalEntry<'recorded' | 'step_ended'>): readonly Change[] {
    const { scope, key = '', data } = entry;
    const merge = cycleObservation(entry);
    if (merge !== undefined) return this.#merged(scope, merge.awake);
    const node = this.#nodeOf(scope, key);
    const isCounted = entry.type === 'step_ended' || parseStepKey(key, isInline) !== undefined;
    if (node === undefined || !isCounted) return nothing;
    if (!data.ok && data.stopped === true) return nothing;
    const isGood = stepProblem(key, data) === undefined && !isFailure(data.ok ? data.value : undefined);
    this.#announcements.end(node);
    const change: Change = { path: node, to: 'ended', category: isGood ? 'success' : 'fatal' };
    if (!isModelKey(key)) return parseCallKey(key) === undefined ? [change] : [change, this.#modelNext(scope)];
    const next = toolsAsked(data.ok ? data.value : undefined).map(
      (tool): Change => ({ path: makeScope(this.#names.idOf(scope), drawnNodes.tool(tool)), to: 'running' }),
    );
    return [change, ...next];
  }

  #modelNext(scope: string): Change {
    return { path: makeScope(this.#names.idOf(scope), drawnNodes.model), to: 'running' };
  }

  #merged(scope: string, awake: readonly string[]): readonly Change[] {
    const inside = this.#names.idOf(scope);
    return [
      { path: makeScope(inside, drawnNodes.facts), to: 'ended', category: 'success' },
      ...awake.map((name): Change => ({ path: makeScope(inside, drawnNodes.suggestor(name)), to: 'running' })),
    ];
  }

  #observed(scope: string, data: JsonObject): readonly Change[] {
    const inside = this.#names.idOf(scope);
    const { type, step, from } = data;
    if (typeof from === 'string') this.#announcements.leave(this.#names.inside(scope, from));
    if (type === 'workflow_started')
      return [{ path: makeScope(inside, drawnNodes.start), to: 'ended', category: 'success' }];
    if (type === 'route' && data['to'] === '$end')
      return [{ path: makeScope(inside, drawnNodes.end), to: 'ended', category: 'success' }];
    if (typeof step !== 'string') return nothing;
    const path = this.#names.inside(scope, step);
    switch (type) {
      case 'step_started':
        return this.#announcements.announce(path) ? [{ path, to: 'running' }] : nothing;
      case 'step_failed':
      case 'group_failed':
      case 'terminate_failed':
        return [{ path, to: 'ended', category: 'fatal' }];
      case 'group_completed':
        return [{ path, to: 'ended', category: 'success' }];
      case 'terminated':
        return [{ path, to: 'ended', kind: 'terminated', category: data['status'] === 'failed' ? 'fatal' : 'success' }];
      default:
        return nothing;
    }
  }
}

/** Only steps without a unit of their own have such keys. */
function isInline(type: string): boolean {
  return (stepTypeFacts(type)?.effect ?? 'unit') !== 'unit';
}

function ended(path: string, termination: AnyTermination, outcome: string | undefined): Change {
  const category = categoryOf(termination);
  const isSkipped = termination.kind === 'skipped' || outcome === 'skipped';
  return {
    path,
    to: isSkipped ? 'skipped' : 'ended',
    kind: termination.kind,
    ...(category !== undefined && { category }),
  };
}

/** Model and tool calls that went wrong keep that in their value, because the loop decides what follows from it. */
function isFailure(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  const { failure, output } = value;
  return failure !== undefined || (isObject(output) && String(output['type']).startsWith('error'));
}

function toolsAsked(value: JsonValue | undefined): readonly string[] {
  const response = isObject(value) ? value['response'] : undefined;
  const calls = isObject(response) ? response['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => (isObject(call) && typeof call['tool'] === 'string' ? [call['tool']] : []));
}
