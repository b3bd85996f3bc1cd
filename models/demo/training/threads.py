"""How many threads a CPU step should use. On a machine that others use as well, threads that wait for each other at every
product can be slower than fewer of them; so both numbers are tried again and again and the faster one is kept."""
import time

import torch

# Steps between two trials, and steps of a trial.
KEPT_STEPS = 24
TRIAL_STEPS = 3


class Threads:
    """Switches between `most` threads and half of them, by the time that steps take."""

    def __init__(self, most):
        self.choices = sorted({most, max(1, most // 2)}, reverse=True)
        self.best = self.current = self.choices[0]
        self.times = []
        self.usual = None
        torch.set_num_threads(self.current)

    def use(self, count):
        """Goes on with this number of threads and measures anew."""
        self.current, self.times = count, []
        torch.set_num_threads(count)

    def step(self, begun):
        """Counts a step that began at this time."""
        self.times.append(time.time() - begun)
        if len(self.choices) == 1:
            return
        mean = sum(self.times) / len(self.times)
        if self.current == self.best and len(self.times) == KEPT_STEPS:
            recent = self.times[-2 * TRIAL_STEPS :]
            self.usual = sum(recent) / len(recent)
            self.use(next(count for count in self.choices if count != self.best))
        elif self.current != self.best and len(self.times) == TRIAL_STEPS:
            if mean < self.usual:
                self.best = self.current
            self.use(self.best)
