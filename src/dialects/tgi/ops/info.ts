// GET /info, /v1/models: facts about the model and the limits, in each version's fields and order.

import type { EngineStatus } from '../../../protocol/index.js';
import type { Service, Target } from '../service.js';

/** `/info` of 3.3.6. */
export function infoV3({ options, version }: Service, { model, limits }: Target): object {
  return {
    model_id: model.id,
    model_sha: options.modelSha,
    model_pipeline_tag: options.modelPipelineTag,
    max_concurrent_requests: options.maxConcurrentRequests,
    max_best_of: limits.maxBestOf,
    max_stop_sequences: limits.maxStopSequences,
    max_input_tokens: limits.maxInputTokens,
    max_total_tokens: limits.maxTotalTokens,
    validation_workers: options.validationWorkers,
    max_client_batch_size: options.maxClientBatchSize,
    router: 'text-generation-router',
    version: version.version,
    sha: options.sha,
    docker_label: options.dockerLabel,
  };
}

/** `/info` of 1.4.2. */
export function infoV1(service: Service, target: Target, status: EngineStatus): object {
  const { options, version } = service;
  const { model, limits } = target;
  return {
    model_id: model.id,
    model_sha: options.modelSha,
    model_dtype: model.quantization,
    model_device_type: options.deviceType,
    model_pipeline_tag: options.modelPipelineTag,
    max_concurrent_requests: options.maxConcurrentRequests,
    max_best_of: limits.maxBestOf,
    max_stop_sequences: limits.maxStopSequences,
    max_input_length: limits.maxInputTokens,
    max_total_tokens: limits.maxTotalTokens,
    waiting_served_ratio: options.waitingServedRatio,
    max_batch_total_tokens: status.kvCells.total,
    max_waiting_tokens: options.maxWaitingTokens,
    max_batch_size: options.maxBatchSize,
    validation_workers: options.validationWorkers,
    version: version.version,
    sha: options.sha,
    docker_label: options.dockerLabel,
  };
}

/** `/v1/models` of 3.3.6. */
export function modelList(ids: readonly string[]): object {
  const data = ids.map((id) => ({ id, object: 'model', created: 0, owned_by: id }));
  return { object: 'list', data };
}
