/** How much too long a prompt is, as far as the provider says. */
export interface ContextLength {
  /** The window, in tokens. */
  readonly limit?: number;
  /** The size of the request, in tokens, a reserved answer included where the provider counts it. */
  readonly used?: number;
}

interface Row {
  readonly provider: string;
  /** May have the groups `limit`, `used` and `reserved`. */
  readonly pattern: RegExp;
}

/** Codes and types of error bodies that mean nothing else. */
const codes: ReadonlySet<string> = new Set([
  'context_length_exceeded', // OpenAI and most that speak its format
  'exceed_context_size_error', // llama.cpp
  'model_context_window_exceeded', // Anthropic
  'request_too_large', // Anthropic, with status 413
  'string_above_max_length', // OpenAI, for one field
]);

/**
 * The sentences of the providers, since most have no code for it. They are the provider's wording, not ours, and they
 * change: this table and its test are the only place that knows them. Rows with numbers stand before those without.
 */
const rows: readonly Row[] = [
  {
    provider: 'OpenAI, Azure, vLLM, DeepSeek, OpenRouter',
    pattern:
      /maximum context length is (?<limit>[\d,]+) tokens.{0,40}?(?:resulted in|you requested|requested about|your request has) (?:about )?(?<used>[\d,]+)/is,
  },
  {
    provider: 'vLLM',
    pattern:
      /passed (?<used>[\d,]+) input tokens and requested (?<reserved>[\d,]+) output tokens.{0,80}?context length is only (?<limit>[\d,]+)/is,
  },
  { provider: 'Anthropic', pattern: /prompt is too long: (?<used>[\d,]+) tokens > (?<limit>[\d,]+)/i },
  {
    provider: 'Anthropic',
    pattern: /exceed context limit:\s+(?<used>[\d,]+)\s+\+\s+(?<reserved>[\d,]+)\s+> (?<limit>[\d,]+)/i,
  },
  {
    provider: 'Google',
    pattern:
      /input token count \(?(?<used>[\d,]+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i,
  },
  { provider: 'Google', pattern: /exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i },
  {
    provider: 'xAI',
    pattern: /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<used>[\d,]+) tokens/i,
  },
  {
    provider: 'Mistral',
    pattern:
      /prompt contains (?<used>[\d,]+) tokens.{0,60}?too large for model with (?<limit>[\d,]+) maximum context/is,
  },
  {
    provider: 'Cohere',
    pattern: /tokens in the prompt cannot exceed (?<limit>[\d,]+).{0,20}?received (?<used>[\d,]+)/is,
  },
  {
    provider: 'Hugging Face',
    pattern: /must be <= (?<limit>[\d,]+)\. Given: (?<used>[\d,]+) `inputs` tokens and (?<reserved>[\d,]+)/i,
  },
  { provider: 'any of these', pattern: /maximum context length is (?<limit>[\d,]+)/i },
  { provider: 'Anthropic', pattern: /prompt is too long/i },
  { provider: 'OpenAI', pattern: /exceeds the (?:model's )?context window/i },
  { provider: 'Groq', pattern: /reduce the length of the messages or completion/i },
  { provider: 'Amazon Bedrock', pattern: /input is too long for requested model/i },
  { provider: 'llama.cpp', pattern: /exceeds the available context size/i },
  { provider: 'LM Studio', pattern: /greater than the context length/i },
  { provider: 'Ollama', pattern: /exceed(?:s|ed) (?:the )?max(?:imum)? context length/i },
  { provider: 'anyone', pattern: /\bcontext[ _](?:length|window)[ _]exceeded\b/i },
];

/** Whether an error says that the prompt does not fit the model's window, and by how much. */
export function readContextLength(facts: {
  readonly codes: readonly string[];
  readonly messages: readonly string[];
}): ContextLength | undefined {
  for (const { pattern } of rows) {
    for (const message of facts.messages) {
      const match = pattern.exec(message);
      if (match !== null) return readNumbers(match.groups ?? {});
    }
  }
  return facts.codes.some((code) => codes.has(code)) ? {} : undefined;
}

function readNumbers({ limit, used, reserved }: Readonly<Record<string, string | undefined>>): ContextLength {
  return {
    ...(limit !== undefined && { limit: toNumber(limit) }),
    ...(used !== undefined && { used: toNumber(used) + (reserved === undefined ? 0 : toNumber(reserved)) }),
  };
}

function toNumber(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}
