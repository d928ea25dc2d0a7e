import type { Log } from '../../run/log.js';
import type { StageView } from './stage-view.js';

/** The stages that have ended. */
export type Views = Log<StageView>;

const no = (): boolean => false;
/** No stage may put something else in the place of another one. Freezing a list that grows with every stage would mean to copy it. */
const readOnly: ProxyHandler<Record<string, unknown>> = {
  set: no,
  defineProperty: no,
  deleteProperty: no,
  setPrototypeOf: no,
  preventExtensions: no,
};

/** Turns what has ended into the object that stages read, adding only what is new since the last time. */
export function doneReader(base: object): (views: Views) => object {
  let done: Record<string, unknown> = { ...base };
  let shown = new Proxy(done, readOnly);
  let known = 0;
  return ({ items, length }) => {
    if (length < known) {
      done = { ...base };
      shown = new Proxy(done, readOnly);
      known = 0;
    }
    for (; known < length; known += 1) {
      const view = items[known] as StageView;
      done[view.name] = view;
    }
    return shown;
  };
}
