import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;

beforeEach(() => {
  place = new Place();
  place.write(workflows);
});

afterEach(() => place.remove());

const secret = 'sk-very-secret-4711';

function dataOf(page: string): {
  readonly runId: string;
  readonly bodies: Record<string, { banner: { title: string } }>;
} {
  const [, json = ''] = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json);
}

describe('report', () => {
  it('writes one file with everything that the page of the run has', async () => {
    await place.run(['run', 'ask.yaml', '--scripted', 'good.script.yaml', '--run-id', 'r1']);
    const { code, stderr, stdout } = await place.run(['report', 'r1', '-o', 'run.html']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`Written to ${place.path('run.html')}`);
    const page = readFileSync(place.path('run.html'), 'utf8');
    const { runId, bodies } = dataOf(page);
    expect(runId).toBe('r1');
    expect(bodies['/api/runs/r1']?.banner.title).toBe('Completed');
    expect(Object.keys(bodies)).toEqual(
      expect.arrayContaining(['/api/session', '/api/runs/r1/timeline', '/api/runs/r1/facts', '/api/runs/r1/what-if']),
    );
    // Nothing in it asks for anything.
    expect(page.replace(/<script.*?<\/script>|<style>.*?<\/style>/gs, '')).not.toMatch(/(src|href)=/);
    expect(page).toContain("default-src 'none'");
  });

  it('has no secret in it', async () => {
    place.write({
      'secret.yaml': `workflow: { name: leak, entry_point: say }\nagents:\n  - { name: say, type: script, command: echo, args: ["\${API_KEY}"] }\n`,
    });
    const env = { API_KEY: secret };
    await place.run(['run', 'secret.yaml', '--run-id', 'r2'], env);
    await place.run(['report', 'r2', '-o', 'run.html'], env);
    expect(readFileSync(place.path('run.html'), 'utf8')).not.toContain(secret);
  });

  it('is named after the run, and says where there is none', async () => {
    await place.run(['run', 'ask.yaml', '--scripted', 'good.script.yaml', '--run-id', 'r3']);
    expect((await place.run(['report'])).code).toBe(0);
    expect(dataOf(readFileSync(place.path('r3.html'), 'utf8')).runId).toBe('r3');
    const { code, stderr } = await place.run(['report', 'nothing']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no run "nothing"');
  });
});
