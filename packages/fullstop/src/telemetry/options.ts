import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** Options of `createTelemetry`: providers, and what spans and metrics contain. */
export interface TelemetryOptions {
  /** False for none at all: nothing is wrapped then, and no call is made. */
  readonly enabled?: boolean;
  /** The provider that is registered globally unless given. */
  readonly meterProvider?: MeterProvider;
  /** The provider that is registered globally unless given. */
  readonly tracerProvider?: TracerProvider;
  /** Whose words name outcomes and causes in `pipeline.*`; ours unless given. */
  readonly dialect?: 'needlr';
  /** The kind of definition that a name belongs to, where the journal does not say it. */
  readonly runtimes?: Readonly<Record<string, RunType>>;
  /** How many series an instrument may have; names beyond that are `other`. 1,000 unless given. */
  readonly mostSeries?: number;
  /** Also emits spans and metrics by the GenAI conventions as they were in that month; they are not stable, hence the date. */
  readonly genAi?: '2026-10';
}

/** The kind of definition that a run executes. */
export type RunType = 'agent' | 'convergence' | 'pipeline' | 'run' | 'workflow';
