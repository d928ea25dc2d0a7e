import type { Engine, InboxMessage, RunSession } from '../../engines/port/engine.js';
import type { CancelRequest, JournalEntry } from '../../engines/port/journal-entry.js';
import type { ActiveTime } from '../accounts/active-time.js';
import { SharedBudget } from '../accounts/shared-budget.js';
import { Lineage } from '../fork/lineage.js';
import { endingOfSegment, reopenedScopes } from '../replay/reopened-scopes.js';
import { restoreUnit } from '../replay/restore-unit.js';
import type { RunSettings } from '../settings.js';
import { OpenRequests } from '../unit/open-requests.js';
import { Unit } from '../unit/unit.js';
import { Delivery } from './delivery.js';
import { ExecutionJournal } from './execution-journal.js';
import { ExecutionState } from './execution-state.js';
import { RestDetector } from './rest-detector.js';

const segmentEnded = new Error('The segment has ended.');

export interface ExecutionOptions {
  readonly session: RunSession;
  readonly engine: Engine;
  readonly settings: RunSettings;
  readonly history: readonly JournalEntry[];
  readonly active: ActiveTime;
}

/** Those who take what the engine has for a run. */
export interface InboxListener {
  onAnswer(message: Extract<InboxMessage, { type: 'answer' }>): void;
  onCancel(request: CancelRequest): void;
}

/** One execution of one segment: its state, its journal, the hand-over of results and the detection of rest. */
export class Execution {
  readonly session: RunSession;
  readonly engine: Engine;
  readonly settings: RunSettings;
  readonly active: ActiveTime;
  readonly state: ExecutionState = new ExecutionState();
  readonly journal: ExecutionJournal;
  readonly delivery: Delivery;
  readonly requests: OpenRequests;
  readonly rest: RestDetector;
  readonly root: Unit;
  /** Scopes that a resume reopens although they have an ending. */
  readonly reopened: ReadonlySet<string>;
  /** Units that ended by themselves while the run was being cancelled: what they did is undone all the same. */
  readonly unwound: Unit[] = [];
  /** The runs that this execution has spawned. */
  readonly spawned: Set<string> = new Set();
  /** The budgets that it shares with other runs. */
  readonly budget: SharedBudget;
  /** The cancellations under way of runs that it has spawned. */
  readonly cancelling: Promise<void>[] = [];
  /** Where the ids that are drawn come from. */
  readonly lineage: Lineage;
  readonly #cleanups: (() => void)[] = [];

  constructor({ session, engine, settings, history, active }: ExecutionOptions) {
    this.session = session;
    this.engine = engine;
    this.settings = settings;
    this.active = active;
    const { state } = this;
    this.journal = new ExecutionJournal({ session, clock: engine.clock, settings, history, active, state });
    this.delivery = new Delivery({
      // A clock that jumps when nobody uses it must see that the run is at work.
      onTurn: () => engine.clock.now(),
      onIdle: () => this.rest.check(),
    });
    this.lineage = new Lineage(session.identity.runId, history);
    this.requests = new OpenRequests(history);
    const endingBefore = endingOfSegment(history, session.segment - 1);
    this.reopened = reopenedScopes(endingBefore);
    this.root = new Unit({
      scope: '',
      limits: settings.limitsOf(''),
      now: history[0]?.at ?? engine.clock.now(),
      endingBefore,
      finish: (result) => state.settle({ type: 'ended', result }),
    });
    restoreUnit(this.journal, this.root);
    const { root, journal, delivery, requests } = this;
    this.budget = new SharedBudget({ engine, session, history, ledger: root.ledger });
    this.rest = new RestDetector({ session, root, state, journal, delivery, requests, active, engine, settings });
  }

  /** Begins to listen: messages that are already there are taken before the body starts. */
  open({ onAnswer, onCancel }: InboxListener): void {
    const { session, state } = this;
    this.onClose(session.onFenced(() => state.settle({ type: 'fenced' })));
    this.onClose(
      session.listen((message) => {
        if (state.closed) return;
        if (message.type === 'answer') onAnswer(message);
        else onCancel(message.request);
      }),
    );
  }

  /** Stops listening and releases everything that could still call back. */
  close(): void {
    this.state.close();
    for (const cleanup of this.#cleanups) cleanup();
    this.rest.close();
    this.requests.close();
    this.root.abort(segmentEnded);
  }

  onClose(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }
}
