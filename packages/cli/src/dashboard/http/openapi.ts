import { z } from 'zod';
import { apiErrorSchema } from '../api/api-error.js';
import type { ApiRoute } from './route.js';

/** The description of the API, made from the schemas that check its requests. */
export function openApi(routes: readonly ApiRoute[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  const named: Record<string, unknown> = {};
  const describe = (schema: z.ZodType, io: 'input' | 'output'): unknown => schemaOf(schema, io, named);
  const refusal = { description: 'A refusal', content: jsonContent(describe(apiErrorSchema, 'output')) };
  for (const route of routes) {
    const { path: address } = route;
    const path = `/api${address.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = {
      ...paths[path],
      [route.method]: { ...operation(route, describe), ...responses(route, describe, refusal) },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The dashboard of Fullstop', version },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: named,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of the address that was printed.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'fullstop_PORT',
          description: 'Set when that address is opened.',
        },
      },
    },
  };
}

type Describe = (schema: z.ZodType, io: 'input' | 'output') => unknown;

function operation({ summary, path, query, body }: ApiRoute, describe: Describe): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(query, describe))];
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: jsonContent(describe(body, 'input')) } }),
  };
}

function queryParameters(query: z.ZodType, describe: Describe): readonly object[] {
  const { properties = {}, required = [] } = describe(query, 'input') as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function responses({ response }: ApiRoute, describe: Describe, refusal: object): object {
  const content =
    typeof response === 'string'
      ? { [response]: { schema: { type: 'string' } } }
      : jsonContent(describe(response, 'output'));
  return { responses: { 200: { description: 'What was asked for', content }, default: refusal } };
}

function jsonContent(schema: unknown): object {
  return { 'application/json': { schema } };
}

/** Schemas with a name stand once among the components, and are referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Record<string, unknown>): unknown {
  const {
    $schema: _,
    $defs = {},
    ...described
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
  }) as Record<string, unknown> & { readonly $defs?: Readonly<Record<string, unknown>> };
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as unknown;
  for (const [name, definition] of Object.entries($defs)) named[name] ??= moved(withoutId(definition));
  const id = described['id'];
  if (typeof id !== 'string') return moved(described);
  named[id] ??= moved(withoutId(described));
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId(definition: unknown): unknown {
  const { id: _, ...rest } = definition as Readonly<Record<string, unknown>>;
  return rest;
}
