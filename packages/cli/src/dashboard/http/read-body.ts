import { ApiError } from './api-error.js';

/** The JSON of a request. What is too large is not read to its end. */
export async function readBody(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new ApiError(`A body has the type application/json, not ${JSON.stringify(type)}.`, {
      status: 415,
      code: 'JSON_NEEDED',
    });
  const text = await readText(request, most);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError(`The body is not JSON: ${(error as Error).message}`, {
      status: 400,
      code: 'INVALID_JSON',
      cause: error,
    });
  }
}

async function readText(request: Request, most: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > most) throw tooLarge(most);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(most: number): ApiError {
  return new ApiError(`A body has at most ${most} bytes.`, { status: 413, code: 'BODY_TOO_LARGE' });
}
