"""One measured point of the scaling of a job."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """Measured and predicted times of one number of ranks and threads, in seconds: the fastest of the repeated runs."""

    kind: str  # strong or weak
    ranks: int
    threads: int
    elements: int
    iterations: int
    seconds: float  # sum of the stages
    stages: dict[str, float]
    efficiency: float  # relative to the first point of the kind
    predicted_seconds: float | None  # by `osteon estimate`, from the costs of the first point; None: not available
    predicted_stages: dict[str, float] | None

    @property
    def cores(self) -> int:
        return self.ranks * self.threads
