"""The Postman collection of a sandbox: every operation in an order that can be played, and the environment for it."""

from lastro_sandbox.postman.environment import Environment
from lastro_sandbox.postman.playing import collection
from lastro_sandbox.postman.run import RUN

__all__ = ["RUN", "Environment", "collection"]
