import { invalidFields, issueText } from '../define-termination.js';
import type { Ending } from '../ending.js';
import { FullstopError, type ValueIssue } from '../errors/fullstop-error.js';
import { toErrorData } from '../errors/to-error-data.js';
import { isObject, type JsonValue } from '../json.js';
import type { AnyTermination, Termination, Unlisted } from '../kinds.js';
import { builtIns, type TerminationRegistry } from '../registry.js';
import { grouped } from '../text/wording.js';
import { type ValidationRules, validate } from '../validate.js';
import { fit } from './fit.js';
import { defaultLimits, firstNonJson, fitsBytes, measure, type Obstacle, type SizeLimits } from './measure.js';
import { renameKind } from './rename-kind.js';

/** A termination, or everything that is wrong with the text. */
export type DecodedTermination<TEnding> =
  | { readonly ok: true; readonly termination: TEnding }
  | { readonly ok: false; readonly issues: readonly ValueIssue[] };

/** Writes terminations as JSON text and reads them back. */
export interface TerminationCodec<TEnding extends Ending> {
  /** The JSON text; what is too deep or too large is cut, and `cut` says where. */
  encode<TWritten extends Ending>(termination: TWritten): string;
  /** Throws `INVALID_TERMINATION` or `UNREGISTERED_TERMINATION`, with a path for each issue. */
  decode(text: string): TEnding;
  /** Never throws. Takes JSON text or a value that was parsed already. */
  safeDecode(input: unknown): DecodedTermination<TEnding>;
}

/** Options of `createCodec`: kinds of one's own, and what becomes of unknown ones. */
export interface TerminationCodecOptions<
  TExtra extends Ending = never,
  TUnknownKinds extends 'keep' | 'reject' = 'reject',
> {
  /** The key that holds the kind; `kind` unless given. */
  readonly discriminant?: string;
  /** The kinds to know besides the built-in ones. */
  readonly registry?: TerminationRegistry<TExtra>;
  readonly unknownFields?: 'keep' | 'reject';
  readonly unknownKinds?: TUnknownKinds;
  readonly limits?: SizeLimits;
  /** Replaces the wire form; undefined leaves a value to the default form. */
  readonly encode?: (termination: AnyTermination) => JsonValue | undefined;
  /** The way back; undefined leaves a value to the usual form. */
  readonly decode?: (value: JsonValue) => Ending | undefined;
}

/** Makes a codec: for custom kinds, another discriminant, or a custom wire form. */
export function createCodec<TExtra extends Ending = never, const TUnknownKinds extends 'keep' | 'reject' = 'reject'>(
  options: TerminationCodecOptions<TExtra, TUnknownKinds> = {},
): TerminationCodec<Termination | TExtra | (TUnknownKinds extends 'keep' ? Unlisted : never)> {
  type Known = Termination | TExtra | (TUnknownKinds extends 'keep' ? Unlisted : never);
  const settings: Settings = {
    limits: options.limits ?? defaultLimits,
    discriminant: options.discriminant ?? 'kind',
    registry: options.registry ?? builtIns,
    unknownFields: options.unknownFields ?? 'keep',
    unknownKinds: options.unknownKinds ?? 'reject',
    toOwn: (termination) => options.encode?.(termination as AnyTermination),
    fromOwn: (value) => options.decode?.(value),
  };
  refuseTaken(settings.discriminant, settings.registry);

  const safeDecode = (input: unknown): DecodedTermination<Known> => {
    try {
      const { issues, value } = read(input, settings);
      return issues.length === 0 ? { ok: true, termination: value as Known } : { ok: false, issues };
    } catch (error) {
      // A key that is taken, or a user's own decode or schema, or an exotic object that throws.
      if (FullstopError.is(error) && error.issues.length > 0) return { ok: false, issues: error.issues };
      return { ok: false, issues: [makeIssue(`could not be read: ${toErrorData(error).message}`)] };
    }
  };

  return {
    encode: (termination) => write(termination, settings),
    decode(text) {
      const result = safeDecode(text);
      if (!result.ok) throw makeCodecError(undefined, result.issues);
      return result.termination;
    },
    safeDecode,
  };
}

let standard: TerminationCodec<Termination> | undefined;

/** Made with its first use, since most programs that import this library never write or read a termination themselves. */
function standardCodec(): TerminationCodec<Termination> {
  standard ??= createCodec();
  return standard;
}

/** Writes a built-in termination as JSON text. */
export const encode: TerminationCodec<Termination>['encode'] = (termination) => standardCodec().encode(termination);

/** Reads a built-in termination from JSON text; throws with a path for each issue. */
export const decode: TerminationCodec<Termination>['decode'] = (text) => standardCodec().decode(text);

/** Reads a built-in termination from JSON text or a parsed value; never throws. */
export const safeDecode: TerminationCodec<Termination>['safeDecode'] = (input) => standardCodec().safeDecode(input);

interface Settings extends ValidationRules {
  readonly limits: SizeLimits;
  readonly discriminant: string;
  toOwn(termination: Ending): JsonValue | undefined;
  fromOwn(value: JsonValue): Ending | undefined;
}

function write(termination: Ending, settings: Settings): string {
  const { limits } = settings;
  const obstacle = measure(termination, limits);
  const problem = obstacle === undefined ? undefined : firstNonJson(termination);
  if (problem !== undefined) throw makeCodecError(termination, [problem]);
  const whole = obstacle === undefined ? textOf(termination, settings) : undefined;
  if (whole !== undefined) return whole;
  // Escapes, wide characters and long numbers can make the text larger than measured, so ever less is kept.
  for (let bytes = limits.bytes; bytes >= 1; bytes /= 2) {
    const fitted = fit(termination, { ...limits, bytes });
    const text = fitted && textOf(fitted, settings);
    if (text !== undefined) return text;
  }
  throw makeCodecError(termination, [makeIssue(`cannot be cut to ${limits.bytes} bytes and ${limits.depth} levels`)]);
}

/** The JSON text of a termination, or undefined when that is too large. */
function textOf(termination: Ending, settings: Settings): string | undefined {
  const { limits, discriminant } = settings;
  const issues = validate(termination, settings);
  if (issues.length > 0) throw makeCodecError(termination, issues);
  const own = settings.toOwn(termination);
  const obstacle = own === undefined ? undefined : measure(own, limits);
  if (obstacle === 'size') return undefined;
  if (obstacle !== undefined) throw invalidFields('result of encode', [obstacleIssue(own, obstacle, limits)]);
  const text = JSON.stringify(own === undefined ? renameKind(termination, { from: 'kind', to: discriminant }) : own);
  return fitsBytes(text, limits.bytes) ? text : undefined;
}

interface Reading {
  readonly issues: readonly ValueIssue[];
  readonly value?: unknown;
}

function read(input: unknown, settings: Settings): Reading {
  const { limits, discriminant } = settings;
  if (typeof input === 'string' && !fitsBytes(input, limits.bytes))
    return { issues: [obstacleIssue(input, 'size', limits)] };
  const wire = typeof input === 'string' ? parse(input) : input;
  const obstacle = measure(wire, limits);
  if (obstacle !== undefined) return { issues: [obstacleIssue(wire, obstacle, limits)] };
  const own = settings.fromOwn(wire as JsonValue);
  const ownObstacle = own === undefined ? undefined : measure(own, limits);
  if (ownObstacle !== undefined) return { issues: [obstacleIssue(own, ownObstacle, limits)] };
  const value = own === undefined ? renameKind(wire, { from: discriminant, to: 'kind' }) : own;
  return { issues: validate(value, settings), value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidFields('termination', [makeIssue(`not JSON: ${toErrorData(error).message}`)]);
  }
}

/** The error for a termination that cannot be written or read. */
function makeCodecError(termination: unknown, issues: readonly ValueIssue[]): FullstopError {
  const [first] = issues;
  if (first === undefined || issues.some((issue) => issue.code !== 'unknown_kind')) {
    const kind = isObject(termination) ? termination['kind'] : undefined;
    return invalidFields(typeof kind === 'string' ? kind.slice(0, 80) : 'termination', issues);
  }
  return new FullstopError(
    'UNREGISTERED_TERMINATION',
    `${issueText(first)}. Define it with defineTermination and register it: createCodec({ registry: createRegistry([definition]) }); or pass unknown kinds through with unknownKinds: 'keep'.`,
    { issues },
  );
}

/** A key that holds evidence cannot hold the kind as well. */
function refuseTaken(discriminant: string, registry: TerminationRegistry): void {
  const owner = registry.kinds.find((kind) => registry.get(kind).fields?.has(discriminant));
  if (owner === undefined && discriminant !== 'cut') return;
  throw new FullstopError(
    'INVALID_DISCRIMINANT',
    `The discriminant ${JSON.stringify(discriminant)} is the name of a field of ${owner ?? 'every kind'}; use another one, such as "$kind" or "type".`,
  );
}

function makeIssue(message: string): ValueIssue {
  return { code: 'invalid', path: '', message };
}

function obstacleIssue(value: unknown, obstacle: Obstacle, limits: SizeLimits): ValueIssue {
  const problem = obstacle === 'not_json' ? firstNonJson(value) : undefined;
  if (problem !== undefined) return problem;
  return makeIssue(
    obstacle === 'depth' ? `nested deeper than ${limits.depth} levels` : `larger than ${grouped(limits.bytes)} bytes`,
  );
}
