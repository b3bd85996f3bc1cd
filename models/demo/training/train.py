"""Trains the demo model from encoded shards, ending by itself at a time that is fixed beforehand.

The learning rate falls in a straight line to zero. Time is what counts: `--minutes` of real work (a stopped process
does not work) or `--until`, whichever is nearer. SIGTERM saves `latest.pt` and ends; `--resume` goes on from it.
"""
import argparse
import dataclasses
import datetime
import math
import os
import signal
import time

import torch
import torch.nn.functional as F

from batches import Documents, choose, steps
from contrast import Pairs, loss_and_hits
from model import PRESETS, Network, Shape
from muon import Muon
from threads import Threads

# A step that took longer was most likely paused; its extra time is not work.
LONGEST_COUNTED_STEP_S = 5.0
LOG_EVERY_S = 30
SAVE_EVERY_S = 600
GRADIENT_CLIP = 1.0


def parse_arguments():
    """Command line of the training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of shard-NNNN.npz")
    parser.add_argument("--out", required=True, help="folder for checkpoints and the log")
    parser.add_argument("--preset", choices=PRESETS, default="cpu")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=0, help="most CPU threads, 0 for PyTorch's choice")
    parser.add_argument("--minutes", type=float, default=70)
    parser.add_argument("--until", help="latest local time of the end, HH:MM")
    parser.add_argument("--tokens-per-step", type=int, default=0, help="0: 4096 on cpu, 65536 on cuda")
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--embedding-lr", type=float, default=4e-3)
    parser.add_argument("--warmup-steps", type=int, default=60)
    parser.add_argument("--resume", help="checkpoint to go on from")
    parser.add_argument("--keep", type=float, default=0.0, help="part of the weights it started from in the final ones")
    parser.add_argument("--first-shard", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=64, help="sentence pairs in a step for the embeddings, 0 for none")
    parser.add_argument("--pairs-every", type=int, default=8, help="steps between two such steps")
    parser.add_argument("--pairs-weight", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Clock:
    """How far the training has come, by worked time and by the absolute end."""

    def __init__(self, minutes, until):
        self.budget_s = minutes * 60
        self.worked_s = 0.0
        self.start = self.last = time.time()
        self.end = None
        if until:
            hour, minute = map(int, until.split(":"))
            end = datetime.datetime.now().replace(hour=hour, minute=minute, second=0)
            if end < datetime.datetime.now():
                end += datetime.timedelta(days=1)
            self.end = end.timestamp()

    def tick(self):
        """Counts the time since the last call, less what was a pause."""
        now = time.time()
        self.worked_s += min(now - self.last, LONGEST_COUNTED_STEP_S)
        self.last = now

    def progress(self):
        """From 0 to 1. A fixed end counts wall time: a starved training still has to arrive at a rate of zero."""
        done = self.worked_s / self.budget_s
        if self.end is not None:
            done = max(done, (self.last - self.start) / (self.end - self.start))
        return min(1.0, done)


class Trainer:
    """Network, optimizers and counters; the whole state of a run."""

    def __init__(self, arguments):
        checkpoint = torch.load(arguments.resume, map_location="cpu") if arguments.resume else None
        shape = Shape(**checkpoint["shape"]) if checkpoint else PRESETS[arguments.preset]
        self.device = torch.device(arguments.device)
        self.network = Network(shape).to(self.device)
        matrices = list(self.network.hidden_matrices().values())
        known = {id(p) for p in matrices}
        others = [p for p in self.network.parameters() if id(p) not in known]
        self.muon = Muon(matrices, arguments.lr)
        self.adam = torch.optim.AdamW(
            [
                {"params": [p for p in others if p.dim() == 2], "weight_decay": 0.01},
                {"params": [p for p in others if p.dim() == 1], "weight_decay": 0.0},
            ],
            lr=arguments.embedding_lr,
            betas=(0.9, 0.95),
            fused=True,
        )
        self.peaks = [(self.muon, arguments.lr), (self.adam, arguments.embedding_lr)]
        self.generator = torch.Generator().manual_seed(arguments.seed)
        self.pairs = Pairs(arguments.data, arguments.pairs) if arguments.pairs else None
        self.pairs_every, self.pairs_weight = arguments.pairs_every, arguments.pairs_weight
        self.hits = 0.0
        self.keep, self.start = arguments.keep, None
        self.tokens = self.steps = 0
        self.earlier_s = 0.0
        if checkpoint:
            self.network.load_state_dict(checkpoint["network"])
            if "muon" in checkpoint:
                self.muon.load_state_dict(checkpoint["muon"])
                self.adam.load_state_dict(checkpoint["adam"])
            if self.keep:
                self.start = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
            self.tokens, self.steps, self.earlier_s = checkpoint["tokens"], checkpoint["steps"], checkpoint["worked_s"]

    def set_rate(self, factor):
        """Sets both learning rates to this part of their peaks."""
        for optimizer, peak in self.peaks:
            for group in optimizer.param_groups:
                group["lr"] = peak * factor

    def step(self, batch):
        """One update. Returns the mean loss on target tokens and on context."""
        ids, targets, weights, positions, groups = batch
        self.tokens += int((weights > 0).sum())
        chosen, kept = choose(weights, self.generator)
        learned, read = weights[chosen] == 1, weights[chosen] > 0
        moved = (ids, targets[chosen], kept, positions, chosen)
        ids, targets, weights, positions, chosen = (tensor.to(self.device, non_blocking=True) for tensor in moved)
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            logits = self.network(ids, positions, groups, chosen)
        losses = F.cross_entropy(logits.float(), targets, reduction="none")
        ((losses * weights).sum() / weights.sum()).backward()
        if self.pairs and self.steps % self.pairs_every == 0:
            loss, hits = loss_and_hits(self.network, self.pairs.draw())
            (loss * self.pairs_weight).backward()
            self.hits += (hits - self.hits) * 0.1
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_CLIP)
        for optimizer, _ in self.peaks:
            optimizer.step()
            optimizer.zero_grad()
        self.steps += 1
        losses = losses.detach()
        return losses[learned.to(self.device)].mean(), losses[(read & ~learned).to(self.device)].mean()

    def return_part_of_the_way(self):
        """Averages the weights with those of the start: what the new corpus says less often is forgotten less."""
        for name, tensor in self.network.state_dict().items() if self.start else ():
            tensor.lerp_(self.start[name], self.keep)

    def save(self, path, worked_s):
        """Writes a checkpoint that a later run can go on from."""
        state = {
            "shape": dataclasses.asdict(self.network.shape),
            "network": self.network.state_dict(),
            "muon": self.muon.state_dict(),
            "adam": self.adam.state_dict(),
            "tokens": self.tokens,
            "steps": self.steps,
            "worked_s": self.earlier_s + worked_s,
        }
        torch.save(state, f"{path}.partial")
        os.replace(f"{path}.partial", path)


def run(trainer, arguments, tokens_per_step):
    """The loop: one step after another until the clock says so."""
    clock = Clock(arguments.minutes, arguments.until)
    threads = Threads(arguments.threads or torch.get_num_threads())
    documents = Documents(arguments.data, arguments.first_shard)
    logged = saved = time.time()
    recent, tokens_then, steps_at_start = [], trainer.tokens, trainer.steps
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    for batch in steps(documents, tokens_per_step, trainer.network.shape.context):
        clock.tick()
        progress = clock.progress()
        if progress >= 1:
            break
        warm = min(1.0, (trainer.steps - steps_at_start + 1) / arguments.warmup_steps)
        trainer.set_rate(warm * (1 - progress))
        begun = time.time()
        recent.append(trainer.step(batch))
        threads.step(begun)
        now = time.time()
        if now - logged > LOG_EVERY_S or trainer.steps - steps_at_start == 5:
            target, context = (sum(float(pair[i]) for pair in recent) / len(recent) for i in (0, 1))
            if not math.isfinite(target):
                raise SystemExit("the loss is no longer a number")
            rate = (trainer.tokens - tokens_then) / (now - logged)
            print(
                f"{clock.worked_s / 60:6.1f} min {progress:6.1%} step {trainer.steps} tokens {trainer.tokens / 1e6:.2f}M"
                f" target {target:.4f} context {context:.3f} {rate:.0f} tokens/s {threads.best} threads"
                f" pairs {trainer.hits:.0%}",
                flush=True,
            )
            recent, logged, tokens_then = [], now, trainer.tokens
        if stopped or now - saved > SAVE_EVERY_S:
            trainer.save(os.path.join(arguments.out, "latest.pt"), clock.worked_s)
            saved = now
        if stopped:
            return
    trainer.return_part_of_the_way()
    trainer.save(os.path.join(arguments.out, "final.pt"), clock.worked_s)
    print(f"done: {trainer.tokens} tokens, {trainer.steps} steps, {(trainer.earlier_s + clock.worked_s) / 60:.1f} minutes", flush=True)


def main():
    """Sets the machine up and trains."""
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    torch.set_float32_matmul_precision("high")
    os.makedirs(arguments.out, exist_ok=True)
    trainer = Trainer(arguments)
    parameters = sum(p.numel() for p in trainer.network.parameters())
    tokens_per_step = arguments.tokens_per_step or (65536 if trainer.device.type == "cuda" else 4096)
    print(f"{parameters} parameters on {trainer.device}, {tokens_per_step} tokens per step", flush=True)
    run(trainer, arguments, tokens_per_step)


if __name__ == "__main__":
    main()
