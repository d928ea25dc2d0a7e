/** The price of a model, in US dollars per million tokens. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Input that the provider had in its cache; as expensive as other input unless given. */
  readonly cachedInputPerMillion?: number;
}
