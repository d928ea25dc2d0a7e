import { sha256 } from '../../store/chain.js';

/** The part of a client of `pg` that we use. */
export interface ClientLike {
  query(query: {
    readonly text: string;
    readonly values?: readonly unknown[];
    readonly name?: string;
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
}

/** The part of a pool of `pg` that we use. */
export interface PoolLike extends ClientLike {
  connect(): Promise<ClientLike & { release(destroy?: boolean): void }>;
  end(): Promise<void>;
}

/** Statements of one store: `@name` in a text is a table of its schema. Each text is prepared once per connection. */
export class Statements {
  readonly #schema: string;
  readonly #prepare: boolean;
  readonly #known = new Map<string, { readonly text: string; readonly name?: string }>();

  constructor(schema: string, prepare: boolean) {
    this.#schema = schema;
    this.#prepare = prepare;
  }

  of(text: string, isKept: boolean): { readonly text: string; readonly name?: string } {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const named = text.replace(/@(\w+)/g, `"${this.#schema}".$1`);
    // Connections may be shared with other stores: the same name must mean the same text there.
    const isNamed = isKept && this.#prepare;
    const statement = isNamed ? { text: named, name: `fullstop_${sha256(named).slice(0, 32)}` } : { text: named };
    if (isKept) this.#known.set(text, statement);
    return statement;
  }
}

/** Asks one client, or whichever client of a pool is free. */
export class Sql {
  readonly #client: ClientLike;
  readonly #statements: Statements;
  readonly #pending: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(client: ClientLike, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
  }

  async rows<TRow>(text: string, values: readonly unknown[] = []): Promise<readonly TRow[]> {
    const { rows } = await this.#client.query({ ...this.#statements.of(text, true), values });
    return rows as readonly TRow[];
  }

  /** Rows of a text that is not worth keeping, because it is made for one question. */
  async asked<TRow>(text: string, values: readonly unknown[]): Promise<readonly TRow[]> {
    const { rows } = await this.#client.query({ ...this.#statements.of(text, false), values });
    return rows as readonly TRow[];
  }

  async row<TRow>(text: string, values: readonly unknown[] = []): Promise<TRow | undefined> {
    return (await this.rows<TRow>(text, values))[0];
  }

  /** Returns the number of rows that it changed. */
  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    const { rowCount } = await this.#client.query({ ...this.#statements.of(text, true), values });
    return rowCount ?? 0;
  }

  /** Sends a statement whose result nobody needs; the next one is sent without waiting for it. How it ends is for `settle` to say. */
  later(text: string, values?: readonly unknown[]): void {
    const statement = this.#statements.of(text, values !== undefined);
    const sent = this.#client.query(values === undefined ? statement : { ...statement, values });
    this.#pending.push(
      sent.catch((error: unknown) => {
        this.#failure ??= { error };
      }),
    );
  }

  /** Waits for everything that was sent, and throws the first failure among it. */
  async settle(): Promise<void> {
    while (this.#pending.length > 0) await this.#pending.shift();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The first failure: what came after it in a transaction failed only because of it. */
  causeOf(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error;
  }

  /** Several statements without values at once. */
  async exec(text: string): Promise<void> {
    await this.#client.query(this.#statements.of(text, false));
  }
}
