import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enterPhase, type Phase, phases } from './phases.js';

const all = Object.keys(phases) as Phase[];

describe('phases', () => {
  it('move only as the table says', () => {
    for (const from of all) {
      for (const to of all) {
        const draft: { readonly phase: Phase } = { phase: from };
        const isAllowed = from === to || phases[from].next.includes(to);
        if (isAllowed) enterPhase(draft, to);
        else expect(() => enterPhase(draft, to)).toThrow(`may not move from ${from} to ${to}`);
        expect(draft.phase).toBe(isAllowed ? to : from);
      }
    }
  });

  it('all lie on the way from the prompt to the next call of the model', () => {
    const reachable = new Set<Phase>(['prompting']);
    for (const phase of reachable) for (const next of phases[phase].next) reachable.add(next);
    expect([...reachable].sort()).toEqual([...all].sort());
    for (const start of all) {
      const later = new Set<Phase>(phases[start].next);
      for (const phase of later) for (const next of phases[phase].next) later.add(next);
      expect(later, start).toContain('model');
    }
  });

  it('are written by enterPhase alone', () => {
    const sources = readdirSync(import.meta.dirname).filter((file) => /^(?!.*\.test).*\.ts$/.test(file));
    const writers = sources.filter((file) => /\.phase = /.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
    expect(writers).toEqual(['phases.ts']);
  });
});
