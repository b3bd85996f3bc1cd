// The tgi_batch_* families that speak of single batches, in the Prometheus text format: a batch is a step of the
// engine, which counts by itself. What has no true counterpart (filter and concat durations, failures) is left out.

import type { StepFigures, StepTimes, TimeCounts } from '../../../protocol/index.js';

/** Upper bounds of durations in seconds: 0.00015 to 145.6, each half as large again as the one before. */
export const DURATIONS: readonly number[] = Array.from({ length: 35 }, (_, k) =>
  Number((0.0001 * 1.5 ** (k + 1)).toPrecision(12)),
);
const BATCH_SIZES: readonly number[] = Array.from({ length: 1024 }, (_, i) => i + 1);

/** All families of which something has been counted, each closed by an empty line. */
export function stepMetrics(figures: StepFigures): string {
  const { prefill, decode, seated, joins } = figures;
  const methods = [
    { label: 'method="prefill"', times: prefill },
    { label: 'method="decode"', times: decode },
  ].filter(({ times }) => countOf(times.whole) > 0);
  const counts = methods.map(({ label, times }) => ({ label, value: countOf(times.whole) }));
  const durations = (name: string, help: string, pick: (times: StepTimes) => TimeCounts): string =>
    histogram(
      { name, help, bounds: DURATIONS },
      methods.map(({ label, times }) => {
        const { counts: perBound, sumMs } = pick(times);
        return { label, counts: perBound, sum: sumMs / 1000 };
      }),
    );
  const seats = {
    label: '',
    counts: seated,
    sum: seated.reduce((sum, times, i) => sum + times * (i + 1), 0),
  };
  return [
    counter('tgi_batch_inference_count', 'Steps: with prompt tokens (prefill), or without.', counts),
    counter('tgi_batch_inference_success', 'Steps that were computed.', counts),
    counter(
      'tgi_batch_concat',
      'Times that new sequences joined running ones.',
      joins === 0 ? [] : [{ label: 'reason="chunking"', value: joins }],
    ),
    durations('tgi_batch_inference_duration', 'A whole step.', ({ whole }) => whole),
    durations('tgi_batch_forward_duration', "The model's pass.", ({ forward }) => forward),
    durations(
      'tgi_batch_decode_duration',
      'The rest of a step: picking tokens, their text.',
      ({ rest }) => rest,
    ),
    histogram(
      { name: 'tgi_batch_next_size', help: 'New sequences taken at once.', bounds: BATCH_SIZES },
      seated.length === 0 ? [] : [seats],
    ),
  ].join('');
}

interface Series {
  /** `name="value"`, or nothing. */
  readonly label: string;
}

function counter(
  name: string,
  help: string,
  series: readonly (Series & { readonly value: number })[],
): string {
  if (series.length === 0) return '';
  const lines = series.map(({ label, value }) => `${name}{${label}} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join('')}\n`;
}

function histogram(
  {
    name,
    help,
    bounds,
  }: { readonly name: string; readonly help: string; readonly bounds: readonly number[] },
  series: readonly (Series & { readonly counts: readonly number[]; readonly sum: number })[],
): string {
  if (series.length === 0) return '';
  const lines = series.map(({ label, counts, sum }) => {
    const comma = label === '' ? '' : ',';
    const braced = label === '' ? '' : `{${label}}`;
    let total = 0;
    const buckets = bounds.map((bound, i) => {
      total += counts[i] ?? 0;
      return `${name}_bucket{${label}${comma}le="${bound}"} ${total}\n`;
    });
    total = counts.reduce((all, count) => all + count, 0);
    const end = `${name}_bucket{${label}${comma}le="+Inf"} ${total}\n`;
    return `${buckets.join('')}${end}${name}_sum${braced} ${sum}\n${name}_count${braced} ${total}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}\n`;
}

function countOf({ counts }: TimeCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
