import type { AnyTermination, JsonObject, JsonValue } from 'fullstop';
import type { Charge } from 'fullstop/engine';
import type { EntryDraft } from 'fullstop/journal';
import {
  addUsd,
  isGroupKind,
  lastPart,
  makeScope,
  parentScope,
  parseItemUnit,
  parseMemberUnit,
  parsePart,
  parseScope,
  parseStepKey,
  parseVisitedUnit,
} from 'fullstop/journal';
import { type StepTypeFacts, stepTypeFacts } from 'fullstop/workflow';
import { categoryOf } from '../journal/describe-ending.js';
import { stepProblem } from '../journal/step-problem.js';
import { isUnpriced, preciseTime, shortCount, shortDuration, spentCost, valueText } from '../journal/value-text.js';
import { paint, signOf } from '../render/ending-look.js';
import { oneLine } from '../terminal/foreign-text.js';
import type { Style } from '../terminal/style.js';
import { fitted, fittedInside, padded, widthOf } from '../terminal/wrap.js';
import type { StepKinds } from './step-kinds.js';

/** Something of a run that is over, as it is shown. */
interface Finished {
  readonly name: string;
  readonly depth: number;
  readonly what: string;
  readonly category: ReturnType<typeof categoryOf>;
  /** Absent where nobody knows when it began. */
  readonly ms?: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly estimated?: boolean;
  readonly unpriced?: boolean;
  readonly note?: string;
}

/** A group at work. */
interface Group {
  readonly name: string;
  readonly since: number;
  readonly size?: number;
  readonly done: number;
}

export interface ProgressOptions {
  readonly now?: () => number;
  /** The types of the steps that are known before they run. */
  readonly kinds?: StepKinds;
  /** The facts about types of steps; about the built-in ones unless given. */
  readonly types?: (type: string) => StepTypeFacts | undefined;
  /** How wide a line may be; as wide as it is unless given. */
  readonly columns?: () => number;
}

/** Room for names. */
const leastWidth = 16;
const mostWidth = 32;
const narrowestName = 8;
/** Room for what a step was and how it ended; on a narrow screen it takes what it needs. */
const whatWidth = 28;
const wideEnough = 80;
/** The room that is kept free after a name for the rest of a line. */
const mostReserved = 24;

interface Spent {
  readonly tokens: number;
  readonly costUsd: number;
  readonly estimated: boolean;
  readonly unpriced: boolean;
}

const unspent: Spent = { tokens: 0, costUsd: 0, estimated: false, unpriced: false };

/** Follows a run by its entries and tells of each step that is over. Pure but for the clock that it is given. */
export class RunProgress {
  readonly #style: Style;
  readonly #now: () => number;
  readonly #begin: number;
  /** Running work, by the scope of its unit or the name of its step. */
  readonly #running = new Map<string, number>();
  readonly #named = new Set<string>();
  /** When units that sleep will wake, by their scope. */
  readonly #wakes = new Map<string, number>();
  readonly #openedAt = new Map<string, number>();
  readonly #kinds = new Map<string, string>();
  readonly #spent = new Map<string, Spent>();
  readonly #lastAt = new Map<string, number>();
  /** The group at work, by the scope of its workflow. */
  readonly #groups = new Map<string, Group>();
  #all: Spent = unspent;

  readonly #known: StepKinds;
  readonly #types: NonNullable<ProgressOptions['types']>;
  readonly #width: number;
  readonly #columns: () => number;

  constructor(
    style: Style,
    {
      now = Date.now,
      kinds = new Map(),
      types = stepTypeFacts,
      columns = () => Number.POSITIVE_INFINITY,
    }: ProgressOptions = {},
  ) {
    this.#types = types;
    this.#style = style;
    this.#columns = columns;
    this.#now = now;
    this.#begin = now();
    this.#known = kinds;
    this.#width = Math.min(Math.max(leastWidth, ...[...kinds.keys()].map(widthOf)), mostWidth);
  }

  /** The lines that an entry adds. */
  take(entry: EntryDraft): readonly string[] {
    this.#charge(entry);
    const finished = this.#finished(entry);
    this.#lastAt.set(entry.scope, entry.at);
    return finished.map((each) => this.#line({ ...each, name: this.#insideGroup(entry.scope, each.name) }));
  }

  /** Members of a group run side by side, so that what is inside one says inside which. */
  #insideGroup(scope: string, name: string): string {
    const member = lastPart(scope);
    const group = this.#groups.get(parentScope(scope));
    return group !== undefined && isMember(member, group) ? makeScope(member, name) : name;
  }

  /** Notes the work that an entry begins, perhaps before the entry is durable. */
  begin(entry: EntryDraft): void {
    if (entry.type === 'scope_opened') this.#open(makeScope(entry.scope, entry.key ?? entry.data.name));
    if (entry.type === 'sleep_started') this.#wakes.set(entry.scope, entry.data.until);
    if (entry.type !== 'observed') return;
    const { type, step, kind } = entry.data;
    if (type !== 'step_started' || typeof step !== 'string' || typeof kind !== 'string') return;
    this.#kinds.set(makeScope(entry.scope, step), kind);
    // A unit begins with an entry of its own, and a record is over at once.
    if (this.#types(kind)?.effect === 'step') this.#open(makeScope(entry.scope, step));
    if (isGroupKind(kind) && this.#groups.get(entry.scope)?.name !== step)
      this.#groups.set(entry.scope, { name: step, since: entry.at, done: 0, ...sizeOf(entry.data['members']) });
  }

  /** Work that has run for longer than this; each is named once. */
  lasting(ms: number): readonly string[] {
    const old = [...this.#running].filter(([path, since]) => this.#now() - since >= ms && !this.#named.has(path));
    return old.map(([path]) => {
      this.#named.add(path);
      const kind = this.#kinds.get(parseVisitedUnit(path).name);
      const wakes = this.#wakes.get(path);
      const does = wakes === undefined ? 'is running' : `waits until ${preciseTime(wakes)} (${this.#left(wakes)} left)`;
      return `  ${this.#style.glyphs ? '…' : '.'} ${path}${kind === undefined ? '' : ` ${this.#style.dim(kind)}`} ${does}`;
    });
  }

  #open(path: string): void {
    if (!this.#running.has(path)) this.#running.set(path, this.#now());
  }

  #left(until: number): string {
    return shortDuration(Math.max(0, until - this.#now()));
  }

  /** The current activity, on one line. */
  status(): string {
    const groups = [...this.#groups.values()].map(({ name, done, size }) => `${name} ${done}/${size ?? '?'}`);
    const units = [...this.#running.keys()].map((path) => {
      const wakes = this.#wakes.get(path);
      return wakes === undefined ? lastPart(path) : `${lastPart(path)} (${this.#left(wakes)} left)`;
    });
    const names = [...groups, ...units];
    const spent = [
      shortDuration(this.#now() - this.#begin),
      ...(this.#all.tokens > 0 ? [`${shortCount(this.#all.tokens)} tok`] : []),
      ...[spentCost(this.#all)].filter((cost) => cost !== ''),
    ].join(' · ');
    return `${names.length === 0 ? 'running' : names.slice(0, 4).join(', ')}  ${this.#style.dim(spent)}`;
  }

  #charge(entry: EntryDraft): void {
    if (entry.type !== 'step_ended' && entry.type !== 'recorded') return;
    const { charge } = entry.data;
    if (charge === undefined) return;
    this.#all = withCharge(this.#all, charge);
    for (let path = entry.scope; path !== ''; path = parentScope(path))
      this.#spent.set(path, withCharge(this.#spent.get(path) ?? unspent, charge));
  }

  #finished(entry: EntryDraft): readonly Finished[] {
    switch (entry.type) {
      case 'scope_opened':
        this.#openedAt.set(makeScope(entry.scope, entry.key ?? entry.data.name), entry.at);
        this.begin(entry);
        return [];
      case 'sleep_started':
        this.begin(entry);
        return [];
      case 'sleep_ended':
        this.#wakes.delete(entry.scope);
        return [];
      case 'unit_ended':
        return [this.#unit(entry.scope, entry.key ?? '', entry)];
      case 'step_ended':
      case 'recorded':
        return this.#step(entry);
      case 'observed':
        this.begin(entry);
        this.#followGroup(entry.scope, entry.data);
        return this.#observed(entry.scope, entry.data);
      default:
        return [];
    }
  }

  /** Follows the group at work by the observations of its workflow. */
  #followGroup(scope: string, { type, keys }: JsonObject): void {
    const group = this.#groups.get(scope);
    if (group === undefined) return;
    if (type === 'group_started') this.#groups.set(scope, { ...group, ...sizeOf(keys) });
    if (type === 'group_completed' || type === 'group_failed') this.#groups.delete(scope);
  }

  /** The group that something belongs to, which is over with it by one more. */
  #groupOf(scope: string, name: string): Group | undefined {
    const group = this.#groups.get(scope);
    if (group === undefined || !isMember(name, group)) return undefined;
    this.#groups.set(scope, { ...group, done: group.done + 1 });
    return group;
  }

  #unit(
    scope: string,
    name: string,
    { at, data }: { readonly at: number; readonly data: { readonly termination: AnyTermination } },
  ): Finished {
    const path = makeScope(scope, name);
    const begin = this.#openedAt.get(path) ?? at;
    this.#running.delete(path);
    this.#groupOf(scope, name);
    const { kind } = data.termination;
    const type = this.#kindOf(scope, name);
    const spent = this.#spent.get(path) ?? unspent;
    return {
      name,
      depth: depthOf(scope),
      what: this.#whatOf(type, kind),
      category: categoryOf(data.termination),
      ms: at - begin,
      ...spent,
    };
  }

  /** That a step without an ending of its own has ended is not news. */
  #whatOf(type: string | undefined, kind: string): string {
    if (type === undefined) return kind;
    const isNews = kind !== 'flow_completed' || this.#types(type)?.showsCompletion === true;
    return isNews ? `${type} · ${kind}` : type;
  }

  #kindOf(scope: string, name: string): string | undefined {
    const plain = parsePart(name).name;
    const known = scope === '' ? this.#known.get(parseItemUnit(plain)?.group ?? plain) : undefined;
    return this.#kinds.get(makeScope(scope, plain)) ?? known;
  }

  #step(entry: Extract<EntryDraft, { type: 'step_ended' | 'recorded' }>): readonly Finished[] {
    const isInline = (type: string): boolean => (this.#types(type)?.effect ?? 'unit') !== 'unit';
    const { type, unit: name = '' } = parseStepKey(entry.key ?? '', isInline) ?? {};
    if (type === undefined || this.#types(type)?.endsWorkflow === true) return [];
    this.#running.delete(makeScope(entry.scope, parseVisitedUnit(name).name));
    const { data, at, scope } = entry;
    const group = this.#groupOf(scope, name);
    const since = group === undefined ? this.#lastAt.get(scope) : group.since;
    // An item may have waited for its turn, so that nobody knows when it began.
    const isItem = group !== undefined && parseItemUnit(parsePart(name).name) !== undefined;
    const ms = isItem ? undefined : at - (since ?? at);
    const problem = stepProblem(entry.key ?? '', data);
    return [
      {
        name,
        depth: depthOf(scope),
        what: type,
        category: problem === undefined ? 'success' : 'fatal',
        ...(ms !== undefined && { ms }),
        tokens: 0,
        costUsd: 0,
        ...(problem !== undefined && { note: problem }),
      },
    ];
  }

  #observed(scope: string, data: JsonObject): readonly Finished[] {
    const { type, step, status, reason } = data;
    if (typeof step !== 'string') return [];
    const end = { name: step, depth: depthOf(scope), tokens: 0, costUsd: 0 } as const;
    const kind = this.#kindOf(scope, step) ?? 'terminate';
    if (type === 'terminate_failed')
      return [{ ...end, what: kind, category: 'fatal', note: String(data['message'] ?? data['error']) }];
    if (type !== 'terminated') return [];
    const category = status === 'failed' ? 'fatal' : 'success';
    return [{ ...end, what: `${kind} · ${String(status)}`, category, note: String(reason) }];
  }

  #line({ name, depth, what, category, ms, note, ...spent }: Finished): string {
    const cost = spentCost(spent);
    const style = this.#style;
    const columns = this.#columns();
    const facts = [
      (ms === undefined ? '' : shortDuration(ms)).padStart(6),
      ...(spent.tokens > 0 ? [`${shortCount(spent.tokens)} tok`.padStart(9)] : []),
      ...(cost === '' ? [] : [cost.padStart(8)]),
    ].join('  ');
    const kind = columns < wideEnough ? what : padded(what, whatWidth);
    const indent = 2 + depth * 2;
    const room = columns - indent - 4 - widthOf(kind);
    const shown = note === undefined ? undefined : valueText(note, 100);
    const least = Math.min(widthOf(shown ?? facts), mostReserved);
    const width = Math.max(narrowestName, Math.min(Math.max(4, this.#width - depth * 2), room - least));
    const plain = oneLine(name);
    const title = padded(Number.isFinite(columns) ? fittedInside(plain, width) : plain, width);
    const left = Math.max(narrowestName, room - width);
    const end = shown === undefined ? style.dim(facts) : paint(category, fitted(shown, left), style);
    return `${' '.repeat(indent)}${signOf(category, style)} ${title} ${kind} ${end}`.trimEnd();
  }
}

function withCharge({ tokens, costUsd, estimated, unpriced }: Spent, charge: Charge): Spent {
  return {
    tokens: tokens + (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0),
    costUsd: addUsd(costUsd, charge.costUsd ?? 0),
    estimated: estimated || charge.estimated === true,
    unpriced: unpriced || isUnpriced(charge),
  };
}

function isMember(unit: string, { name }: Group): boolean {
  return parseMemberUnit(unit, name) !== undefined;
}

/** How many members or items there are, where that is known. */
function sizeOf(list: JsonValue | undefined): { readonly size?: number } {
  return Array.isArray(list) ? { size: list.length } : {};
}

function depthOf(scope: string): number {
  return parseScope(scope).length;
}
