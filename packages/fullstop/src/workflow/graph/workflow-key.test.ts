import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutAttempt } from '../../run/journal/scope-path.js';
import {
  isDialogUnit,
  makeDialogUnit,
  makeItemUnit,
  makeParallelUnit,
  makeQuestionId,
  makeRecordKey,
  makeStepKey,
  makeVisitedUnit,
  parseItemUnit,
  parseMemberUnit,
  parseRecordKey,
  parseStepKey,
  parseVisitedUnit,
  possibleAskers,
  possibleStepNames,
} from './workflow-key.js';

/** A file may give steps and groups any name. */
const anyName = fc.string({
  unit: fc.constantFrom('a', 'p', '1', '2', '.', '#', '~', '[', ']', ':', ' '),
  minLength: 1,
});
const visit = fc.integer({ min: 1, max: 50 });

describe('keys of a workflow', () => {
  test('of steps are read as they were made', () => {
    const made = fc.record({ type: fc.constantFrom('script', 'set', 'terminate'), unit: anyName });
    fc.assert(fc.property(made, (each) => void expect(parseStepKey(makeStepKey(each))).toEqual(each)));
    expect(['set', 'route:set', 'sets:a'].map((key) => parseStepKey(key))).toEqual([undefined, undefined, undefined]);
  });

  test('of its own decisions are read as they were made', () => {
    const made = fc.record({
      type: fc.constantFrom('trim', 'items', 'route', 'recover', 'tell', 'hook'),
      about: anyName,
    });
    fc.assert(fc.property(made, (each) => void expect(parseRecordKey(makeRecordKey(each))).toEqual(each)));
    expect(parseRecordKey('start')).toBeUndefined();
  });
});

describe('units of a workflow', () => {
  test('say which visit they are', () => {
    const name = anyName.filter((text) => !/#\d+$/.test(text));
    fc.assert(
      fc.property(name, visit, (of, count) => {
        expect(parseVisitedUnit(makeVisitedUnit({ name: of, visit: count }))).toEqual({ name: of, visit: count });
      }),
    );
    expect(parseVisitedUnit('a~2')).toEqual({ name: 'a~2', visit: 1 });
  });

  test('of members are found in their group, whatever the two are called', () => {
    fc.assert(
      fc.property(anyName, anyName, visit, visit, (group, name, count, occurrence) => {
        const unit = makeParallelUnit({ group: makeVisitedUnit({ name: group, visit: count }), name, occurrence });
        const place = parseMemberUnit(unit, group);
        expect(place).toEqual({ member: occurrence === 1 ? name : `${name}~${occurrence}` });
        if (occurrence > 1) expect(withoutAttempt(`${name}~${occurrence}`)).toBe(name);
      }),
    );
  });

  test('of items are found in their group, whatever it is called', () => {
    fc.assert(
      fc.property(anyName, visit, fc.nat(1000), (name, count, index) => {
        const group = makeVisitedUnit({ name, visit: count });
        const unit = makeItemUnit({ group, index });
        expect(parseItemUnit(unit)).toEqual({ group, index });
        expect(parseMemberUnit(unit, name)).toEqual({ index });
      }),
    );
  });

  test('are not mistaken for members of a group of a similar name', () => {
    expect(parseMemberUnit('group2.a', 'group')).toBeUndefined();
    expect(parseMemberUnit('group', 'group')).toBeUndefined();
    expect(parseMemberUnit('group#2', 'group')).toBeUndefined();
  });

  test('lead to the names of their steps', () => {
    expect(possibleStepNames('m#2')).toEqual(['m', 'm']);
    expect(possibleStepNames('p#2.a~2')).toEqual(['p#2.a', 'a']);
    expect(possibleStepNames('g#2[3]')).toEqual(['g', 'g']);
  });

  test('of a conversation are distinguished from others', () => {
    expect(['dialog', makeDialogUnit(2)].every(isDialogUnit)).toBe(true);
    expect(isDialogUnit('validator')).toBe(false);
  });

  test('ask under ids of their own', () => {
    expect(makeQuestionId('a/gate', {})).toBe('a/gate');
    expect(makeQuestionId('a/gate', { turn: 2 })).toBe('a/gate~2');
    expect(makeQuestionId('ask', { subject: 'name', turn: 1 })).toBe('ask.name~1');
  });

  test('say who may have asked a model in a scope, so that a script continues with the right list', () => {
    expect(possibleAskers('m')).toContain('m');
    expect(possibleAskers('w/m#2/agent')).toContain('m');
    expect(possibleAskers('m/dialog')).toContain('m (dialog)');
    expect(possibleAskers('m/dialog 2')).toContain('m (dialog)');
    expect(possibleAskers('g.m/validator')).toContain('m (validator)');
    expect(possibleAskers('m/agent after dialog')).toContain('m');
    // Steps may be called `agent`, `dialog` and `validator` too.
    const lists = ['m', 'm (dialog)', 'm (validator)', 'agent', 'dialog', 'validator'];
    const asker = (scope: string) => possibleAskers(scope).find((name) => lists.includes(name));
    expect(['m/agent', 'm/dialog 2', 'm/validator'].map(asker)).toEqual(['m', 'm (dialog)', 'm (validator)']);
    expect(['agent', 'dialog#2', 'validator'].map(asker)).toEqual(['agent', 'dialog', 'validator']);
  });
});
