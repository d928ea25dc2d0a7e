import type { JsonObject } from 'fullstop';
import type { Engine, RunSession } from 'fullstop/engine';
import type { EntryDraft } from 'fullstop/journal';

export interface Watching {
  /** Called with entries before they are durable: only for showing the current activity. */
  onAppend(entry: EntryDraft): void;
  /** Called with the run, before anything is done. */
  onRun(runId: string): void;
  /** Stands with the options of every segment that is opened here. */
  readonly remember: JsonObject;
}

/** The same engine, watched. Finished work is reported by the run itself, once it is certain. */
export function watchedEngine(engine: Engine, { onAppend, onRun, remember }: Watching): Engine {
  const remembering = <T extends { readonly options?: JsonObject }>(request: T): T =>
    Object.keys(remember).length === 0 ? request : { ...request, options: { ...request.options, ...remember } };
  return {
    ...engine,
    start: (request) => engine.start(remembering(request)),
    reopen: (request) => engine.reopen(remembering(request)),
    claim: async (runId, workerId) => {
      onRun(runId);
      const session = await engine.claim(runId, workerId);
      return session && watchedSession(session, onAppend);
    },
  };
}

function watchedSession(session: RunSession, onAppend: (entry: EntryDraft) => void): RunSession {
  return new Proxy(session, {
    get: (target, name) => {
      if (name === 'append') {
        return (draft: EntryDraft): void => {
          target.append(draft);
          onAppend(draft);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: never[]) => unknown).bind(target) : value;
    },
  });
}
