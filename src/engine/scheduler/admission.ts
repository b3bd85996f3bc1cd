// Who gets a place, and who has to give one up. Waiting sequences are seated in order; one whose prefix another is
// computing right now waits for it instead of computing it again. Engine process.

import { commonPrefix, type Places } from '../cache/places.js';
import type { ModelRunner } from '../model-runner.js';
import type { Sequence } from '../sequence.js';
import { comesBefore, type WaitingQueue } from './queue.js';
import type { RunningSet } from './running-set.js';

/** Fewer shared tokens than this are not worth waiting for. */
const MIN_SHARED = 32;

export interface AdmissionParts {
  readonly runner: ModelRunner;
  readonly places: Places;
  readonly waiting: WaitingQueue;
  readonly running: RunningSet;
  /** Whether prefixes may be taken from other requests; false leaves only the choices of one request to share. */
  readonly sharesAcrossRequests: boolean;
  /** Called for every sequence that was seated, with the positions it did not have to compute. */
  readonly onSeated: (sequence: Sequence, reused: number) => void;
}

/** Moves sequences from waiting to running and, when they must give way, back. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Seats whoever can be seated now. */
  admit(): void {
    const { waiting, places } = this.#parts;
    if (waiting.length === 0) return;
    for (const sequence of waiting.snapshot()) {
      if (mustWaitForPrompt(sequence) || this.#mustWaitForLeader(sequence)) continue;
      if (!places.hasFree() && !this.#makeWay(sequence)) return;
      if (this.#shouldFollow(sequence)) continue;
      while (!this.#hasCells(sequence)) if (!this.#makeWay(sequence)) return;
      this.#seat(sequence);
    }
  }

  /** Takes the youngest of the lowest priority out to host memory. False when there is nobody else to take. */
  swapOutYoungest(except?: Sequence): boolean {
    const victim = this.#youngest((sequence) => sequence !== except);
    if (victim === undefined) return false;
    this.#swapOut(victim);
    return true;
  }

  #seat(sequence: Sequence): void {
    const { places, waiting, running, onSeated } = this.#parts;
    const seating = this.#seating(sequence);
    waiting.remove(sequence);
    sequence.phase = 'running';
    sequence.waitsFor = undefined;
    sequence.swapped = undefined;
    running.add(sequence);
    onSeated(sequence, seating.reused);
    if (places.audit().cells.free < 0) throw new Error('more KV cells are in use than there are');
  }

  #seating(sequence: Sequence): { reused: number } {
    const { places, runner } = this.#parts;
    if (sequence.swapped !== undefined) {
      const back = places.seatWith(sequence, [sequence.swapped], sequence.computed);
      if (back !== undefined) return back;
      sequence.computed = 0;
    }
    const leader = sequence.waitsFor?.leader;
    const positions = sequence.waitsFor?.positions ?? 0;
    if (leader?.phase === 'running' && leader.computed >= positions) {
      const isCached =
        this.#parts.sharesAcrossRequests && sequence.usePrefixCache && places.share(leader, positions);
      const given = isCached
        ? undefined
        : places.seatWith(sequence, [runner.exportKv(leader.place, 0, positions)], positions);
      if (given !== undefined) return given;
    }
    return places.seat(sequence, mayReuse(sequence));
  }

  /** True while the leader this sequence follows is still computing what they share. */
  #mustWaitForLeader(sequence: Sequence): boolean {
    const { waitsFor } = sequence;
    if (waitsFor === undefined) return false;
    const { leader, positions } = waitsFor;
    return (leader.phase === 'running' || leader.phase === 'waiting') && leader.computed < positions;
  }

  /** Looks once for a running sequence to follow; true when it has not got far enough yet. */
  #shouldFollow(sequence: Sequence): boolean {
    if (sequence.computed > 0 || (sequence.hasLookedForLeader && !this.#mayLookAgain(sequence))) return false;
    sequence.hasLookedForLeader = true;
    if (!this.#parts.runner.info.canMoveKv || !mayReuse(sequence)) return false;
    const found = this.#findLeader(sequence);
    if (found === undefined) return false;
    sequence.waitsFor = found;
    return this.#mustWaitForLeader(sequence);
  }

  /** A leader that ended left its KV behind: the first to take it over leads the others. */
  #mayLookAgain({ waitsFor, usePrefixCache }: Sequence): boolean {
    return this.#parts.sharesAcrossRequests && usePrefixCache && waitsFor?.leader.phase === 'ended';
  }

  #findLeader(sequence: Sequence): { leader: Sequence; positions: number } | undefined {
    const limit = sequence.length - 1;
    let best: { leader: Sequence; positions: number } | undefined;
    for (const leader of this.#parts.running.all()) {
      if (!this.#mayFollow(sequence, leader)) continue;
      const shared = commonPrefix(leader.tokens, sequence.tokens, Math.min(limit, leader.promptLength));
      const positions = Math.min(shared, limit);
      if (positions >= MIN_SHARED && positions > (best?.positions ?? 0)) best = { leader, positions };
    }
    return best;
  }

  #mayFollow(sequence: Sequence, leader: Sequence): boolean {
    if (leader.scope !== sequence.scope) return false;
    if (leader.group === sequence.group) return true;
    return this.#parts.sharesAcrossRequests && sequence.usePrefixCache && leader.usePrefixCache;
  }

  /** Frees a place for a sequence of higher priority than some running one. */
  #makeWay(sequence: Sequence): boolean {
    const victim = this.#youngest((running) => running.group.priority < sequence.group.priority);
    if (victim === undefined) return false;
    this.#swapOut(victim);
    return true;
  }

  #youngest(isCandidate: (sequence: Sequence) => boolean): Sequence | undefined {
    let youngest: Sequence | undefined;
    for (const sequence of this.#parts.running.all()) {
      if (isCandidate(sequence) && (youngest === undefined || comesBefore(youngest, sequence)))
        youngest = sequence;
    }
    return youngest;
  }

  #swapOut(victim: Sequence): void {
    const { places, running, waiting, runner } = this.#parts;
    running.remove(victim);
    if (runner.info.canMoveKv) victim.swapped = places.swapOut(victim);
    else {
      // Its state cannot be taken out, so it will be computed again from its tokens.
      places.discard(victim);
      victim.computed = 0;
    }
    victim.phase = 'swapped';
    waiting.add(victim);
  }

  /** In a unified pool: whether the whole prompt and a token for everybody fit, after residents have gone. */
  #hasCells(sequence: Sequence): boolean {
    const { runner, places, running } = this.#parts;
    if (runner.info.kvLayout === 'streams') return true;
    // Those seated before have a claim on what they have not computed yet.
    const claimed = running.all().reduce((sum, other) => sum + other.remaining, 0);
    const needed = sequence.length + 1 + claimed;
    if (places.audit().cells.free >= needed) return true;
    places.evictResidents(needed);
    return places.audit().cells.free >= needed || running.size === 0;
  }
}

/** The first choice reports the prompt's log-probabilities, and nothing may be shown before them. */
function mustWaitForPrompt({ choice, group }: Sequence): boolean {
  return choice > 0 && group.output.promptLogprobs !== undefined && !group.hasStarted;
}

/** Prompt log-probabilities, which the first choice reports, need the logits of every prompt token. */
function mayReuse(sequence: Sequence): boolean {
  return sequence.choice > 0 || sequence.group.output.promptLogprobs === undefined;
}
