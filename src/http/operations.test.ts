import { afterEach, describe, expect, it } from 'vitest';
import { createLogger, type EngineReading, Metrics } from '../telemetry/index.js';
import { Listener } from './listener.js';
import { operations } from './operations.js';
import { DEFAULT_HTTP } from './options.js';

describe('the pages of the server', () => {
  let listener: Listener | undefined;
  afterEach(() => listener?.drain(0, 0));

  it('show health and figures without a key', async () => {
    const metrics = new Metrics();
    let engines: readonly EngineReading[] = [];
    const dialect = operations({ metrics, engines: () => engines, isDraining: () => false });
    listener = new Listener({
      options: { ...DEFAULT_HTTP, host: '127.0.0.1', port: 0 },
      mounts: [{ dialect, prefix: '', apiKeys: ['k'] }],
      log: createLogger({ level: 'silent' }),
      onExchangeEnd: (record) => metrics.countExchange(record),
    });
    const { port } = await listener.listen();
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
    const healthy = await get('/health');
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'ok', models: [] }]);
    const prefixCache = { hitTokens: 0, missTokens: 0, usedBytes: 0, budgetBytes: 0 };
    const kvCells = { total: 0, running: 0, cached: 0 };
    const figures = { running: 0, waiting: 0, swapped: 0, threads: 1, steps: 0, restarts: 1 };
    engines = [{ model: 'm', status: { state: 'restarting', kvCells, prefixCache, ...figures } }];
    const restarting = await get('/health');
    expect([restarting.status, await restarting.json()]).toEqual([
      503,
      { status: 'restarting', models: [{ model: 'm', state: 'restarting', running: 0, waiting: 0 }] },
    ]);
    const shown = await get('/metrics');
    expect(shown.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await shown.text()).toContain('koine_http_requests_total{dialect="server",route="/health"');
    expect((await get('/nothing')).status).toBe(404);
  });
});
