import { describe, expectTypeOf, it } from 'vitest';
import type { WaitStep } from '../schema/steps/wait.js';
import type { StepType } from './step-type.js';

type Parts = StepType<WaitStep>;

describe('a type of step', () => {
  it('has every part', () => {
    expectTypeOf<keyof Parts>().toEqualTypeOf<
      'shape' | 'graph' | 'analysis' | 'machine' | 'performer' | 'progress' | 'events'
    >();
    expectTypeOf<Omit<Parts, 'events'>>().not.toExtend<Parts>();
    expectTypeOf<Omit<Parts, 'performer'>>().not.toExtend<Parts>();
  });

  it('has the performer that its effect needs', () => {
    type Unit = Extract<Parts, { machine: { effect: 'unit' } }>;
    type Record = Extract<Parts, { machine: { effect: 'record' } }>;
    expectTypeOf<Omit<Unit, 'performer'> & Pick<Record, 'performer'>>().not.toExtend<Parts>();
    expectTypeOf<Unit>().toExtend<Parts>();
  });
});
