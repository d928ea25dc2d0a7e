import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardPlace } from '../dashboard.fixture.js';

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

describe('the description of the API', () => {
  let place: DashboardPlace;
  let description: Description;
  beforeAll(async () => {
    place = await DashboardPlace.open();
    description = await place.json<Description>('/api/openapi.json');
  });
  afterAll(() => place.close());

  it('names every operation with its parameters, body and refusals', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.paths)).toEqual(
      expect.arrayContaining([
        '/api/runs',
        '/api/runs/{id}',
        '/api/runs/{id}/answer',
        '/api/bulk/preview',
        '/api/events',
      ]),
    );
    const list = description.paths['/api/runs']?.['get'];
    expect(list?.parameters?.map(({ name }) => name)).toEqual(expect.arrayContaining(['kind', 'cursor', 'limit', 'q']));
    const answer = description.paths['/api/runs/{id}/answer']?.['post'];
    expect(answer?.parameters).toMatchObject([{ name: 'id', in: 'path' }]);
    expect(answer?.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/AnswerBody' } } },
    });
    for (const [path, operations] of Object.entries(description.paths))
      for (const operation of Object.values(operations))
        expect([path, Object.keys(operation.responses)]).toEqual([path, ['200', 'default']]);
  });

  it('refers only to schemas that it has', () => {
    const text = JSON.stringify(description);
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(referred.length).toBeGreaterThan(10);
    expect(referred.filter((name) => description.components.schemas[name] === undefined)).toEqual([]);
    expect(text).not.toContain('$defs');
  });

  it('is what the server does: every operation is there', async () => {
    for (const [path, operations] of Object.entries(description.paths)) {
      if (operations['get'] === undefined || path.includes('{') || path.endsWith('events')) continue;
      expect([path, (await place.get(path)).status]).toEqual([path, 200]);
    }
  });
});
