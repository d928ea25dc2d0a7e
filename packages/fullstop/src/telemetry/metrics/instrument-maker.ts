import { type Meter, type MetricOptions, type ObservableResult, ROOT_CONTEXT } from '@opentelemetry/api';
import { Series } from './series.js';
import { isCommonCause } from './words.js';

type Values<TKey extends string, TOptional extends string> = Readonly<
  Record<TKey, string> & Record<TOptional, string | undefined>
>;

/** A counter that is summed up here and read when someone collects: adding to it costs next to nothing. */
export interface Counted<TKey extends string, TOptional extends string = never> {
  add(value: number, values: Values<TKey, TOptional>): void;
}

/** A histogram. */
export interface Distributed<TKey extends string, TOptional extends string = never> {
  record(value: number, values: Values<TKey, TOptional>): void;
}

/** The attributes of an instrument. */
export interface Shape<TKey extends string> {
  readonly keys: readonly TKey[];
  /** Those whose values anyone may invent. */
  readonly names: readonly TKey[];
  /** The one that holds the word for an ending. */
  readonly cause?: TKey;
}

/** Makes instruments that keep their series bounded. */
export interface Maker {
  counter<TKey extends string>(name: string, shape: Shape<TKey>, options?: MetricOptions): Counted<TKey>;
  upDownCounter<TKey extends string>(name: string, shape: Shape<TKey>, options?: MetricOptions): Counted<TKey>;
  histogram<TKey extends string>(name: string, shape: Shape<TKey>, options?: MetricOptions): Distributed<TKey>;
}

export function createMaker(meter: Meter, most: number): Maker {
  const seriesOf = <TKey extends string>(shape: Shape<TKey>): Series<TKey> =>
    new Series({ ...shape, most, isCommonCause });
  const sumInto = <TKey extends string>(series: Series<TKey>): Counted<TKey> => ({
    add(value, values) {
      series.of(values).sum += value;
    },
  });
  const reportSums =
    (series: Series<string>) =>
    (result: ObservableResult): void => {
      for (const { sum, attributes } of series.cells()) result.observe(sum, attributes);
    };
  return {
    counter(name, shape, options) {
      const series = seriesOf(shape);
      meter.createObservableCounter(name, options).addCallback(reportSums(series));
      return sumInto(series);
    },
    upDownCounter(name, shape, options) {
      const series = seriesOf(shape);
      meter.createObservableUpDownCounter(name, options).addCallback(reportSums(series));
      return sumInto(series);
    },
    histogram(name, shape, options) {
      const series = seriesOf(shape);
      const histogram = meter.createHistogram(name, options);
      // Whatever is active by now has nothing to do with the run that is recorded.
      return { record: (value, values) => histogram.record(value, series.of(values).attributes, ROOT_CONTEXT) };
    },
  };
}
