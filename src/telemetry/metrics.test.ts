import { describe, expect, it } from 'vitest';
import type { EngineStatus } from '../protocol/index.js';
import { healthReport } from './health.js';
import { Metrics } from './metrics.js';
import { RequestMeter } from './request-meter.js';

/** A clock that stands where the test puts it. */
function stoppedClock() {
  const time = { ms: 0 };
  return { time, clock: { now: () => time.ms, epochSeconds: () => 0 } };
}

const status: EngineStatus = {
  state: 'ready',
  running: 3,
  waiting: 2,
  swapped: 1,
  kvCells: { total: 100, running: 40, cached: 25 },
  prefixCache: { hitTokens: 7, missTokens: 9, usedBytes: 10, budgetBytes: 20 },
  threads: 4,
  steps: 11,
  restarts: 5,
};

/** Lines of one figure. */
async function lines(metrics: Metrics, name: string): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
}

describe('a request meter', () => {
  const labels = { dialect: 'd', route: '/r' };

  it('measures from arrival to first token, per token and to the end', async () => {
    const { time, clock } = stoppedClock();
    const metrics = new Metrics(clock);
    const meter = new RequestMeter(metrics, labels, 0);
    meter.observe({ kind: 'started', promptTokens: 10, cachedTokens: 4 });
    for (const ms of [200, 300, 400]) {
      time.ms = ms;
      meter.observe({ kind: 'delta', choice: 0, text: 'x' });
    }
    meter.observe({ kind: 'choice', choice: 0, reason: 'eos', completionTokens: 3 });
    time.ms = 500;
    meter.observe({
      kind: 'finished',
      usage: { promptTokens: 10, cachedTokens: 4, completionTokens: 3 },
      timings: { queueMs: 50, prefillMs: 150, decodeMs: 200 },
    });
    meter.end();
    const sum = async (name: string) =>
      (await lines(metrics, `koine_${name}_sum`)).map((line) => line.split(' ')[1]);
    expect(await sum('time_to_first_token_seconds')).toEqual(['0.2']);
    expect(await sum('time_per_output_token_seconds')).toEqual(['0.1']);
    expect(await sum('queue_time_seconds')).toEqual(['0.05']);
    expect(await sum('generation_duration_seconds')).toEqual(['0.5']);
    expect(await lines(metrics, 'koine_generations_total')).toEqual([
      'koine_generations_total{dialect="d",route="/r",outcome="eos"} 1',
    ]);
    expect(await lines(metrics, 'koine_tokens_total')).toEqual([
      'koine_tokens_total{kind="prompt"} 10',
      'koine_tokens_total{kind="cached"} 4',
      'koine_tokens_total{kind="completion"} 3',
    ]);
  });

  it('counts a failure by its code, an abandoned request as cancelled, and each once', async () => {
    const metrics = new Metrics();
    const failed = new RequestMeter(metrics, labels, 0);
    failed.observe({ kind: 'failed', failure: { code: 'overloaded', message: '' } });
    failed.end();
    new RequestMeter(metrics, labels, 0).end();
    expect(await lines(metrics, 'koine_generations_total')).toEqual([
      'koine_generations_total{dialect="d",route="/r",outcome="overloaded"} 1',
      'koine_generations_total{dialect="d",route="/r",outcome="cancelled"} 1',
    ]);
  });
});

describe('gauges', () => {
  it('read the engines at each scrape', async () => {
    const metrics = new Metrics();
    let running = 3;
    metrics.watchEngines(() => [{ model: 'm', status: { ...status, running } }]);
    expect(await lines(metrics, 'koine_requests_running')).toEqual(['koine_requests_running{model="m"} 3']);
    running = 0;
    expect(await lines(metrics, 'koine_requests_running')).toEqual(['koine_requests_running{model="m"} 0']);
    expect(await lines(metrics, 'koine_kv_cells')).toEqual([
      'koine_kv_cells{model="m",use="running"} 40',
      'koine_kv_cells{model="m",use="cached"} 25',
      'koine_kv_cells{model="m",use="free"} 35',
    ]);
    for (const [name, value] of [
      ['requests_waiting', 2],
      ['requests_swapped', 1],
      ['engine_restarts', 5],
      ['engine_threads', 4],
      ['engine_ready', 1],
    ] as const) {
      expect(await lines(metrics, `koine_${name}`)).toEqual([`koine_${name}{model="m"} ${value}`]);
    }
    expect(await lines(metrics, 'koine_prefix_cache_tokens')).toEqual([
      'koine_prefix_cache_tokens{model="m",result="hit"} 7',
      'koine_prefix_cache_tokens{model="m",result="miss"} 9',
    ]);
  });

  it('count exchanges by dialect, route, method and status', async () => {
    const metrics = new Metrics();
    metrics.countExchange({ dialect: 'd', route: '/r', method: 'GET', status: 404, durationMs: 5 });
    expect(await lines(metrics, 'koine_http_requests_total')).toEqual([
      'koine_http_requests_total{dialect="d",route="/r",method="GET",status="404"} 1',
    ]);
  });
});

describe('health', () => {
  const reading = (state: EngineStatus['state']) => ({ model: 'm', status: { ...status, state } });

  it('is ok while one engine is ready, and says what it waits for otherwise', () => {
    expect(healthReport([reading('restarting'), reading('ready')], false).status).toBe('ok');
    expect(healthReport([reading('restarting')], false).status).toBe('restarting');
    expect(healthReport([], false).status).toBe('ok');
    expect(healthReport([reading('ready')], true).status).toBe('draining');
  });
});
